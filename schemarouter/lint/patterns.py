"""How a pattern is written, as opposed to what it matches: its pieces, and questions that several rules ask of them."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from schemarouter.catalog.verbs import words_of
from schemarouter.match.pattern import literal, matches
from schemarouter.model.names import split_operation

#: ``text``: a run of ordinary characters; ``star``: a run of ``*``; ``any``: one ``?``; ``bracket``: ``[...]``;
#: ``open``: a ``[`` that is never closed, which is an ordinary character.
Kind: TypeAlias = Literal["text", "star", "any", "bracket", "open"]


class Piece(NamedTuple):
    """A stretch of a pattern as it is written, and the index where it starts."""

    kind: Kind
    text: str
    start: int


# Possessive, as fnmatch reads brackets: one `!`, then one `]`, belong to the bracket and never close it.
_PIECE = re.compile(r"(?P<star>\*+)|(?P<any>\?)|(?P<bracket>\[!?+\]?+[^\]]*+\])|(?P<text>[^*?\[]+)|(?P<open>\[)")
_SPECIAL = re.compile(r"[*?\[]")


@lru_cache(maxsize=65_536)
def pieces(pattern: str) -> tuple[Piece, ...]:
    """Cut ``pattern`` into its pieces, which joined give the pattern again. Linear in its length."""
    if not _SPECIAL.search(pattern):
        return (Piece("text", pattern, 0),) if pattern else ()
    found: list[Piece] = []
    position, length = 0, len(pattern)
    piece = _PIECE
    while position < length:
        match = piece.match(pattern, position)
        if match is None:  # pragma: no cover - every character starts a piece
            raise AssertionError(pattern)
        kind: Kind = match.lastgroup  # type: ignore[assignment] # the groups are named after the kinds
        if kind == "open":
            # No later bracket can be closed either; looking again for each would be quadratic.
            piece = re.compile(r"(?P<star>\*+)|(?P<any>\?)|(?P<text>[^*?\[]+)|(?P<open>\[)")
        found.append(Piece(kind, match[0], position))
        position = match.end()
    return tuple(found)


def is_literal(pattern: str) -> bool:
    """Whether ``pattern`` has no wildcards (a ``[`` that is never closed is none)."""
    return all(piece.kind in {"text", "open"} for piece in pieces(pattern))


def covers_everything(pattern: str) -> bool:
    """Whether ``pattern`` consists of wildcards and dots only, such as ``*`` and ``*.*``, and so takes every tool."""
    found = pieces(pattern)
    return any(piece.kind == "star" for piece in found) and all(
        piece.kind in {"star", "any"} or piece.text == "." for piece in found
    )


def whole_tool(pattern: str) -> str | None:
    """The tool whose every operation ``pattern`` takes: ``github`` for ``github.*``, else ``None``."""
    found = pieces(pattern)
    if len(found) < 2 or found[0].kind != "text" or not found[0].text.endswith("."):
        return None
    kinds = [piece.kind for piece in found[1:]]
    return found[0].text[:-1] or None if kinds in (["star"], ["any", "star"], ["star", "any"]) else None


def lacks_endpoint_part(pattern: str) -> bool:
    """Whether ``pattern`` is a name without a dot, bare or with a star behind it: ``github``, ``github*``."""
    if "." in pattern:
        return False
    kinds = [piece.kind for piece in pieces(pattern)]
    return kinds in (["text"], ["text", "star"])


def names_no_operation(pattern: str) -> bool:
    """Whether ``pattern`` stands for one text only, and it is no operation: ``github``, ``files.``, ``.read``."""
    only = literal(pattern)
    return only is not None and not split_operation(only)


def crosses_tools(pattern: str) -> bool:
    """Whether a star stands before the first dot that is written out, beside characters that are: ``*delete*``."""
    crossing = False
    for piece in pieces(pattern):
        if piece.kind == "star":
            crossing = True
            break
        if "." in piece.text:
            return False
    return crossing and not covers_everything(pattern)


def quoted(text: str) -> str:
    """``text`` as a string of YAML and of TOML alike."""
    return json.dumps(text, ensure_ascii=False)


_BRACES = r"\{[^{},]*,[^{}]*\}"


def braces(pattern: str) -> str | None:
    """The first ``{a,b}`` in ``pattern`` that stands outside brackets."""
    if "{" not in pattern:
        return None
    outside = "".join("\0" * len(piece.text) if piece.kind == "bracket" else piece.text for piece in pieces(pattern))
    match = re.search(_BRACES, outside)
    return match[0] if match and "\0" not in match[0] else None


def alternatives(pattern: str) -> list[str]:
    """What a shell would make of the one ``{a,b}`` in ``pattern``."""
    match = re.search(_BRACES, pattern)
    if match is None:
        return [pattern]
    return [pattern[: match.start()] + choice + pattern[match.end() :] for choice in match[0][1:-1].split(",")]


def endpoint_words(pattern: str) -> list[str]:
    """The words that are written out in the last part of ``pattern``: ``jobs.deleteAll*`` gives ``delete``, ``all``."""
    spelled = "".join(piece.text if piece.kind == "text" else "*" for piece in pieces(pattern))
    return words_of(spelled)


def sample_operation(pattern: str) -> str | None:
    """A short operation that ``pattern`` matches, or ``None`` where a simple one cannot be made."""
    for star in ("", "x", "x.x"):
        made = "".join(
            star if piece.kind == "star" else "x" if piece.kind == "any" else _member(piece)
            for piece in pieces(pattern)
        )
        if split_operation(made) and matches(pattern, made):
            return made
    return None


def _member(piece: Piece) -> str:
    """A character that a bracket may well match, or the text of any other piece."""
    if piece.kind != "bracket":
        return piece.text
    return "x" if piece.text.startswith("[!") else piece.text[1]
