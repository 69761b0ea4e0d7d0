"""Where two policies decide differently: every pair of deciding rules with a call that shows it (SPEC 13).

A word whose outcome differs is decided, on one side or the other, by a rule that the other side does not have at the
same place, by one whose outcome changed, or by the category guards; so only those rules are looked at, each against the
rules of the other side that may share words with it. Cost follows the edit, not the size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.analysis.automaton import Nfa, Selection
from schemarouter.analysis.implication import excludes, implies
from schemarouter.analysis.overlap import OverlapIndex, align, twins
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from schemarouter.analysis.view import STRICTNESS, PolicyView, Slice
from schemarouter.analysis.words import common_word, is_operation, lies_within, literal_word, may_overlap
from schemarouter.compiler.records import GraphRule, Predicates
from schemarouter.match.classes import CLASSES
from schemarouter.match.pattern import matches
from schemarouter.model.diagnostic import Call

if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome

#: Steps for one rule against the other policy.
RULE_STEPS = 500_000
#: More regions than this are no help to anybody: the rest is not listed.
MOST_REGIONS = 5_000


_NO_PREDICATES = Predicates(None, None, None, None)


class Region(NamedTuple):
    """Calls that two rules decide differently; ``None`` is the category guards.

    ``witness`` is a shortest call found. ``conditional``: somewhere before or at the deciding rules there are argument
    conditions, so that not every call of these operations differs; the witness then has no arguments yet, and holds if
    the conditions of both rules hold and all others fail.
    """

    old_rule: int | None
    new_rule: int | None
    before: Outcome
    after: Outcome
    witness: Call
    conditional: bool

    @property
    def widened(self) -> bool:
        """Whether the new side is looser."""
        return STRICTNESS[self.after] < STRICTNESS[self.before]


class Gap(NamedTuple):
    """A pair of rules for which the bound on work was reached."""

    old_rule: int | None
    new_rule: int | None
    reason: str


class _Cell(NamedTuple):
    """Words of two slices, a contract class, and its effective class on both sides."""

    old_piece: Slice
    new_piece: Slice
    contract: int
    old: int
    new: int


class Rest(NamedTuple):
    """There are more than :data:`MOST_REGIONS` regions, and no more are looked for."""


def differing_regions(old: PolicyView, new: PolicyView, work: Work) -> Iterator[Region | Gap | Rest]:
    """Every pair of deciding rules with different outcomes; both views stand over one automaton."""
    comparison = _Comparison(old, new, work)
    count = 0
    for pair in comparison.pairs():
        for result in comparison.compare(*pair):
            count += 1
            if count > MOST_REGIONS:
                yield Rest()
                return
            yield result


class _Comparison:
    def __init__(self, old: PolicyView, new: PolicyView, work: Work) -> None:
        self.old, self.new, self.work = old, new, work
        self.cells = list(_cells(old, new))

    def pairs(self) -> Iterator[tuple[int | None, int | None]]:
        """The pairs of deciders that can differ, each once."""
        old, new = self.old, self.new
        aligned = align(old.rules, new.rules)
        same = self._same_outcomes(aligned)
        old_changed = sorted(set(range(len(old.rules))) - {one for one, _ in same})
        new_changed = sorted(set(range(len(new.rules))) - {other for _, other in same})
        in_new, in_old = new.overlaps, old.overlaps
        # A rule that matches what a decider matches takes its calls on the other side, or one before it does.
        alike = old.graph.classify == new.graph.classify
        to_new, to_old = twins(old.rules, new.rules) if alike else ({}, {})
        seen: set[tuple[int | None, int | None]] = set()
        for changed in old_changed:
            for other in _until_taken(old.rules[changed], new.rules, in_new, to_new.get(changed), alike):
                partner = None if other is None else to_old.get(other)
                if partner is None or partner >= changed:
                    seen.add((changed, other))
                    yield changed, other
        for changed in new_changed:
            for one in _until_taken(new.rules[changed], old.rules, in_old, to_old.get(changed), alike):
                partner = None if one is None else to_new.get(one)
                if (one, changed) not in seen and (partner is None or partner >= changed):
                    yield one, changed
        yield None, None

    def _same_outcomes(self, aligned: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Aligned pairs with the same outcome in every cell; with other classifications, a rule can take other calls."""
        old, new = self.old, self.new
        if old.graph.classify != new.graph.classify:
            return []
        return [
            (one, other)
            for one, other in aligned
            if old.outcomes[one] == new.outcomes[other] or self._equal_where_it_applies(one, other)
        ]

    def _equal_where_it_applies(self, one: int, other: int) -> bool:
        return all(
            self.old.outcomes[one][cell.old] == self.new.outcomes[other][cell.new]
            for cell in self.cells
            if self.old.masks[one] >> cell.old & 1
        )

    def compare(self, one: int | None, other: int | None) -> Iterator[Region | Gap]:
        """The regions that ``one`` decides on the old side and ``other`` on the new."""
        if self._never_both(one, other):
            return
        found: dict[tuple[Outcome, Outcome], Region] = {}
        work = self.work.part(RULE_STEPS)
        for cell in self.cells:
            if one is not None and not self.old.masks[one] >> cell.old & 1:
                continue
            if other is not None and not self.new.masks[other] >> cell.new & 1:
                continue
            before = self.old.outcomes[-1 if one is None else one][cell.old]
            after = self.new.outcomes[-1 if other is None else other][cell.new]
            if before == after:
                continue
            known = found.get((before, after))
            if known is not None and not known.conditional:
                continue
            answer, conditional = self._word(one, other, cell, work)
            if isinstance(answer, Undecided):
                yield Gap(one, other, answer.reason)
                return
            if isinstance(answer, Found) and (known is None or not conditional):
                call = Call(answer.word, *CLASSES[cell.contract])
                found[before, after] = Region(one, other, before, after, call, conditional)
        yield from found.values()

    def _never_both(self, one: int | None, other: int | None) -> bool:
        """Whether the argument conditions of the two deciders exclude each other, and neither is a case of the other."""
        if one is None or other is None:
            return False
        mine, theirs = self.old.rules[one].conditions, self.new.rules[other].conditions
        if mine is None or theirs is None or not excludes(mine, theirs):
            return False
        return not implies(mine, theirs) and not implies(theirs, mine)

    def _word(
        self, one: int | None, other: int | None, cell: _Cell, work: Work
    ) -> tuple[Found | Empty | Undecided, bool]:
        """A shortest word that both decide, if possible one for which no argument conditions matter."""
        old, new = self.old, self.new
        atom = None if one is None else old.rules[one].conditions
        other_atom = None if other is None else new.rules[other].conditions
        if atom is None and other_atom is None:
            quick = self._quick_word(one, other, cell)
            if quick is not None:
                return quick, False
        forbidden = old.before(one, cell.old, atom, other_atom) | new.before(other, cell.new, atom, other_atom)
        forbidden = forbidden | cell.old_piece.before | cell.new_piece.before
        if atom is None and other_atom is None:
            doubtful = old.conditional_before(one, cell.old) | new.conditional_before(other, cell.new)
            if doubtful.patterns:
                answer = self._search(one, other, cell, forbidden | doubtful, work)
                if not isinstance(answer, Empty):
                    return answer, False
                return self._search(one, other, cell, forbidden, work), True
            return self._search(one, other, cell, forbidden, work), False
        return self._search(one, other, cell, forbidden, work), True

    def _quick_word(self, one: int | None, other: int | None, cell: _Cell) -> Found | Empty | None:
        """A shortest word of two simple patterns, if the matcher says that both rules decide it whatever the arguments."""
        if cell.old_piece.pattern is not None or cell.new_piece.pattern is not None:
            return None
        mine = ("*",) if one is None else self.old.rules[one].patterns
        theirs = ("*",) if other is None else self.new.rules[other].patterns
        if len(mine) > 1 or len(theirs) > 1:
            return None
        word = common_word(mine[0], theirs[0])
        if word is None or not is_operation(word) or self._classified(word):
            return None
        before, after = self.old.certainly(word, cell.old), self.new.certainly(word, cell.new)
        if before == (one,) and after == (other,):
            return Found(word)
        only = literal_word(mine[0]) is not None or literal_word(theirs[0]) is not None
        return Empty(frozenset()) if only and before and after else None

    def _classified(self, word: str) -> bool:
        return any(view.graph.classification(word) is not None for view in (self.old, self.new))

    def _search(
        self, one: int | None, other: int | None, cell: _Cell, forbidden: Selection, work: Work
    ) -> Found | Empty | Undecided:
        best: Found | Empty = Empty(frozenset())
        automaton = self.old.automaton
        pieces = dict.fromkeys((cell.old_piece.pattern, cell.new_piece.pattern))
        common: list[Nfa] = [automaton.domain(), *(automaton.nfa(pattern) for pattern in pieces if pattern is not None)]
        for mine in (None,) if one is None else self.old.rules[one].patterns:
            for theirs in (None,) if other is None else self.new.rules[other].patterns:
                wanted = [pattern for pattern in dict.fromkeys((mine, theirs)) if pattern is not None]
                if len(wanted) == 2 and not may_overlap(*wanted):
                    continue
                word = next(filter(None, map(literal_word, wanted)), None)
                if word is not None:
                    # One word, so the matcher can say everything that a search could.
                    if self._fits(word, wanted, cell, forbidden):
                        return Found(word)
                    continue
                answer = search(automaton, [*map(automaton.nfa, wanted), *common], forbidden, work)
                if isinstance(answer, Undecided):
                    return answer
                if isinstance(answer, Found) and (isinstance(best, Empty) or len(answer.word) < len(best.word)):
                    best = answer
        return best

    def _fits(self, word: str, patterns: Sequence[str], cell: _Cell, forbidden: Selection) -> bool:
        if not is_operation(word) or not all(matches(pattern, word) for pattern in patterns):
            return False
        number = self.old.automaton.number
        pieces = (cell.old_piece.pattern, cell.new_piece.pattern)
        if not all(pattern is None or matches(pattern, word) for pattern in pieces):
            return False
        return not any(
            forbidden.patterns >> number[pattern] & 1 for view in (self.old, self.new) for pattern in view.taking(word)
        )


def _until_taken(
    rule: GraphRule, rules: Sequence[GraphRule], index: OverlapIndex, twin: int | None, alike: bool
) -> Iterator[int | None]:
    """The deciders that may take calls of ``rule`` on the other side: up to one that takes all of them.

    ``twin`` is the first rule there with the same matcher. Where the sides do not classify ``alike``, predicates do not
    compare, and every rule is to be looked at.
    """
    for number in index.of(rule):
        yield number
        if number == twin or (alike and _takes_all(rules[number], rule)):
            return
    yield None


def _takes_all(taker: GraphRule, rule: GraphRule) -> bool:
    return (
        taker.conditions is None
        and taker.predicates in (rule.predicates, _NO_PREDICATES)
        and all(any(lies_within(one, other) for other in taker.patterns) for one in rule.patterns)
    )


def _cells(old: PolicyView, new: PolicyView) -> Iterator[_Cell]:
    alike = old.graph.classify == new.graph.classify
    for position, piece in enumerate(old.slices):
        for other in (new.slices[position],) if alike else new.slices:
            if (
                piece.pattern is not None
                and other.pattern is not None
                and not may_overlap(piece.pattern, other.pattern)
            ):
                continue
            seen: set[tuple[int, int]] = set()
            for contract in range(len(CLASSES)):
                mine, theirs = piece.effective[contract], other.effective[contract]
                group = (old.group_of[mine], new.group_of[theirs])
                if group not in seen:
                    seen.add(group)
                    yield _Cell(piece, other, contract, mine, theirs)
