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
    MAX_NODES,
    MAX_SCALAR,
)
from schemarouter.document.positions import SHIFT, Lines, ListNode, MapNode, Node
from schemarouter.document.toml_tables import Part, ScanError, Tables, exceed

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


class Scanner(Tables):
    """One reading of a text: besides the tables, ``comments`` are the offsets of comments."""

    def __init__(self, text: str, lines: Lines) -> None:
        super().__init__(lines)
        self.text = text
        self.comments: list[tuple[int, int]] = []

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
                entries = self.table.entries
            else:
                key, value, header, comment = match.groups()
                if value is not None:
                    start, end = match.span(1)
                    first, last = match.span(2)
                    if key in entries or last - first > MAX_DIGITS or end - start > MAX_KEY:
                        position = self._statement(position)
                        continue  # which changes no table; its nodes are counted with those of the next line
                    entries[key] = (start << SHIFT | end, first << SHIFT | last)
                    self.table.end = last
                    self.statements.append(start)
                    self.nodes += 2
                elif header is not None:
                    start = match.start(3)
                    self.open_table([(header, start << SHIFT | match.end(3))], True, start - 2, match.end(3) + 2)
                    entries = self.table.entries
                if comment is not None:
                    self.comments.append(match.span(4))
                position = match.end()
            if self.nodes > limit:
                exceed(f"the file holds more than {limit} keys and values", min(position, size))
        self.close_table(size)

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
            self.open_table(parts, array, start, position)
        else:
            self.statements.append(start)
            parts, position = self._key(position)
            position = self._equals(position)
            owner = self.descend(self.table, parts, start)
            node, position = self._value(position)
            key = parts[-1]
            if owner is None or not self.put(owner, key, node):
                self.repeated.append((start, position))
            else:
                for inner in self.passed(self.table, parts):
                    inner.end = position
            self.table.end = max(self.table.end, position)
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

    def _key(self, position: int) -> tuple[list[Part], int]:
        """The parts of a key, with their packed spans, and the offset behind it."""
        parts: list[Part] = []
        while True:
            match = _KEY_PART.match(self.text, position)
            if match is None:
                self._bad_key(position)
            start, end = match.span()
            if end - start > MAX_KEY:
                exceed(f"a key is longer than {MAX_KEY} characters", start, end)
            parts.append((_plain(match.group()), start << SHIFT | end))
            if len(parts) > MAX_KEY_PARTS:
                exceed(f"a key has more than {MAX_KEY_PARTS} parts", parts[0][1] >> SHIFT, end)
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

    def _value(self, position: int) -> tuple[Node, int]:
        """A value of any form, and the offset behind it. A stack in place of recursion."""
        text = self.text
        #: Open arrays and inline tables; for a table, where its next value belongs and the comma before it.
        stack: list[tuple[ListNode | MapNode, MapNode | None, Part, int]] = []
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
                self.inline(opened)
            if opened is not None:
                if len(stack) + self.depth >= MAX_DEPTH:
                    exceed(f"the text is nested more than {MAX_DEPTH} deep", position, position + 1)
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
                elif owner is None or not self.put(owner, part, node):
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
        stack: list[tuple[ListNode | MapNode, MapNode | None, Part, int]],
    ) -> int:
        """Push ``container``, which awaits a value, with the key that stands before the value."""
        if isinstance(container, ListNode):
            stack.append((container, None, ("", 0), comma))
            return position
        start = position
        parts, position = self._key(position)
        position = self._equals(position)
        if len(parts) + len(stack) + self.depth > MAX_DEPTH:
            exceed(f"the text is nested more than {MAX_DEPTH} deep", start, position)
        stack.append((container, self.descend(container, parts, start), parts[-1], comma))
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
            exceed(f"a value is longer than {MAX_SCALAR} characters", position, end)
        if end - position > MAX_DIGITS and lead not in ("'", '"'):
            exceed(f"a number has more than {MAX_DIGITS} digits", position, end)
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
