"""The characters of a set of patterns, cut into symbols that no pattern can tell apart.

A symbol stands for all code points with the same membership in every step of every pattern; sets of symbols are
integers. Characters that no legal operation may hold (SPEC 1) belong to no symbol.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from schemarouter.match.alphabet import CODE_POINTS, representative
from schemarouter.match.tokens import Glob
from schemarouter.model.names import HIDDEN, name_problem

if TYPE_CHECKING:
    from schemarouter.match.alphabet import Charset

#: What the shape of an operation itself tells apart: the dot between key and endpoint, and the space, which may
#: not begin or end a name.
_STRUCTURAL = (".", " ")

#: Where single code points are tried for a representative, when the first one of a stretch is not legal.
_TRIES = 64


class Alphabet:
    """Symbols ``0 .. size - 1`` of some patterns; ``other`` is the one that occurs in no pattern, if there is one."""

    __slots__ = ("_cuts", "_owner", "every", "representatives", "size", "spaces")

    def __init__(self, globs: Iterable[Glob]) -> None:
        characters: set[str] = set(_STRUCTURAL)
        charsets: set[Charset] = set()
        for glob in globs:
            for step in glob.steps:
                if isinstance(step, str):
                    characters.add(step)
                else:
                    charsets.add(step)
        cuts = {0}
        for character in characters:
            cuts.update((ord(character), ord(character) + 1))
        for charset in charsets:
            cuts.update(charset)
        cuts.discard(CODE_POINTS)
        ordered = sorted(cuts)
        sets = sorted(charsets)
        symbols: dict[tuple[object, ...], int] = {}
        names: list[str] = []
        owner: list[int] = []
        for position, start in enumerate(ordered):
            end = ordered[position + 1] if position + 1 < len(ordered) else CODE_POINTS
            shown = _legal_representative(start, end)
            if shown is None:
                owner.append(-1)
                continue
            single = chr(start) if end - start == 1 and chr(start) in characters else None
            signature = (single, *(bisect_right(charset, start) & 1 for charset in sets))
            symbol = symbols.get(signature)
            if symbol is None:
                symbol = symbols[signature] = len(names)
                names.append(shown)
            elif _readability(shown) < _readability(names[symbol]):
                names[symbol] = shown
            owner.append(symbol)
        self._cuts = ordered
        self._owner = owner
        self.size = len(names)
        self.every = (1 << self.size) - 1
        #: A readable character of each symbol.
        self.representatives: Sequence[str] = tuple(names)
        self.spaces = 0
        for symbol, shown in enumerate(names):
            if shown.isspace():
                self.spaces |= 1 << symbol

    def of(self, step: str | Charset) -> int:
        """The set of symbols that a step of a pattern accepts."""
        if isinstance(step, str):
            symbol = self.symbol(step)
            return 0 if symbol < 0 else 1 << symbol
        result = 0
        for index in range(0, len(step), 2):
            first = bisect_right(self._cuts, step[index]) - 1
            last = bisect_right(self._cuts, step[index + 1] - 1) - 1
            for position in range(first, last + 1):
                if self._owner[position] >= 0:
                    result |= 1 << self._owner[position]
        return result

    def symbol(self, character: str) -> int:
        """The symbol of a character, or -1 if no legal operation may hold it."""
        return self._owner[bisect_right(self._cuts, ord(character)) - 1]


def _legal_representative(start: int, end: int) -> str | None:
    """The most readable legal character of a stretch of code points, or ``None`` if the stretch has none."""
    shown = representative(start, end)
    if _legal(shown):
        return shown
    code = start
    for _ in range(_TRIES):
        if code >= end:
            return None
        if _legal(chr(code)):
            return chr(code)
        # Leave a run of hidden characters at once instead of walking through it.
        run = _hidden_run_end(code)
        code = run if run > code else code + 1
    return None


def _legal(character: str) -> bool:
    return character == " " or name_problem(character) is None


def _hidden_run_end(code: int) -> int:
    """The first code point after the run of hidden characters that begins at ``code``, in big steps."""
    step = code
    while step < CODE_POINTS and HIDDEN.match(chr(step)):
        step += 1
    return step


def _readability(character: str) -> tuple[bool, bool, bool, int]:
    return (not character.isascii(), not character.islower(), not character.isalnum(), ord(character))
