"""Which of many patterns match a name: dictionaries for the usual shapes, one integer for all others.

Exact names are one look-up, ``literal*`` and ``*literal`` a few; other patterns of literals and stars are found through
substrings, and everything else goes into :class:`~schemarouter.match.shiftand.Filed`. Building takes time linear in
the total length of the patterns, finding at most in the length of the name times that. Standard library only.
"""

from __future__ import annotations

from itertools import pairwise
from operator import itemgetter

from schemarouter.match.literals import Prefixes, Substrings, add
from schemarouter.match.shiftand import Filed
from schemarouter.match.tokens import literal_text, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.match.literals import Parts, Table
    from schemarouter.match.tokens import Glob


class Lookup:
    """Patterns, each with the number that its owner knows it by, rising. Never changes; safe from several threads."""

    __slots__ = ("_exact", "_others", "_prefixes", "_substrings", "_suffixes")

    def __init__(self, patterns: Iterable[tuple[int, str]]) -> None:
        exact: Table = {}
        prefixes: Table = {}
        suffixes: Table = {}
        starred: list[tuple[int, str, Parts]] = []
        others: list[tuple[int, Glob]] = []
        for number, pattern in patterns:
            if "[" in pattern or "?" in pattern:
                glob = parse(pattern)
                literal = literal_text(glob)
                if literal is None:
                    others.append((number, glob))
                    continue
                # Each bracket stands for one character, so what is left is literals between stars.
                pieces = [literal[start:end] for start, end in pairwise((0, *glob.stars, len(literal)))]
            elif "*" not in pattern:
                if pattern in exact:
                    add(exact, pattern, number)
                else:
                    exact[pattern] = number  # most patterns of most policies: a call less for each
                continue
            else:
                pieces = pattern.split("*")
            if len(pieces) == 1:
                add(exact, pieces[0], number)
                continue
            first, *between, last = pieces
            middle = tuple(filter(None, between))
            if middle or (first and last):
                starred.append((number, pattern, (first, middle, last)))
            elif last:
                add(suffixes, last[::-1], number)
            else:
                add(prefixes, first, number)
        substrings = Substrings([(number, parts) for number, _, parts in starred])
        if substrings.refused:
            others += [(number, parse(pattern)) for number, pattern, _ in starred if number in substrings.refused]
            others.sort(key=itemgetter(0))
        self._exact = exact
        self._prefixes = Prefixes(prefixes) if prefixes else None
        self._suffixes = Prefixes(suffixes) if suffixes else None
        self._substrings = substrings if starred else None
        self._others = Filed(others) if others else None

    def find(self, name: str) -> tuple[list[int], Iterable[int]]:
        """The numbers of the patterns that match ``name``: some in no order, the others rising. May hold doubles."""
        found: list[int] = []
        hit = self._exact.get(name)
        if hit is not None:
            found = [hit] if isinstance(hit, int) else hit.copy()
        if self._prefixes is not None:
            self._prefixes.find(name, found)
        if self._suffixes is not None:
            self._suffixes.find(name[::-1], found)
        if self._substrings is not None:
            self._substrings.find(name, found)
        return found, self._others.find(name) if self._others is not None else ()
