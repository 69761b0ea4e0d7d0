"""What an evaluation graph is made of: immutable records of plain values. Standard library only.

Everything here but :class:`Location` is *semantic content*: it is what the digest covers and what makes two graphs
equal. Defaults are filled in and spellings are settled by the compiler, so that one meaning has one record.
"""

from __future__ import annotations

from collections import namedtuple

from schemarouter.match.classes import class_mask
from schemarouter.model.frozen import FrozenMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from schemarouter.match.conditions import Conditions
    from schemarouter.model.decision import ApprovalMode, Effect

    class Location(NamedTuple):
        """Where a rule stands: the file as the user called it, line and column from 1."""

        path: str
        line: int
        column: int

    class Locations(NamedTuple):
        """Where every rule of one file stands, in rule order: ``(line, column)`` from 1."""

        path: str
        rules: tuple[tuple[int, int], ...]

    class Predicates(NamedTuple):
        """What a rule asks of a call's attributes; ``None`` asks nothing (SPEC 2.3)."""

        remote: bool | None
        read_only: bool | None
        destructive: bool | None
        unclassified: bool | None

    class GraphRule(NamedTuple):
        """One rule. ``conditions`` is ``None`` for a rule without argument conditions, ``location`` without a file."""

        name: str | None
        patterns: tuple[str, ...]
        effect: Effect
        reason: str | None
        predicates: Predicates
        conditions: Conditions | None
        location: Location | None

    class Classification(NamedTuple):
        """One entry of ``classify``; ``None`` leaves that attribute as the contract has it."""

        patterns: tuple[str, ...]
        read_only: bool | None
        destructive: bool | None

    class Guards(NamedTuple):
        """The category guards: what may run where no rule matches."""

        allow_mutations: bool
        allow_destructive: bool
        allow_unclassified_remote: bool

    class ApprovalGate(NamedTuple):
        """Which calls need approval beside those that a rule sends there, and the name of who is asked."""

        mode: ApprovalMode
        callback: str | None

    class Budget(NamedTuple):
        """Limits of one run; ``None`` is unlimited. Seconds are wall clock; costs are decimal numbers as text."""

        max_tool_calls: int | None
        max_attempts: int | None
        max_remote_attempts: int | None
        max_elapsed_seconds: float | None
        max_cost_units: str | None
        per_tool_calls: FrozenMap[int]
        cost_units: FrozenMap[str]

    class Retry(NamedTuple):
        """When an attempt is repeated; seconds are wall clock."""

        max_attempts: int
        initial_backoff_seconds: float
        backoff_multiplier: float
        max_backoff_seconds: float | None
        retry_non_read_only: bool

    class HookNames(NamedTuple):
        """Names of hooks, in the order in which they run."""

        before_call: tuple[str, ...]
        after_call: tuple[str, ...]

    class GraphInvariant(NamedTuple):
        """A question that must never come true."""

        name: str
        never: str
        reason: str | None

    class Content(NamedTuple):
        """The whole of a policy. ``budget`` is ``None`` if nothing is limited, ``retry`` if the policy says nothing."""

        name: str | None
        defaults: Guards
        approval: ApprovalGate
        classify: tuple[Classification, ...]
        rules: tuple[GraphRule, ...]
        budget: Budget | None
        retry: Retry | None
        hooks: HookNames
        invariants: tuple[GraphInvariant, ...]

    class GraphStage(NamedTuple):
        """A stage of the fixed order with this policy's parameters for it, each a name and an immutable value."""

        name: str
        does: str
        parameters: FrozenMap[object]
else:
    Location = namedtuple("Location", "path line column")
    Locations = namedtuple("Locations", "path rules")
    Predicates = namedtuple("Predicates", "remote read_only destructive unclassified")
    GraphRule = namedtuple("GraphRule", "name patterns effect reason predicates conditions location")
    Classification = namedtuple("Classification", "patterns read_only destructive")
    Guards = namedtuple("Guards", "allow_mutations allow_destructive allow_unclassified_remote")
    ApprovalGate = namedtuple("ApprovalGate", "mode callback")
    Budget = namedtuple(
        "Budget",
        "max_tool_calls max_attempts max_remote_attempts max_elapsed_seconds max_cost_units per_tool_calls cost_units",
    )
    Retry = namedtuple(
        "Retry",
        "max_attempts initial_backoff_seconds backoff_multiplier max_backoff_seconds retry_non_read_only",
    )
    HookNames = namedtuple("HookNames", "before_call after_call")
    GraphInvariant = namedtuple("GraphInvariant", "name never reason")
    Content = namedtuple("Content", "name defaults approval classify rules budget retry hooks invariants")
    GraphStage = namedtuple("GraphStage", "name does parameters")

#: Asks nothing: shared, because most rules have no predicates.
ANY = Predicates(None, None, None, None)
NO_GUARDS_LIFTED = Guards(False, False, False)
NO_HOOKS = HookNames((), ())

_MASKS: dict[tuple[bool | None, ...], int] = {}


def predicate_mask(predicates: Predicates) -> int:
    """The classes of calls that ``predicates`` (real booleans) accept, as a mask; 0 if they contradict each other."""
    mask = _MASKS.get(predicates)
    if mask is None:
        mask = _MASKS[predicates] = class_mask(*predicates)
    return mask
