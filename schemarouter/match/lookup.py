"""Which of many patterns match a name: dictionaries for the usual shapes, one integer for all others.

Exact names are one look-up; ``literal*`` and ``*literal`` are looked up once for each distinct length of a literal, and
everything else goes into :class:`~schemarouter.match.shiftand.ShiftAnd`. Building takes time linear in the total
length of the patterns, finding at most in the length of the name times that. Standard library only.
"""

from __future__ import annotations

from schemarouter.match.shiftand import ShiftAnd
from schemarouter.match.tokens import literal_text, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.match.tokens import Glob

    #: A literal -> the number of its pattern, or several of them.
    _Table = dict[str, int | list[int]]


class Lookup:
    """Patterns, each with the number that its owner knows it by. Never changes; safe from several threads."""

    __slots__ = ("_exact", "_others", "_prefix_lengths", "_prefixes", "_suffix_lengths", "_suffixes")

    def __init__(self, patterns: Iterable[tuple[int, str]]) -> None:
        exact: _Table = {}
        prefixes: _Table = {}
        suffixes: _Table = {}
        others: list[tuple[int, Glob]] = []
        for number, pattern in patterns:
            if "[" not in pattern and "?" not in pattern:
                # The usual shapes, without the cost of parsing.
                star = pattern.find("*")
                if star < 0:
                    _add(exact, pattern, number)
                    continue
                if star == len(pattern) - 1:
                    _add(prefixes, pattern[:star], number)
                    continue
            glob = parse(pattern)
            literal = literal_text(glob)
            if literal is None:
                others.append((number, glob))
            elif not glob.stars:
                _add(exact, literal, number)
            elif glob.stars == (len(literal),):
                _add(prefixes, literal, number)
            elif glob.stars == (0,):
                _add(suffixes, literal, number)
            else:
                others.append((number, glob))
        self._exact = exact
        self._prefixes = prefixes
        self._suffixes = suffixes
        self._prefix_lengths = tuple(sorted(set(map(len, prefixes))))
        self._suffix_lengths = tuple(sorted(set(map(len, suffixes))))
        self._others = ShiftAnd(others) if others else None

    def find(self, name: str) -> tuple[list[int], Iterable[int]]:
        """The numbers of the patterns that match ``name``: some in no order, the others rising."""
        found: list[int] = []
        hit = self._exact.get(name)
        if hit is not None:
            found = [hit] if isinstance(hit, int) else hit.copy()
        size = len(name)
        table = self._prefixes
        for length in self._prefix_lengths:
            if length > size:
                break
            hit = table.get(name[:length])
            if hit is not None:
                if isinstance(hit, int):
                    found.append(hit)
                else:
                    found += hit
        table = self._suffixes
        for length in self._suffix_lengths:
            if length > size:
                break
            hit = table.get(name[size - length :])
            if hit is not None:
                if isinstance(hit, int):
                    found.append(hit)
                else:
                    found += hit
        others = self._others
        return found, others.find(name) if others is not None else ()


def _add(table: _Table, literal: str, number: int) -> None:
    known = table.get(literal)
    if known is None:
        table[literal] = number
    elif isinstance(known, list):
        known.append(number)
    else:
        table[literal] = [known, number]
