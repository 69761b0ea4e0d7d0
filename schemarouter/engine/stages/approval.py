"""Stage 4 of SPEC 3, and SPEC 4: the trusted callback is asked, where the policy wants approval.

Only the literal ``True`` approves. The approval lives in this frame and ends with it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.commands import AskApproval, Command, Raised, Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import settle, snapshots
from schemarouter.errors import ApprovalDeniedError

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
    reply = yield AskApproval(callback, snapshots(frame), frame.run.deadline)
    outcome = yield from settle(frame, reply, "approval callback")
    if isinstance(outcome, Raised):
        error = outcome.error
        raise ApprovalDeniedError(
            f"approval callback for `{operation}` failed closed ({type(error).__name__})"
        ) from error
    if outcome.value is not True:
        raise ApprovalDeniedError(f"`{operation}` was not approved")
