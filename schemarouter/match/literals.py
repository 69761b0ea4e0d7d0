"""Dictionaries and substring search for patterns made of literals and stars only. Standard library only.

Finding is bounded by the length of the name times the total length of the patterns. What would be slow here is not
taken: the caller gives it to :mod:`~schemarouter.match.shiftand`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    #: A literal -> the number of its pattern, or the numbers of several.
    Table: TypeAlias = dict[str, int | list[int]]
    #: The literals of a pattern that its stars part: the beginning, those between stars, the end.
    Parts: TypeAlias = tuple[str, tuple[str, ...], str]
    #: A literal that must occur, the pattern's parts unless that is all it says, and its number.
    Entry: TypeAlias = tuple[str, Parts | None, int]

#: Prefixes are filed by so many first characters.
_HEAD = 3
#: Up to so many patterns are tried one after another.
_DIRECT = 32
#: More are filed by a run of three characters that each needs, and so many may share one run.
_SHARED = 24
#: How far into a literal a run is looked for.
_RUNS = 64


def add(table: Table, literal: str, number: int) -> None:
    """Note in ``table`` that ``literal`` belongs to pattern ``number``; numbers rise from call to call."""
    known = table.get(literal)
    if known is None:
        table[literal] = number
    elif isinstance(known, list):
        known.append(number)
    else:
        table[literal] = [known, number]


class Prefixes:
    """Literal prefixes: one look-up for each length that the first characters of a name leave possible.

    Suffixes are the same on reversed strings.
    """

    __slots__ = ("_heads", "_short", "_table")

    def __init__(self, table: Table) -> None:
        lengths: dict[str, set[int]] = {}
        short: set[int] = set()
        for literal in table:
            if len(literal) < _HEAD:
                short.add(len(literal))
            else:
                lengths.setdefault(literal[:_HEAD], set()).add(len(literal))
        self._table = table
        self._short = tuple(sorted(short))
        self._heads = {head: tuple(sorted(sizes)) for head, sizes in lengths.items()}

    def find(self, name: str, found: list[int]) -> None:
        """Append to ``found`` the numbers of the patterns whose prefix ``name`` begins with."""
        table = self._table
        size = len(name)
        for lengths in (self._short, self._heads.get(name[:_HEAD], ())):
            for length in lengths:
                if length > size:
                    break
                hit = table.get(name[:length])
                if hit is not None:
                    if isinstance(hit, int):
                        found.append(hit)
                    else:
                        found += hit


class Substrings:
    """Patterns of literals and stars: few are tried in turn, many are found through a run of characters in the name."""

    __slots__ = ("_direct", "_runs", "refused")

    def __init__(self, patterns: list[tuple[int, Parts]]) -> None:
        entries: list[Entry] = []
        for number, parts in patterns:
            first, middle, last = parts
            needed = max((first, *middle, last), key=len)
            entries.append((needed, None if not first and not last and len(middle) == 1 else parts, number))
        self._direct: list[Entry] = []
        self._runs: dict[tuple[str, ...], list[Entry]] = {}
        #: The numbers of the patterns that are not taken.
        self.refused: set[int] = set()
        if len(entries) <= _DIRECT:
            self._direct = entries
            return
        # A run that few patterns have is one that few names have: `919` says more about `order919` than `ord` does.
        common: dict[tuple[str, ...], int] = {}
        for needed, _, _ in entries:
            for run in _runs(needed):
                common[run] = common.get(run, 0) + 1
        for entry in entries:
            if not self._file(entry, common):
                self.refused.add(entry[2])

    def _file(self, entry: Entry, common: dict[tuple[str, ...], int]) -> bool:
        runs = self._runs
        best: tuple[str, ...] | None = None
        fewest = 0
        for run in _runs(entry[0]):
            if (best is None or common[run] < fewest) and len(runs.get(run, ())) < _SHARED:
                best, fewest = run, common[run]
        if best is None:
            return False
        runs.setdefault(best, []).append(entry)
        return True

    def find(self, name: str, found: list[int]) -> None:
        """Append to ``found`` the numbers of the patterns that match the whole of ``name``."""
        for needed, parts, number in self._direct:
            if needed in name and (parts is None or _fits(name, parts)):
                found.append(number)
        runs = self._runs
        if runs:
            hits = set(filter(runs.__contains__, zip(name, name[1:], name[2:])))  # noqa: B905 - the shortest ends it, and strict costs time
            for run in hits:
                for needed, parts, number in runs[run]:
                    if needed in name and (parts is None or _fits(name, parts)):
                        found.append(number)


def _runs(literal: str) -> Iterable[tuple[str, ...]]:
    text = literal[:_RUNS]
    return zip(text, text[1:], text[2:], strict=False)


def _fits(name: str, parts: Parts) -> bool:
    """Whether the literals occur in ``name`` in their order: taking the leftmost place for each is exact."""
    first, middle, last = parts
    start, end = len(first), len(name) - len(last)
    if start > end or not name.startswith(first) or not name.endswith(last):
        return False
    for literal in middle:
        place = name.find(literal, start, end)
        if place < 0:
            return False
        start = place + len(literal)
    return True
