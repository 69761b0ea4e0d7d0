"""The fixed order of one logical call (SPEC 3), once, as data. Standard library only."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Stage(NamedTuple):
        """One stage: its name, what it does, what failing means, and why it stands after the one above it."""

        name: str
        does: str
        on_failure: str
        because: str
else:
    Stage = namedtuple("Stage", "name does on_failure because")

#: The order is fixed: nothing reads it from a file, and no option changes it.
STAGES: tuple[Stage, ...] = (
    Stage(
        "plan",
        "the call comes from a validated plan, or is handed in directly",
        "PlanningError",
        "a private copy is taken first, so that nothing that happens later can change what is executed",
    ),
    Stage(
        "validate",
        "schema, fingerprints, arguments, fields and binding are checked, and policy decides",
        "PlanValidationError or BindingDriftError",
        "nobody is asked, and no clock runs, for a call that could not be executed anyway",
    ),
    Stage(
        "clock",
        "the run's elapsed clock starts with its first call here",
        "ExecutionBudgetExceededError",
        "the clock starts before a person is asked, because waiting for an answer is time of the run",
    ),
    Stage(
        "approval",
        "the trusted callback is asked, where approval is needed",
        "ApprovalDeniedError",
        "asked within the time limit, and before anything is charged",
    ),
    Stage(
        "revalidate-approved",
        "as validate, against the registry, binding and graph of now",
        "as validate",
        "the world may have changed while an answer was awaited",
    ),
    Stage(
        "budget",
        "one logical call is counted",
        "ExecutionBudgetExceededError",
        "only a call that is valid and approved is charged, and nothing after this refunds it",
    ),
    Stage(
        "before-hooks",
        "hooks observe or veto, in declaration order",
        "ExecutionHookError",
        "hooks see only calls that will be attempted, already counted, so that a hook cannot be used to probe for free",
    ),
    Stage(
        "revalidate-attempt",
        "as revalidate-approved, and again before every further attempt",
        "as validate",
        "a hook may have awaited: the last look at the contract is the one right before the invoker",
    ),
    Stage(
        "attempts",
        "each attempt is reserved, remote and cost included, before the invoker runs; backoff between",
        "the invoker's own error, or ExecutionBudgetExceededError",
        "nothing stands between the last check and the effect but the reservation that pays for it",
    ),
    Stage(
        "output",
        "the raw output is checked against the output schema",
        "SchemaValidationError, never retried",
        "the contract speaks of what the tool returned, not of what is left after projection",
    ),
    Stage(
        "project",
        "only the requested, declared fields cross the boundary",
        "SchemaValidationError",
        "projected from an output that is known to be valid",
    ),
    Stage(
        "after-hooks",
        "hooks observe or veto the projected result, in declaration order",
        "ExecutionHookError, result withheld",
        "hooks see what the caller will see, never more",
    ),
    Stage(
        "result",
        "the result is handed to the caller",
        "-",
        "last, so that every check before it can withhold the result",
    ),
)
