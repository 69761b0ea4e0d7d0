"""Shadow mode relaxes the policy decision and approval, nothing else, until its end, and says so everywhere."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from schemarouter import (
    BindingDriftError,
    EndpointSpec,
    ExecutionBudget,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    ExecutionHooks,
    ExecutionPlan,
    ExecutionPolicy,
    InMemoryRegistry,
    ParameterSpec,
    PlanRequest,
    PlanValidationError,
    PolicyError,
    PolicyRule,
    PolicyViolationError,
    RegistryExecutor,
    SchemaDriftError,
    SchemaRouter,
    SchemaValidationError,
    ToolCall,
    ToolSpec,
    load_policy,
)
from schemarouter.audit.log import DecisionLog
from schemarouter.audit.reading import records
from schemarouter.audit.shadow import ShadowMode, ShadowModeWarning, ShadowReport
from schemarouter.integrations.otel import OpenTelemetryRunExporter, trace_run_events
from schemarouter.model.stages import STAGES
from schemarouter.state.kill_switch import KillSwitch

KEY = b"a key of the test, long enough"
START = datetime(2030, 1, 1, tzinfo=UTC)
SPEC = ToolSpec(
    name="pay",
    endpoints=[
        EndpointSpec(
            name=name,
            read_only=name == "look",
            destructive=False,
            parameters=[ParameterSpec(name="amount", required=True, json_schema={"type": "integer"})],
            output_schema={"type": "integer"},
        )
        for name in ("send", "ask", "look")
    ],
)
POLICY = ExecutionPolicy(
    rules=[
        PolicyRule(name="never", operation="pay.send", effect="deny"),
        PolicyRule(name="ask-first", operation="pay.ask", effect="require_approval"),
        PolicyRule(name="look", operation="pay.look", effect="allow"),
    ]
)
WOULD = {"send": "deny", "ask": "approval", "look": "allow"}


class Clock:
    """Seconds since 1970 that move when a test says so."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _warned() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShadowModeWarning)
        yield


def shadow(clock: Clock, **more: Any) -> ShadowMode:
    return ShadowMode(until=START + timedelta(days=7), clock=clock, **more)


def executor(mode: ShadowMode | None, **options: Any) -> RegistryExecutor:
    registry = InMemoryRegistry()
    registry.register(SPEC)
    made = RegistryExecutor(registry, **({"policy": POLICY, "shadow": mode} | options))
    made.bind("pay", lambda endpoint, arguments: arguments["amount"])
    return made


def call(endpoint: str, **changes: Any) -> ToolCall:
    fields: dict[str, Any] = {
        "tool": "pay",
        "endpoint": endpoint,
        "arguments": {"amount": 5},
        "schema_fingerprint": SPEC.endpoint(endpoint).fingerprint,
        "tool_fingerprint": SPEC.fingerprint,
    }
    return ToolCall(**(fields | changes))


@pytest.mark.parametrize("endpoint", WOULD)
def test_calls_run_and_say_so(clock: Clock, endpoint: str) -> None:
    mode = shadow(clock)
    result = executor(mode).execute_call_sync(call(endpoint))
    assert result.data == 5
    assert result.metadata["shadow"]["would"] == WOULD[endpoint]
    assert result.metadata["shadow"]["rule"] == POLICY.rules[list(WOULD).index(endpoint)].name
    assert mode.report.counts == {"allow": 0, "approval": 0, "deny": 0} | {WOULD[endpoint]: 1}


def test_nobody_is_asked(clock: Clock) -> None:
    asked: list[object] = []
    boundary = executor(shadow(clock), approval_callback=asked.append)
    boundary.execute_call_sync(call("ask"))
    assert asked == []


def test_results_say_nothing_where_the_policy_is_enforced(clock: Clock) -> None:
    assert executor(None).execute_call_sync(call("look")).metadata == {}
    mode = shadow(clock)
    boundary = executor(mode)
    clock.now += timedelta(days=8)
    assert boundary.execute_call_sync(call("look")).metadata == {}
    assert mode.report.lines == ()


@pytest.mark.parametrize("endpoint", ["send", "ask"])
def test_after_its_end_the_policy_is_enforced_for_good(clock: Clock, endpoint: str) -> None:
    boundary = executor(shadow(clock))
    boundary.execute_call_sync(call(endpoint))
    clock.now += timedelta(days=7)
    with pytest.raises(PolicyViolationError):
        boundary.execute_call_sync(call(endpoint))
    clock.now = START - timedelta(days=30)  # a clock that goes back brings nothing back
    with pytest.raises(PolicyViolationError):
        boundary.execute_call_sync(call(endpoint))


def test_a_clock_that_fails_enforces() -> None:
    times: list[float] = [0.0]
    mode = ShadowMode(until=datetime(1970, 1, 2, tzinfo=UTC), clock=lambda: times[0])
    boundary = executor(mode)
    boundary.execute_call_sync(call("send"))
    times.clear()
    with pytest.raises(PolicyViolationError):
        boundary.execute_call_sync(call("send"))


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
@pytest.mark.parametrize("endpoint", WOULD)
def test_it_ends_in_the_middle_of_a_call(clock: Clock, stage: str, endpoint: str) -> None:
    ran: list[int] = []

    class Watch:
        def entered(self, index: int, frame: Any) -> None:
            if frame.stage == stage:
                clock.now += timedelta(days=8)

        def ended(self, index: int, frame: Any, error: BaseException | None) -> None:
            pass

    boundary = executor(shadow(clock))
    boundary.bind("pay", lambda endpoint, arguments: ran.append(1) or 5)
    plan = ExecutionPlan(query="q", registry_version=1, calls=[call(endpoint)])
    if endpoint == "look":
        assert asyncio.run(boundary.execute(plan, observer=Watch()))[0].data == 5
        return
    with pytest.raises(PolicyViolationError):
        asyncio.run(boundary.execute(plan, observer=Watch()))
    names = [each.name for each in STAGES]
    assert ran == ([1] if names.index(stage) >= names.index("attempts") else [])


# Nothing else is relaxed


def test_arguments_are_still_checked(clock: Clock) -> None:
    boundary = executor(shadow(clock))
    with pytest.raises(SchemaValidationError):
        boundary.execute_call_sync(call("send", arguments={"amount": "5"}))
    with pytest.raises(PlanValidationError, match="missing"):
        boundary.execute_call_sync(call("send", arguments={}))
    with pytest.raises(PlanValidationError, match="undeclared"):
        boundary.execute_call_sync(call("send", fields=["x"]))


def test_outputs_are_still_checked(clock: Clock) -> None:
    boundary = executor(shadow(clock))
    boundary.bind("pay", lambda *_: "text")
    with pytest.raises(SchemaValidationError):
        boundary.execute_call_sync(call("send"))


def test_drift_and_bindings_still_count(clock: Clock) -> None:
    boundary = executor(shadow(clock))
    with pytest.raises(SchemaDriftError):
        boundary.execute_call_sync(call("send", schema_fingerprint="old"))
    boundary.unbind("pay")
    with pytest.raises(BindingDriftError):
        boundary.execute_call_sync(call("send"))


def test_budgets_still_count(clock: Clock) -> None:
    boundary = executor(shadow(clock))
    plan = ExecutionPlan(query="q", registry_version=1, calls=[call("send")] * 3)
    with pytest.raises(ExecutionBudgetExceededError) as caught:
        asyncio.run(boundary.execute(plan, budget=ExecutionBudget(max_tool_calls=2)))
    assert len(caught.value.completed) == 2


def test_hooks_still_veto(clock: Clock) -> None:
    def veto(*_: object) -> None:
        raise RuntimeError

    with pytest.raises(ExecutionHookError):
        executor(shadow(clock), hooks=ExecutionHooks(before_call=[veto])).execute_call_sync(call("send"))


def test_the_kill_switch_still_stops(clock: Clock, tmp_path: Path) -> None:
    boundary = executor(shadow(clock), kill_switch=KillSwitch(tmp_path / "stop"))
    boundary.execute_call_sync(call("send"))
    (tmp_path / "stop").touch()
    with pytest.raises(PolicyViolationError):
        boundary.execute_call_sync(call("send"))


def test_a_policy_that_changes_still_stops(clock: Clock) -> None:
    boundary = executor(shadow(clock))

    def swap(*_: object) -> int:
        boundary.policy = ExecutionPolicy()
        return 5

    boundary.bind("pay", swap)
    with pytest.raises(PolicyViolationError, match="policy changed"):
        boundary.execute_call_sync(call("send"))


# It says so


def test_setting_it_warns(clock: Clock) -> None:
    with pytest.warns(ShadowModeWarning, match="NOT ENFORCED until 2030-01-08"):
        boundary = executor(shadow(clock))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        boundary.shadow = None
    clock.now += timedelta(days=8)
    with pytest.warns(ShadowModeWarning, match="ended at 2030-01-08"):
        executor(shadow(clock))


def test_log_events_and_spans_say_so(clock: Clock, tmp_path: Path) -> None:
    router = SchemaRouter(
        policy=ExecutionPolicy(rules=[PolicyRule(name="never", operation="*", effect="deny")]),
        decision_log=DecisionLog(tmp_path / "log", key=KEY),
        shadow=shadow(clock),
    )
    router.add_callable(lambda: 1, name="one", read_only=True)
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    exporter = OpenTelemetryRunExporter(provider.get_tracer("test"))

    async def run() -> list[Any]:
        events = router.astream_events(PlanRequest(query="one", preferred_tools=["one"]))
        return [event async for event in trace_run_events(events, exporter=exporter)]

    events = asyncio.run(run())
    told = {event.event: event.data for event in events}
    assert told["run.start"]["shadow_mode"] is told["run.end"]["shadow_mode"] is True
    assert told["tool.start"]["shadow"] == told["tool.end"]["shadow"] == "deny"
    for span in memory.get_finished_spans():
        assert span.attributes is not None
        assert span.attributes["schemarouter.shadow_mode"] is True
    kinds = [record["kind"] for record in records(str(tmp_path / "log"))]
    assert kinds == ["open", "shadow", "decision", "attempt", "end"]
    _, mode, decision, _, end = records(str(tmp_path / "log"))
    assert (mode["active"], mode["until"]) == (True, "2030-01-08T00:00:00+00:00")
    assert (decision["shadow"], decision["enforced"], end["shadow"]) == ("deny", False, "deny")
    router.executor.shadow = None
    assert list(records(str(tmp_path / "log")))[-1]["active"] is False


def test_the_report(clock: Clock, tmp_path: Path) -> None:
    mode = shadow(clock)
    boundary = executor(mode, decision_log=DecisionLog(tmp_path / "log", key=KEY))
    for endpoint in ("send", "look", "send", "ask", "send"):
        boundary.execute_call_sync(call(endpoint))
    lines = [(line.outcome, line.rule, line.calls, line.operations) for line in mode.report.lines]
    assert lines == [
        ("deny", "never", 3, ("pay.send",)),
        ("approval", "ask-first", 1, ("pay.ask",)),
        ("allow", "look", 1, ("pay.look",)),
    ]
    assert str(mode.report).splitlines() == [
        "shadow run: 3 denied, 1 asked about, 1 run",
        "       3 would be denied by rule `never`: `pay.send`",
        "       1 would be asked about by rule `ask-first`: `pay.ask`",
        "       1 would run by rule `look`: `pay.look`",
    ]
    assert ShadowReport.of_records(records(str(tmp_path / "log"))).lines == mode.report.lines


# It is set in code, with an end


def test_a_policy_file_cannot_set_it() -> None:
    for key in ("shadow", "shadow_mode", "mode"):
        with pytest.raises(PolicyError, match="SR101"):
            load_policy(f"version: 1\n{key}: true\n")


@pytest.mark.parametrize(
    ("until", "error"),
    [
        (datetime(2030, 1, 2), ValueError),
        ("2030-01-02", TypeError),
        (None, TypeError),
        (START + timedelta(days=91), ValueError),
        (datetime.max.replace(tzinfo=UTC), ValueError),
    ],
)
def test_an_end_that_is_none(clock: Clock, until: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        ShadowMode(until=until, clock=clock)


def test_an_end_in_another_time_zone(clock: Clock) -> None:
    mode = ShadowMode(until=datetime(2030, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), clock=clock)
    assert not mode.active
    with pytest.raises(TypeError, match="ShadowMode"):
        executor(True)  # type: ignore[arg-type]


def test_a_report_is_bounded(clock: Clock) -> None:
    report = ShadowReport()
    graph = ExecutionPolicy(rules=[PolicyRule(operation="*", effect="deny")]).graph
    for number in range(1000):
        report.note("deny", graph.decide(f"tool.{number}", True, None, None, {}))
    (line,) = report.lines
    assert (line.calls, len(line.operations), line.more_operations, line.rule) == (1000, 20, 980, "number 1")
