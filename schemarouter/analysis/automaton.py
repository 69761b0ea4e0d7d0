"""All patterns of one or two policies as one automaton over their symbols, ready to be walked without determinising.

What begins with plain characters lies in a trie; only what remains of a pattern after them is simulated, one bit a
state, in one integer (Shift-And with star loops). Bits of one pattern are neighbours, patterns stand in the order in
which they were given.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemarouter.analysis.alphabet import Alphabet
from schemarouter.match.tokens import Glob, parse

#: Off the trie: no pattern begins with what was read.
OFF = -1
#: More symbols than any word has: there is no way to acceptance.
NEVER = 1 << 60


class Selection(NamedTuple):
    """Some of an automaton's patterns: a bit per pattern, and a bit per simulated state."""

    patterns: int
    states: int

    def __or__(self, other: Selection) -> Selection:
        return Selection(self.patterns | other.patterns, self.states | other.states)


NOTHING = Selection(0, 0)


class Nfa(NamedTuple):
    """What a word has to match: per state the moves ``(symbols, next state)``; the least number of symbols to acceptance.

    A state that accepts has distance 0, one from which nothing is accepted :data:`NEVER`.
    """

    moves: tuple[tuple[tuple[int, int], ...], ...]
    distance: tuple[int, ...]
    start: int = 0


class Automaton:
    """See the module. ``number[pattern]`` is the index of a pattern text."""

    __slots__ = (
        "_domain",
        "_dominated",
        "_minimal",
        "_nfas",
        "_offsets",
        "alphabet",
        "child_symbols",
        "children",
        "covers",
        "ends",
        "final",
        "final_loop",
        "globs",
        "inject",
        "loop",
        "number",
        "select",
        "step",
    )

    def __init__(self, patterns: Iterable[str], *, backwards: bool = False) -> None:
        distinct = list(dict.fromkeys(patterns))
        self.number = {pattern: index for index, pattern in enumerate(distinct)}
        self.globs: Sequence[Glob] = [_reversed(parse(p)) if backwards else parse(p) for p in distinct]
        alphabet = self.alphabet = Alphabet(self.globs)
        #: Trie: per node its children by symbol, and the same as a set of symbols.
        self.children: list[dict[int, int]] = [{}]
        self.child_symbols: list[int] = [0]
        #: Per node: patterns that match every extension of it, patterns that match it, states to switch on.
        self.covers: list[int] = [0]
        self.ends: list[int] = [0]
        self.inject: list[int] = [0]
        offsets: list[int] = []
        total = 0
        loops: list[int] = []
        finals: list[int] = []
        final_loops: list[int] = []
        accepts: dict[int, list[int]] = {}
        #: Per pattern, its selection.
        self.select: list[Selection] = []
        sets: dict[object, int] = {}
        for index, glob in enumerate(self.globs):
            offsets.append(total)
            steps, stars = glob.steps, glob.stars
            first_star = stars[0] if stars else len(steps)
            node, at = 0, 0
            while at < first_star and isinstance(steps[at], str):
                symbol = alphabet.symbol(steps[at])  # type: ignore[arg-type]  # the condition says it is text
                node = self._child(node, symbol)
                at += 1
            bit = 1 << index
            if at == len(steps):
                if stars:
                    self.covers[node] |= bit
                else:
                    self.ends[node] |= bit
                self.select.append(Selection(bit, 0))
                continue
            count = len(steps) - at + 1
            self.select.append(Selection(bit, ((1 << count) - 1) << total))
            self.inject[node] |= 1 << total
            for star in stars:
                (final_loops if star == len(steps) else loops).append(total + star - at)
            if not stars or stars[-1] != len(steps):
                finals.append(total + count - 1)
            for state in range(at, len(steps)):
                step = steps[state]
                symbols = sets.get(step)
                if symbols is None:
                    symbols = sets[step] = alphabet.of(step)
                accepts.setdefault(symbols, []).append(total + state - at)
            total += count
        self._offsets = offsets
        self.final = _bits(finals, total)
        self.final_loop = _bits(final_loops, total)
        self.loop = _bits(loops, total) | self.final_loop
        by_symbol: list[list[int]] = [[] for _ in range(alphabet.size)]
        for symbols, states in accepts.items():
            for symbol in range(alphabet.size):
                if symbols >> symbol & 1:
                    by_symbol[symbol].extend(states)
        #: Per symbol, the states whose step accepts it.
        self.step = [_bits(states, total) for states in by_symbol]
        self._dominated: list[int] | None = None
        self._nfas: dict[str, Nfa] = {}
        self._domain: Nfa | None = None
        self._minimal: dict[tuple[int, int], tuple[int, ...]] = {}

    def _child(self, node: int, symbol: int) -> int:
        child = self.children[node].get(symbol)
        if child is None:
            child = len(self.children)
            self.children.append({})
            self.child_symbols.append(0)
            self.covers.append(0)
            self.ends.append(0)
            self.inject.append(0)
            self.children[node][symbol] = child
            if symbol >= 0:
                self.child_symbols[node] |= 1 << symbol
        return child

    def selection(self, patterns: Iterable[str]) -> Selection:
        """The selection of some patterns of this automaton."""
        bits = states = 0
        for pattern in patterns:
            one = self.select[self.number[pattern]]
            bits |= one.patterns
            states |= one.states
        return Selection(bits, states)

    def owner(self, state: int) -> int:
        """The index of the pattern that a simulated state belongs to."""
        return bisect_right(self._offsets, state) - 1

    def nfa(self, pattern: str) -> Nfa:
        """One pattern as what a word has to match."""
        known = self._nfas.get(pattern)
        if known is None:
            known = self._nfas[pattern] = self._make_nfa(pattern)
        return known

    def _make_nfa(self, pattern: str) -> Nfa:
        steps, stars = self.globs[self.number[pattern]]
        looping = set(stars)
        moves: list[tuple[tuple[int, int], ...]] = []
        for state in range(len(steps) + 1):
            here: list[tuple[int, int]] = []
            if state < len(steps):
                here.append((self.alphabet.of(steps[state]), state + 1))
            if state in looping:
                here.append((self.alphabet.every, state))
            moves.append(tuple(here))
        # Steps are made one by one, so the way is as long as there are steps left, if each can be made.
        distance = [0]
        for state in reversed(range(len(steps))):
            can = moves[state][0][0] != 0 and distance[-1] < NEVER
            distance.append(distance[-1] + 1 if can else NEVER)
        return Nfa(tuple(moves), tuple(reversed(distance)))

    def domain(self) -> Nfa:
        """Legal operations (SPEC 1): a key, a dot, an endpoint name; neither begins or ends with white space.

        The same read backwards. States: 0 at the beginning; 1 in the key after a visible character, 2 after a space;
        3 after a dot that may end the key; 4 in a name after a visible character, 5 after a space. Deterministic, so that no
        word is walked twice: what has a name already needs no other dot.
        """
        if self._domain is not None:
            return self._domain
        alphabet = self.alphabet
        space = alphabet.spaces
        visible = alphabet.every & ~space
        dot = 1 << alphabet.symbol(".")
        name = ((visible, 4), (space, 5))
        self._domain = Nfa(
            (
                ((visible, 1),),
                ((dot, 3), (visible & ~dot, 1), (space, 2)),
                ((visible, 1), (space, 2)),
                ((visible, 4), (space, 2)),
                name,
                name,
            ),
            (3, 2, 3, 1, 0, 1),
        )
        return self._domain

    def minimal(self, symbols: int, children: int) -> tuple[int, ...]:
        """Those of ``symbols`` that are worth trying where the trie goes on by ``children``.

        A symbol is not if another one, which leaves the trie, switches on no state that it would not switch on.
        """
        key = (symbols, children & symbols)
        known = self._minimal.get(key)
        if known is not None:
            return known
        if symbols & (symbols - 1) == 0:
            return (symbols.bit_length() - 1,) if symbols else ()
        dominated = self._dominated
        if dominated is None:
            dominated = self._dominated = self._domination()
        left = symbols
        candidates = symbols & ~children
        while candidates:
            lowest = candidates & -candidates
            candidates ^= lowest
            if left & lowest:
                left &= ~dominated[lowest.bit_length() - 1]
        found: list[int] = []
        while left:
            lowest = left & -left
            left ^= lowest
            found.append(lowest.bit_length() - 1)
        found.sort(key=self._preference)
        result = self._minimal[key] = tuple(found)
        return result

    def _preference(self, symbol: int) -> tuple[bool, bool, str]:
        shown = self.alphabet.representatives[symbol]
        return (not shown.isascii(), not shown.islower(), shown)

    def _domination(self) -> list[int]:
        step = self.step
        result: list[int] = []
        for one, mine in enumerate(step):
            worse = 0
            for other, theirs in enumerate(step):
                if other != one and mine & theirs == mine and (mine != theirs or self._first(one, other)):
                    worse |= 1 << other
            result.append(worse)
        return result

    def _first(self, one: int, other: int) -> bool:
        return (self._preference(one), one) < (self._preference(other), other)


def _bits(positions: Iterable[int], size: int) -> int:
    """An integer with these bits; in time linear in its size, where or-ing them one by one would be quadratic."""
    data = bytearray(size // 8 + 1)
    for position in positions:
        data[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(data, "little")


def _reversed(glob: Glob) -> Glob:
    length = len(glob.steps)
    return Glob(tuple(reversed(glob.steps)), tuple(length - star for star in reversed(glob.stars)))
