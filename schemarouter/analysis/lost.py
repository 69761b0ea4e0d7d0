"""Calls that a rule loses to an earlier one that decides them otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.analysis.decided import Decided, show
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.reach import RULE_STEPS, Cell, cells, required
from schemarouter.analysis.search import Found, Undecided, Work, search
from schemarouter.analysis.view import STRICTNESS, PolicyView
from schemarouter.analysis.words import may_overlap, samples
from schemarouter.model.diagnostic import Call

if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome


class Lost(NamedTuple):
    """``rule`` decides a call with ``outcome``, and a later rule that matches it ``wanted`` something else.

    ``call`` is ``None`` if it depends on argument conditions for which no arguments could be constructed.
    """

    rule: int
    outcome: Outcome
    wanted: Outcome
    call: Call | None


def lost_call(
    view: PolicyView, rule: int, work: Work, overlaps: OverlapIndex, *, looser: bool = False
) -> Lost | Undecided | None:
    """A call that ``rule`` matches and an earlier rule decides otherwise; with ``looser``, less strictly.

    ``None`` is certain. The words that are easily made are tried first.
    """
    work = work.part(RULE_STEPS)
    earlier = [number for number in overlaps.of(view.rules[rule]) if number < rule]
    mine = list(cells(view, rule))
    pairs = {
        (number, place): cell
        for number in earlier
        for place, cell in enumerate(mine)
        if _differ(view, number, rule, cell, looser=looser)
    }
    for number, place, word in _easy_words(view, rule, mine):
        if (number, place) in pairs:
            return _lost(view, number, rule, mine[place], word)
    open_answer: Lost | None = None
    gap: Undecided | None = None
    for (number, _), cell in pairs.items():
        answer = _shared_word(view, number, rule, cell, work)
        if isinstance(answer, Found):
            found = _lost(view, number, rule, cell, answer.word)
            if found.call is not None:
                return found
            open_answer = open_answer or found
        elif isinstance(answer, Undecided):
            gap = answer
    return open_answer or gap


def _differ(view: PolicyView, number: int, rule: int, cell: Cell, *, looser: bool) -> bool:
    if not view.masks[number] >> cell.effective & 1:
        return False
    theirs, own = view.outcomes[number][cell.effective], view.outcomes[rule][cell.effective]
    return STRICTNESS[theirs] < STRICTNESS[own] if looser else theirs != own


def _easy_words(view: PolicyView, rule: int, mine: Sequence[Cell]) -> Iterator[tuple[int, int, str]]:
    """Words of ``rule`` that are easily made, with an earlier rule that decides them in a cell, whatever the arguments."""
    if view.rules[rule].conditions is not None:
        return
    for pattern in view.rules[rule].patterns:
        for word in samples(pattern):
            numbers = view.graph.matching(word)
            entry = view.graph.classification(word)
            for place, cell in enumerate(mine):
                if cell.piece.entry == entry:
                    first = next(one for one in numbers if view.masks[one] >> cell.effective & 1)
                    if first < rule and view.rules[first].conditions is None:
                        yield first, place, word


def _shared_word(view: PolicyView, number: int, rule: int, cell: Cell, work: Work) -> Found | Undecided | None:
    conditions = view.rules[number].conditions, view.rules[rule].conditions
    forbidden = view.before(number, cell.effective, *conditions) | cell.piece.before
    doubtful = view.conditional_before(number, cell.effective)
    for selection in (forbidden | doubtful, forbidden) if doubtful.patterns else (forbidden,):
        for one, other in _overlapping(view.rules[number].patterns, view.rules[rule].patterns):
            wanted = (one,) if one == other else (one, other)
            answer = search(view.automaton, required(view, cell, *wanted), selection, work)
            if isinstance(answer, Found | Undecided):
                return answer
    return None


def _overlapping(some: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in some:
        for other in others:
            if may_overlap(one, other):
                yield one, other


def _lost(view: PolicyView, number: int, rule: int, cell: Cell, word: str) -> Lost:
    conditions = view.rules[rule].conditions
    decided: Decided = show(view, number, cell, word, () if conditions is None else (conditions,))
    return Lost(number, view.outcomes[number][cell.effective], view.outcomes[rule][cell.effective], decided.call)
