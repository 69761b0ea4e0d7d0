"""Stage 6 of SPEC 3, and SPEC 5: one logical call is counted. Nothing refunds it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.budget import Refusal
from schemarouter.engine.commands import Command, Reserve
from schemarouter.engine.frame import Frame
from schemarouter.errors import ExecutionBudgetExceededError

STAGE = "budget"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """Reserve the call, of the run and of its tool."""
    charges = frame.run.limits.call_charges(frame.call.tool)
    refusal: Refusal | None = yield Reserve(frame.run.ledger, charges)
    if refusal is not None:
        raise ExecutionBudgetExceededError(f"a call of `{frame.call.operation}` would exceed {refusal}")
