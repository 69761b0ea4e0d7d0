"""What running policy tests gives."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from schemarouter.model.diagnostic import Call


class CaseResult(NamedTuple):
    """One expectation and what came of it. ``line`` and ``column`` count from 1.

    ``witness`` is the first call that is decided otherwise; ``None`` for a passed case and for steps of runs.
    """

    name: str
    path: str
    line: int
    column: int
    ok: bool
    expected: str
    actual: str
    witness: Call | None = None


class RuleCoverage(NamedTuple):
    """A rule: what messages call it, its number from 0, where it stands, and whether a test was decided by it."""

    rule: str
    number: int
    path: str
    line: int
    column: int
    covered: bool


class Coverage(NamedTuple):
    """How many rules decided a test."""

    rules: tuple[RuleCoverage, ...]

    @property
    def covered(self) -> int:
        """How many rules decided a test."""
        return sum(rule.covered for rule in self.rules)

    @property
    def uncovered(self) -> tuple[RuleCoverage, ...]:
        """The rules that decided none."""
        return tuple(rule for rule in self.rules if not rule.covered)


def permille_text(part: int, whole: int) -> str:
    """``part`` of ``whole`` in percent with one digit, rounded down: 100 % is all of them. Nothing is all of nothing."""
    permille = 1000 if whole == 0 else part * 1000 // whole
    return f"{permille // 10}%" if permille % 10 == 0 else f"{permille // 10}.{permille % 10}%"


def reaches(part: int, whole: int, percent: Decimal) -> bool:
    """Whether ``part`` of ``whole`` is at least ``percent``, exactly."""
    return whole == 0 or part * 100 >= percent * whole
