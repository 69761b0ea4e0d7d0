"""The executor: policy, approval, hooks, budgets and plans, as a caller meets them."""

from __future__ import annotations

import asyncio
import threading
import traceback
from typing import Any

import pytest

from schemarouter.compiler.compile import compile_policy
from schemarouter.compiler.policy import ExecutionPolicy, PolicyRule
from schemarouter.document.v1 import PolicyDocument
from schemarouter.engine.frame import private_copy
from schemarouter.errors import (
    ApprovalDeniedError,
    BindingDriftError,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    NonRetryableInvocationError,
    PlanningError,
    PlanValidationError,
    PolicyError,
    PolicyViolationError,
    SchemaDriftError,
    SchemaValidationError,
    TransientInvocationError,
)
from schemarouter.loading import LoadedPolicy, load_policy
from schemarouter.model.call import ToolCall
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.model.plan import ExecutionPlan
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.registry import InMemoryRegistry
from support.boundary import CANARY, tool_spec

OUTPUT = {"value": 1, "hidden": CANARY}


class Setup:
    """An executor over `ns.tool`, whose invoker records what it was called with."""

    def __init__(self, spec: ToolSpec | None = None, **options: Any) -> None:
        self.spec = spec or tool_spec()
        self.registry = InMemoryRegistry()
        self.registry.register(self.spec)
        self.executor = RegistryExecutor(self.registry, **options)
        self.seen: list[dict[str, Any]] = []
        self.executor.bind("ns.tool", self.invoke)

    async def invoke(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        self.seen.append(arguments)
        return OUTPUT

    def call(self, **changes: Any) -> ToolCall:
        fields = {
            "tool": "ns.tool",
            "endpoint": "act",
            "arguments": {"secret": CANARY},
            "fields": ["value"],
            "schema_fingerprint": self.spec.endpoints[0].fingerprint,
            "tool_fingerprint": self.spec.fingerprint,
        }
        return ToolCall(**(fields | changes))

    def plan(self, *calls: ToolCall) -> ExecutionPlan:
        return ExecutionPlan(query="q", registry_version=self.registry.version, calls=list(calls))


# Stage 2, complete and in order


def tampered(call: ToolCall, **changes: Any) -> ToolCall:
    return call.model_copy(update=changes)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("changes", "kind", "fragment"),
    [
        ({"tool": "no.tool"}, PlanValidationError, "unknown tool"),
        ({"endpoint": "none"}, PlanValidationError, "unknown tool or endpoint"),
        ({"schema_fingerprint": "0" * 64}, SchemaDriftError, "tool contract changed"),
        ({"tool_fingerprint": "0" * 64}, SchemaDriftError, "tool contract changed"),
        ({"missing_required_arguments": ["secret"]}, PlanValidationError, "missing required arguments"),
        ({"arguments": {}}, PlanValidationError, "missing required arguments"),
        ({"arguments": {"secret": 3}}, SchemaValidationError, "arguments for ns.tool.act"),
        ({"arguments": {"secret": "s", "more": CANARY}}, PlanValidationError, "undeclared arguments"),
        ({"arguments": {"secret": float("nan")}}, SchemaValidationError, "arguments for ns.tool.act"),
        ({"arguments": {"secret": object()}}, SchemaValidationError, "arguments for ns.tool.act"),
        ({"fields": []}, PlanValidationError, "explicit output projection"),
        ({"fields": ["other"]}, PlanValidationError, "undeclared output fields"),
    ],
)
async def test_bad_calls(changes: dict[str, Any], kind: type[Exception], fragment: str) -> None:
    setup = Setup()
    call = tampered(setup.call(), **changes)
    for attempt in (lambda: setup.executor.validate_call(call), lambda: setup.executor.execute_call_sync(call)):
        with pytest.raises(kind, match=fragment) as caught:
            attempt()
        assert CANARY not in str(caught.value)
    with pytest.raises(kind, match=fragment) as caught:
        await setup.executor.execute_call(call)
    assert type(caught.value) is kind
    assert not setup.seen


@pytest.mark.asyncio
async def test_cyclic_deep_and_enormous_arguments_are_refused() -> None:
    setup = Setup()
    cycle: dict[str, Any] = {}
    cycle["secret"] = cycle
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    bomb: Any = ["x"] * 10
    for _ in range(9):
        bomb = [bomb] * 10
    for arguments in (cycle, {"secret": deep}, {"secret": bomb}):
        with pytest.raises(SchemaValidationError):
            await setup.executor.execute_call(tampered(setup.call(), arguments=arguments))
    del deep
    assert not setup.seen


@pytest.mark.asyncio
async def test_a_remote_tool_needs_a_tool_fingerprint() -> None:
    setup = Setup(tool_spec(remote=True))
    with pytest.raises(PlanValidationError, match="tool_fingerprint is required"):
        await setup.executor.execute_call(setup.call(tool_fingerprint=None))
    await setup.executor.execute_call(setup.call())
    assert len(setup.seen) == 1


@pytest.mark.asyncio
async def test_bindings() -> None:
    setup = Setup()
    setup.executor.unbind("ns.tool")
    setup.executor.validate_call(setup.call())  # needs no invoker
    with pytest.raises(BindingDriftError, match="rebind"):
        await setup.executor.execute_call(setup.call())
    setup.executor.bind("ns.tool", setup.invoke)
    assert list(setup.executor.bound_keys()) == ["ns.tool"]
    setup.spec = tool_spec(description="newer")
    setup.registry.register(setup.spec, replace=True)
    with pytest.raises(BindingDriftError, match=r"registry contract changed; rebind"):
        await setup.executor.execute_call(setup.call())
    setup.executor.bind("ns.tool", setup.invoke, expected_fingerprint=setup.spec.fingerprint)
    assert (await setup.executor.execute_call(setup.call())).data == {"value": 1}


@pytest.mark.asyncio
async def test_an_invoker_object_gets_the_call() -> None:
    class Invoker:
        def invoke_call(self, call: ToolCall) -> Any:
            setup.seen.append(call.arguments)
            return OUTPUT

    setup = Setup()
    setup.executor.bind("ns.tool", Invoker())
    await setup.executor.execute_call(setup.call())
    assert setup.seen == [{"secret": CANARY}]


# Policy and approval


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("read_only", "remote", "policy", "fragment"),
    [
        (False, False, None, "allow_mutations"),
        (None, True, None, "unclassified"),
        (True, False, ExecutionPolicy(rules=(PolicyRule("deny", "ns.*", name="keep-out"),)), "keep-out"),
    ],
)
async def test_denied_call_runs_nothing(
    read_only: bool | None, remote: bool, policy: ExecutionPolicy | None, fragment: str
) -> None:
    asked: list[object] = []
    setup = Setup(
        tool_spec(remote=remote, read_only=read_only),
        policy=policy,
        approval_callback=lambda *_: asked.append(1) or True,
        hooks=ExecutionHooks(before_call=[lambda *_: asked.append(2)]),
    )
    with pytest.raises(PolicyViolationError, match=fragment) as caught:
        await setup.executor.execute_call(setup.call())
    assert type(caught.value) is PolicyViolationError
    assert not asked
    assert not setup.seen


@pytest.mark.asyncio
@pytest.mark.parametrize("value", [1, "yes", [1], object(), None, False, NotImplemented])
async def test_only_literal_true_approves(value: object) -> None:
    setup = Setup(policy=ExecutionPolicy(approval_mode="all"), approval_callback=lambda *_: value)
    with pytest.raises(ApprovalDeniedError, match="was not approved"):
        await setup.executor.execute_call(setup.call())
    assert not setup.seen


@pytest.mark.asyncio
async def test_without_a_callback_and_with_one_that_fails() -> None:
    setup = Setup(policy=ExecutionPolicy(approval_mode="all"))
    with pytest.raises(ApprovalDeniedError, match="requires trusted local approval"):
        await setup.executor.execute_call(setup.call())

    def fail(*_: object) -> bool:
        raise ValueError(CANARY)

    setup.executor.approval_callback = fail
    with pytest.raises(ApprovalDeniedError, match="failed closed") as caught:
        await setup.executor.execute_call(setup.call())
    assert isinstance(caught.value.__cause__, ValueError)
    assert CANARY not in str(caught.value)
    assert not setup.seen


@pytest.mark.asyncio
async def test_swapping_the_policy_while_approval_is_awaited() -> None:
    async def approve(*_: object) -> bool:
        await asyncio.sleep(0)
        setup.executor.policy = ExecutionPolicy(allow_mutations=True)
        return True

    setup = Setup(policy=ExecutionPolicy(approval_mode="all"), approval_callback=approve)
    with pytest.raises(ApprovalDeniedError, match="execution policy changed"):
        await setup.executor.execute_call(setup.call())
    assert not setup.seen
    assert (await setup.executor.execute_call(setup.call())).data == {"value": 1}  # the next call sees the new one


@pytest.mark.asyncio
async def test_assigning_an_equal_policy_changes_nothing() -> None:
    def approve(*_: object) -> bool:
        setup.executor.policy = ExecutionPolicy(approval_mode="all")
        return True

    setup = Setup(policy=ExecutionPolicy(approval_mode="all"), approval_callback=approve)
    assert (await setup.executor.execute_call(setup.call())).data == {"value": 1}


@pytest.mark.asyncio
async def test_registering_the_same_contract_again_changes_nothing() -> None:
    setup = Setup(
        hooks=ExecutionHooks(before_call=[lambda *_: setup.registry.register(setup.spec, replace=True) and None])
    )
    assert (await setup.executor.execute_call(setup.call())).data == {"value": 1}


# Policy files


FILE = """
version: 1
approval: {mode: all, callback: ask}
classify: [{operation: "ns.tool.act", read_only: true}]
budget: {max_tool_calls: 2, max_cost_units: 0.3, cost_units: {"*": 0.1}}
retry: {max_attempts: 2}
hooks: {before_call: [first], after_call: [last]}
"""


@pytest.mark.asyncio
async def test_a_policy_file_supplies_callback_hooks_and_ceilings() -> None:
    order: list[str] = []

    def note(name: str, value: object = None) -> Any:
        return lambda *_: (order.append(name), value)[1]

    loaded = load_policy(
        FILE, hooks={"first": note("file-before"), "last": note("file-after")}, callbacks={"ask": note("ask", True)}
    )
    hooks = ExecutionHooks(before_call=[note("code-before")], after_call=[note("code-after")])
    setup = Setup(policy=loaded, hooks=hooks)
    await setup.executor.execute(setup.plan(setup.call(), setup.call()))
    once = ["ask", "file-before", "code-before", "file-after", "code-after"]
    assert order == once * 2
    with pytest.raises(ExecutionBudgetExceededError, match="max_tool_calls=2") as caught:
        await setup.executor.execute(setup.plan(*[setup.call()] * 3), budget=ExecutionBudget(max_tool_calls=9))
    assert len(caught.value.completed) == 2
    with pytest.raises(ExecutionBudgetExceededError, match=r"max_cost_units=0\.3"):
        await setup.executor.execute_call(setup.call(), budget=ExecutionBudget(cost_units={"ns.tool": 0.4}))
    with pytest.raises(PolicyError, match="approval callback"):
        setup.executor.approval_callback = note("other", True)
    assert setup.executor.policy is loaded


@pytest.mark.asyncio
async def test_a_file_is_a_ceiling_over_retries() -> None:
    attempts: list[int] = []

    def fail(endpoint: str, arguments: object) -> None:
        attempts.append(1)
        raise TransientInvocationError("x")

    setup = Setup(policy=load_policy("version: 1\nretry: {max_attempts: 2}\n"))
    setup.executor.bind("ns.tool", fail)
    for retry in (None, RetryPolicy(), RetryPolicy(max_attempts=50)):
        attempts.clear()
        with pytest.raises(TransientInvocationError):
            await setup.executor.execute_call(setup.call(), retry=retry)
        assert len(attempts) == 2


def test_a_backoff_that_no_clock_can_hold_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class StoppedWaitingError(Exception):
        pass

    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        raise StoppedWaitingError

    def fail(endpoint: str, arguments: object) -> None:
        raise TransientInvocationError("x")

    monkeypatch.setattr("time.sleep", sleep)
    retry = "retry: {max_attempts: 2, initial_backoff_seconds: 1.0e+300}"
    setup = Setup(policy=load_policy(f"version: 1\n{retry}\n"))
    setup.executor.bind("ns.tool", fail)
    with pytest.raises(StoppedWaitingError):
        setup.executor.execute_call_sync(setup.call())
    assert waited == [10 * 365 * 24 * 3600]


@pytest.mark.asyncio
async def test_classification_decides_about_retries_and_parallel_runs() -> None:
    policy = load_policy('version: 1\nclassify: [{operation: "ns.*", read_only: true}]\n')
    for given, fits in ((policy, True), (None, False)):
        setup = Setup(tool_spec(read_only=None), policy=given)
        failures = iter([TransientInvocationError("x")])

        def invoker(endpoint: str, arguments: object, failures: Any = failures) -> Any:
            for error in failures:
                raise error
            return OUTPUT

        setup.executor.bind("ns.tool", invoker)
        plan = setup.plan(setup.call())
        run = setup.executor.execute(plan, retry=RetryPolicy(max_attempts=2), execution_mode="parallel_read_only")
        if fits:
            assert len(await run) == 1
        else:
            with pytest.raises(PlanValidationError, match="explicitly read-only"):
                await run
            with pytest.raises(TransientInvocationError):
                await setup.executor.execute_call(setup.call(), retry=RetryPolicy(max_attempts=2))


def test_what_no_policy_can_be() -> None:
    registry = InMemoryRegistry()
    graph = compile_policy(PolicyDocument.model_validate({"version": 1, "hooks": {"before_call": ["audit"]}}))
    with pytest.raises(PolicyError, match="`audit`"):
        RegistryExecutor(registry, policy=graph)
    with pytest.raises(PolicyError, match="`audit`"):
        RegistryExecutor(registry, policy=LoadedPolicy(graph, {"audit": 3}))  # type: ignore[dict-item]
    RegistryExecutor(registry, policy=LoadedPolicy(graph, {"audit": print}))
    for wrong in ({"policy": "allow"}, {"policy": {}}, {"hooks": [print]}, {"approval_callback": True}):
        with pytest.raises(TypeError):
            RegistryExecutor(registry, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"before_call": [3]}, {"before_call": print}])
def test_hooks_must_be_callables(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="before_call hooks"):
        ExecutionHooks(**wrong)
    with pytest.raises(TypeError, match="after_call hooks"):
        ExecutionHooks(after_call=["x"])  # type: ignore[list-item]


# Copies


@pytest.mark.asyncio
async def test_mutation_of_what_is_handed_out_changes_nothing() -> None:
    """Callback, hooks and invoker spoil everything that they get; the caller spoils its own call while it runs."""

    def spoil(tool: ToolSpec, endpoint: EndpointSpec, call: ToolCall, *rest: Any) -> None:
        tool.endpoints.clear()
        endpoint.read_only = False
        endpoint.parameters[0].json_schema["type"] = "null"
        call.arguments["secret"] = "spoilt"
        call.fields.append("hidden")
        call.tool = "other"
        given.arguments["secret"] = "spoilt"
        given.fields.append("hidden")
        for result in rest:
            result.data["value"] = "spoilt"
            result.projected_fields.clear()

    def approve(*snapshots: Any) -> bool:
        spoil(*snapshots)
        return True

    kept: list[dict[str, Any]] = []

    def invoker(endpoint: str, arguments: dict[str, Any]) -> Any:
        assert arguments == {"secret": "mine"}
        arguments["secret"] = "spoilt"
        if not kept:
            kept.append({})
            raise TransientInvocationError("once")
        kept.append({"value": 5, "hidden": 0})
        return kept[-1]

    def late(*_: Any) -> None:
        kept[-1]["value"] = "spoilt"

    setup = Setup(
        policy=ExecutionPolicy(approval_mode="all"),
        approval_callback=approve,
        hooks=ExecutionHooks(before_call=[spoil, spoil], after_call=[late, spoil, spoil]),
    )
    setup.executor.bind("ns.tool", invoker)
    given = setup.call(arguments={"secret": "mine"})
    result = await setup.executor.execute_call(given, retry=RetryPolicy(max_attempts=2))
    assert result.data == {"value": 5}
    assert result.projected_fields == ["value"]
    assert setup.registry.get("ns.tool") == setup.spec


@pytest.mark.asyncio
async def test_a_plan_is_taken_in_whole() -> None:
    def spoil(*_: Any) -> None:
        for call in plan.calls:
            call.arguments["secret"] = 3
        plan.calls.append(plan.calls[0])

    setup = Setup(hooks=ExecutionHooks(before_call=[spoil]))
    plan = setup.plan(setup.call(), setup.call())
    assert len(await setup.executor.execute(plan)) == 2
    assert setup.seen == [{"secret": CANARY}] * 2


@pytest.mark.asyncio
async def test_a_budget_is_a_snapshot() -> None:
    def spoil(*_: Any) -> None:
        budget.per_tool_calls["ns.tool"] = 99
        object.__setattr__(budget, "max_tool_calls", None)

    budget = ExecutionBudget(max_tool_calls=5, per_tool_calls={"ns.tool": 1})
    setup = Setup(hooks=ExecutionHooks(before_call=[spoil]))
    with pytest.raises(ExecutionBudgetExceededError, match="per_tool_calls"):
        await setup.executor.execute(setup.plan(setup.call(), setup.call()), budget=budget)


# Failures


@pytest.mark.asyncio
async def test_hooks_observe_or_veto() -> None:
    setup = Setup()
    for name, fragment in (("before_call", "before execution hook"), ("after_call", "after execution hook")):

        def fail(*_: Any) -> None:
            raise KeyError(CANARY)

        async def answer(*_: Any) -> int:
            return 0

        setup.executor.hooks = ExecutionHooks(**{name: [fail]})
        with pytest.raises(ExecutionHookError, match=f"{fragment} failed") as caught:
            await setup.executor.execute_call(setup.call(), retry=RetryPolicy(max_attempts=3))
        assert isinstance(caught.value.__cause__, KeyError)
        assert caught.value.execution_succeeded is (name == "after_call")
        setup.executor.hooks = ExecutionHooks(**{name: [answer]})
        with pytest.raises(ExecutionHookError, match="must return None"):
            await setup.executor.execute_call(setup.call())
    assert len(setup.seen) == 2  # once for each after hook, never repeated


@pytest.mark.asyncio
async def test_another_exception_reaches_the_caller_as_it_is() -> None:
    class OddError(Exception):
        def __setattr__(self, name: str, value: object) -> None:
            raise RuntimeError("no attributes")

    setup = Setup()

    def fail(endpoint: str, arguments: object) -> None:
        setup.seen.append({})
        raise error

    setup.executor.bind("ns.tool", fail)
    for error in (ValueError("x"), TimeoutError("x"), OddError("x"), NonRetryableInvocationError("x")):
        setup.seen.clear()
        with pytest.raises(type(error)) as caught:
            await setup.executor.execute_call(setup.call(), retry=RetryPolicy(max_attempts=3))
        assert caught.value is error
        assert len(setup.seen) == 1
        if not isinstance(error, OddError):
            assert error.execution_succeeded is None  # type: ignore[attr-defined]


@pytest.mark.asyncio
async def test_classes_that_a_binding_calls_transient_are_retried() -> None:
    failures = iter([ConnectionResetError("x"), ConnectionResetError("x")])

    def invoker(endpoint: str, arguments: object) -> Any:
        for error in failures:
            raise error
        return OUTPUT

    setup = Setup()
    setup.executor.bind("ns.tool", invoker, transient=[ConnectionError])
    result = await setup.executor.execute_call(
        setup.call(), retry=RetryPolicy(max_attempts=3), budget=ExecutionBudget(max_attempts=3)
    )
    assert result.data == {"value": 1}


@pytest.mark.asyncio
@pytest.mark.parametrize("output", [object(), {"value": CANARY}, {"value": float("inf")}, {1: 2}, None, (1,)])
async def test_an_output_that_does_not_fit_is_withheld(output: object) -> None:
    setup = Setup()
    setup.executor.bind("ns.tool", lambda endpoint, arguments: output)
    with pytest.raises(SchemaValidationError, match=r"output from ns\.tool\.act") as caught:
        await setup.executor.execute_call(setup.call(), retry=RetryPolicy(max_attempts=3))
    assert caught.value.execution_succeeded is True
    assert CANARY not in "".join(traceback.format_exception_only(caught.value))
    assert caught.value.__cause__ is None


@pytest.mark.asyncio
async def test_attempts_are_paid_for_before_they_run() -> None:
    def fail(endpoint: str, arguments: object) -> None:
        setup.seen.append({})
        raise TransientInvocationError("x")

    for budget, fragment, ran in (
        (ExecutionBudget(max_attempts=2), "max_attempts=2", 2),
        (ExecutionBudget(max_remote_attempts=1), "max_remote_attempts=1", 1),
        (ExecutionBudget(max_cost_units=1.5, cost_units={"ns.tool.act": 0.7}), "max_cost_units=1.5", 2),
        (ExecutionBudget(max_attempts=0), "max_attempts=0", 0),
    ):
        policy = ExecutionPolicy(allow_unclassified_remote=True)
        setup = Setup(tool_spec(remote=True), policy=policy)
        setup.executor.bind("ns.tool", fail)
        with pytest.raises(ExecutionBudgetExceededError, match=fragment) as caught:
            await setup.executor.execute_call(setup.call(), retry=RetryPolicy(max_attempts=9), budget=budget)
        assert len(setup.seen) == ran
        assert caught.value.execution_succeeded is (None if ran else False)


# Plans


@pytest.mark.asyncio
async def test_a_plan_that_fails_in_its_middle_keeps_what_was_done() -> None:
    setup = Setup()
    plan = setup.plan(setup.call(), setup.call(arguments={"secret": 3}), setup.call())
    with pytest.raises(SchemaValidationError) as caught:
        await setup.executor.execute(plan)
    assert [result.data for result in caught.value.completed] == [{"value": 1}]
    assert len(setup.seen) == 1
    with pytest.raises(PlanningError):
        await setup.executor.execute([setup.call()])  # type: ignore[arg-type]
    assert await setup.executor.execute(setup.plan()) == []


def parallel_setup(seconds: float = 0.02) -> tuple[Setup, ExecutionPlan, dict[str, Any]]:
    """Calls `0` to `5`, whose invoker takes ``seconds``, but for number 2, which is quick."""
    spec = ToolSpec(
        name="tool",
        namespace="ns",
        endpoints=[EndpointSpec(name="act", read_only=True, parameters=[ParameterSpec(name="n", required=True)])],
    )
    setup = Setup(spec)
    state: dict[str, Any] = {"now": 0, "most": 0, "cancelled": 0, "fail": None}

    async def invoker(endpoint: str, arguments: dict[str, Any]) -> Any:
        state["now"] += 1
        state["most"] = max(state["most"], state["now"])
        try:
            await asyncio.sleep(seconds if arguments["n"] != 2 else 0.002)
            if arguments["n"] == state["fail"]:
                raise KeyError("n")
        except asyncio.CancelledError:
            state["cancelled"] += 1
            raise
        finally:
            state["now"] -= 1
        return arguments["n"]

    setup.executor.bind("ns.tool", invoker)
    calls = [setup.call(arguments={"n": n}, fields=[]) for n in range(6)]
    return setup, setup.plan(*calls), state


@pytest.mark.asyncio
async def test_a_parallel_run_is_bounded_and_ordered() -> None:
    setup, plan, state = parallel_setup()
    results = await setup.executor.execute(plan, execution_mode="parallel_read_only", max_parallel_calls=3)
    assert [result.data for result in results] == list(range(6))
    assert state["most"] == 3


@pytest.mark.asyncio
async def test_a_failure_ends_a_parallel_run_and_keeps_what_was_done() -> None:
    setup, plan, state = parallel_setup()
    state["fail"] = 4
    with pytest.raises(KeyError) as caught:
        await setup.executor.execute(plan, execution_mode="parallel_read_only", max_parallel_calls=2)
    done = [result.data for result in caught.value.completed]  # type: ignore[attr-defined]
    assert done == sorted(done)
    assert {0, 1, 2} <= set(done) <= {0, 1, 2, 3, 5}
    assert state["now"] == 0


@pytest.mark.asyncio
async def test_modes_that_do_not_exist() -> None:
    setup, plan, _ = parallel_setup()
    for wrong in ({"execution_mode": "parallel"}, {"execution_mode": "parallel_read_only", "max_parallel_calls": 0}):
        with pytest.raises(ValueError, match="must be"):
            await setup.executor.execute(plan, **wrong)
    with pytest.raises(ValueError, match="worker"):
        RegistryExecutor(setup.registry, max_offloaded_sync_workers=0)


@pytest.mark.asyncio
async def test_names_that_are_not_registered_are_shown_on_one_line() -> None:
    setup = Setup()
    for name in ("a\nb", "\u202ea", "\ud800", "x" * 10_000):
        with pytest.raises(PlanValidationError) as caught:
            await setup.executor.execute_call(tampered(setup.call(), tool=name))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300
        with pytest.raises(SchemaValidationError) as caught:
            await setup.executor.execute_call(tampered(setup.call(), tool=name, arguments={"secret": object()}))
        assert str(caught.value).isprintable()


@pytest.mark.asyncio
async def test_cancelling_a_parallel_run_leaves_nothing_behind() -> None:
    setup, plan, state = parallel_setup(60)
    task = asyncio.create_task(setup.executor.execute(plan, execution_mode="parallel_read_only"))
    while (state["most"], state["now"]) != (6, 5):
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert state["now"] == 0
    assert state["cancelled"] == 5  # one had finished


@pytest.mark.asyncio
async def test_the_sync_entry_gives_the_same() -> None:
    setup = Setup()
    setup.executor.bind("ns.tool", lambda endpoint, arguments: OUTPUT)
    assert setup.executor.execute_call_sync(setup.call()) == await setup.executor.execute_call(setup.call())
    setup.executor.bind("ns.tool", setup.invoke)
    with pytest.raises(NonRetryableInvocationError, match="async"):
        setup.executor.execute_call_sync(setup.call())


def test_one_budget_holds_over_threads() -> None:
    """Calls of one run from several threads, each with its own loop."""
    setup = Setup()
    run = setup.executor.start_run(budget=ExecutionBudget(max_tool_calls=20))
    outcomes: list[bool] = []

    async def one() -> None:
        results = [result async for _, result in setup.executor.iterate((private_copy(setup.call()),), run)]
        outcomes.append(len(results) == 1)

    def work() -> None:
        for _ in range(10):
            try:
                asyncio.run(one())
            except ExecutionBudgetExceededError:
                outcomes.append(False)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) == 20
    assert outcomes.count(False) == 40
