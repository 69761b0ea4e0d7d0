"""Stage 6 of SPEC 3, and SPEC 5: one logical call is counted. Nothing refunds it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.budget import LogicalCall, Refusal
from schemarouter.engine.commands import Command, Reserve
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import on_store
from schemarouter.errors import ExecutionBudgetExceededError

STAGE = "budget"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """Reserve the call, of the run and of its tool."""
    call, shared = frame.call, frame.run.shared
    charges = frame.run.limits.call_charges(call.tool)
    refusal: Refusal | None
    if shared is None:
        refusal = yield Reserve(frame.run.ledger, charges)
    else:
        logical = LogicalCall(frame.call_id, frame.contract.operation, call.arguments)
        reply = yield from on_store(frame, shared.enter, charges, logical)
        refusal = reply if isinstance(reply, Refusal) else None
        frame.lease = None if refusal is not None else reply
    if refusal is not None:
        raise ExecutionBudgetExceededError(f"a call of `{frame.call.operation}` would exceed {refusal}")
