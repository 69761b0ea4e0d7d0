"""Sets of characters, as the pattern language can tell them apart. Standard library only.

A set of code points is the tuple of the points where membership changes: ``(97, 100)`` is a to c, ``(0, 1114112)`` is
every character, ``()`` is none. Tuples of one set are equal, so sets can be compared and used as keys.

What a bracket means is not implemented here: ``fnmatch.fnmatchcase`` itself is asked, once for each stretch of code
points between the characters that occur in the bracket. So ``[z-a]``, ``[]-a]``, ``[!!]``, a lone ``-``, ``^`` or a
backslash follow the running Python.
"""

from __future__ import annotations

from bisect import bisect_right
from fnmatch import fnmatchcase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    #: The code points where membership changes, rising; see the module.
    Charset: TypeAlias = tuple[int, ...]

#: One more than the largest code point.
CODE_POINTS = 0x110000
EVERY: Charset = (0, CODE_POINTS)
NONE: Charset = ()


def contains(charset: Charset, character: str) -> bool:
    """Whether ``character`` is in ``charset``, in time logarithmic in the number of stretches."""
    return bisect_right(charset, ord(character)) & 1 == 1


def cut_points(characters: Iterable[str]) -> list[int]:
    """Where stretches begin that contain nothing, or exactly one, of ``characters``; 0 is always among them."""
    cuts = {0}
    for code in set(map(ord, characters)):
        cuts.add(code)
        cuts.add(code + 1)
    cuts.discard(CODE_POINTS)
    return sorted(cuts)


def bracket_charset(bracket: str) -> Charset:
    """The characters that ``bracket``, a whole bracket expression of a pattern, matches."""
    changes: list[int] = []
    inside = False
    for cut in cut_points(bracket):
        if fnmatchcase(chr(cut), bracket) is not inside:
            changes.append(cut)
            inside = not inside
    if inside:
        changes.append(CODE_POINTS)
    return tuple(changes)


def representative(start: int, end: int) -> str:
    """The most readable character of the code points from ``start`` up to, not including, ``end``.

    Letters, then digits, then other visible ASCII, then letters of Latin-1 and beyond; the first one if nothing in
    the stretch can be read.
    """
    for low, high in _READABLE:
        first = max(start, low)
        if first < min(end, high):
            return chr(first)
    return chr(start)


#: Stretches in the order in which a person would like to see them.
_READABLE = (
    (0x61, 0x7B),
    (0x30, 0x3A),
    (0x41, 0x5B),
    (0x5F, 0x60),
    (0x2D, 0x2E),
    (0x21, 0x7F),
    (0xE0, 0xF7),
    (0xC0, 0xD7),
    (0x100, 0x180),
    (0x391, 0x3A2),
    (0x3B1, 0x3CA),
    (0x410, 0x450),
    (0xA1, 0xAD),
    (0x4E00, 0x9FA5),
    (0xAC00, 0xD7A4),
)
