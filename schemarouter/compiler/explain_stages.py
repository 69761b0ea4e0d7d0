"""What each stage of the fixed order (SPEC 3) does for one call, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.model.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import PolicyDecision


#: What a note says of a stage behind a denial.
NOT_REACHED = "not reached"


class StageNote(NamedTuple):
    """A stage and what it does for this call."""

    stage: str
    does: str


def stage_notes(
    graph: EvaluationGraph,
    operation: str,
    effective: tuple[bool, bool | None, bool | None],
    decision: PolicyDecision,
    approval_because: str | None,
) -> tuple[StageNote, ...]:
    """A note for each stage. Behind a denial nothing is reached."""
    said = {
        "validate": f"policy says {decision.effect}: {decision.reason}",
        "clock": _clock(graph),
        "approval": _approval(graph, approval_because),
        "budget": _calls(graph, operation),
        "before-hooks": _hooks(graph.hooks.before_call),
        "attempts": _attempts(graph, operation, effective),
        "after-hooks": _hooks(graph.hooks.after_call),
    }
    notes = []
    reached = True
    for stage in STAGES:
        notes.append(StageNote(stage.name, said.get(stage.name, stage.does) if reached else NOT_REACHED))
        if stage.name == "validate" and decision.effect == "deny":
            reached = False
    return tuple(notes)


def _clock(graph: EvaluationGraph) -> str:
    limit = None if graph.budget is None else graph.budget.max_elapsed_seconds
    return "no time limit" if limit is None else f"the run may take {limit} seconds"


def _approval(graph: EvaluationGraph, because: str | None) -> str:
    if because is None:
        return "not needed"
    reason = "the rule asks for it" if because == "rule" else f"the mode is `{graph.approval.mode}`"
    callback = graph.approval.callback
    if callback is None:
        return f"{reason}; the policy names no callback, so the application has to give one"
    return f"`{callback}` is asked, because {reason}"


def _calls(graph: EvaluationGraph, operation: str) -> str:
    if graph.budget is None:
        return "one call is counted; no limit"
    limits = [] if graph.budget.max_tool_calls is None else [f"{graph.budget.max_tool_calls} in a run"]
    tool = _of_tool(graph.budget.per_tool_calls, operation)
    if tool is not None:
        limits.append(f"{graph.budget.per_tool_calls[tool]} of `{tool}`")
    return "one call is counted; " + (f"at most {' and '.join(limits)}" if limits else "no limit")


def _attempts(graph: EvaluationGraph, operation: str, effective: tuple[bool, bool | None, bool | None]) -> str:
    remote, read_only, _ = effective
    parts = [_retries(graph, read_only)]
    budget = graph.budget
    if budget is not None:
        key = operation if operation in budget.cost_units else _of_tool(budget.cost_units, operation)
        weight = budget.cost_units.get("*" if key is None else key, "0")
        if weight != "0":
            cap = "" if budget.max_cost_units is None else f" of {budget.max_cost_units} in a run"
            parts.append(f"each costs {weight}{cap}")
        if budget.max_attempts is not None:
            parts.append(f"at most {budget.max_attempts} in a run")
        if remote and budget.max_remote_attempts is not None:
            parts.append(f"at most {budget.max_remote_attempts} remote ones")
    return "; ".join(parts)


def _retries(graph: EvaluationGraph, read_only: bool | None) -> str:
    retry = graph.retry
    if retry is None or retry.max_attempts == 1:
        return "one attempt"
    if read_only is not True and not retry.retry_non_read_only:
        return "one attempt: only read-only calls are repeated"
    return f"up to {retry.max_attempts} attempts, if the errors are transient"


def _hooks(names: Iterable[str]) -> str:
    return ", then ".join(f"`{name}`" for name in names) or "none are named"


def _of_tool(table: Mapping[str, object], operation: str) -> str | None:
    """The longest tool key in ``table`` that ``operation`` can belong to."""
    return max((key for key in table if operation.startswith(key + ".")), key=len, default=None)
