"""Objects that lie, fail when they are looked at, or change later: none of them passes for a gate or changes a call."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from schemarouter import (
    ApprovalDeniedError,
    EndpointSpec,
    ExecutionBudget,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    ExecutionHooks,
    ExecutionPlan,
    ExecutionPolicy,
    InMemoryRegistry,
    NonRetryableInvocationError,
    PlanningError,
    PlanRequest,
    PolicyViolationError,
    RegistrationError,
    RegistryExecutor,
    RetryPolicy,
    SchemaRouter,
    SchemaValidationError,
    ToolCall,
    ToolSpec,
    TransientInvocationError,
)
from support.boundary import CANARY, tool_spec

SPEC = tool_spec()


class Spoof:
    """Says that policy denied the call, when it is asked what it is."""

    @property
    def __class__(self) -> Any:
        raise PolicyViolationError("spoofed")


class LyingError(Exception):
    @property
    def __class__(self) -> Any:
        return TransientInvocationError


class FailingError(Exception):
    @property
    def __class__(self) -> Any:
        raise PolicyViolationError("spoofed")


def executor(invoker: Any = lambda _endpoint, _arguments: {"value": 1}, **options: Any) -> RegistryExecutor:
    registry = InMemoryRegistry()
    registry.register(SPEC)
    made = RegistryExecutor(registry, **options)
    made.bind("ns.tool", invoker)
    return made


def call(**changes: Any) -> ToolCall:
    made = ToolCall(
        tool="ns.tool",
        endpoint="act",
        arguments={"secret": CANARY},
        fields=["value"],
        schema_fingerprint=SPEC.endpoints[0].fingerprint,
        tool_fingerprint=SPEC.fingerprint,
    )
    return made.model_copy(update=changes)


def give(value: Any) -> Any:
    return lambda *_: value


def fail(error: Exception) -> Any:
    def function(*_: Any) -> None:
        raise error

    return function


async def outcome(made: RegistryExecutor, driver: str, **options: Any) -> Exception:
    try:
        if driver == "sync":
            made.execute_call_sync(call(), **options)
        else:
            await made.execute_call(call(), **options)
    except Exception as error:  # noqa: BLE001 - the caller looks at the class
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.asyncio
@pytest.mark.parametrize("driver", ["sync", "async"])
async def test_what_fails_while_it_is_asked_for_its_class_is_a_failure_of_who_returned_it(driver: str) -> None:
    error = await outcome(executor(give(Spoof())), driver)
    assert type(error) is NonRetryableInvocationError
    gate = executor(policy=ExecutionPolicy(approval_mode="all"), approval_callback=give(Spoof()))
    assert type(await outcome(gate, driver)) is ApprovalDeniedError
    before = executor(hooks=ExecutionHooks(before_call=[give(Spoof())]))
    assert type(await outcome(before, driver)) is ExecutionHookError
    after = await outcome(executor(hooks=ExecutionHooks(after_call=[give(Spoof())])), driver)
    assert type(after) is ExecutionHookError
    assert after.execution_succeeded is True


@pytest.mark.asyncio
@pytest.mark.parametrize("driver", ["sync", "async"])
async def test_an_error_is_what_its_type_says(driver: str) -> None:
    retry = RetryPolicy(max_attempts=3)
    runs: list[None] = []

    def lie(*_: Any) -> None:
        runs.append(None)
        raise LyingError

    assert type(await outcome(executor(lie), driver, retry=retry)) is LyingError
    assert len(runs) == 1
    assert type(await outcome(executor(fail(FailingError())), driver)) is FailingError


@pytest.mark.asyncio
async def test_an_invoker_cannot_say_that_planning_failed() -> None:
    error = await outcome(executor(fail(PlanningError("spoofed"))), "async")
    assert type(error) is NonRetryableInvocationError
    assert type(error.__cause__) is PlanningError


@pytest.mark.asyncio
async def test_the_cause_of_a_failed_approval_is_what_the_callback_raised() -> None:
    gate = executor(policy=ExecutionPolicy(approval_mode="all"), approval_callback=fail(StopIteration(CANARY)))
    error = await outcome(gate, "async")
    assert type(error.__cause__) is StopIteration


def test_an_awaitable_that_cannot_be_ended_is_refused_all_the_same() -> None:
    class Endless:
        def __await__(self) -> Any:
            return iter(())

        def close(self) -> None:
            raise PolicyViolationError("spoofed")

    with pytest.raises(NonRetryableInvocationError, match="async driver"):
        executor(give(Endless())).execute_call_sync(call())


@pytest.mark.asyncio
@pytest.mark.parametrize("changes", [{"fields": None}, {"fields": 5}, {"missing_required_arguments": None}])
async def test_a_call_that_lost_its_shape_is_a_planning_error(changes: dict[str, Any]) -> None:
    with pytest.raises(PlanningError):
        await executor().execute_call(call(**changes))


@pytest.mark.asyncio
async def test_models_that_were_never_checked_are_planning_errors() -> None:
    with pytest.raises(PlanningError):
        await executor().execute_call(ToolCall.model_construct())
    plan = ExecutionPlan(query="q", registry_version=1).model_copy(update={"calls": None})
    with pytest.raises(PlanningError):
        await executor().execute(plan)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "changes",
    [
        {"max_elapsed_seconds": float("nan")},  # would never be over
        {"max_tool_calls": "5"},
        {"max_cost_units": Decimal("NaN")},
        {"cost_units": {"*": -1}},  # would give back what was charged
        {"per_tool_calls": {"ns.tool": True}},
    ],
)
async def test_a_budget_is_looked_at_again_when_a_run_starts(changes: dict[str, Any]) -> None:
    budget = ExecutionBudget(max_cost_units=5, cost_units={"*": 1}).model_copy(update=changes)
    with pytest.raises(ValueError, match="ExecutionBudget"):
        await executor().execute_call(call(), budget=budget)


@pytest.mark.asyncio
async def test_retries_are_looked_at_again_when_a_run_starts() -> None:
    with pytest.raises(ValueError, match="RetryPolicy"):
        await executor().execute_call(call(), retry=RetryPolicy().model_copy(update={"max_attempts": "5"}))


@pytest.mark.asyncio
async def test_weights_of_any_length_are_counted() -> None:
    budget = ExecutionBudget(max_cost_units=1, cost_units={"*": 10**5000})
    with pytest.raises(ExecutionBudgetExceededError, match="max_cost_units=1"):
        await executor().execute_call(call(), budget=budget)


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", [True, False, "spoofed"])
async def test_hooks_do_not_say_themselves_whether_they_were_replaced(answer: Any) -> None:
    class Hook:
        def __call__(self, *_: Any) -> None:
            pass

        def __eq__(self, other: object) -> bool:
            if answer == "spoofed":
                raise PolicyViolationError("spoofed")
            return bool(answer)

        __hash__ = object.__hash__

    def approve(*_: Any) -> bool:
        made.hooks = ExecutionHooks(before_call=[Hook()])
        return True

    made = executor(
        policy=ExecutionPolicy(approval_mode="all"),
        approval_callback=approve,
        hooks=ExecutionHooks(before_call=[Hook()]),
    )
    error = await outcome(made, "async")
    assert type(error) is ApprovalDeniedError
    assert "execution policy changed" in str(error)


@pytest.mark.parametrize("registry", [{}, "tools", InMemoryRegistry])
def test_what_is_no_registry_is_refused_at_once(registry: Any) -> None:
    with pytest.raises(TypeError, match="registry must be an InMemoryRegistry"):
        SchemaRouter(registry=registry)


@pytest.mark.parametrize("hooks", [None, 5, print])
def test_hooks_that_are_no_list_are_named(hooks: Any) -> None:
    with pytest.raises(TypeError, match="after_call hooks must be a list of callables"):
        ExecutionHooks(after_call=hooks)


def test_hooks_can_be_copied_and_pickled() -> None:
    hooks = ExecutionHooks(before_call=[print], after_call=[print])
    for copied in (copy.copy(hooks), copy.deepcopy(hooks), pickle.loads(pickle.dumps(hooks))):
        assert copied == hooks


def test_a_refused_model_does_not_repeat_what_it_was_given() -> None:
    with pytest.raises(ValidationError) as caught:
        ToolCall(tool="t", endpoint="e", schema_fingerprint="f", arguments=CANARY)
    assert CANARY not in str(caught.value)


def jobs(invoker: Any) -> SchemaRouter:
    router = SchemaRouter()
    endpoint = EndpointSpec(name="create", read_only=True, input_schema={"type": "object"})
    router.add_bound_tool(ToolSpec(name="jobs", endpoints=[endpoint]), invoker)
    return router


@pytest.mark.asyncio
@pytest.mark.parametrize("as_completed", [False, True])
async def test_a_batch_runs_the_requests_that_it_was_given(as_completed: bool) -> None:
    requests = [PlanRequest(query="jobs create", arguments={"n": index}) for index in range(3)]
    seen: list[Any] = []

    async def invoke(_endpoint: str, arguments: dict[str, Any]) -> None:
        seen.append(arguments["n"])
        requests[1].arguments["n"] = "changed"
        requests[2] = PlanRequest(query="jobs create", arguments={"n": "another"})

    router, config = jobs(invoke), {"max_concurrency": 1}
    if as_completed:
        async for _ in router.abatch_as_completed(requests, config=config):
            pass
    else:
        await router.abatch(requests, config=config)
    assert seen == [0, 1, 2]


@pytest.mark.asyncio
async def test_arguments_that_are_not_json_are_refused_by_the_call() -> None:
    request = PlanRequest(query="jobs create")
    request.arguments[1] = CANARY  # type: ignore[index]  # what a caller may do
    with pytest.raises(SchemaValidationError, match="key that is not a string"):
        await jobs(give(None)).ainvoke(request)
    with pytest.raises(SchemaValidationError, match="key that is not a string"):
        await jobs(give(None)).abatch([request])


@pytest.mark.parametrize("tool", [None, "jobs", ToolSpec(name="q", endpoints=[], execution_metadata={"x": object()})])
def test_what_is_no_tool_cannot_be_registered_with_an_invoker(tool: Any) -> None:
    router = SchemaRouter()
    with pytest.raises(RegistrationError):
        router.add_bound_tool(tool, give(None))
    assert router.registry.version == 0


@pytest.mark.asyncio
async def test_an_error_that_cannot_be_asked_does_not_take_the_place_of_another_in_events() -> None:
    class EvilError(Exception):
        @property
        def completed(self) -> Any:
            raise PolicyViolationError("spoofed")

    events = jobs(fail(EvilError())).astream_events("jobs create")
    seen = [await anext(events) for _ in range(5)]
    with pytest.raises(EvilError):
        await anext(events)
    assert seen[-1].data == {"error_type": "EvilError", "result_count": 0}


def cycle() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["again"] = found
    return found


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(5000):
        found = [found]
    return found


def no_text() -> bytes:
    return b"\xff"


@pytest.mark.asyncio
@pytest.mark.parametrize("function", [cycle, deep, no_text])
async def test_what_a_function_returns_and_cannot_be_written_is_an_output_error(function: Any) -> None:
    router = SchemaRouter()
    router.add_callable(function)
    with pytest.raises(SchemaValidationError, match="output from") as caught:
        await router.ainvoke(f"{function.__name__}.call")
    assert caught.value.execution_succeeded is True
