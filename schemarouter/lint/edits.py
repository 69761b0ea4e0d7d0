"""Edits of a text by spans: what no edit covers stays as it is, comments, layout, line ends and byte order mark included."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from schemarouter.model.diagnostic import Edit

_LINE_END = re.compile(r"\r\n|\n|\r")


class Change(NamedTuple):
    """An edit by offsets: ``text`` stands in place of the characters from ``start`` to ``end``."""

    start: int
    end: int
    text: str


class Offsets:
    """From lines and columns (code points, from 1) to offsets in a text. LF, CR LF and a lone CR end a line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._size = len(text)
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        ends = {match[0] for match in _LINE_END.finditer(text)}
        #: What ends a line in this text; ``\n`` where lines end in several ways.
        self.line_end = ends.pop() if len(ends) == 1 else "\n"

    def change(self, edit: Edit) -> Change:
        """``edit`` by offsets; a place behind the text is its end. New lines end as those of the text do.

        What is removed at the end of a line takes along the white space before it.
        """
        start, end = self.offset(edit.span.line, edit.span.column), self.offset(*edit.span[2:])
        text = edit.text if self.line_end == "\n" else edit.text.replace("\n", self.line_end)
        if not text and start < end and self._text[end : end + 1] in ("", "\r", "\n"):
            start = len(self._text[:start].rstrip(" \t"))
        return Change(start, max(start, end), text)

    def changes(self, edits: Iterable[Edit]) -> tuple[Change, ...]:
        """The edits of one fix, in the order of the text."""
        return tuple(sorted(self.change(edit) for edit in edits))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; the end of the text for one behind it."""
        return min(self._starts[line - 1] + column - 1, self._size) if line <= len(self._starts) else self._size


def clash(before: Change, after: Change) -> bool:
    """Whether two changes, in the order of the text, cannot both be made: a common character, or an insertion at a border."""
    if after.start == before.end:
        return before.start == before.end or after.start == after.end
    return after.start < before.end


def apply(text: str, changes: Iterable[Change]) -> str:
    """``text`` with all ``changes``, of which no two may overlap (``ValueError``)."""
    pieces: list[str] = []
    at = 0
    for change in sorted(changes):
        if change.start < at:
            raise ValueError("edits overlap")
        pieces += (text[at : change.start], change.text)
        at = change.end
    return "".join((*pieces, text[at:]))
