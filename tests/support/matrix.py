"""The fail-closed matrix of SPEC 3: every stage x every fault x sync and async, generated.

A fault strikes where a stage begins, whichever stage it is (``entry``), or inside the user code of a stage that has some
(``code``). What must follow is derived from the order of the stages alone, in :func:`expected`.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from schemarouter.errors import (
    ApprovalDeniedError,
    BindingDriftError,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    NonRetryableInvocationError,
    PlanValidationError,
    SchemaDriftError,
    SchemaValidationError,
)
from schemarouter.model.stages import STAGES

ORDER = [stage.name for stage in STAGES]
#: Stages that run user code.
CODE = ("approval", "before-hooks", "attempts", "after-hooks")
#: Thrown where they strike, and never anything else for the caller.
PASSING: dict[str, type[BaseException]] = {
    "cancellation": asyncio.CancelledError,
    "keyboard interrupt": KeyboardInterrupt,
    "system exit": SystemExit,
}
#: The world changes under the call.
CHANGES = (
    "contract changed",
    "tool unregistered",
    "binding replaced",
    "tool unbound",
    "policy replaced",
    "hooks replaced",
)
#: What only user code can do; the second line needs code that awaits.
OWN = ("wrong value", "own timeout", "spoofed gate", "stop iteration")
AWAITING = ("hangs", "swallowed cut-off", "raises when cut off", "cancelled from outside", "swallowed cancellation")
#: Faults of an invoker after which it is known to have returned.
RETURNS = (*CHANGES, "expiry", "swallowed cut-off")
#: Where a change is seen, and where the clock is read before anything else happens.
LOOKS = ("validate", "revalidate-approved", "revalidate-attempt", "output", "result")
READINGS = ("clock", "approval", "before-hooks", "attempts", "after-hooks", "result")


class Cell(NamedTuple):
    """One cell: ``driver`` and ``code`` are ``sync`` or ``async``; ``where`` is ``entry`` or ``code``."""

    stage: str
    where: str
    fault: str
    driver: str
    code: str

    def __str__(self) -> str:
        return "-".join(part.replace(" ", "_") for part in self)


class Expected(NamedTuple):
    """What must follow: the class that reaches the caller, what ran, what was counted, what is known of the effect."""

    error: type[BaseException]
    ran: bool
    calls: int
    attempts: int
    succeeded: bool | None


def cells() -> list[Cell]:
    """Every cell, in a fixed order."""
    found = []
    for stage in ORDER:
        for driver, code in (("sync", "sync"), ("async", "sync"), ("async", "async")):
            for fault in ("exception", "expiry", *PASSING, *CHANGES):
                # Before stage 2 has looked, nothing was validated that another binding could contradict.
                if stage not in ("plan", "validate") or fault not in ("binding replaced", "tool unbound"):
                    found.append(Cell(stage, "entry", fault, driver, code))
                if stage in CODE:
                    found.append(Cell(stage, "code", fault, driver, code))
            if stage in CODE:
                own = (*OWN[:-1], *AWAITING) if code == "async" else OWN
                found += [Cell(stage, "code", fault, driver, code) for fault in own]
        if stage in CODE:
            # Async code that meets the sync driver fails closed, whatever it would have done.
            found.append(Cell(stage, "code", "async code", "sync", "async"))
    return found


def expected(cell: Cell) -> Expected:
    """Derive what must follow from the place of the fault in the order."""
    inside = cell.where == "code"
    struck = ORDER.index(cell.stage)
    seen = struck
    if cell.fault in CHANGES:
        seen = next(look for look in map(ORDER.index, LOOKS) if look >= struck + inside)
    elif cell.fault == "expiry" and not inside:
        seen = next(reading for reading in map(ORDER.index, READINGS) if reading >= struck)
    elif cell.fault == "wrong value" and cell.stage == "attempts":
        seen = ORDER.index("output")
    attempts = ORDER.index("attempts")
    reached = seen > attempts or (seen == attempts and inside)
    returned = seen > attempts or (reached and cell.fault in RETURNS)
    return Expected(
        _error(cell),
        reached and (cell.fault, cell.stage) != ("async code", "attempts"),
        int(seen > ORDER.index("budget")),
        int(reached),
        (True if returned else None) if reached else False,
    )


def _error(cell: Cell) -> type[BaseException]:
    if cell.fault in PASSING:
        return PASSING[cell.fault]
    if cell.fault in ("policy replaced", "hooks replaced"):
        return ApprovalDeniedError
    if cell.fault == "tool unregistered" and cell.stage in ("plan", "validate"):
        return PlanValidationError  # it was never seen
    if cell.fault in ("contract changed", "tool unregistered"):
        return SchemaDriftError
    if cell.fault in ("binding replaced", "tool unbound"):
        return BindingDriftError
    if cell.fault in ("cancelled from outside", "swallowed cancellation"):
        return asyncio.CancelledError
    if cell.fault in ("expiry", "hangs", "swallowed cut-off", "raises when cut off"):
        return ExecutionBudgetExceededError
    if cell.where == "entry":
        return RuntimeError
    return {
        "approval": ApprovalDeniedError,
        "before-hooks": ExecutionHookError,
        "after-hooks": ExecutionHookError,
        "attempts": {
            "exception": RuntimeError,
            "own timeout": TimeoutError,
            "wrong value": SchemaValidationError,
        }.get(cell.fault, NonRetryableInvocationError),
    }[cell.stage]
