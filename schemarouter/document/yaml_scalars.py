"""Plain scalars of the YAML 1.2 core schema, spans of scalars, quoting, and comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from schemarouter.document.limits import MAX_DIGITS
from schemarouter.document.positions import MASK, SHIFT, AliasNode, Lines, ListNode, MapNode, Node
from schemarouter.document.source import Comment, Scalar

#: What a plain scalar must start with in order to be anything but a string.
SUSPECT: Final = frozenset("-+.0123456789tTfFnN~")

_WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_MISSING = object()


class TooManyDigitsError(ValueError):
    """A number is longer than the limit."""


def resolve(text: str) -> object:
    """The value of a plain scalar (YAML 1.2.2, 10.3.2).

    Raises:
        TooManyDigitsError: it is a number with more digits than the limit.
    """
    value = _WORDS.get(text, _MISSING)
    if value is not _MISSING:
        return value
    if text[0] in "tTfFnN~":
        return text
    if _INTEGER.fullmatch(text):
        return int(_bounded(text))
    if _FLOAT.fullmatch(text):
        return float(_bounded(text))
    if _BASED.fullmatch(text):
        return int(_bounded(text), 0)
    return text


def _bounded(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise TooManyDigitsError
    return text


_PROPERTY = r"(?:&[A-Za-z0-9_-]+|!<[^>\s]*>|![^\s,\[\]{}]*)"
PROPERTIES = re.compile(rf"(?:{_PROPERTY}(?:\s+(?:#[^\r\n]*\s+)*|(?![&!])))+")


def written(text: str) -> Scalar:
    """How a scalar was written, from the text of its span, anchor and all."""
    if text[:1] in ("&", "!"):
        match = PROPERTIES.match(text)
        text = text[match.end() :] if match else text
    if text[:1] in ('"', "'") and len(text) > 1:
        return Scalar(text[1:-1], plain=False)
    if text[:1] in ("|", ">"):
        header, _end, body = text.partition("\n")
        return Scalar(body if _end else header, plain=False)
    return Scalar(text, plain=True)


_NEEDS_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]')


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return "\\" + character if character in '"\\' else f"\\u{ord(character):04x}"


def quote(text: str) -> str:
    """``text`` as a double-quoted scalar; the same form is valid in YAML and in TOML."""
    return f'"{_NEEDS_ESCAPE.sub(_escape, text)}"'


_COMMENT = re.compile(r"(?:(?<=[ \t\r\n])|\A)#[^\r\n]*")
_LINE = re.compile(r"[^\r\n]*")


def comments(text: str, root: Node, lines: Lines, *, until: int) -> tuple[Comment, ...]:
    """Every comment before offset ``until``: a ``#`` at the start or behind white space that stands in no scalar."""
    if "#" not in text:
        return ()
    starts, ends = _scalars(text, root)
    found = []
    offset = 0
    while match := _COMMENT.search(text, offset, until):
        start = match.start()
        index = bisect_right(starts, start) - 1
        if index >= 0 and start < ends[index]:
            offset = ends[index]
            continue
        offset = match.end()
        line, column = lines.position(start)
        own_line = not text[start - column + 1 : start].strip(" \t")
        found.append(Comment(line, column, match.group()[1:], own_line))
    return tuple(found)


def _scalars(text: str, root: Node) -> tuple[list[int], list[int]]:
    """Where the characters of scalars start and end, in order; headers of block scalars and properties left out."""
    spans = []
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, MapNode):
            for key, child in node.entries.values():
                spans.append(key)
                stack.append(child)
        elif isinstance(node, ListNode):
            stack.extend(node.items)
        elif isinstance(node, AliasNode):
            spans.append(node.span)
        else:
            spans.append(node)
    spans.sort()
    starts, ends = [], []
    for span in spans:
        start, end = span >> SHIFT, span & MASK
        if text[start : start + 1] in ("&", "!") and (match := PROPERTIES.match(text, start, end)):
            start = match.end()
        if text[start : start + 1] in ("|", ">") and (match := _LINE.match(text, start)):
            start = match.end()
        if start < end:
            starts.append(start)
            ends.append(end)
    return starts, ends
