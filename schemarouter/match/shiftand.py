"""Many patterns at once, in one Python integer: bit-parallel Shift-And with self-loops for stars.

Each state of each pattern is one bit, patterns one after another. Reading a character is ``((S & accepts) << 1) |
(S & loops)``: every active state whose step accepts the character hands over to the next one, and every active state
under a star stays. The cost is the length of the text times the number of states, whatever the patterns and the text
are, because nothing is determinised and nothing is tried twice. Standard library only.
"""

from __future__ import annotations

from heapq import merge
from operator import itemgetter

from schemarouter.match.alphabet import contains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from schemarouter.match.alphabet import Charset
    from schemarouter.match.tokens import Glob, Step

#: Steps are numbered in one byte: 0 is "no step", the last number stands for all steps without a number of their own.
_NUMBERED = 254
_OTHERS = 255
#: How much memory the masks of characters may take, in bytes, and how many there are at least and at most.
_MASK_BYTES = 1 << 25
_FEWEST_MASKS, _MOST_MASKS = 128, 4096
#: Patterns are filed by so many first characters, where at least so many begin alike.
_HEAD = 3
_FILED = 16
#: Up to this many accepting bits are picked out one by one.
_FEW = 16


class _Masks(dict[str, int]):
    """Character -> the states whose step accepts it. Filled on demand: bounded, and the same whoever fills it."""

    __slots__ = ("_charsets", "_limit", "_numbers", "_program", "_rare", "_rare_charsets")

    def __init__(self, steps: Sequence[Step | None], most: int) -> None:
        super().__init__()
        counts: dict[Step, int] = {}
        for step in steps:
            if step is not None:
                counts[step] = counts.get(step, 0) + 1
        common = sorted(counts, key=counts.__getitem__, reverse=True)[:_NUMBERED] if len(counts) > _NUMBERED else counts
        numbers: dict[Step | None, int] = {step: number for number, step in enumerate(common, 1)}
        numbers[None] = 0
        # The most significant bit comes first in the text of a number, so the program is kept from its end.
        self._program = bytes([numbers.get(step, _OTHERS) for step in reversed(steps)])
        self._numbers = {step: number for step, number in numbers.items() if isinstance(step, str)}
        self._charsets = [(step, number) for step, number in numbers.items() if isinstance(step, tuple)]
        self._rare: dict[str, list[int]] = {}
        self._rare_charsets: dict[Charset, list[int]] = {}
        if len(counts) > _NUMBERED:
            for place, step in enumerate(reversed(steps)):
                if isinstance(step, str):
                    if step not in numbers:
                        self._rare.setdefault(step, []).append(place)
                elif step is not None and step not in numbers:
                    self._rare_charsets.setdefault(step, []).append(place)
        self._limit = min(most, max(_FEWEST_MASKS, 8 * _MASK_BYTES // max(1, len(steps))))

    def __missing__(self, character: str) -> int:
        table = bytearray(b"0") * 256
        number = self._numbers.get(character)
        if number is not None:
            table[number] = 49
        for charset, number in self._charsets:
            if contains(charset, character):
                table[number] = 49
        digits = self._program.translate(table)
        if self._rare or self._rare_charsets:
            digits = self._with_rare(bytearray(digits), character)
        mask = int(digits, 2)
        if len(self) >= self._limit:
            self.clear()
        self[character] = mask
        return mask

    def _with_rare(self, digits: bytearray, character: str) -> bytes:
        for place in self._rare.get(character, ()):
            digits[place] = 49
        for charset, places in self._rare_charsets.items():
            if contains(charset, character):
                for place in places:
                    digits[place] = 49
        return bytes(digits)


class ShiftAnd:
    """Patterns, each with the number that its owner knows it by. Never changes; safe from several threads."""

    __slots__ = ("_accept", "_loops", "_masks", "_owners", "_start")

    def __init__(self, patterns: Iterable[tuple[int, Glob]], most_masks: int | None = None) -> None:
        steps: list[Step | None] = []
        starts: list[int] = []
        loops: list[int] = []
        owners: dict[int, int] = {}
        for owner, (glob_steps, stars) in patterns:
            first = len(steps)
            starts.append(first)
            loops.extend([first + state for state in stars])
            steps.extend(glob_steps)
            owners[len(steps)] = owner
            steps.append(None)
        self._masks = _Masks(steps, _MOST_MASKS if most_masks is None else most_masks)
        self._start = _bits(starts, len(steps))
        self._loops = _bits(loops, len(steps))
        self._accept = _bits(owners, len(steps))
        self._owners = owners

    def find(self, text: str) -> Iterable[int]:
        """The numbers of the patterns that match the whole of ``text``, in the order in which they were given."""
        loops = self._loops
        state = self._start
        for accepts in map(self._masks.__getitem__, text):
            state = ((state & accepts) << 1) | (state & loops)
        state &= self._accept
        return self._owned(state) if state else ()

    def _owned(self, accepted: int) -> Iterator[int]:
        owners = self._owners
        if accepted.bit_count() <= _FEW:
            while accepted:
                lowest = accepted & -accepted
                yield owners[lowest.bit_length() - 1]
                accepted ^= lowest
            return
        digits = f"{accepted:b}"[::-1]
        place = digits.find("1")
        while place >= 0:
            yield owners[place]
            place = digits.find("1", place + 1)


class Filed:
    """As :class:`ShiftAnd`, with the patterns that begin alike in one integer of their own.

    A name is read by those that begin as it does, and by those that may begin in any way.
    """

    __slots__ = ("_heads", "_rest")

    def __init__(self, patterns: Iterable[tuple[int, Glob]]) -> None:
        rest: list[tuple[int, Glob]] = []
        heads: dict[str, list[tuple[int, Glob]]] = {}
        for pattern in patterns:
            head = _head(pattern[1])
            (rest if head is None else heads.setdefault(head, [])).append(pattern)
        self._heads: dict[str, ShiftAnd] = {}
        for head, filed in heads.items():
            if len(filed) < _FILED:
                rest += filed
            else:
                # Many may be filed, so none may remember more characters than names usually have.
                self._heads[head] = ShiftAnd(filed, _FEWEST_MASKS)
        rest.sort(key=itemgetter(0))
        self._rest = ShiftAnd(rest) if rest else None

    def find(self, text: str) -> Iterable[int]:
        """The numbers of the patterns that match the whole of ``text``, rising."""
        rest = self._rest.find(text) if self._rest is not None else ()
        filed = self._heads.get(text[:_HEAD])
        if filed is None:
            return rest
        found = filed.find(text)
        return merge(found, rest) if found and rest else found or rest


def _head(glob: Glob) -> str | None:
    """The first characters of every name that a pattern matches, if it says so many."""
    steps, stars = glob
    if len(steps) < _HEAD or (stars and stars[0] < _HEAD):
        return None
    first = [step for step in steps[:_HEAD] if isinstance(step, str)]
    return "".join(first) if len(first) == _HEAD else None


def _bits(places: Iterable[int], size: int) -> int:
    """The integer with the bits at ``places`` set, in time linear in ``size``."""
    digits = bytearray(b"0") * (size + 1)
    for place in places:
        digits[size - place] = 49
    return int(bytes(digits), 2)
