"""Which rules can decide at all, and what takes the others their calls (SPEC 13)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from schemarouter.analysis.automaton import NOTHING, Nfa, Selection
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from schemarouter.analysis.view import STRICTNESS, PolicyView, Slice
from schemarouter.analysis.words import literal_word, samples
from schemarouter.match.classes import ALL_CLASSES, CLASS_COUNT, CLASSES
from schemarouter.model.diagnostic import Call

#: Steps for one rule: about a second of the slowest steps there are.
RULE_STEPS = 500_000


class Reachable(NamedTuple):
    """A call that the rule decides. ``conditional``: if its argument conditions hold and those of others fail."""

    call: Call
    conditional: bool


class Unreachable(NamedTuple):
    """No call is decided by the rule.

    ``covers``: earlier rules that take all its calls together; none of them could be left out. Empty if its predicates,
    or its patterns, fit no call at all; ``no_operation`` says that it is the patterns.
    """

    covers: tuple[int, ...]
    no_operation: bool = False


def reach(view: PolicyView, rule: int, work: Work) -> Reachable | Unreachable | Undecided:
    """Whether ``rule`` can decide a call.

    Exact for rules without argument conditions. A rule that only counts in doubt, because an earlier, looser rule has
    the same conditions or such as its own imply, is not called unreachable; see :func:`only_in_doubt`.
    """
    work = work.part(RULE_STEPS)
    for cell in cells(view, rule):
        for word in tried(view, rule, cell):
            if decides(view, rule, cell, word):
                return Reachable(witness(word, cell), view.rules[rule].conditions is not None)
    causes: set[int] = set()
    for cell in cells(view, rule):
        answer = _open_word(view, rule, cell, blocking(view, rule, cell), work)
        if isinstance(answer, Found):
            return Reachable(witness(answer.word, cell), view.rules[rule].conditions is not None)
        if isinstance(answer, Undecided):
            return answer
        causes |= _rules_behind(view, rule, cell, answer.causes)
    covers = _minimal(view, rule, sorted(causes), work)
    if isinstance(covers, Undecided):
        return covers
    return Unreachable(covers, not covers and not _any_operation(view, rule, work))


def only_in_doubt(view: PolicyView, rule: int, work: Work) -> tuple[int, ...] | Undecided | None:
    """Earlier rules that together take all calls for which the conditions of ``rule`` hold; ``None`` if they do not.

    What is left to the rule then are calls for which its conditions are in doubt. Meant for a rule that :func:`reach` finds
    reachable.
    """
    conditions = view.rules[rule].conditions
    if conditions is None:
        return None
    causes: set[int] = set()
    for cell in cells(view, rule):
        forbidden = view.before(rule, cell.effective, conditions) | cell.piece.before
        answer = _over_patterns(view, rule, cell, forbidden, work)
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Found):
            return None
        causes |= _rules_behind(view, rule, cell, answer.causes)
    return _minimal(view, rule, sorted(causes), work)


def _any_operation(view: PolicyView, rule: int, work: Work) -> bool:
    """Whether some operation matches the rule's patterns, whatever its predicates are; ``True`` where undecided."""
    automaton = view.automaton
    return any(
        not isinstance(search(automaton, [automaton.nfa(pattern), automaton.domain()], NOTHING, work), Empty)
        for pattern in view.rules[rule].patterns
    )


class Cell(NamedTuple):
    """Calls that a question looks at together: words of a slice, in a contract class, with its effective class."""

    piece: Slice
    contract: int
    effective: int


def cells(view: PolicyView, rule: int | None, classes: int = ALL_CLASSES) -> Iterator[Cell]:
    """The cells that a rule's predicates accept (all of them for ``None``), one for each group of equal classes.

    ``classes`` is a mask of the effective classes that are asked about.
    """
    mask = classes if rule is None else classes & view.masks[rule]
    for piece in view.slices:
        seen: set[int] = set()
        for contract in _READABLE_CLASSES:
            effective = piece.effective[contract]
            group = view.group_of[effective]
            if mask >> effective & 1 and group not in seen:
                seen.add(group)
                yield Cell(piece, contract, effective)


#: Contract classes in the order in which a witness is easiest to read: plain local calls first.
_READABLE_CLASSES: Sequence[int] = sorted(
    range(CLASS_COUNT), key=lambda index: tuple((None, True, False).index(value) for value in CLASSES[index][1:])
)


def required(view: PolicyView, cell: Cell, *patterns: str) -> list[Nfa]:
    """What a word of ``cell`` has to match beside ``patterns``: the shape of an operation, and the slice's pattern."""
    automaton = view.automaton
    wanted = [automaton.nfa(pattern) for pattern in patterns]
    if cell.piece.pattern is not None:
        wanted.append(automaton.nfa(cell.piece.pattern))
    wanted.append(automaton.domain())
    return wanted


def witness(word: str, cell: Cell) -> Call:
    """The call of a word in a cell, without arguments."""
    remote, read_only, destructive = CLASSES[cell.contract]
    return Call(word, remote, read_only, destructive)


def tried(view: PolicyView, rule: int, cell: Cell) -> Iterator[str]:
    """A few words of the rule that lie in the cell's slice."""
    for pattern in view.rules[rule].patterns:
        for word in samples(pattern):
            if view.graph.classification(word) == cell.piece.entry:
                yield word


def decides(view: PolicyView, rule: int, cell: Cell, word: str) -> bool:
    """Whether ``rule`` decides this word, as far as rules that certainly apply are concerned."""
    holding = view.holding(view.rules[rule].conditions)
    for number in view.graph.matching(word):
        if number == rule:
            return True
        if view.masks[number] >> cell.effective & 1 and (view.rules[number].conditions is None or number in holding):
            return False
    return False


def blocking(view: PolicyView, rule: int, cell: Cell) -> list[int]:
    """The earlier rules that hold whenever ``rule`` does, with no looser an outcome: they take its calls, doubt or not."""
    conditions = view.rules[rule].conditions
    if conditions is None:
        return []
    strictness = STRICTNESS[view.outcomes[rule][cell.effective]]
    return [
        number
        for number in sorted(view.holding(conditions))
        if number < rule
        and view.masks[number] >> cell.effective & 1
        and STRICTNESS[view.outcomes[number][cell.effective]] >= strictness
    ]


def _open_word(
    view: PolicyView, rule: int, cell: Cell, stricter: Collection[int], work: Work
) -> Found | Empty | Undecided:
    """A word of the cell that ``rule`` matches and no earlier rule takes, over all patterns of the rule."""
    forbidden = view.before(rule, cell.effective) | cell.piece.before
    for number in stricter:
        forbidden = forbidden | view.selections[number]
    return _over_patterns(view, rule, cell, forbidden, work)


def _over_patterns(
    view: PolicyView, rule: int, cell: Cell, forbidden: Selection, work: Work
) -> Found | Empty | Undecided:
    causes: set[int] = set()
    for pattern in view.rules[rule].patterns:
        answer = search(view.automaton, required(view, cell, pattern), forbidden, work)
        if not isinstance(answer, Empty):
            return answer
        causes |= answer.causes
    return Empty(frozenset(causes))


def _rules_behind(view: PolicyView, rule: int, cell: Cell, patterns: Collection[int]) -> set[int]:
    """The first rule that takes the words of each pattern, in this cell; patterns of ``classify`` belong to none."""
    holding = view.holding(view.rules[rule].conditions)
    found: set[int] = set()
    for pattern in patterns:
        for number in view.rules_of_pattern.get(pattern, ()):
            if number >= rule:
                break
            certain = view.rules[number].conditions is None or number in holding
            if view.masks[number] >> cell.effective & 1 and certain:
                found.add(number)
                break
    return found


def _minimal(view: PolicyView, rule: int, covers: Sequence[int], work: Work) -> tuple[int, ...] | Undecided:
    """A part of ``covers`` that still takes everything, and of which nothing can be left out."""
    if covers and _covered(view, rule, (), work) is True:
        return ()  # it fits no call at all, whatever stands before it
    for number in covers:
        if len(covers) > 1 and _covered(view, rule, [number], work) is True:
            return (number,)
    kept = list(covers)
    for number in sorted(covers, key=lambda one: len(view.selections[one]), reverse=True):
        rest = [other for other in kept if other != number]
        answer = _covered(view, rule, rest, work)
        if answer is True:
            kept = rest
        elif isinstance(answer, Undecided):
            return answer
    return tuple(kept)


def _covered(view: PolicyView, rule: int, covers: Collection[int], work: Work) -> bool | Undecided:
    for cell in cells(view, rule):
        forbidden = NOTHING | cell.piece.before
        for number in covers:
            if view.masks[number] >> cell.effective & 1:
                forbidden = forbidden | view.selections[number]
        answer = _over_patterns(view, rule, cell, forbidden, work)
        if isinstance(answer, Undecided):
            return answer
        if isinstance(answer, Found):
            return False
    return True


def literal(view: PolicyView, rule: int) -> bool:
    """Whether every pattern of the rule is a plain name."""
    return all(literal_word(pattern) is not None for pattern in view.rules[rule].patterns)
