"""Run events as OpenTelemetry spans. Needs the extra ``otel``; nothing of it is imported before it is used.

Spans hold names, counts, classes and the policy's digest: no payload, tag, metadata or error text, whatever the
events hold.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from typing import TYPE_CHECKING

from schemarouter.runtime.events import RunEvent

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

#: Keys of an event's data that become attributes, where they hold a plain value.
_ATTRIBUTES = (
    "input_type",
    "call_count",
    "execution_mode",
    "policy_digest",
    "rule",
    "effect",
    "approval",
    "shadow_mode",
    "shadow",
    "attempts",
    "stage",
    "error_type",
    "execution_succeeded",
    "result_count",
)


class OpenTelemetryRunExporter:
    """Exports events to ``tracer``: a span ``schemarouter.run`` per run, a child ``schemarouter.tool …`` per call.

    Not for several threads at once. Events of several runs may be interleaved.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._runs: dict[str, Span] = {}
        self._calls: dict[tuple[str, object], Span] = {}

    def export(self, event: RunEvent) -> None:
        """Open, annotate or end the span that ``event`` is about. An event of an unknown run is ignored."""
        from opentelemetry import trace

        when = int(event.timestamp.timestamp() * 1_000_000_000)
        key = (event.run_id, event.data.get("index"))
        if event.event == "run.start":
            self.end_run(event.run_id)
            self._runs[event.run_id] = self._tracer.start_span("schemarouter.run", start_time=when)
            self._runs[event.run_id].set_attribute("schemarouter.run_id", event.run_id)
        parent = self._runs.get(event.run_id)
        if parent is None:
            return
        if event.event == "tool.start":
            self._calls[key] = self._tracer.start_span(
                f"schemarouter.tool {event.tool}.{event.endpoint}",
                context=trace.set_span_in_context(parent),
                start_time=when,
            )
        of_a_call = event.event.startswith("tool.")
        span = self._calls.get(key) if of_a_call else parent
        if span is None:
            return
        for name in _ATTRIBUTES:
            value = event.data.get(name)
            if isinstance(value, bool | int | str):
                span.set_attribute(f"schemarouter.{name}", value)
        if event.event.endswith(".error"):
            span.set_status(trace.StatusCode.ERROR)
        if event.event in ("tool.end", "tool.error"):
            self._calls.pop(key).end(end_time=when)
        elif event.event in ("run.end", "run.error"):
            self.end_run(event.run_id, when)

    def end_run(self, run_id: str, when: int | None = None) -> None:
        """End whatever is open of a run, which may have been left in its middle."""
        for key in [key for key in self._calls if key[0] == run_id]:
            self._calls.pop(key).end(end_time=when)
        span = self._runs.pop(run_id, None)
        if span is not None:
            span.end(end_time=when)


async def trace_run_events(
    events: AsyncIterable[RunEvent], *, exporter: OpenTelemetryRunExporter
) -> AsyncGenerator[RunEvent, None]:
    """Pass ``events`` on, exporting each. A run that is left before its end has its spans ended."""
    seen: set[str] = set()
    try:
        async for event in events:
            seen.add(event.run_id)
            exporter.export(event)
            yield event
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()
        for run_id in seen:
            exporter.end_run(run_id)
