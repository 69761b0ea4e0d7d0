"""Apply the fixes that findings offer: round by round until none is left, each verified before it counts.

A fix that calls itself safe is believed only after both texts were compiled and decide alike. A text that compiles to
nothing has no meaning to compare; its fixes have to take out their finding. No fix, safe or not, may leave a text that
compiled as one that does not.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.text import BOM, decode
from schemarouter.lint.edits import Change, Offsets, apply, clash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.lint.check import CheckReport
    from schemarouter.model.diagnostic import Finding

    #: Checks a text: ``check_policy`` with everything but the text settled.
    Check: TypeAlias = Callable[[bytes], CheckReport]

#: Rounds of fixes: a repair can uncover a finding that has a fix of its own.
MOST_ROUNDS = 50
#: Fixes tried one by one after a round of them failed as a whole.
MOST_SINGLE = 200


class Refused(NamedTuple):
    """A fix that was not applied, and why, as the end of a sentence."""

    finding: Finding
    reason: str


class FixResult(NamedTuple):
    """What fixing gave: the new bytes, the check of them, the findings whose fixes stand in them, and those refused."""

    data: bytes
    report: CheckReport
    applied: tuple[Finding, ...]
    refused: tuple[Refused, ...]


class _Candidate(NamedTuple):
    finding: Finding
    changes: tuple[Change, ...]


def fix_policy(raw: bytes, check: Check, *, unsafe: bool = False) -> FixResult:
    """Apply every safe fix to ``raw``, with ``unsafe`` the others as well. Never raises for anything in ``raw``.

    Raises what ``check`` raises for wrong settings.
    """
    fixing = _Fixing(raw, check, unsafe=unsafe)
    for _ in range(MOST_ROUNDS):
        if not fixing.round():
            break
    return FixResult(fixing.raw, fixing.report, tuple(fixing.applied), tuple(fixing.refused))


class _Fixing:
    def __init__(self, raw: bytes, check: Check, *, unsafe: bool) -> None:
        self.raw = raw
        self.report = check(raw)
        self.applied: list[Finding] = []
        self.refused: list[Refused] = []
        self._check = check
        self._wanted = ("safe", "unsafe") if unsafe else ("safe",)

    def round(self) -> bool:
        """Apply fixes that do not touch each other; whether any was applied."""
        text, _ = decode(self.raw)
        if text is None:
            return False
        candidates = self._candidates(text)
        if len(candidates) > 1 and self._try(text, candidates) is None:
            return True
        for number, candidate in enumerate(candidates):
            # An applied fix moves the text: the next round finds the others where they are then.
            reason = self._try(text, [candidate]) if number < MOST_SINGLE else "too many fixes failed together"
            if reason is None:
                return True
            self._refuse(candidate, reason)
        return False

    def _candidates(self, text: str) -> list[_Candidate]:
        """Fixes of one kind, safe ones first, that do not touch each other."""
        refused = {refused.finding.fingerprint for refused in self.refused}
        offsets = Offsets(text)
        found: list[_Candidate] = []
        for finding in self.report.findings:
            fix = finding.fix
            if fix is None or not fix.edits or fix.applicability not in self._wanted or finding.fingerprint in refused:
                continue
            candidate = _Candidate(finding, offsets.changes(fix.edits))
            if any(clash(*pair) for pair in pairwise(candidate.changes)):
                self._refuse(candidate, "its edits overlap")
            else:
                found.append(candidate)
        safe = [candidate for candidate in found if _is_safe(candidate.finding)]
        chosen: list[_Candidate] = []
        for candidate in sorted(safe or found, key=lambda one: one.changes):
            if not chosen or not clash(chosen[-1].changes[-1], candidate.changes[0]):
                chosen.append(candidate)
        return chosen

    def _try(self, text: str, candidates: Sequence[_Candidate]) -> str | None:
        """Take the text with the fixes of ``candidates``, if it is as it has to be; else why it is not."""
        changed = apply(text, [change for candidate in candidates for change in candidate.changes])
        mark = BOM if self.raw.startswith(BOM.encode()) else ""
        raw = (mark + changed).encode("utf-8")
        report = self._check(raw)
        reason = _objection(self.report, report, [candidate.finding for candidate in candidates])
        if reason is None:
            self.raw, self.report = raw, report
            self.applied += (candidate.finding for candidate in candidates)
        return reason

    def _refuse(self, candidate: _Candidate, reason: str) -> None:
        self.refused.append(Refused(candidate.finding, reason))


def _objection(before: CheckReport, after: CheckReport, findings: Sequence[Finding]) -> str | None:
    """Why the text ``after`` may not stand in place of ``before``; ``None`` if it may."""
    left = Counter(finding.code for finding in after.findings)
    was = Counter(finding.code for finding in before.findings)
    there = {finding.fingerprint for finding in after.findings}
    gone = Counter(finding.code for finding in findings)
    for finding in findings:
        # One repair can uncover others of its kind: then the finding itself tells.
        if left[finding.code] > was[finding.code] - gone[finding.code] and finding.fingerprint in there:
            return "it does not remove the finding"
    if before.graph is None:
        return None
    if after.graph is None:
        return "the policy would no longer compile"
    if all(map(_is_safe, findings)) and not same_meaning(before.graph, after.graph):
        return "the policy would not be proven equal"
    return None


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability == "safe"


def same_meaning(old: EvaluationGraph, new: EvaluationGraph) -> bool:
    """Whether two policies are proven to decide alike and to say the same beside; ``False`` where the proof is not finished."""
    if old.digest == new.digest:
        return True
    from schemarouter.analysis.diff import diff_policies

    diff = diff_policies(old, new)
    return not diff.changes and not diff.undecided
