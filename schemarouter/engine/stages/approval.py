"""Stage 4 of SPEC 3, and SPEC 4: the trusted callback is asked, where the policy wants approval.

Only the literal ``True`` approves. The approval lives in this frame and ends with it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.commands import READ_CLOCK, AskApproval, Command, Raised, Script
from schemarouter.engine.frame import Frame, shown
from schemarouter.engine.outcomes import settle, snapshots
from schemarouter.errors import ApprovalDeniedError
from schemarouter.model.approval import Approver, Denied, Question
from schemarouter.model.decision import PolicyDecision
from schemarouter.model.json_value import checked_copy

STAGE = "approval"


def run(frame: Frame) -> Script:
    """Ask where the decision wants it."""
    return _ask(frame) if frame.needs_approval else ()


def _ask(frame: Frame) -> Generator[Command, Any, None]:
    """Fail closed for anything but ``True``."""
    operation = frame.call.operation
    callback = frame.run.authority.approval
    if callback is None:
        raise ApprovalDeniedError(f"`{operation}` requires trusted local approval, and there is no approval callback")
    if issubclass(type(callback), Approver):
        command = yield from _question(frame, callback)
    else:
        command = AskApproval(callback, snapshots(frame), frame.run.deadline)
    reply = yield command
    outcome = yield from settle(frame, reply, "approval callback")
    if isinstance(outcome, Raised):
        error = outcome.error
        raise ApprovalDeniedError(
            f"approval callback for `{operation}` failed closed ({type(error).__name__})"
        ) from error
    if outcome.value is not True:
        why = f": {shown(str(outcome.value.reason))}" if type(outcome.value) is Denied else ""
        raise ApprovalDeniedError(f"`{operation}` was not approved{why}")


def _question(frame: Frame, approver: Any) -> Generator[Command, Any, AskApproval]:
    run, contract, deadline = frame.run, frame.contract, frame.run.deadline
    graph, decision = run.authority.graph, frame.decision
    seconds = None if deadline is None else max(0.0, deadline - (yield READ_CLOCK))
    question = Question(
        contract.operation,
        contract.remote,
        contract.read_only,
        contract.destructive,
        checked_copy(frame.call.arguments),
        graph.digest,
        None if decision is None else decision.rule_name,
        _reason(decision, graph.approval.mode),
        run.run_id,
        frame.call_id,
        seconds,
    )
    return AskApproval(approver.ask, (question,), deadline, approver.ask_async)


def _reason(decision: PolicyDecision | None, mode: str) -> str:
    if decision is None:
        return ""
    return decision.reason if decision.effect == "require_approval" else f"approval mode `{mode}`: {decision.reason}"
