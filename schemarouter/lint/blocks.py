"""The blocks of a policy file, which suppressions go by, and which of them a comment belongs to."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from schemarouter.model.diagnostic import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Comment, Source
    from schemarouter.model.diagnostic import DocPath

#: Lists whose entries are blocks of their own.
LISTS = ("rules", "classify", "invariants")

_LINE_END = re.compile(r"\r\n|\n|\r")


class Blocks:
    """The blocks of one file: each entry of :data:`LISTS`, and every other top-level key."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[DocPath, frozenset[int]] = {}

    def at(self, comment: Comment) -> frozenset[DocPath]:
        """The block that ``comment`` belongs to; several where they share a line, none where it stands alone."""
        line = self._line_of(comment)
        if line is None:
            return frozenset()
        around = self._around_line.get(line, [])
        found = [path for path in around if line in self._lines(path)]
        # A TOML table may go on further below; a line such as a closing bracket is known by the block around it only.
        found = found or self._on_line.get(line) or around
        entries = [path for path in found if len(path) == 2]
        return frozenset(entries or found)

    def _line_of(self, comment: Comment) -> int | None:
        """The line of code that ``comment`` is about."""
        if not comment.own_line:
            return comment.line
        below = self._below[comment.line]
        if self._text(below):
            return below
        above = self._above[comment.line]
        return above if self._text(above) else None

    @cached_property
    def _below(self) -> dict[int, int]:
        """For each line that holds a comment only, the next one that does not; a lone dash belongs to the line below."""
        found: dict[int, int] = {}
        for line in sorted(self._comment_lines, reverse=True):
            following = line + 1
            while self._text(following) == "-":
                following += 1
            found[line] = found.get(following, following)
        return found

    @cached_property
    def _above(self) -> dict[int, int]:
        """For each line that holds a comment only, the last one before it that does not."""
        found: dict[int, int] = {}
        for line in sorted(self._comment_lines):
            found[line] = found.get(line - 1, line - 1)
        return found

    def _text(self, line: int) -> str:
        return self._texts[line - 1].strip() if 0 < line <= len(self._texts) else ""

    @cached_property
    def _texts(self) -> list[str]:
        return _LINE_END.split(self._source.text)

    @cached_property
    def _comment_lines(self) -> frozenset[int]:
        return frozenset(comment.line for comment in self._source.comments if comment.own_line)

    @cached_property
    def _paths(self) -> list[DocPath]:
        """Every block, and the keys of :data:`LISTS`, which are no block for a finding but a place for a comment."""
        data = self._source.data
        paths: list[DocPath] = []
        for key, value in data.items() if isinstance(data, dict) else ():
            paths.append((key,))
            if key in LISTS and isinstance(value, list):
                paths += ((key, index) for index in range(len(value)))
        return paths

    def _lines(self, path: DocPath) -> frozenset[int]:
        """The lines on which a key or a value of the block at ``path`` stands."""
        if path in self._known:
            return self._known[path]
        lines: set[int] = set()
        for inner, whole in _nodes(path, self._source.data):
            span = self._source.locate(Target(inner, "entry" if whole else "key"))
            lines.update(range(span.line, span.end_line + 1))
        return self._known.setdefault(path, frozenset(lines))

    @cached_property
    def _on_line(self) -> dict[int, list[DocPath]]:
        """For each line the blocks of which a key or a value stands on it."""
        found: dict[int, list[DocPath]] = {}
        for path in self._paths:
            for line in self._lines(path):
                found.setdefault(line, []).append(path)
        return found

    @cached_property
    def _around_line(self) -> dict[int, list[DocPath]]:
        """For each line the blocks that reach across it."""
        found: dict[int, list[DocPath]] = {}
        for path in self._paths:
            span = self._source.locate(Target(path, "entry"))
            for line in range(span.line, span.end_line + 1):
                found.setdefault(line, []).append(path)
        return found


def _nodes(path: DocPath, data: object) -> Iterator[tuple[DocPath, bool]]:
    """Every path at and below ``path``, and whether its value stands in one piece; blocks inside are left out."""
    for step in path:
        data = data[step]  # type: ignore[index] # the path was made from the data
    stack: list[tuple[DocPath, object]] = [(path, data)]
    while stack:
        here, value = stack.pop()
        if isinstance(value, dict):
            stack += (((*here, key), inner) for key, inner in value.items())
        yield here, not value if isinstance(value, dict) else not (len(here) == 1 and here[0] in LISTS)


def block_of_pointer(pointer: str) -> DocPath:
    """The path of the block in which the JSON Pointer ``pointer`` lies; empty for the whole document."""
    steps = pointer.split("/", 3)[1:3]
    if not steps:
        return ()
    if steps[0] in LISTS and len(steps) == 2 and steps[1].isdecimal():
        return (steps[0], int(steps[1]))
    return (steps[0].replace("~1", "/").replace("~0", "~"),)
