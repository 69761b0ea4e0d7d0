"""Rules that could be left out: later rules give every one of their calls the same outcome (SPEC 13).

A rule that merely restates the category guards is not redundant, and neither is one whose calls would fall to a rule
that is dead as things are: of two equal rules, the later is unreachable, and the earlier is needed.

With argument conditions the claim is made only where it holds however they turn out. What comes after the rule, up to
one that certainly applies or has the rule's own conditions, must then have the rule's outcome throughout; what is in
doubt there can add nothing stricter, and nothing is looser.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from schemarouter.analysis.automaton import NOTHING, Selection
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.reach import RULE_STEPS, Cell, blocking, cells, decides, required, tried, witness
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from schemarouter.analysis.view import PolicyView
from schemarouter.analysis.words import may_overlap
from schemarouter.model.diagnostic import Call


class Redundant(NamedTuple):
    """Leaving the rule out changes nothing; ``takers`` are later rules that take all its calls together."""

    takers: tuple[int, ...]


class Needed(NamedTuple):
    """The rule is needed, or nothing better can be said of it: without it, ``call`` goes on to ``next``.

    ``next`` is ``None`` for the category guards. Where argument conditions play a part, ``call`` has no arguments.
    """

    call: Call
    next: int | None


def redundant(
    view: PolicyView, rule: int, work: Work, dead: Collection[int], overlaps: OverlapIndex
) -> Redundant | Needed | Undecided | None:
    """Whether ``rule`` could be left out. ``dead``: the unreachable rules; for one of these the answer is ``None``."""
    if rule in dead:
        return None
    question = _Question(view, rule, dead, work.part(RULE_STEPS))
    needed = question.by_samples()
    if needed is not None:
        return needed
    question.later = [number for number in overlaps.of(view.rules[rule]) if number > rule]
    takers: set[int] = set()
    for cell in cells(view, rule):
        answer = question.in_cell(cell)
        if not isinstance(answer, set):
            return answer
        takers |= answer
    return Redundant(tuple(sorted(takers)))


class _Question:
    def __init__(self, view: PolicyView, rule: int, dead: Collection[int], work: Work) -> None:
        self.view, self.rule, self.dead, self.work = view, rule, dead, work
        self.conditions = view.rules[rule].conditions
        self.later: Sequence[int] = ()

    def by_samples(self) -> Needed | None:
        """A call that shows that the rule is needed, if an easy one does."""
        for cell in cells(self.view, self.rule):
            for word in tried(self.view, self.rule, cell):
                if decides(self.view, self.rule, cell, word):
                    following = self._next(word, cell)
                    if not isinstance(following, _Closed):
                        return Needed(witness(word, cell), following)
        return None

    def _next(self, word: str, cell: Cell) -> _Closed | int | None:
        """Where a word that the rule decides would go: to a rule with another outcome, to the guards, or it is closed."""
        for number in self.view.graph.matching(word):
            if number > self.rule and self._applies(number, cell):
                if self._differs(number, cell):
                    return number
                if self._closes(number):
                    return _CLOSED
        return None

    def _applies(self, number: int, cell: Cell) -> bool:
        return bool(self.view.masks[number] >> cell.effective & 1)

    def _differs(self, number: int, cell: Cell) -> bool:
        outcomes = self.view.outcomes
        return number in self.dead or outcomes[number][cell.effective] != outcomes[self.rule][cell.effective]

    def _closes(self, number: int) -> bool:
        conditions = self.view.rules[number].conditions
        return conditions is None or conditions == self.conditions

    def in_cell(self, cell: Cell) -> set[int] | Needed | Undecided:
        """The later rules that take what the rule decides in a cell, if they all give the same."""
        view = self.view
        before = view.before(self.rule, cell.effective) | cell.piece.before
        for number in blocking(view, self.rule, cell):
            before = before | view.selections[number]
        later = [number for number in self.later if self._applies(number, cell)]
        same = [number for number in later if not self._differs(number, cell) and self._closes(number)]
        answer = self._search(cell, (), before | self._selected(same))
        if isinstance(answer, Found):
            following = self._next(answer.word, cell)
            return Needed(witness(answer.word, cell), None if isinstance(following, _Closed) else following)
        if isinstance(answer, Undecided):
            return answer
        takers = self._takers(cell, before, [number for number in same if self._is_cause(number, answer.causes)])
        if isinstance(takers, Undecided):
            return takers
        end = max(takers, default=-1)
        closed: Selection = NOTHING
        for number in later:
            if number >= end:
                break
            if self._differs(number, cell):
                found = self._shared(cell, number, before | closed)
                if not isinstance(found, Empty):
                    return Needed(witness(found.word, cell), number) if isinstance(found, Found) else found
            elif self._closes(number):
                closed = closed | view.selections[number]
        return takers

    def _is_cause(self, number: int, causes: Collection[int]) -> bool:
        return any(self.view.automaton.number[pattern] in causes for pattern in self.view.rules[number].patterns)

    def _selected(self, numbers: Collection[int]) -> Selection:
        result = NOTHING
        for number in numbers:
            result = result | self.view.selections[number]
        return result

    def _takers(self, cell: Cell, before: Selection, same: Sequence[int]) -> set[int] | Undecided:
        """A part of ``same`` that still takes everything, as early in the policy as can be, one rule if one will do."""
        for number in same:
            answer = self._search(cell, (), before | self.view.selections[number])
            if isinstance(answer, Empty):
                return {number}
        kept = list(same)
        for number in reversed(same):
            rest = [other for other in kept if other != number]
            answer = self._search(cell, (), before | self._selected(rest))
            if isinstance(answer, Empty):
                kept = rest
            elif isinstance(answer, Undecided):
                return answer
        return set(kept)

    def _shared(self, cell: Cell, number: int, forbidden: Selection) -> Found | Empty | Undecided:
        """A word that both the rule and ``number`` match and nothing of ``forbidden`` takes."""
        for other in self.view.rules[number].patterns:
            answer = self._search(cell, (other,), forbidden)
            if not isinstance(answer, Empty):
                return answer
        return Empty(frozenset())

    def _search(self, cell: Cell, also: tuple[str, ...], forbidden: Selection) -> Found | Empty | Undecided:
        causes: set[int] = set()
        for pattern in self.view.rules[self.rule].patterns:
            if all(may_overlap(pattern, other) for other in also):
                wanted = required(self.view, cell, pattern, *also)
                answer = search(self.view.automaton, wanted, forbidden, self.work)
                if not isinstance(answer, Empty):
                    return answer
                causes |= answer.causes
        return Empty(frozenset(causes))


class _Closed:
    """A rule with the same outcome takes the word for certain."""


_CLOSED = _Closed()
