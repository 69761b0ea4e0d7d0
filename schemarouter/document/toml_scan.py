"""Where everything stands in a TOML text, and what is defined twice.

``tomllib`` has no positions and stops at the first error, so this scanner runs first. It knows the structure of TOML
(headers, dotted keys, inline tables, arrays, the kinds of strings, comments) and leaves the judgement of values to
``tomllib``. It also keeps hostile texts away from it: one dotted key of 200 kB costs ``tomllib`` gigabytes.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final, NoReturn

from schemarouter.document.limits import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_KEY,
    MAX_KEY_PARTS,
    MAX_LISTED,
    MAX_NODES,
    MAX_SCALAR,
)
from schemarouter.document.positions import MASK, SHIFT, Lines, ListNode, MapNode, Node
from schemarouter.model.diagnostic import Problem

_BARE = r"[A-Za-z0-9_-]++"
#: The ordinary line: nothing, a key with a simple value, or the header of an array of tables; then a comment.
_LINE: Final = re.compile(
    rf"""[ \t]*+(?:({_BARE})[ \t]*+=[ \t]*+("[^"\\\r\n]*+"(?!")|'[^'\r\n]*+'(?!')|[^\s"'\[\]{{}},#=]++)"""
    rf"""|\[\[({_BARE})\]\])?[ \t]*+(\#[^\r\n]*+)?(?:\r?\n|\Z)"""
)
_END_OF_LINE: Final = re.compile(r"[ \t]*+(#[^\r\n]*+)?(?:\r?\n|\Z)")
_BLANKS: Final = re.compile(r"[ \t]*+")
_FILLER: Final = re.compile(r"(?:[ \t]|\r?\n)*+")
_COMMENT: Final = re.compile(r"#[^\r\n]*+")
_STRING: Final = (
    r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""(?:"{0,2})'
    r"|'''(?:[^']++|'(?!''))*+'''(?:'{0,2})"
    r'|"(?:[^"\\\r\n]++|\\[^\r\n])*+"(?!")'
    r"|'[^'\r\n]*+'(?!')"
)
_SCALAR: Final = re.compile(rf"{_STRING}|\d{{4}}-\d\d-\d\d[ ]\d\d:[^\s,\[\]{{}}#\"']*+|[^\s,\[\]{{}}#\"'=]++")
_KEY_PART: Final = re.compile(rf"""{_BARE}|"(?:[^"\\\r\n]++|\\[^\r\n])*+"|'[^'\r\n]*+'""")
_DOT: Final = re.compile(r"[ \t]*+\.[ \t]*+")
_WORD: Final = re.compile(r"[^\s,\[\]{}]++|\S")

#: How a table came to be, which decides what may be added to it.
_IMPLICIT, _HEADER, _DOTTED, _INLINE = range(4)

_Part = tuple[str, int]


class ScanError(Exception):
    """The text is not TOML at ``start``, or exceeds a limit (``code`` SR010)."""

    def __init__(self, message: str, start: int, end: int, advice: str, code: str = "SR001") -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.advice, self.code = message, start, end, advice, code


class Scanner:
    """One reading of a text.

    ``root`` is the tree of spans, ``comments`` the offsets of comments, ``statements`` where statements start,
    ``repeated`` the stretches to leave out in order to have no definition twice.
    """

    def __init__(self, text: str, lines: Lines) -> None:
        self.text, self.lines = text, lines
        self.root = MapNode(0)
        self.problems: list[Problem] = []
        self.comments: list[tuple[int, int]] = []
        self.statements: list[int] = []
        self.repeated: list[tuple[int, int]] = []
        self.nodes = 0
        self._kinds: dict[int, int] = {}
        #: Arrays of tables, which may grow; other arrays may not.
        self._arrays: set[int] = set()
        self._detached: list[MapNode] = []  # keeps the ids in _kinds unique
        self._chain: list[MapNode | ListNode] = [self.root]
        self._table = self.root
        self._depth = 1
        self._section = self._before = 0
        self._left_out: int | None = None

    def run(self) -> None:
        """Scan the text.

        Raises:
            ScanError: at the first place that is not TOML or exceeds a limit.
        """
        text, line = self.text, _LINE.match
        size, position = len(text), 0
        entries, limit = self.root.entries, MAX_NODES
        while position < size:
            match = line(text, position)
            if match is None:
                position = self._statement(position)
                entries = self._table.entries
            else:
                key, value, header, comment = match.groups()
                if value is not None:
                    start, end = match.span(1)
                    first, last = match.span(2)
                    if key in entries or last - first > MAX_DIGITS or end - start > MAX_KEY:
                        position = self._statement(position)
                        continue
                    entries[key] = (start << SHIFT | end, first << SHIFT | last)
                    self._table.end = last
                    self.statements.append(start)
                    self.nodes += 2
                elif header is not None:
                    start = match.start(3)
                    self._open([(header, start << SHIFT | match.end(3))], True, start - 2, match.end(3) + 2)
                    entries = self._table.entries
                if comment is not None:
                    self.comments.append(match.span(4))
                position = match.end()
            if self.nodes > limit:
                self._limit(f"the file holds more than {limit} keys and values", min(position, size))
        self._close(size)

    def _limit(self, message: str, start: int, end: int | None = None) -> NoReturn:
        raise ScanError(message, start, end or start, "split the policy, or write it more simply", "SR010")

    def _fail(self, message: str, start: int, advice: str) -> NoReturn:
        match = _WORD.match(self.text, start)
        raise ScanError(message, start, match.end() if match else start, advice)

    def _statement(self, position: int) -> int:
        """A header, or a key with a value, of any form; the offset behind its line."""
        text = self.text
        start = position = self._blanks(position)
        if text.startswith("[", position):
            array = text.startswith("[[", position)
            parts, position = self._key(self._blanks(position + 1 + array))
            position = self._blanks(position)
            closing = "]]" if array else "]"
            if not text.startswith(closing, position):
                self._fail(f"a table header is not closed by `{closing}`", start, f"write `{closing}` behind its name")
            position += len(closing)
            self._open(parts, array, start, position)
        else:
            self.statements.append(start)
            parts, position = self._key(position)
            position = self._equals(position)
            owner = self._descend(self._table, parts, start)
            node, position = self._value(position)
            key = parts[-1]
            if owner is None or not self._put(owner, key, node):
                self.repeated.append((start, position))
            else:
                for inner in self._inner(self._table, parts):
                    inner.end = position
            self._table.end = max(self._table.end, position)
        match = _END_OF_LINE.match(text, position)
        if match is None:
            self._garbage(self._blanks(position))
        if match[1] is not None:
            self.comments.append(match.span(1))
        return match.end()

    def _garbage(self, position: int) -> NoReturn:
        if self.text.startswith("\r", position):
            self._fail("a carriage return stands without a line feed", position, "end lines with LF or CR LF")
        self._fail("this does not belong to the value before it", position, "write one `key = value` on a line")

    def _blanks(self, position: int) -> int:
        match = _BLANKS.match(self.text, position)
        return match.end() if match else position

    def _filler(self, position: int) -> int:
        """Behind white space, line ends and comments."""
        while True:
            match = _FILLER.match(self.text, position)
            position = match.end() if match else position
            comment = _COMMENT.match(self.text, position)
            if comment is None:
                return position
            self.comments.append(comment.span())
            position = comment.end()

    def _key(self, position: int) -> tuple[list[_Part], int]:
        """The parts of a key, with their packed spans, and the offset behind it."""
        parts: list[_Part] = []
        while True:
            match = _KEY_PART.match(self.text, position)
            if match is None:
                self._bad_key(position)
            start, end = match.span()
            if end - start > MAX_KEY:
                self._limit(f"a key is longer than {MAX_KEY} characters", start, end)
            parts.append((_plain(match.group()), start << SHIFT | end))
            if len(parts) > MAX_KEY_PARTS:
                self._limit(f"a key has more than {MAX_KEY_PARTS} parts", parts[0][1] >> SHIFT, end)
            position = end
            dot = _DOT.match(self.text, position)
            if dot is None:
                self.nodes += len(parts)
                return parts, position
            position = dot.end()

    def _bad_key(self, position: int) -> NoReturn:
        text = self.text
        if text[position : position + 1] in ('"', "'"):
            self._fail("the quote is never closed", position, "add the closing quote")
        if text[position : position + 1] == "\r":
            self._garbage(position)
        if text[position : position + 1] in ("*", "?"):
            self._fail("a key with wildcards is not quoted", position, 'quote it: `"*" = ...`')
        self._fail(
            "a key is missing here", position, "write `key = value`; a key other than A-Z a-z 0-9 _ - needs quotes"
        )

    def _equals(self, position: int) -> int:
        position = self._blanks(position)
        if not self.text.startswith("=", position):
            advice = "write `key = value`; a key other than A-Z a-z 0-9 _ - needs quotes"
            self._fail("the key has no `=` behind it", position, advice)
        return self._blanks(position + 1)

    def _open(self, parts: list[_Part], array: bool, start: int, end: int) -> None:
        """A header: the table that the following lines belong to."""
        self._close(start)
        self.statements.append(start)
        self._section = start
        if len(parts) > MAX_DEPTH - 2:
            self._limit(f"the text is nested more than {MAX_DEPTH} deep", start, end)
        node: MapNode | None = self.root
        chain: list[MapNode | ListNode] = []
        for part in parts[:-1]:
            if node is not None:
                node = self._step(node, part, start, chain, _IMPLICIT)
        table = None if node is None else self._last(node, parts[-1], array, start, end, chain)
        if table is None:
            table = MapNode(start, end)
            self._detached.append(table)
            self._left_out, chain = start, []
        self._table, self._chain, self._depth = table, [*chain, table], len(parts) + 1 + array
        self.nodes += 1 + array

    def _close(self, position: int) -> None:
        """The section before ``position`` ends: its table, and those around it, reach to its last value."""
        last = self._table.end
        for node in self._chain:
            if node.end == self._before or node.start >= self._section or node is self.root:
                node.end = last
        self._before = last
        if self._left_out is not None:
            self.repeated.append((self._left_out, position))
            self._left_out = None

    def _step(
        self, node: MapNode, part: _Part, start: int, chain: list[MapNode | ListNode], kind: int
    ) -> MapNode | None:
        """The table ``part`` of ``node``, made where it does not exist; ``None``, with a problem, if it is closed."""
        name, span = part
        found = node.entries.get(name)
        if found is None:
            child = MapNode(start)
            node.entries[name] = (span, child)
            self._kinds[id(child)] = kind
            chain.append(child)
            return child
        child_node = found[1]
        if isinstance(child_node, ListNode) and id(child_node) in self._arrays and kind == _IMPLICIT:
            element = child_node.items[-1]
            if isinstance(element, MapNode):
                chain += (child_node, element)
                return element
        if isinstance(child_node, MapNode):
            known = self._kinds.get(id(child_node), _HEADER)
            if known == _DOTTED or (kind == _IMPLICIT and known != _INLINE):
                chain.append(child_node)
                return child_node
        self._twice(part, found[0], "is defined before and cannot be extended here")
        return None

    def _last(
        self, node: MapNode, part: _Part, array: bool, start: int, end: int, chain: list[MapNode | ListNode]
    ) -> MapNode | None:
        """The table that a header opens; ``None``, with a problem, if it is there already."""
        name, span = part
        found = node.entries.get(name)
        child = None if found is None else found[1]
        if array and (child is None or (isinstance(child, ListNode) and id(child) in self._arrays)):
            if child is None:
                child = ListNode(start)
                self._arrays.add(id(child))
                node.entries[name] = (span, child)
            table = MapNode(start, end)
            child.items.append(table)
            chain.append(child)
            return table
        if not array and child is None:
            table = MapNode(start)
        elif not array and isinstance(child, MapNode) and self._kinds.get(id(child), _HEADER) == _IMPLICIT:
            table = child
            table.start = start
        else:
            self._twice(part, found[0] if found else 0, "stands here twice")
            return None
        table.end = end
        self._kinds[id(table)] = _HEADER
        node.entries[name] = (span, table)
        return table

    def _descend(self, table: MapNode, parts: list[_Part], start: int) -> MapNode | None:
        """The table that the last part of a dotted key belongs to."""
        node: MapNode | None = table
        for part in parts[:-1]:
            if node is not None:
                node = self._step(node, part, start, [], _DOTTED)
        return node

    @staticmethod
    def _inner(table: MapNode, parts: list[_Part]) -> list[MapNode]:
        """The tables that a dotted key passes."""
        found: list[MapNode] = []
        for name, _span in parts[:-1]:
            node = table.entries[name][1]
            if isinstance(node, MapNode):
                table = node
                found.append(node)
        return found

    def _put(self, owner: MapNode, part: _Part, node: Node) -> bool:
        name, span = part
        if name in owner.entries:
            self._twice(part, owner.entries[name][0], "stands here twice")
            return False
        owner.entries[name] = (span, node)
        return True

    def _twice(self, part: _Part, first: int, what: str) -> None:
        if len(self.problems) >= MAX_LISTED:
            return
        name, span = part
        place = self.lines.span(span >> SHIFT, span & MASK)
        there = ("the first one", self.lines.span(first >> SHIFT, first & MASK))
        message = f"the key `{name if len(name) <= 40 else name[:37] + '...'}` {what}"
        self.problems.append(Problem("SR002", message, place, help="remove one of the two", related=(there,)))

    def _value(self, position: int) -> tuple[Node, int]:
        """A value of any form, and the offset behind it. A stack in place of recursion."""
        text = self.text
        #: Open arrays and inline tables; for a table, where its next value belongs and the comma before it.
        stack: list[tuple[ListNode | MapNode, MapNode | None, _Part, int]] = []
        comma = 0
        while True:
            self.nodes += 1
            lead = text[position : position + 1]
            node: Node
            opened: ListNode | MapNode | None = None
            if lead == "[":
                opened = ListNode(position)
            elif lead == "{":
                opened = MapNode(position)
                self._kinds[id(opened)] = _INLINE
            if opened is not None:
                if len(stack) + self._depth >= MAX_DEPTH:
                    self._limit(f"the text is nested more than {MAX_DEPTH} deep", position, position + 1)
                comma = position
                position = self._filler(position + 1)
                if not text.startswith("]" if lead == "[" else "}", position):
                    position = self._next(opened, position, comma, stack)
                    continue
                position += 1
                opened.end = position
                node = opened
            elif lead or not stack:
                node, position = self._scalar(position)
            else:
                self._unclosed(stack[-1][0])
            # A value is complete: it goes into what is open, which may be complete then as well.
            while stack:
                container, owner, part, comma = stack.pop()
                if isinstance(container, ListNode):
                    container.items.append(node)
                elif owner is None or not self._put(owner, part, node):
                    self.repeated.append((comma, position))
                comma = position = self._filler(position)
                closing = "]" if isinstance(container, ListNode) else "}"
                more = text.startswith(",", position)
                if more:
                    position = self._filler(position + 1)
                if text.startswith(closing, position):
                    position += 1
                    container.end = position
                    node = container
                    continue
                if not more:
                    self._unclosed(container)
                position = self._next(container, position, comma, stack)
                break
            else:
                return node, position

    def _unclosed(self, container: ListNode | MapNode) -> NoReturn:
        what, closing = ("array", "]") if isinstance(container, ListNode) else ("inline table", "}")
        start = container.start
        message = f"the {what} is not closed by `{closing}`"
        raise ScanError(message, start, start + 1, f"add the missing `,` or `{closing}`")

    def _next(
        self,
        container: ListNode | MapNode,
        position: int,
        comma: int,
        stack: list[tuple[ListNode | MapNode, MapNode | None, _Part, int]],
    ) -> int:
        """Push ``container``, which awaits a value, with the key that stands before the value."""
        if isinstance(container, ListNode):
            stack.append((container, None, ("", 0), comma))
            return position
        start = position
        parts, position = self._key(position)
        position = self._equals(position)
        if len(parts) + len(stack) + self._depth > MAX_DEPTH:
            self._limit(f"the text is nested more than {MAX_DEPTH} deep", start, position)
        stack.append((container, self._descend(container, parts, start), parts[-1], comma))
        return position

    def _scalar(self, position: int) -> tuple[int, int]:
        match = _SCALAR.match(self.text, position)
        lead = self.text[position : position + 1]
        if match is None:
            if lead in ("'", '"'):
                self._fail(
                    "the quote is never closed", position, "add the closing quote; text of several lines needs three"
                )
            self._fail("a value is missing here", position, "write `key = value`; a string needs quotes")
        end = match.end()
        if end - position > MAX_SCALAR:
            self._limit(f"a value is longer than {MAX_SCALAR} characters", position, end)
        if end - position > MAX_DIGITS and lead not in ("'", '"'):
            self._limit(f"a number has more than {MAX_DIGITS} digits", position, end)
        return position << SHIFT | end, end


def _plain(key: str) -> str:
    """The name that a part of a key stands for."""
    if key[0] == "'":
        return key[1:-1]
    if key[0] != '"':
        return key
    if "\\" not in key:
        return key[1:-1]
    try:
        return str(tomllib.loads(f"key = {key}")["key"])
    except ValueError:
        return key  # tomllib will say what is wrong with it
