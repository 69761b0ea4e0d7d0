"""What libyaml says about broken YAML, in our words; and scalars that only lack their quotes.

An unquoted wildcard (``operation: *.delete``) is the commonest mistake in a policy file. Where quoting one scalar is
all that the text needs, the reader goes on as if the quotes were there, so that the errors behind it are found too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ruamel.yaml.error import MarkedYAMLError, YAMLError

from schemarouter.document.limits import MAX_DEPTH, MAX_SECOND_OPINION
from schemarouter.document.positions import Lines
from schemarouter.document.yaml_scalars import quote
from schemarouter.model.diagnostic import Problem, Span


class Repair(NamedTuple):
    """A scalar that needs quotes: its offsets, its text, and what is to be said about it."""

    start: int
    end: int
    text: str
    problem: Problem


#: A plain scalar as its author meant it, up to a comment, a mapping's colon, or (in a flow collection) a delimiter.
_BLOCK_SCALAR = re.compile(r"(?:[^\s:#]|:(?!\s|\Z)|(?<!\s)#|[ \t]+(?=[^\s#]))+")
_FLOW_SCALAR = re.compile(r"(?:\[[^\]\s,\[]*\]|[^\s,\[\]{}:#\"']|:(?![\s,\]}]|\Z)|(?<!\s)#)+")
#: A word with a bracket class or braces in it.
_BRACKETS = re.compile(
    r"(?<![^\s,\[{])(?:[^\s,\[\]{}'\"#]*(?:\[[^\]\s,\[{'\"]*\]|\{[^}\s\[{'\"]*\}))+[^\s,\[\]{}'\"#]*"
)
_CLASS_ALONE = re.compile(r"\[[^!^]|[{]")


def wildcard_repair(text: str, start: int, end: int, lines: Lines) -> Repair:
    """SR003 for the scalar between two offsets, with the quotes as a safe fix."""
    meant = text[start:end]
    lead = meant[0]
    if lead == "*":
        reads = f"YAML reads `{short(meant)}` as an alias"
    elif lead == "?":
        reads = "YAML reads the `?` as the start of a mapping key"
    else:
        reads = f"YAML cannot read `{short(meant)}`: the bracket starts a collection of its own"
    return _repair("SR003", f"the pattern is not quoted: {reads}", text, start, end, lines)


def _repair(code: str, message: str, text: str, start: int, end: int, lines: Lines) -> Repair:
    meant, span = text[start:end], lines.span(start, end)
    quoted = quote(meant)
    advice = f"quote it: `{quoted}`" if len(quoted) <= 60 else "put it into double quotes"
    problem = Problem(code, message, span, help=advice, fix=("safe", ((span, quoted),)))
    return Repair(start, end, meant, problem)


def short(text: str) -> str:
    """``text`` for a message: one line, not too long."""
    text = text.partition("\n")[0]
    return text if len(text) <= 40 else text[:37] + "..."


def error_offset(error: YAMLError, text: str) -> int:
    """Where the parser stopped."""
    if isinstance(error, MarkedYAMLError):
        for mark in (error.problem_mark, error.context_mark):
            if mark is not None:
                return min(int(mark.index), len(text))
    position = getattr(error, "position", 0)
    return min(position, len(text)) if isinstance(position, int) else 0


def _context_offset(error: YAMLError, text: str) -> int | None:
    mark = error.context_mark if isinstance(error, MarkedYAMLError) else None
    return None if mark is None else min(int(mark.index), len(text))


def find_repair(error: YAMLError, text: str, in_flow: bool, lines: Lines) -> Repair | None:
    """The scalar whose missing quotes explain ``error``; ``None`` if it is something else."""
    if not isinstance(error, MarkedYAMLError):
        return None
    problem, at, context = error.problem or "", error_offset(error, text), _context_offset(error, text)
    if error.context == "while scanning an alias" and context is not None and _starts_a_value(text, context):
        return _scalar_at(text, context, in_flow, lines)
    if problem == "mapping keys are not allowed in this context" and text[at : at + 1] == "?":
        return _scalar_at(text, at, in_flow, lines)
    if error.context == "while scanning a plain scalar" and problem == "found unexpected ':'" and context is not None:
        match = re.compile(r"[^\s,\[\]{}#]+").match(text, context)
        if match is not None:
            message = f"`{short(match.group())}` is not quoted: YAML readers disagree about the colon in it"
            return _repair("SR001", message, text, match.start(), match.end(), lines)
    if not problem.startswith("did not find expected"):
        return None
    for offset in dict.fromkeys((at, at - 1, context)):
        if offset is not None and offset >= 0 and (found := _brackets_at(text, offset, lines)) is not None:
            return found
    return None


def _starts_a_value(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] in " \t\r\n[{,"


def _scalar_at(text: str, start: int, in_flow: bool, lines: Lines) -> Repair | None:
    line_start = start - lines.position(start)[1] + 1
    before = re.sub(r"\"[^\"]*\"|'[^']*'", "", text[line_start:start])
    flow = in_flow or before.count("[") + before.count("{") > before.count("]") + before.count("}")
    match = (_FLOW_SCALAR if flow else _BLOCK_SCALAR).match(text, start)
    if match is None:
        return None
    return wildcard_repair(text, start, start + len(match.group().rstrip()), lines)


def _brackets_at(text: str, offset: int, lines: Lines) -> Repair | None:
    line, _column = lines.position(offset)
    first, last = lines.start(line), lines.start(line + 1)
    if last - first > MAX_SECOND_OPINION:
        return None
    for match in _BRACKETS.finditer(text, first, last):
        word = match.group().rstrip(":")
        start, end = match.start(), match.start() + len(word)
        if start <= offset <= end:
            closed = word.endswith(("]", "}"))
            if closed and _CLASS_ALONE.match(word) and word.count("[") + word.count("{") == 1:
                return None  # an ordinary flow collection
            return wildcard_repair(text, start, end, lines)
    return None


_QUOTE = "if this belongs to the text of a value, put the value into double quotes"
_INDENT = "check the indentation of this line and of the lines above it"
#: problem of libyaml -> message, help, whether the place to show is where the broken construct starts
_WORDING: dict[str, tuple[str, str, bool]] = {
    "mapping values are not allowed in this context": (
        "a second `: ` stands in one value, or the line is indented too far",
        _QUOTE + "; otherwise " + _INDENT,
        False,
    ),
    "mapping keys are not allowed in this context": ("a key cannot start here", _QUOTE, False),
    "block sequence entries are not allowed in this context": (
        "a list item cannot start here",
        "start each `- item` on a line of its own; if the dash belongs to a value, put the value into double quotes",
        False,
    ),
    "did not find expected key": ("this does not continue the mapping", _INDENT + "; " + _QUOTE, False),
    "did not find expected '-' indicator": ("this does not continue the list", _INDENT, False),
    "did not find expected ',' or ']'": ("the list is not closed by `]`", "add the missing `,` or `]`", True),
    "did not find expected ',' or '}'": ("the mapping is not closed by `}`", "add the missing `,` or `}`", True),
    "could not find expected ':'": ("the key has no colon behind it", "write `key: value`", True),
    "did not find expected <document start>": ("this does not belong to the document above", _INDENT, False),
    "found unknown escape character": (
        "a backslash starts an escape that YAML does not have",
        "use single quotes, in which a backslash is an ordinary character",
        False,
    ),
    "did not find expected alphabetic or numeric character": ("`&` starts an anchor, which has no name", _QUOTE, False),
    "did not find expected node content": ("a value is missing here", _QUOTE, False),
    "did not find expected hexdecimal number": ("an escape lacks its digits", "write `\\xNN` or `\\uNNNN`", False),
    "found unexpected document indicator": ("the quote is not closed before the document ends", "close it", True),
    "did not find expected comment or line break": (
        "something stands behind the `|` or `>` of a block text",
        "start the text on the next line",
        False,
    ),
    "found an indentation indicator equal to 0": (
        "the indentation of a block text is given as 0",
        "remove the number behind the `|` or `>`",
        False,
    ),
    "found invalid Unicode character escape code": (
        "an escape names no character",
        "remove it: code points end at 10FFFF, and D800 to DFFF are none",
        False,
    ),
    "found undefined tag handle": ("a tag stands here", "remove it; if it is part of the text, use quotes", False),
}
_TABS = (
    "found a tab character that violates indentation",
    "found a tab character where an indentation space is expected",
)


def syntax_problem(error: YAMLError, text: str, lines: Lines) -> Problem:
    """SR001 at the author's line and column, in our words where we have some."""
    at, context = error_offset(error, text), _context_offset(error, text)
    problem = (error.problem if isinstance(error, MarkedYAMLError) else None) or "the text is not YAML"
    where = (error.context if isinstance(error, MarkedYAMLError) else None) or ""
    code, message, advice, start = "SR001", problem, _QUOTE, at
    character = text[at : at + 1]
    if "directive" in where or problem == "found incompatible YAML document":
        message, advice = "a directive (`%...`) stands here", "remove the line; the file is read as YAML 1.2"
        start = at if context is None else context
    elif problem in _TABS or (character == "\t" and "cannot start any token" in problem):
        message, advice = "a tab is used for indentation", "indent with spaces"
    elif "cannot start any token" in problem:
        message = f"a value cannot start with `{character}`"
        advice = "put the value into double quotes"
    elif problem == "found unexpected end of stream" and "quoted scalar" in where:
        message, advice, start = "the quote is never closed", "add the closing quote", context or 0
    elif problem in _WORDING:
        message, advice, opening = _WORDING[problem]
        if opening and context is not None:
            start = context
        if problem == "found undefined tag handle":
            code = "SR008"
    elif "maximum" in problem or "limit" in problem:
        code, message, advice = "SR010", f"the text is nested more than {MAX_DEPTH} deep", "flatten it"
    else:
        message = (f"{where}: {problem}" if where else problem).rstrip(".")
    no_quotes = character == "\t" or "directive" in message or "quoted scalar" in where
    if code == "SR001" and not no_quotes and _second_opinion(text):
        message += ", though some YAML readers accept it"
        advice = "quote the scalar on this line, so that every reader agrees"
    return Problem(code, message, _span(text, start, lines), help=advice)


def _span(text: str, start: int, lines: Lines) -> Span:
    """From ``start`` over the word that stands there; at the end of the text, its last line that holds something."""
    if start >= len(text):
        start = len(text.rstrip())
    match = re.compile(r"[^\s,\[\]{}]+|[^\r\n]").match(text, start)
    return lines.span(start, match.end() if match else start)


def _second_opinion(text: str) -> bool:
    """Whether the pure Python parser reads the text. It is slow and is asked about small texts only, once."""
    if len(text) > MAX_SECOND_OPINION:
        return False
    from ruamel.yaml import YAML

    depth = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            depth += type(event).__name__.endswith("StartEvent")
            depth -= type(event).__name__.endswith("EndEvent")
            if depth > MAX_DEPTH:
                return False
    except (YAMLError, ValueError, RecursionError, AttributeError, IndexError, TypeError, AssertionError):
        return False  # the second parser may fail as it likes: it is only asked for better advice
    return True
