"""The kernel of all exact answers: a shortest word that matches some patterns and none of others.

The question whether patterns together cover a pattern is coNP-hard, so the work is bounded; past the bound the answer
is :data:`UNDECIDED`, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from schemarouter.analysis.automaton import NEVER, OFF, Automaton, Nfa, Selection
from schemarouter.model.names import name_problem


class Found(NamedTuple):
    """A shortest word."""

    word: str


class Empty(NamedTuple):
    """There is no such word; ``causes`` are indices of forbidden patterns that together suffice for that."""

    causes: frozenset[int]


class Undecided(NamedTuple):
    """The bound was reached first."""

    reason: str


Answer = Found | Empty | Undecided


class Work:
    """A bound on work, in steps (one state, one symbol), so that it is the same on every machine.

    Several bounds can hang together: what a part spends, ``parent`` spends as well. ``cancelled`` is asked now and
    then, so that whoever waits can give up.
    """

    __slots__ = ("_cancelled", "left", "parent")

    def __init__(self, steps: int, parent: Work | None = None, cancelled: Callable[[], bool] | None = None) -> None:
        self.left = steps
        self.parent = parent
        self._cancelled = cancelled

    def part(self, steps: int) -> Work:
        """A bound of its own for a part of the work."""
        return Work(steps, self)

    def spend(self, steps: int) -> bool:
        """Spend ``steps``; whether there were that many left."""
        self.left -= steps
        enough = self.left >= 0
        if self._cancelled is not None and self._cancelled():
            self.left = -1
            enough = False
        if self.parent is not None and not self.parent.spend(steps):
            enough = False
        return enough


#: Steps between two looks at the bound.
_SLICE = 256
#: States that are compared with in the time of one step, as a power of two.
_COMPARED = 4


def search(automaton: Automaton, required: Sequence[Nfa], forbidden: Selection, work: Work) -> Answer:
    """A shortest word that every one of ``required`` accepts and no pattern of ``forbidden`` matches.

    Best first over (a position in each required automaton, a node of the trie, the simulated states), where best is what
    was read and the least that is still to be read: the required pattern with the longest way to go tells. A state that
    some forbidden pattern covers whatever follows is dropped; so is one whose forbidden states include those of a
    state already seen at the same positions after no more symbols: whatever it could reach, the other one reaches.
    """
    patterns, mask = forbidden
    step, loop = automaton.step, automaton.loop & mask
    final_loop, final = automaton.final_loop & mask, (automaton.final | automaton.final_loop) & mask
    children, covers, ends, inject = automaton.children, automaton.covers, automaton.ends, automaton.inject
    child_symbols = automaton.child_symbols
    shown = automaton.alphabet.representatives
    minimal = automaton.minimal
    causes: set[int] = set()
    illegal = False

    start = tuple(nfa.start for nfa in required)
    states = inject[0] & mask
    if covers[0] & patterns:
        return Empty(frozenset((_lowest(covers[0] & patterns),)))
    if states & final_loop:
        return Empty(frozenset((automaton.owner(_lowest(states & final_loop)),)))
    joint: dict[tuple[int, ...], list[_Move]] = {}
    seen: dict[tuple[tuple[int, ...], int], list[tuple[int, int]]] = {(start, 0): [(0, states)]}
    least = max(nfa.distance[nfa.start] for nfa in required)
    if least >= NEVER:
        return Empty(frozenset())
    # Per length that a word will have at least, a stack of: positions, node, states, symbols read, and a link to where it
    # came from: (entry before, symbol).
    stacks: dict[int, list[tuple[tuple[int, ...], int, int, int, _Link]]] = {least: [(start, 0, states, 0, None)]}
    length = least
    spent = 0
    while stacks:
        stack = stacks.get(length)
        if not stack:
            stacks.pop(length, None)
            length += 1
            continue
        positions, node, states, read, link = stack.pop()
        if length == read:
            # No way to go on any required pattern: all accept.
            ending = ends[node] & patterns if node >= 0 else 0
            if not ending and not states & final:
                word = _word(link, shown)
                if name_problem(word) is None:
                    return Found(word)
                illegal = True
            elif ending:
                causes.add(_lowest(ending))
            else:
                causes.add(automaton.owner(_lowest(states & final)))
        onward = child_symbols[node] if node >= 0 else 0
        moves = joint.get(positions)
        if moves is None:
            moves = joint[positions] = _joint(required, positions)
        after = read + 1
        for symbols, targets, way in moves:
            for symbol in minimal(symbols, onward):
                spent += 1
                if spent >= _SLICE:
                    if not work.spend(spent):
                        return Undecided("the bound on work was reached")
                    spent = 0
                following = ((states & step[symbol]) << 1 | states & loop) & mask
                child = children[node].get(symbol, OFF) if node >= 0 else OFF
                if child >= 0:
                    following |= inject[child] & mask
                    covering = covers[child] & patterns
                    if covering:
                        causes.add(_lowest(covering))
                        continue
                dead = following & final_loop
                if dead:
                    causes.add(automaton.owner(_lowest(dead)))
                    continue
                key = (targets, child)
                known = seen.get(key)
                if known is None:
                    seen[key] = [(after, following)]
                else:
                    # To compare with many states is work as well: else time would grow with the square of the bound.
                    spent += len(known) >> _COMPARED
                    if any(other & following == other and before <= after for before, other in known):
                        continue
                    known[:] = [one for one in known if one[0] < after or one[1] & following != following]
                    known.append((after, following))
                entry = (targets, child, following, after, (link, symbol))
                place = stacks.get(after + way)
                if place is None:
                    stacks[after + way] = [entry]
                else:
                    place.append(entry)
    if not work.spend(spent):
        return Undecided("the bound on work was reached")
    if illegal:
        return Undecided("only words that no name may hold were found")
    return Empty(frozenset(causes))


_Link = tuple["_Link", int] | None  # from the end to the beginning
#: Symbols, where each required automaton is after them, and the least way to go from there.
_Move = tuple[int, tuple[int, ...], int]


def _joint(required: Sequence[Nfa], positions: tuple[int, ...]) -> list[_Move]:
    """The moves that all required automata can make together, last the one to try first."""
    first = required[0]
    moves: list[_Move] = [(symbols, (target,), first.distance[target]) for symbols, target in first.moves[positions[0]]]
    for nfa, at in zip(required[1:], positions[1:], strict=True):
        distance = nfa.distance
        moves = [
            (symbols & wanted, (*targets, target), way if way > distance[target] else distance[target])
            for symbols, targets, way in moves
            for wanted, target in nfa.moves[at]
            if symbols & wanted
        ]
    return [move for move in moves if move[2] < NEVER]


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _word(link: _Link, shown: Sequence[str]) -> str:
    letters: list[str] = []
    while link is not None:
        link, symbol = link
        letters.append(shown[symbol])
    letters.reverse()
    return "".join(letters)
