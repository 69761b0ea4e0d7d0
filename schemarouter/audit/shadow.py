"""Shadow mode: for a while, a policy decides and is not enforced, so that it can be tried on real calls.

It is set in code, never in a policy file, and it has an end. What it relaxes is the policy's decision and the approval that follows
from it. Contracts, bindings, budgets, hooks, drift and the kill switch hold as always.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome, PolicyDecision

#: Days after which shadow mode would be no trial any more.
LONGEST_DAYS = 90
_TOO_FAR = f"until may be at most {LONGEST_DAYS} days away: shadow mode is a trial"
#: Operations that a line of a report names; of more, only the number is known.
MAX_OPERATIONS = 20
#: Lines of one report.
MAX_LINES = 10_000


class ShadowModeWarning(UserWarning):
    """An executor does not enforce its policy, or was told so by a setting that has run out."""


class ShadowMode:
    """Do not enforce the policy before ``until``, a point in time with a time zone, at most 90 days away.

    ``report`` collects what would have been denied or asked about. ``clock`` gives seconds since 1970. Once the end has come, it stays: a
    clock that goes back does not bring shadow mode back.

    Raises ``TypeError`` and ``ValueError`` for an end that is none.
    """

    def __init__(
        self, *, until: datetime, report: ShadowReport | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        if not isinstance(until, datetime):
            raise TypeError(f"until must be a datetime, not `{type(until).__name__}`")
        if until.tzinfo is None or until.utcoffset() is None:
            raise ValueError("until needs a time zone, such as `datetime(2030, 1, 31, tzinfo=UTC)`")
        if report is not None and not isinstance(report, ShadowReport):
            raise TypeError(f"report must be a ShadowReport, not `{type(report).__name__}`")
        try:
            self.until = until.astimezone(UTC)
        except OverflowError:
            raise ValueError(_TOO_FAR) from None
        self.report = ShadowReport() if report is None else report
        self._end = self.until.timestamp()
        self._clock = clock
        self._over = False
        if self._end - clock() > LONGEST_DAYS * 86_400:
            raise ValueError(_TOO_FAR)

    @property
    def active(self) -> bool:
        """Whether the policy is not enforced now. A clock that fails enforces it."""
        if self._over:
            return False
        try:
            now = self._clock()
            if now < self._end:
                return True
        except Exception:  # noqa: BLE001 - doubt never widens authority
            return False
        self._over = True
        return False

    def __str__(self) -> str:
        until = self.until.isoformat(timespec="seconds")
        if self.active:
            return f"shadow mode: the policy decides and is NOT ENFORCED until {until}"
        return f"shadow mode ended at {until}: the policy is enforced, and the setting can be removed"


class ShadowLine(NamedTuple):
    """What one rule would have done: ``rule`` is its name or its number, or ``None`` for the category guards."""

    outcome: Outcome
    rule: str | None
    rule_index: int | None
    calls: int
    operations: tuple[str, ...]
    more_operations: int


class ShadowReport:
    """Counts what a policy would have done, by rule. Holds no argument. Safe from several threads, bounded."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[tuple[Outcome, int | None, str | None], tuple[int, dict[str, None], int]] = {}
        self._dropped = 0

    def note(self, outcome: Outcome, decision: PolicyDecision) -> None:
        """Count one decision."""
        self._count(outcome, decision.rule_name, decision.rule_index, decision.operation)

    def _count(self, outcome: Outcome, rule: str | None, index: int | None, operation: str) -> None:
        key = (outcome, index, rule)
        with self._lock:
            if key not in self._lines and len(self._lines) >= MAX_LINES:
                self._dropped += 1
                return
            count, operations, more = self._lines.get(key, (0, {}, 0))
            if operation not in operations:
                if len(operations) < MAX_OPERATIONS:
                    operations[operation] = None
                else:
                    more += 1
            self._lines[key] = (count + 1, operations, more)

    @classmethod
    def of_records(cls, records: Iterable[dict[str, Any]]) -> ShadowReport:
        """The report that the records of a decision log give, of whichever process. Other records are passed over."""
        report = cls()
        for record in records:
            outcome, rule, index = record.get("shadow"), record.get("rule"), record.get("rule_index")
            if record.get("kind") != "decision" or outcome not in ("allow", "approval", "deny"):
                continue
            operation = record.get("operation")
            rule = rule if type(rule) is str else None
            report._count(outcome, rule, index if type(index) is int else None, str(operation))
        return report

    @property
    def counts(self) -> dict[Outcome, int]:
        """How many calls would have run (``allow``), been asked about (``approval``) and been denied (``deny``)."""
        found: dict[Outcome, int] = {"allow": 0, "approval": 0, "deny": 0}
        with self._lock:
            for (outcome, _, _), (count, _, _) in self._lines.items():
                found[outcome] += count
        return found

    @property
    def lines(self) -> tuple[ShadowLine, ...]:
        """Denied first, then asked about, then allowed; each by how often."""
        order = ("deny", "approval", "allow")
        with self._lock:
            found = [
                ShadowLine(outcome, _label(rule, index), index, count, tuple(operations), more)
                for (outcome, index, rule), (count, operations, more) in self._lines.items()
            ]
        return tuple(sorted(found, key=lambda line: (order.index(line.outcome), -line.calls, line.rule or "")))

    def __str__(self) -> str:
        counts = self.counts
        said = {"deny": "would be denied", "approval": "would be asked about", "allow": "would run"}
        text = [f"shadow run: {counts['deny']} denied, {counts['approval']} asked about, {counts['allow']} run"]
        for line in self.lines:
            who = "the category guards" if line.rule is None else f"rule `{line.rule}`"
            names = ", ".join(f"`{name}`" for name in line.operations[:3])
            rest = len(line.operations) - 3 + line.more_operations
            text.append(
                f"  {line.calls:>6} {said[line.outcome]} by {who}: {names}{f' and {rest} more' if rest > 0 else ''}"
            )
        if self._dropped:
            text.append(f"  {self._dropped:>6} of further rules, which are not listed")
        return "\n".join(text)


def _label(rule: str | None, index: int | None) -> str | None:
    return rule if rule is not None or index is None else f"number {index + 1}"
