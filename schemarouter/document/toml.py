"""TOML to plain data and spans: our scanner for the places, then ``tomllib`` as the judge, checked for equal shape."""

from __future__ import annotations

import gc
import re
import tomllib
from bisect import bisect_right
from functools import partial
from typing import Any

from schemarouter.document.positions import MASK, SHIFT, Lines, ListNode, MapNode, Node, ParsedSource
from schemarouter.document.source import Comment, Scalar
from schemarouter.document.toml_scan import Scanner
from schemarouter.document.toml_tables import ScanError
from schemarouter.model.diagnostic import DocPath, Problem, Span, Target


def read_toml(text: str, path: str, lines: Lines) -> tuple[ParsedSource | None, list[Problem]]:
    """The pass "tree" for TOML. ``text`` holds no character that ``document.text`` refuses. Never raises."""
    collecting = gc.isenabled()
    gc.disable()  # a hundred thousand small objects, none of them garbage
    try:
        return _read(text, path, lines)
    finally:
        if collecting:
            gc.enable()


def _read(text: str, path: str, lines: Lines) -> tuple[ParsedSource | None, list[Problem]]:
    scanner = Scanner(text, lines)
    try:
        scanner.run()
    except ScanError as error:
        # Of what stands before, tomllib may still have something to say; what stands behind nobody has measured.
        said = [Problem(error.code, error.message, lines.span(error.start, error.end), help=error.advice)]
        if error.code == "SR001":
            before = scanner.statements[-1] if scanner.statements else 0
            scanner.abandon(before)
            _data, judged = _judge(_without(text[:before], scanner.repeated), scanner, lines)
            said = judged + said
        return None, [*scanner.problems, *said]
    data, judged = _judge(_without(text, scanner.repeated), scanner, lines)
    problems = [*scanner.problems, *judged]
    if data is None:
        return None, problems
    odd = _compare(data, scanner.root, text)
    if odd is None:
        message = "the places of this file's keys cannot be told"
        return None, [*problems, Problem("SR001", message, Span(1, 1, 1, 1), help="write it in a simpler form of TOML")]
    source = ParsedSource(path, "toml", text, data, scanner.root, lines, partial(_comments, scanner.comments), _written)
    return source, problems + odd


def _without(text: str, repeated: list[tuple[int, int]]) -> str:
    """``text`` with blanks in place of what is defined twice; everything else stays where it is."""
    pieces: list[str] = []
    position = 0
    for start, end in sorted(repeated):
        if end > position:
            start = max(start, position)
            pieces += (text[position:start], re.sub(r"[^\r\n]", " ", text[start:end]))
            position = end
    return "".join(pieces) + text[position:] if pieces else text


_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_STATEMENT = ("Cannot ", "Duplicate ")
_NEEDS_QUOTES = "put a string into quotes; the other values are numbers, `true`, `false`, arrays and inline tables"
#: How messages of tomllib start -> ours, and the help.
_WORDING = (
    ("Invalid value", "this is not a TOML value", _NEEDS_QUOTES),
    ("Expected newline or end of document", "this is not a TOML value", _NEEDS_QUOTES),
    (
        "Invalid initial character for a key part",
        "a key is missing here",
        "write `key = value`; no comma before the `}`",
    ),
    ("Unclosed inline table", "the inline table is not closed by `}`", "add the missing `,` or `}`"),
    ("Invalid statement", "this is not a TOML statement", "write `key = value` or a `[table]` header"),
    (
        "Unescaped '\\'",
        "a backslash starts an escape that TOML does not have",
        "use single quotes: a backslash is an ordinary character there",
    ),
    (
        "Illegal character",
        "a string holds a character that is not allowed there",
        "text of several lines needs three quotes",
    ),
    ("Escaped character is not", "an escape names a character that does not exist", "write another escape"),
    ("Invalid hex value", "an escape lacks its digits", "write `\\uNNNN`"),
    ("Invalid date or datetime", "there is no such date or time", "put a string into quotes"),
    ("Cannot overwrite", "a key or table is defined twice", "remove one of the two"),
    ("Cannot declare", "a table is defined twice", "remove one of the two"),
    ("Cannot mutate", "an inline table or array cannot be extended", "write all of it in one place"),
    ("Cannot redefine", "a table is defined twice", "remove one of the two"),
    ("Duplicate inline table key", "a key stands twice in an inline table", "remove one of the two"),
)


def _judge(text: str, scanner: Scanner, lines: Lines) -> tuple[Any, list[Problem]]:
    """What ``tomllib`` makes of a text that the scanner has been through."""
    try:
        return tomllib.loads(text), []
    except (ValueError, RecursionError) as error:
        said, offset = str(error), len(text)
        match = _PLACE.search(said)
        if match is not None:
            said = said[: match.start()]
            if match[1] is not None:
                offset = _offset(text, int(match[1]), int(match[2]))
    if said.startswith(_STATEMENT) and scanner.statements:
        # The place given is behind the statement; the statement is meant.
        index = bisect_right(scanner.statements, max(offset - 1, 0)) - 1
        offset = scanner.statements[max(index, 0)]
    message, advice = next(
        ((ours, help_) for theirs, ours, help_ in _WORDING if said.startswith(theirs)),
        (said[:1].lower() + said[1:], "see https://toml.io for what is allowed here"),
    )
    code = "SR002" if said.startswith(_STATEMENT) else "SR001"
    if code == "SR001":
        offset = _value_start(text, offset, said)
    word = re.compile(r"[^\s,\]}]+").match(text, offset)
    return None, [Problem(code, message, lines.span(offset, word.end() if word else offset), help=advice)]


def _offset(text: str, line: int, column: int) -> int:
    """The offset of a place as tomllib counts: it knows LF only."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return min(start + column - 1, len(text))


def _value_start(text: str, offset: int, said: str) -> int:
    """Where the value starts that tomllib complains about: it reads ``01`` as ``0`` and means the ``1``; it shows
    the character behind a bad escape."""
    if said.startswith(("Unescaped", "Escaped", "Invalid hex")):
        return max(text.rfind("\\", 0, offset), 0)
    if not said.startswith("Expected newline"):
        return offset
    while offset > 0 and text[offset - 1] not in " \t\r\n=,[{":
        offset -= 1
    return offset


def _compare(data: Any, root: MapNode, text: str) -> list[Problem] | None:
    """Problems of values that a policy cannot hold, each replaced; ``None`` if data and spans differ in shape."""
    problems: list[Problem] = []
    stack: list[tuple[Any, Node, DocPath]] = [(data, root, ())]
    while stack:
        value, node, path = stack.pop()
        steps: Any
        if isinstance(node, MapNode) and value.__class__ is dict:
            if value.keys() != node.entries.keys():
                return None
            steps = [(step, value[step], child) for step, (_span, child) in node.entries.items()]
        elif isinstance(node, ListNode) and value.__class__ is list and len(value) == len(node.items):
            steps = zip(range(len(value)), value, node.items, strict=True)
        else:
            return None
        for step, inner, child in steps:
            kind = inner.__class__
            if kind is dict or kind is list:
                stack.append((inner, child, (*path, step)))
            elif child.__class__ is not int:
                return None
            elif kind is not str and kind is not bool and kind is not int:
                odd = _odd(inner, text[child >> SHIFT : child & MASK], (*path, step))
                if odd is not None:
                    problem, value[step] = odd
                    problems.append(problem)
    return problems


def _odd(value: object, written: str, path: DocPath) -> tuple[Problem, object] | None:
    """What to say about a value that JSON does not have, and what stands in for it."""
    if isinstance(value, float):
        if value - value == 0.0:
            return None
        message = f"`{written}` is not a finite number"
        return Problem("SR103", message, Target(path), help="write a finite number, or leave the key out"), None
    message = f"`{written}` is a date or a time"
    return Problem("SR006", message, Target(path), help=f'quote it to make it a string: `"{written}"`'), written


def _comments(found: list[tuple[int, int]], text: str, _root: Node, lines: Lines) -> tuple[Comment, ...]:
    comments = []
    for start, end in found:
        line, column = lines.position(start)
        own_line = not text[start - column + 1 : start].strip(" \t")
        comments.append(Comment(line, column, text[start + 1 : end], own_line))
    return tuple(comments)


def _written(text: str) -> Scalar:
    """How a scalar was written, from the text of its span."""
    if text[:1] not in ("'", '"'):
        return Scalar(text, plain=True)
    quotes = 3 if len(text) >= 6 and text[:3] in ("'''", '"""') else 1
    return Scalar(text[quotes:-quotes], plain=False)
