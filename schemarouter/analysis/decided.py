"""Calls that a given rule decides, or the category guards, each replayed on the real evaluator before it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.analysis.arguments import find_arguments
from schemarouter.analysis.changes import WitnessError
from schemarouter.analysis.reach import Cell, cells, required, witness
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from schemarouter.analysis.view import PolicyView
from schemarouter.analysis.words import samples
from schemarouter.match.classes import class_index
from schemarouter.model.diagnostic import Call

if TYPE_CHECKING:
    from schemarouter.match.conditions import Conditions
    from schemarouter.model.decision import Outcome


#: Words to try where no rule decides, as patterns.
_ANYTHING = ("x.x", "zq.zq")


class Decided(NamedTuple):
    """A call that a rule decides. ``conditional``: it depends on argument conditions.

    ``call`` is then ``None`` if no arguments could be constructed for it.
    """

    call: Call | None
    conditional: bool


def decided_call(
    view: PolicyView,
    rule: int | None,
    classes: int,
    outcomes: Collection[Outcome],
    work: Work,
    *,
    patterns: Sequence[str] | None = None,
) -> Decided | Undecided | None:
    """A call of effective ``classes`` (a mask) that ``rule`` decides (the guards: ``None``), with one of ``outcomes``.

    ``patterns`` are those of the rule's patterns that are looked at: all, if left out. ``None`` is certain.
    """
    row = view.outcomes[-1 if rule is None else rule]
    wanted = [cell for cell in cells(view, rule, classes) if row[cell.effective] in outcomes]
    if patterns is None:
        patterns = _ANYTHING if rule is None else view.rules[rule].patterns
    for cell in wanted:
        for word in _easy_words(view, rule, cell, patterns):
            return show(view, rule, cell, word)
    gap: Undecided | None = None
    open_answer: Decided | None = None
    for cell in wanted:
        answer = find_word(view, rule, cell, (None,) if rule is None else patterns, (), work)
        if isinstance(answer, Undecided):
            gap = answer
        elif isinstance(answer, Found):
            found = show(view, rule, cell, answer.word)
            if found.call is not None:
                return found
            open_answer = open_answer or found
    return open_answer or gap


def _easy_words(view: PolicyView, rule: int | None, cell: Cell, patterns: Iterable[str]) -> Iterator[str]:
    """Words that the rule decides without any argument condition, among those that are easily made."""
    for pattern in patterns:
        for word in samples(pattern):
            if view.graph.classification(word) != cell.piece.entry:
                continue
            first = next((one for one in view.graph.matching(word) if view.masks[one] >> cell.effective & 1), None)
            if first == rule and (rule is None or view.rules[rule].conditions is None):
                yield word


def find_word(
    view: PolicyView,
    rule: int | None,
    cell: Cell,
    patterns: Iterable[str | None],
    also: Sequence[str],
    work: Work,
) -> Found | Empty | Undecided:
    """A word of the cell that ``rule`` decides, if possible one for which no other rule's argument conditions matter.

    It matches one of ``patterns``, of the rule (``None`` for the guards), and every one of ``also``.
    """
    conditions = None if rule is None else view.rules[rule].conditions
    forbidden = view.before(rule, cell.effective, conditions) | cell.piece.before
    doubtful = view.conditional_before(rule, cell.effective)
    for selection in (forbidden | doubtful, forbidden) if doubtful.patterns else (forbidden,):
        for pattern in patterns:
            wanted = [one for one in (pattern, *also) if one is not None]
            answer = search(view.automaton, required(view, cell, *wanted), selection, work)
            if not isinstance(answer, Empty):
                return answer
    return Empty(frozenset())


def show(view: PolicyView, rule: int | None, cell: Cell, word: str, hold: Iterable[Conditions] = ()) -> Decided:
    """The call of a word that ``rule`` decides if its conditions, and those of ``hold``, hold and all others fail.

    Raises :class:`WitnessError` if it does not, on the real evaluator.
    """
    graph = view.graph
    call = witness(word, cell)
    holding = list(hold)
    failing: list[Conditions] = []
    effective = class_index(*graph.effective(call.operation, call.remote, call.read_only, call.destructive))
    for number in graph.matching(word):
        conditions = view.rules[number].conditions
        if rule is not None and number > rule:
            break
        if conditions is not None and view.masks[number] >> effective & 1:
            (holding if number == rule else failing).append(conditions)
    conditional = bool(holding or failing)
    if conditional:
        arguments = find_arguments(holding, failing)
        if arguments is None:
            return Decided(None, True)
        call = Call(call.operation, call.remote, call.read_only, call.destructive, arguments)
    attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
    outcome = view.outcomes[-1 if rule is None else rule][effective]
    if graph.decide(*attributes).rule_index != rule or graph.outcome(*attributes) != outcome:
        raise WitnessError(f"the call `{call.operation}` does not show what the analysis says")
    return Decided(call, conditional)
