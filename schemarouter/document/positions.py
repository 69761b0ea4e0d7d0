"""Where everything stands in a text: the tree of spans that both formats build, and paths resolved against it.

The readers store offsets only; lines and columns are worked out when somebody asks. An offset pair is one integer
(``start << SHIFT | end``), which keeps ten thousand rules at a few megabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias

from schemarouter.document.source import Comment, Format, Scalar
from schemarouter.model.diagnostic import DocPath, Span, Target

SHIFT: Final = 28
MASK: Final = (1 << SHIFT) - 1

#: A scalar is its packed span.
Node: TypeAlias = "int | MapNode | ListNode | AliasNode"


class MapNode:
    """A mapping or table. Keys that are not in the data (duplicates, for one) have integers for names.

    ``head`` is the end of the header of a TOML table, 0 where there is none.
    """

    __slots__ = ("end", "entries", "head", "start")

    def __init__(self, start: int, head: int = 0) -> None:
        self.start = start
        self.end = head or start
        self.head = head
        self.entries: dict[str | int, tuple[int, Node]] = {}


class ListNode:
    """A list or array."""

    __slots__ = ("end", "items", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.items: list[Node] = []


class AliasNode:
    """A YAML alias: its own packed span, and the node that it stands for."""

    __slots__ = ("span", "target")

    def __init__(self, span: int, target: Node) -> None:
        self.span = span
        self.target = target


def end_of(node: Node) -> int:
    """The offset behind ``node``."""
    if isinstance(node, int):
        return node & MASK
    if isinstance(node, AliasNode):
        return node.span & MASK
    return node.end


def start_of(node: Node) -> int:
    """The offset of the first character of ``node``."""
    if isinstance(node, int):
        return node >> SHIFT
    if isinstance(node, AliasNode):
        return node.span >> SHIFT
    return node.start


class Lines:
    """Lines of a text: offset to line and column. LF, CR LF and a lone CR end a line."""

    def __init__(self, text: str) -> None:
        if not text.isascii() or any(mark in text for mark in "\v\f\x1c\x1d\x1e"):
            # str.splitlines knows more line ends than the two formats do.
            for mark in "\v\f\x1c\x1d\x1e\x85\u2028\u2029":
                if mark in text:
                    text = text.replace(mark, "x")
        self._text = text
        self._length = len(text)
        self._starts = list(accumulate(map(len, text.splitlines(keepends=True)), initial=0))
        if len(self._starts) > 1 and text[-1] not in "\r\n":
            self._starts.pop()

    @property
    def count(self) -> int:
        """How many lines there are; a line end at the end of the text starts one more."""
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of ``offset``, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch from ``start`` up to, not including, ``end``."""
        return Span(*self.position(start), *self.position(end))

    def start(self, line: int) -> int:
        """The offset of the first character of ``line``; of the end of the text where there is no such line."""
        return self._starts[line - 1] if line <= len(self._starts) else self._length

    def end_of_line(self, offset: int) -> int:
        """The offset of the end of the line that holds ``offset``, line end not included."""
        line = bisect_right(self._starts, offset)
        end = self.start(line + 1)
        while end > offset and self._text[end - 1] in "\r\n":
            end -= 1
        return end

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column, both from 1, kept inside the text."""
        return max(0, min(self.start(line) + column - 1, self._length))


class ParsedSource:
    """The :class:`~schemarouter.document.source.Source` of both formats."""

    def __init__(
        self,
        path: str,
        format: Format,  # noqa: A002 - the name in the protocol
        text: str,
        data: object,
        root: Node,
        lines: Lines,
        comments: Callable[[str, Node, Lines], tuple[Comment, ...]],
        scalar: Callable[[str], Scalar],
    ) -> None:
        self.path = path
        self.format: Format = format
        self.text = text
        self.data = data
        self._root = root
        self._lines = lines
        self._comments = comments
        self._scalar = scalar

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """Every comment, in order. Worked out on first use: loading a policy never needs it."""
        return self._comments(self.text, self._root, self._lines)

    def _find(self, path: DocPath) -> tuple[int, int | None, Node]:
        """How many steps of ``path`` exist, the packed span of the last key, the last node."""
        node, key, found = self._root, None, 0
        for step in path:
            while isinstance(node, AliasNode):
                node = node.target
            if isinstance(node, MapNode) and isinstance(step, str) and step in node.entries:
                key, node = node.entries[step]
            elif isinstance(node, ListNode) and not isinstance(step, str) and 0 <= step < len(node.items):
                key, node = None, node.items[step]
            else:
                break
            found += 1
        return found, key, node

    def _value(self, node: Node) -> tuple[int, int]:
        start, end = start_of(node), end_of(node)
        # A block scalar, and all that ends with one, reaches to the next token; its last line ends before.
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end

    def _key(self, key: int | None, node: Node) -> tuple[int, int]:
        """The key, or for an item of a list its header or first line."""
        if key is not None:
            return key >> SHIFT, key & MASK
        if isinstance(node, MapNode) and node.head:
            return node.start, node.head
        start, end = self._value(node)
        line_end = self._lines.end_of_line(start)
        if isinstance(node, MapNode) and node.entries and line_end < end:
            # The first entry, without a comment behind it.
            end = end_of(next(iter(node.entries.values()))[1])
        return start, max(start, min(end, line_end))

    def locate(self, target: Target) -> Span:
        """The span of ``target``.

        Where it does not exist: the key of its nearest existing parent, or the start of the text. A list item has
        no key: its header (TOML ``[[rules]]``), or what stands on its first line. An empty value (``rules:``) is a
        span of no width behind the colon.
        """
        found, key, node = self._find(target.path)
        if found < len(target.path):
            if not found:
                return Span(1, 1, 1, 1)
            return self._lines.span(*self._key(key, node))
        if target.part == "key" and target.path:
            return self._lines.span(*self._key(key, node))
        start, end = self._value(node)
        if target.part == "entry" and key is not None:
            start, end = min(start, key >> SHIFT), max(end, key & MASK)
        return self._lines.span(start, end)

    def positions(self, path: DocPath) -> list[tuple[int, int]]:
        """Line and column of each item of the list at ``path``, as ``locate`` gives them; empty if there is no list."""
        found, _key, node = self._find(path)
        while isinstance(node, AliasNode):
            node = node.target
        if found < len(path) or not isinstance(node, ListNode):
            return []
        position = self._lines.position
        return [position(start_of(item)) for item in node.items]

    def scalar(self, path: DocPath) -> Scalar | None:
        """How the scalar at ``path`` was written; ``None`` if there is a mapping, a list or nothing."""
        found, _key, node = self._find(path)
        while isinstance(node, AliasNode):
            node = node.target
        if found < len(path) or not isinstance(node, int):
            return None
        return self._scalar(self.text[node >> SHIFT : node & MASK])

    def text_at(self, span: Span) -> str:
        """The text that ``span`` covers."""
        offset = self._lines.offset
        return self.text[offset(span.line, span.column) : offset(span.end_line, span.end_column)]
