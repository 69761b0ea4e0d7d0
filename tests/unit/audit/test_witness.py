"""What an executor writes of its calls, what it never writes, and what becomes of a call that cannot be written."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from schemarouter import (
    DecisionLogError,
    EndpointSpec,
    ExecutionBudget,
    ExecutionHooks,
    ExecutionPlan,
    ExecutionPolicy,
    FieldSpec,
    InMemoryRegistry,
    ParameterSpec,
    PlanRequest,
    PolicyRule,
    RegistryExecutor,
    RetryPolicy,
    SchemaRouter,
    SchemaRouterError,
    ToolCall,
    ToolSpec,
    TransientInvocationError,
)
from schemarouter.audit.log import DecisionLog
from schemarouter.audit.reading import records
from schemarouter.audit.verify import verify_log
from schemarouter.integrations.otel import OpenTelemetryRunExporter, trace_run_events
from schemarouter.model.run import RunConfig
from schemarouter.model.stages import STAGES
from schemarouter.runtime.events import RunRecorder

KEY = b"a key of the test, long enough"
CANARY = "c4n4ry-s3cret"
SCHEMA = Draft202012Validator(
    json.loads((Path(__file__).parents[3] / "schemas" / "decision-log.v1.schema.json").read_text())
)

SPEC = ToolSpec(
    name="pay",
    endpoints=[
        EndpointSpec(
            name="send",
            read_only=True,
            destructive=False,
            parameters=[
                ParameterSpec(name="amount", required=True, json_schema={"type": "integer"}),
                ParameterSpec(name="to", json_schema={"type": "object"}),
                ParameterSpec(name="note", json_schema={"type": "string"}),
            ],
            output_fields=[FieldSpec(name="receipt"), FieldSpec(name="hidden")],
        )
    ],
)
ARGUMENTS = {"amount": 5, "to": {"name": {"nested": [CANARY]}}, "note": CANARY}


def call(**changes: Any) -> ToolCall:
    fields = {
        "tool": "pay",
        "endpoint": "send",
        "arguments": ARGUMENTS,
        "fields": ["receipt"],
        "schema_fingerprint": SPEC.endpoints[0].fingerprint,
        "tool_fingerprint": SPEC.fingerprint,
    }
    return ToolCall(**(fields | changes))


def executor(path: Path, invoker: Callable[..., Any] | None = None, **options: Any) -> RegistryExecutor:
    registry = InMemoryRegistry()
    registry.register(SPEC)
    log = options.pop("log", None) or DecisionLog(path, key=KEY, **options.pop("log_options", {}))
    made = RegistryExecutor(registry, decision_log=log, **options)
    made.bind("pay", invoker or (lambda endpoint, arguments: {"receipt": 1, "hidden": CANARY}))
    return made


def written(path: Path) -> list[dict[str, Any]]:
    found = list(records(str(path)))
    for record in found:
        SCHEMA.validate(record)
    assert verify_log(str(path), key=KEY).breaks == ()
    return found


def policy(effect: str, **more: Any) -> ExecutionPolicy:
    return ExecutionPolicy(rules=[PolicyRule(name="the-rule", operation="pay.*", effect=effect)], **more)


# What is written


def test_a_call_that_runs(tmp_path: Path) -> None:
    boundary = executor(tmp_path / "log", policy=policy("allow"))
    boundary.execute_call_sync(call(), run_id="run 1", call_id="call 1", budget=ExecutionBudget(max_cost_units=3))
    opened, decision, attempt, end = written(tmp_path / "log")
    assert opened["kind"] == "open"
    assert (decision["outcome"], decision["rule"], decision["rule_index"]) == ("allow", "the-rule", 0)
    assert decision["digest"] == boundary.policy.graph.digest  # type: ignore[union-attr]
    assert decision["arguments"]["names"] == ["amount", "note", "to"]
    assert {decision["run"], attempt["run"], end["run"]} == {"run 1"}
    assert {record["call_id"] for record in (decision, attempt, end)} == {"call 1"}
    assert decision["call"] == attempt["call"] == end["call"]
    assert (attempt["attempt"], attempt["approved"]) == (1, False)
    assert (end["ended"], end["error"], end["attempts"], end["execution_succeeded"]) == ("result", None, 1, True)
    assert end["counters"] == {"attempts": 1, "calls": 1, "cost": "0"}


def test_attempts_are_written_before_they_are_made(tmp_path: Path) -> None:
    seen: list[int] = []

    def flaky(endpoint: str, arguments: dict[str, Any]) -> Any:
        seen.append(len([each for each in records(str(tmp_path / "log")) if each["kind"] == "attempt"]))
        if len(seen) < 3:
            raise TransientInvocationError(CANARY)
        return {"receipt": 1}

    boundary = executor(tmp_path / "log", flaky)
    boundary.execute_call_sync(call(), retry=RetryPolicy(max_attempts=3))
    assert seen == [1, 2, 3]
    assert [each["attempt"] for each in written(tmp_path / "log") if each["kind"] == "attempt"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("effect", "outcome", "stage", "error"),
    [
        ("deny", "deny", "validate", "PolicyViolationError"),
        ("require_approval", "approval", "approval", "ApprovalDeniedError"),
    ],
)
def test_a_call_that_is_stopped(tmp_path: Path, effect: str, outcome: str, stage: str, error: str) -> None:
    boundary = executor(tmp_path / "log", policy=policy(effect))
    with pytest.raises(SchemaRouterError):
        boundary.execute_call_sync(call())
    _, decision, end = written(tmp_path / "log")
    assert (decision["outcome"], decision["rule"]) == (outcome, "the-rule")
    assert (end["ended"], end["stage"], end["error"], end["attempts"]) == ("error", stage, error, 0)


def test_a_call_that_was_approved(tmp_path: Path) -> None:
    boundary = executor(tmp_path / "log", policy=policy("require_approval"), approval_callback=lambda *_: True)
    boundary.execute_call_sync(call())
    _, decision, attempt, end = written(tmp_path / "log")
    assert (decision["outcome"], attempt["approved"], end["ended"]) == ("approval", True, "result")


@pytest.mark.parametrize(
    "changes", [{"tool": "nowhere"}, {"arguments": {}}, {"schema_fingerprint": "old"}, {"arguments": {"amount": {1}}}]
)
def test_a_call_that_policy_never_saw(tmp_path: Path, changes: dict[str, Any]) -> None:
    boundary = executor(tmp_path / "log")
    with pytest.raises(SchemaRouterError):
        boundary.execute_call_sync(call(**changes))
    _, end = written(tmp_path / "log")
    assert (end["kind"], end["ended"]) == ("end", "error")


def test_equal_values_have_equal_hashes_and_only_the_key_makes_them(tmp_path: Path) -> None:
    boundary = executor(tmp_path / "log")
    boundary.execute_call_sync(call())
    boundary.execute_call_sync(call(arguments=ARGUMENTS | {"amount": 6}))
    other = executor(tmp_path / "other", log=DecisionLog(tmp_path / "other", key=b"quite another key"))
    other.execute_call_sync(call())
    one, two = (each["arguments"] for each in written(tmp_path / "log") if each["kind"] == "decision")
    three = next(each["arguments"] for each in records(str(tmp_path / "other")) if each["kind"] == "decision")
    assert one["hashes"][1:] == two["hashes"][1:]
    assert one["hashes"][0] != two["hashes"][0]
    assert one["hash"] != two["hash"]
    assert not set(one["hashes"]) & set(three["hashes"])


def test_arguments_that_the_application_names_are_written(tmp_path: Path) -> None:
    boundary = executor(tmp_path / "log", log_options={"include_arguments": ("amount", "note")})
    boundary.execute_call_sync(call(arguments={"amount": 7, "note": "x" * 1000}))
    decision = written(tmp_path / "log")[1]
    assert decision["arguments"]["values"] == {"amount": {"value": 7}, "note": {"too_long": True}}
    with pytest.raises(TypeError, match="include_arguments"):
        DecisionLog(tmp_path / "bad", key=KEY, include_arguments="amount")


def test_events_and_the_log_call_a_run_alike(tmp_path: Path) -> None:
    router = SchemaRouter(decision_log=DecisionLog(tmp_path / "log", key=KEY))
    router.add_callable(lambda: 1, name="one", read_only=True)

    async def run() -> set[str]:
        request = PlanRequest(query="one", preferred_tools=["one"])
        return {event.run_id async for event in router.astream_events(request)}

    names = asyncio.run(run())
    assert len(names) == 1
    assert {each["run"] for each in written(tmp_path / "log") if "run" in each} == names


# What is never written


class SecretError(Exception):
    """An error of user code whose every text is secret."""

    def __init__(self) -> None:
        super().__init__(CANARY, {"nested": CANARY})
        self.add_note(CANARY)


def _raise(*_: Any) -> Any:
    try:
        raise ValueError(CANARY)
    except ValueError as cause:
        raise SecretError from cause


WAYS: dict[str, dict[str, Any]] = {
    "runs": {},
    "invoker raises": {"invoker": _raise},
    "output is no JSON": {"invoker": lambda *_: {"receipt": {CANARY}}},
    "output does not fit": {"invoker": lambda *_: [CANARY]},
    "before hook raises": {"hooks": ExecutionHooks(before_call=[_raise])},
    "after hook raises": {"hooks": ExecutionHooks(after_call=[_raise])},
    "hook returns": {"hooks": ExecutionHooks(after_call=[lambda *_: CANARY])},
    "callback raises": {"policy": policy("require_approval"), "approval_callback": _raise},
    "callback says no": {"policy": policy("require_approval"), "approval_callback": lambda *_: CANARY},
    "denied": {"policy": policy("deny")},
}
CALLS: dict[str, dict[str, Any]] = {
    "well formed": {},
    "undeclared": {"arguments": ARGUMENTS | {f"x{CANARY}": 1}},
    "wrong type": {"arguments": {"amount": CANARY}},
    "no JSON": {"arguments": {"amount": {CANARY}}},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", CALLS)
def test_canaries_reach_no_sink(tmp_path: Path, way: str, shape: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    options = dict(WAYS[way])
    registry = InMemoryRegistry()
    registry.register(SPEC)
    router = SchemaRouter(
        registry=registry,
        decision_log=DecisionLog(tmp_path / "log", key=KEY, head=tmp_path / "head"),
        policy=options.get("policy"),
        approval_callback=options.get("approval_callback"),
        execution_hooks=options.get("hooks"),
    )
    router.executor.bind("pay", options.get("invoker") or (lambda *_: {"receipt": 1, "hidden": CANARY}))
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    exporter = OpenTelemetryRunExporter(provider.get_tracer("test"))
    seen: list[str] = []
    sunk: list[Any] = []

    async def run() -> None:
        events: list[Any] = []
        recorder = RunRecorder(RunConfig(), events.append)
        plan = ExecutionPlan(query="q", registry_version=1, calls=[call(**CALLS[shape])])
        try:
            recorder.run_started(plan)
            recorder.run_ended(await router.executor.execute(plan, observer=recorder))
        except SchemaRouterError as error:
            seen.append(str(error))
            recorder.run_failed(error)
        except SecretError as error:  # the invoker's own error is its caller's to see
            recorder.run_failed(error)

        async def replay() -> Any:
            for event in events:
                yield event

        sunk.extend([event async for event in trace_run_events(replay(), exporter=exporter)])

    asyncio.run(run())
    assert sunk
    spans = [span.to_json() for span in memory.get_finished_spans()]
    assert spans
    everything = {
        "log": (tmp_path / "log").read_text(),
        "head": (tmp_path / "head").read_text(),
        "errors": "\n".join(seen),
        "spans": "\n".join(spans),
        "logging": caplog.text,
    }
    if shape != "undeclared":  # names of arguments are not secret in events, where the application reads them
        everything["events"] = "\n".join(event.model_dump_json() for event in sunk)
    for sink, text in everything.items():
        assert CANARY not in text, sink
    assert [each["kind"] for each in written(tmp_path / "log")][-1] == "end"


# When it cannot be written


def _break_at(boundary: RegistryExecutor, folder: Path, stage: str) -> Any:
    """An observer that takes the log's folder away when a call enters ``stage``."""

    class Breaker:
        def entered(self, index: int, frame: Any) -> None:
            if frame.stage == stage:
                os.rename(folder, f"{folder}-away")

        def ended(self, index: int, frame: Any, error: BaseException | None) -> None:
            pass

    return Breaker()


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
@pytest.mark.parametrize("on_failure", ["deny", "continue"])
def test_what_cannot_be_written_does_not_happen(
    tmp_path: Path, stage: str, on_failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    ran: list[int] = []
    boundary = executor(
        folder / "log", lambda *_: ran.append(1) or {"receipt": 1}, log_options={"on_failure": on_failure}
    )
    plan = ExecutionPlan(query="q", registry_version=1, calls=[call()])
    watch = _break_at(boundary, folder, stage)
    names = [each.name for each in STAGES]
    if on_failure == "continue":
        assert asyncio.run(boundary.execute(plan, observer=watch))[0].data == {"receipt": 1}
        assert boundary.decision_log is not None
        assert boundary.decision_log.lost > 0
        assert "records are missing" in caplog.text
        return
    with pytest.raises(DecisionLogError, match="the decision log cannot be written: no such file") as caught:
        asyncio.run(boundary.execute(plan, observer=watch))
    # The log is written on entering `clock` and `revalidate-attempt`, before this observer is told, and at the end.
    reached = names.index(stage) >= names.index("revalidate-attempt")
    assert ran == ([1] if reached else [])
    assert caught.value.execution_succeeded is reached


def test_a_log_that_cannot_be_used_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DecisionLogError, match="no such file or directory"):
        DecisionLog(tmp_path / "missing" / "log", key=KEY)
    with pytest.raises(TypeError, match="DecisionLog"):
        RegistryExecutor(InMemoryRegistry(), decision_log="log")  # type: ignore[arg-type]


def test_cancellation_passes_and_is_written(tmp_path: Path) -> None:
    async def run() -> None:
        started = asyncio.Event()

        async def slow(endpoint: str, arguments: dict[str, Any]) -> Any:
            started.set()
            await asyncio.sleep(60)

        boundary = executor(tmp_path / "log", slow)
        task = asyncio.create_task(boundary.execute_call(call()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    end = written(tmp_path / "log")[-1]
    assert (end["error"], end["stage"], end["execution_succeeded"]) == ("CancelledError", "attempts", None)


# While somebody else is writing


def test_a_call_that_waits_for_the_log_lets_others_go_on(tmp_path: Path) -> None:
    """The lock is let go by the same event loop that the call runs in: it could not be if the call kept that waiting."""
    boundary = executor(tmp_path / "log", log_options={"lock_seconds": 30})

    async def run() -> Any:
        with open(tmp_path / "log.lock", "r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            task = asyncio.create_task(boundary.execute_call(call()))
            for _ in range(20):
                await asyncio.sleep(0.005)
                assert not task.done()
        return await task

    assert asyncio.run(run()).data == {"receipt": 1}
    assert [each["kind"] for each in written(tmp_path / "log")] == ["open", "decision", "attempt", "end"]
    boundary.close()


def test_a_call_that_is_cancelled_while_it_waits_for_the_log(tmp_path: Path) -> None:
    ran: list[int] = []
    boundary = executor(tmp_path / "log", lambda *_: ran.append(1), log_options={"lock_seconds": 0.2})

    async def run() -> None:
        with open(tmp_path / "log.lock", "r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            task = asyncio.create_task(boundary.execute_call(call()))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
    boundary.close()
    assert ran == []


def test_a_call_that_waits_too_long_for_the_log(tmp_path: Path) -> None:
    ran: list[int] = []
    boundary = executor(tmp_path / "log", lambda *_: ran.append(1), log_options={"lock_seconds": 0.05})
    with open(tmp_path / "log.lock", "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(DecisionLogError, match="another process keeps it locked"):
            asyncio.run(boundary.execute_call(call()))
        with pytest.raises(DecisionLogError, match="another process keeps it locked"):
            boundary.execute_call_sync(call())
    assert ran == []
    boundary.execute_call_sync(call())
    gap = next(each for each in written(tmp_path / "log") if each["kind"] == "gap")
    assert gap["lost"] == 4  # two decisions and two ends
    boundary.close()


def test_parallel_calls_share_a_log(tmp_path: Path) -> None:
    boundary = executor(tmp_path / "log")
    plan = ExecutionPlan(query="q", registry_version=1, calls=[call()] * 30)
    results = asyncio.run(boundary.execute(plan, execution_mode="parallel_read_only"))
    assert len(results) == 30
    assert len({each["call"] for each in written(tmp_path / "log") if "call" in each}) == 30
    boundary.close()
