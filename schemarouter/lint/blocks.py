"""The blocks of a policy file, which suppressions go by, and which of them a comment belongs to."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.model.diagnostic import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.source import Comment, Source
    from schemarouter.model.diagnostic import DocPath

#: Lists whose entries are blocks of their own.
LISTS = ("rules", "classify", "invariants")

_LINE_END = re.compile(r"\r\n|\n|\r")


class _Block(NamedTuple):
    path: DocPath
    first_line: int
    last_line: int


class Blocks:
    """The blocks of one file: each entry of :data:`LISTS`, and every other top-level key."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def at(self, comment: Comment) -> frozenset[DocPath]:
        """The block that ``comment`` belongs to; several where they share a line, none where it stands alone."""
        line = self._line_of(comment)
        if line is None:
            return frozenset()
        near = [block for block in self._blocks if block.first_line <= line <= block.last_line]
        exact = [block.path for block in near if line in self._lines(block.path)]
        found = exact or [block.path for block in near]
        entries = [path for path in found if len(path) == 2]
        return frozenset(entries or found)

    def _line_of(self, comment: Comment) -> int | None:
        """The line of code that ``comment`` is about."""
        if not comment.own_line:
            return comment.line
        line = comment.line + 1
        while line in self._comment_lines or self._text(line) == "-":
            line += 1
        if self._text(line):
            return line
        line = comment.line - 1
        while line in self._comment_lines:
            line -= 1
        return line if self._text(line) else None

    def _text(self, line: int) -> str:
        return self._texts[line - 1].strip() if 0 < line <= len(self._texts) else ""

    @cached_property
    def _texts(self) -> list[str]:
        return _LINE_END.split(self._source.text)

    @cached_property
    def _comment_lines(self) -> frozenset[int]:
        return frozenset(comment.line for comment in self._source.comments if comment.own_line)

    @cached_property
    def _blocks(self) -> list[_Block]:
        data = self._source.data
        if not isinstance(data, dict):
            return []
        paths: list[DocPath] = []
        for key, value in data.items():
            paths.append((key,))
            if key in LISTS and isinstance(value, list):
                paths += ((key, index) for index in range(len(value)))
        return [self._block(path) for path in paths]

    def _block(self, path: DocPath) -> _Block:
        span = self._source.locate(Target(path, "entry"))
        return _Block(path, span.line, span.end_line)

    def _lines(self, path: DocPath) -> set[int]:
        """The lines on which a key or a value of the block stands; a TOML table may have others in between."""
        lines: set[int] = set()
        for inner, is_leaf in _nodes(path, self._source.data):
            span = self._source.locate(Target(inner, "entry" if is_leaf else "key"))
            lines.update(range(span.line, span.end_line + 1))
        return lines


def _nodes(path: DocPath, data: object) -> Iterator[tuple[DocPath, bool]]:
    """Every path at and below ``path``, and whether a scalar (or nothing) stands there; blocks inside are left out."""
    for step in path:
        data = data[step]  # type: ignore[index] # the path was made from the data
    stack: list[tuple[DocPath, object]] = [(path, data)]
    while stack:
        here, value = stack.pop()
        if isinstance(value, dict):
            stack += (((*here, key), inner) for key, inner in value.items())
        elif isinstance(value, list) and not (len(here) == 1 and here[0] in LISTS):
            stack += (((*here, index), inner) for index, inner in enumerate(value))
        yield here, not isinstance(value, (dict, list)) or not value


def block_of_pointer(pointer: str) -> DocPath:
    """The path of the block in which the JSON Pointer ``pointer`` lies; empty for the whole document."""
    steps = pointer.split("/", 3)[1:3]
    if not steps:
        return ()
    if steps[0] in LISTS and len(steps) == 2 and steps[1].isdecimal():
        return (steps[0], int(steps[1]))
    return (steps[0].replace("~1", "/").replace("~0", "~"),)
