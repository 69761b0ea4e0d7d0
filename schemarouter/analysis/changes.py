"""What a comparison of two policies says: changes, each with a direction, and a verdict over them (SPEC 12.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from schemarouter.compiler.records import Location
from schemarouter.errors import SchemaRouterError
from schemarouter.model.diagnostic import Call

Direction = Literal["widened", "narrowed", "neutral"]
Verdict = Literal["equivalent", "widened", "narrowed", "mixed", "undecided"]
Kind = Literal[
    "decision",
    "approval_mode",
    "callback",
    "budget",
    "retry",
    "hook",
    "classification",
    "invariant",
    "suppression",
]

#: Codes of changes with their names. Never reused.
CHANGE_CODES: dict[str, str] = {
    "SR801": "widened",
    "SR802": "narrowed",
    "SR803": "approval-dropped",
    "SR804": "default-changed",
    "SR805": "budget-raised",
    "SR806": "budget-removed",
    "SR807": "hook-removed",
    "SR808": "mode-weakened",
    "SR809": "no-semantic-change",
    "SR810": "budget-lowered",
    "SR811": "hook-added",
    "SR812": "mode-strengthened",
    "SR813": "retry-changed",
    "SR814": "callback-changed",
    "SR815": "classification-changed",
    "SR816": "invariant-changed",
    "SR817": "suppression-changed",
}


class WitnessError(SchemaRouterError):
    """A witness does not show what it should: a defect of the analysis, never shown as a result."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change. ``before`` and ``after`` of a decision are outcomes, of a setting its values as text.

    ``operations`` is pattern text for people. ``conditional``: it depends on argument conditions, so not every call of
    these operations is concerned; ``witness`` then has arguments, or is ``None`` where none could be constructed.
    """

    kind: Kind
    code: str
    direction: Direction
    before: str
    after: str
    operations: str = ""
    conditional: bool = False
    witness: Call | None = None
    old_rule: str | None = None
    new_rule: str | None = None
    old_location: Location | None = None
    new_location: Location | None = None

    @property
    def name(self) -> str:
        """The name that belongs to the code."""
        return CHANGE_CODES[self.code]


@dataclass(frozen=True, slots=True)
class PolicyDiff:
    """The result: ``undecided`` holds the reasons why something could not be decided, and is empty if all was.

    ``unlisted``: decisions differ in more places than are worth listing, and ``changes`` holds only the first of them.
    """

    old_digest: str | None
    new_digest: str | None
    changes: tuple[Change, ...]
    undecided: tuple[str, ...] = ()
    unlisted: bool = False

    @property
    def verdict(self) -> Verdict:
        """``undecided`` if anything is; a widening that was found is shown all the same.

        What is not listed cannot change the verdict of changes in both directions, and could change any other.
        """
        found = verdict_of(self.changes)
        return "undecided" if self.undecided or (self.unlisted and found != "mixed") else found


def verdict_of(changes: Iterable[Change]) -> Verdict:
    """The verdict over changes that are all decided; neutral ones do not count."""
    directions = {change.direction for change in changes}
    if "widened" in directions:
        return "mixed" if "narrowed" in directions else "widened"
    return "narrowed" if "narrowed" in directions else "equivalent"
