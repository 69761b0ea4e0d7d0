"""The facade: planning and running, alone and in batches, and the events of a run."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from schemarouter.compiler.policy import ExecutionPolicy, PolicyRule
from schemarouter.errors import (
    ExecutionBudgetExceededError,
    PlanningError,
    PolicyViolationError,
    RegistrationError,
    SchemaValidationError,
)
from schemarouter.integrations.otel import OpenTelemetryRunExporter, trace_run_events
from schemarouter.model.limits import ExecutionBudget
from schemarouter.model.plan import PlanRequest
from schemarouter.model.run import RunConfig
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.runtime.events import RunEvent
from schemarouter.runtime.router import SchemaRouter
from support.boundary import CANARY


def add(left: int, right: int) -> int:
    """Add two numbers."""
    return left + right


def explode(text: str) -> str:
    """Explode at once."""
    raise ValueError(text)


async def drained(stream: AsyncIterator[Any]) -> tuple[list[Any], Exception | None]:
    """Everything that a stream yields, and the error that ended it."""
    found: list[Any] = []
    try:
        async for item in stream:
            found.append(item)  # noqa: PERF401 - what came before an error is kept
    except Exception as error:  # noqa: BLE001 - returned
        return found, error
    return found, None


def router(**options: Any) -> SchemaRouter:
    made = SchemaRouter(**options)
    made.add_callable(add, read_only=True)
    made.add_callable(explode, read_only=True)
    return made


SUM = PlanRequest(query="add two numbers", arguments={"left": 1, "right": 2})
BANG = PlanRequest(query="explode", arguments={"text": CANARY})
BOTH = PlanRequest(
    query="do", preferred_tools=["add", "explode"], arguments={**SUM.arguments, **BANG.arguments}, max_calls=2
)


def test_invoke_plans_and_executes() -> None:
    assert [result.data for result in router().invoke(SUM)] == [3]
    assert [result.data for result in router().batch([SUM, SUM])[0]] == [3]  # type: ignore[union-attr]


@pytest.mark.asyncio
async def test_sync_calls_inside_a_loop_are_refused() -> None:
    for call in (lambda: router().invoke(SUM), lambda: router().batch([SUM])):
        with pytest.raises(RuntimeError, match="active event loop"):
            call()


@pytest.mark.asyncio
async def test_a_config_counts_and_may_be_a_mapping() -> None:
    made = router()
    plan = made.plan(SUM)
    for config in (RunConfig(budget=ExecutionBudget(max_tool_calls=0)), {"budget": ExecutionBudget(max_tool_calls=0)}):
        with pytest.raises(ExecutionBudgetExceededError, match="max_tool_calls=0"):
            await made.execute(plan, config=config)
    with pytest.raises(ValueError, match="max_calls"):
        await made.execute(plan, config={"max_calls": 1})
    with pytest.raises(TypeError, match="PlanRequest"):
        await made.ainvoke(3)  # type: ignore[arg-type]
    with pytest.raises(PlanningError):
        await made.ainvoke("zzz")


@pytest.mark.asyncio
async def test_each_input_of_a_batch_is_its_own_run() -> None:
    config = {"budget": ExecutionBudget(max_tool_calls=1), "max_concurrency": 2}
    assert len(await router().abatch([SUM] * 5, config=config)) == 5
    with pytest.raises(ValueError, match=CANARY):
        await router().abatch([SUM, BANG, SUM])
    results = await router().abatch([SUM, BANG, SUM], return_exceptions=True)
    assert [type(result).__name__ for result in results] == ["list", "ValueError", "list"]
    seen = {
        index: results async for index, results in router().abatch_as_completed([SUM, BANG], return_exceptions=True)
    }
    assert isinstance(seen[1], ValueError)
    with pytest.raises(ValueError, match=CANARY):
        async for _ in router().abatch_as_completed([BANG, SUM]):
            pass


@pytest.mark.asyncio
async def test_a_batch_that_fails_lets_running_ones_finish_and_starts_no_others() -> None:
    made, ran = SchemaRouter(), []

    async def slow(name: str) -> str:
        """Slow."""
        await asyncio.sleep(0.01)
        ran.append(name)
        return name

    made.add_callable(slow, read_only=True)
    made.add_callable(explode, read_only=True)
    requests = [
        PlanRequest(query="slow", arguments={"name": "a"}),
        BANG,
        PlanRequest(query="slow", arguments={"name": "b"}),
    ]
    with pytest.raises(ValueError, match=CANARY):
        await made.abatch(requests, config={"max_concurrency": 2})
    assert ran == ["a"]


@pytest.mark.asyncio
async def test_results_are_streamed_as_they_come() -> None:
    found, error = await drained(router().astream(BOTH))
    assert [result.data for result in found] == [3]
    assert isinstance(error, ValueError)


def test_tools_are_bound_both_or_none() -> None:
    made = SchemaRouter()
    spec = ToolSpec(name="t", endpoints=[EndpointSpec(name="e", read_only=True)])
    assert made.add_tool(spec) == "t"
    assert made.executor.bound_keys() == []
    with pytest.raises(RegistrationError):
        made.add_bound_tool(spec, print)
    other = spec.model_copy(update={"description": "other"})
    with pytest.raises(TypeError):
        made.add_bound_tool(other, 3, replace=True)
    assert made.registry.get("t") == spec
    with pytest.raises(TypeError):
        made.add_bound_tool(spec.model_copy(update={"name": "u"}), 3)
    assert made.registry.keys() == ["t"]
    assert made.add_bound_tool(other, lambda endpoint, arguments: 5, replace=True) == "t"
    assert made.invoke(PlanRequest(query="t", preferred_tools=["t"]))[0].data == 5


def test_from_policy() -> None:
    text = "version: 1\nrules: [{name: no-sums, operation: add.call, effect: deny}]\n"
    made = SchemaRouter.from_policy(text)
    made.add_callable(add, read_only=True)
    with pytest.raises(PolicyViolationError, match="no-sums"):
        made.invoke(SUM)


# Events


async def events_of(made: SchemaRouter, request: PlanRequest, **config: Any) -> tuple[list[RunEvent], Exception | None]:
    return await drained(made.astream_events(request, config=config))


@pytest.mark.asyncio
async def test_the_events_of_a_run() -> None:
    policy = ExecutionPolicy(rules=(PolicyRule("allow", "add.*", name="sums"),))
    made = router(policy=policy)
    events, error = await events_of(
        made, SUM, run_id="r1", tags=["blue"], metadata={"mine": CANARY}, trace_metadata={"trace": 7}
    )
    assert error is None
    assert [event.event for event in events] == ["run.start", "plan.end", "tool.start", "tool.end", "run.end"]
    assert [event.sequence for event in events] == list(range(5))
    assert {event.run_id for event in events} == {"r1"}
    assert all(event.tags == ["blue"] for event in events)
    assert [event.metadata for event in events] == [{"trace": 7}, {}, {}, {}, {}]
    start = events[2]
    assert (start.tool, start.endpoint) == ("add", "call")
    assert start.data["argument_names"] == ["left", "right"]
    assert start.data["rule"] == "sums"
    assert start.data["policy_digest"] == policy.graph.digest
    assert events[-1].data == {"result_count": 1}


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["sequential", "parallel_read_only"])
async def test_events_hold_no_payload_unless_asked(mode: str) -> None:
    made = router()
    for request in (BANG, BOTH, PlanRequest(query="explode", arguments={"text": 3, "extra": CANARY})):
        events, error = await events_of(made, request, execution_mode=mode)
        assert error is not None
        text = "".join(event.model_dump_json() for event in events)
        assert CANARY not in text
        assert events[-1].event == "run.error"
        assert events[-1].data["error_type"] == type(error).__name__
        for event in events:
            json.loads(event.model_dump_json())
    events, _ = await events_of(made, SUM, include_payloads=True)
    by_name = {event.event: event.data for event in events}
    assert by_name["tool.start"]["arguments"] == SUM.arguments
    assert by_name["tool.end"]["result"]["data"] == 3
    assert by_name["run.start"]["input"]["query"] == SUM.query


@pytest.mark.asyncio
async def test_a_call_that_is_refused_has_a_start_and_an_error() -> None:
    made = router(policy=ExecutionPolicy(rules=(PolicyRule("deny", "*", name="nothing"),)))
    events, error = await events_of(made, SUM)
    assert isinstance(error, PolicyViolationError)
    assert [event.event for event in events] == ["run.start", "plan.end", "tool.start", "tool.error", "run.error"]
    assert events[2].data["rule"] == "nothing"
    assert events[3].data["stage"] == "validate"
    assert events[3].data["execution_succeeded"] is False
    events, error = await events_of(router(), PlanRequest(query="nothing fits"))
    assert isinstance(error, PlanningError)
    assert [event.event for event in events] == ["run.start", "run.error"]


@pytest.mark.asyncio
async def test_stopping_the_stream_cancels_the_run() -> None:
    made = SchemaRouter()
    state = []

    async def forever(name: str) -> str:
        """Forever."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            state.append("cancelled")
            raise
        return name

    made.add_callable(forever, read_only=True)
    request = PlanRequest(query="forever", arguments={"name": "x"})
    async with contextlib.aclosing(made.astream_events(request)) as events:
        async for event in events:
            if event.event == "tool.start":
                await asyncio.sleep(0.01)
                break
    assert state == ["cancelled"]


def traced() -> tuple[OpenTelemetryRunExporter, InMemorySpanExporter]:
    provider, memory = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    return OpenTelemetryRunExporter(provider.get_tracer("test")), memory


@pytest.mark.asyncio
async def test_spans_of_runs() -> None:
    exporter, memory = traced()
    made = router()
    config = {"include_payloads": True, "tags": [CANARY], "trace_metadata": {"x": CANARY}}
    for request, failed in ((SUM, False), (BOTH, True)):
        memory.clear()
        with contextlib.suppress(ValueError):
            async for _ in trace_run_events(made.astream_events(request, config=config), exporter=exporter):
                pass
        spans = {span.name: span for span in memory.get_finished_spans()}
        run, call = spans["schemarouter.run"], spans["schemarouter.tool add.call"]
        assert call.parent is not None
        assert call.parent.span_id == run.context.span_id
        assert call.start_time <= call.end_time <= run.end_time
        assert call.status.status_code is StatusCode.UNSET
        assert (run.status.status_code is StatusCode.ERROR) == failed
        if failed:
            assert spans["schemarouter.tool explode.call"].attributes["schemarouter.error_type"] == "ValueError"
        assert CANARY not in "".join(span.to_json() for span in spans.values())


@pytest.mark.asyncio
async def test_spans_of_a_run_that_is_left_are_ended() -> None:
    exporter, memory = traced()
    stream = trace_run_events(router().astream_events(SUM), exporter=exporter)
    async with contextlib.aclosing(stream) as events:
        async for event in events:
            if event.event == "tool.start":
                break
    assert {span.name for span in memory.get_finished_spans()} == {"schemarouter.run", "schemarouter.tool add.call"}


def test_a_wrong_output_is_a_schema_error() -> None:
    made = SchemaRouter()
    spec = ToolSpec(name="t", endpoints=[EndpointSpec(name="e", read_only=True, output_schema={"type": "null"})])
    made.add_bound_tool(spec, lambda endpoint, arguments: CANARY)
    with pytest.raises(SchemaValidationError, match=r"output from t\.e"):
        made.invoke(PlanRequest(query="t", preferred_tools=["t"]))
