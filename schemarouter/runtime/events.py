"""What a run tells the outside: events that are redacted by construction.

Each kind of event has one method here that picks what it says: names, counts, classes, digests. Arguments, results and
requests are picked only where the run's configuration asks for them, and the text of an error never is.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from schemarouter.engine.frame import Frame
from schemarouter.model.base import FrozenModel
from schemarouter.model.call import ToolResult
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.plan import ExecutionPlan, PlanRequest
from schemarouter.model.run import RunConfig

EventName: TypeAlias = Literal["run.start", "plan.end", "tool.start", "tool.end", "tool.error", "run.end", "run.error"]


class RunEvent(FrozenModel):
    """One event. ``sequence`` rises by one within a ``run_id``, from 0; ``timestamp`` is in UTC."""

    event: EventName
    run_id: str
    sequence: int
    timestamp: datetime
    tags: list[str]
    metadata: dict[str, Any]
    tool: str | None
    endpoint: str | None
    data: dict[str, Any]


class RunRecorder:
    """Makes the events of one run and hands each to ``emit``. An observer of the executor's calls.

    ``shadow`` says whether shadow mode is on when the run starts. Raises ``ValueError`` for ``trace_metadata`` that is not JSON.
    """

    def __init__(self, config: RunConfig, emit: Callable[[RunEvent], None], *, shadow: bool = False) -> None:
        #: What the run is called in every event.
        self.run_id = config.run_id or uuid.uuid4().hex
        self._shadow = shadow
        self._payloads = config.include_payloads
        self._mode = config.execution_mode
        self._tags = tuple(config.tags)
        try:
            self._metadata: dict[str, Any] = checked_copy(config.trace_metadata)
        except JsonValueError as error:
            raise ValueError(f"trace_metadata {error.reason}") from None
        self._emit = emit
        self._sequence = 0
        self._started: set[int] = set()

    # The run

    def run_started(self, given: PlanRequest | ExecutionPlan) -> None:
        """A run begins with a request, or with a plan."""
        data: dict[str, Any] = {"input_type": type(given).__name__, **self._mode_data()}
        self._put("run.start", data, payload=lambda: {"input": given.model_dump()}, metadata=self._metadata)

    def planned(self, plan: ExecutionPlan) -> None:
        """The calls are known."""
        data = {"call_count": len(plan.calls), "execution_mode": self._mode}
        self._put("plan.end", data, payload=lambda: {"plan": plan.model_dump()})

    def run_ended(self, results: list[ToolResult]) -> None:
        """Every call is done."""
        self._put("run.end", {"result_count": len(results), **self._mode_data()})

    def run_failed(self, error: BaseException) -> None:
        """The run ends with an error."""
        data = {"error_type": type(error).__name__, "result_count": _completed(error), **self._mode_data()}
        self._put("run.error", data)

    def _mode_data(self) -> dict[str, Any]:
        """Whether the run began in shadow mode; nothing where the policy is enforced."""
        return {"shadow_mode": True} if self._shadow else {}

    # Its calls

    def entered(self, index: int, frame: Frame) -> None:
        """Once policy has decided, the call is worth an event."""
        if frame.stage == "clock":
            self._call_started(index, frame)

    def ended(self, index: int, frame: Frame, error: BaseException | None) -> None:
        """A call ended. One that failed before policy allowed it gets its start now."""
        if index not in self._started:
            self._call_started(index, frame)
        data: dict[str, Any] = {"index": index, "attempts": frame.attempts, **_shadow(frame)}
        if error is not None:
            data |= {
                "error_type": type(error).__name__,
                "stage": frame.stage,
                "execution_succeeded": frame.succeeded,
            }
            self._put("tool.error", data, frame)
            return
        result = frame.delivered()
        data["projected_fields"] = list(result.projected_fields)
        self._put("tool.end", data, frame, payload=lambda: {"result": result.model_dump()})

    def _call_started(self, index: int, frame: Frame) -> None:
        self._started.add(index)
        call, decision = frame.call, frame.decision
        data: dict[str, Any] = {
            "index": index,
            "argument_names": sorted(call.arguments),
            "fields": list(call.fields),
            "policy_digest": frame.run.authority.graph.digest,
            "rule": None if decision is None else decision.rule_name,
            "rule_index": None if decision is None else decision.rule_index,
            "effect": None if decision is None else decision.effect,
            "approval": frame.needs_approval,
            **_shadow(frame),
        }
        self._put("tool.start", data, frame, payload=lambda: {"arguments": call.detached().arguments})

    def _put(
        self,
        event: EventName,
        data: dict[str, Any],
        frame: Frame | None = None,
        *,
        payload: Callable[[], dict[str, Any]] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        if payload is not None and self._payloads:
            data = data | payload()
        sequence, self._sequence = self._sequence, self._sequence + 1
        self._emit(
            RunEvent(
                event=event,
                run_id=self.run_id,
                sequence=sequence,
                timestamp=datetime.now(UTC),
                tags=list(self._tags),
                metadata=dict(metadata or {}),
                tool=None if frame is None else frame.call.tool,
                endpoint=None if frame is None else frame.call.endpoint,
                data=data,
            )
        )


def _shadow(frame: Frame) -> dict[str, Any]:
    """What the policy would have done; nothing where it is enforced."""
    return {} if frame.shadow is None else {"shadow_mode": True, "shadow": frame.shadow}


def _completed(error: BaseException) -> int:
    """How many results an error carries. Asking an error of user code may fail, which is not to take its place."""
    try:
        completed = getattr(error, "completed", ())
        return len(completed) if type(completed) is tuple else 0
    except Exception:  # noqa: BLE001 - whatever it raises, it carries nothing of ours
        return 0
