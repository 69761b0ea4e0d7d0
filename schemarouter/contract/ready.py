"""Keyword values made ready at registration, so that a check only has to use them.

They stand in the place of the values that they extend, in the private copy of a schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import re2

from schemarouter.model.json_value import canonical_json


class PatternError(ValueError):
    """RE2 cannot match a pattern."""


class Pattern(str):
    """A ``pattern`` with its compiled form."""

    __slots__ = ("search",)

    search: Callable[[str], object]


class Patterns(dict[str, Any]):
    """``patternProperties`` with compiled keys."""

    __slots__ = ("compiled",)

    compiled: tuple[tuple[Callable[[str], object], Any], ...]


class Enum(list[Any]):
    """An ``enum`` with the set of its members' keys."""

    __slots__ = ("keys",)

    keys: frozenset[str]


class Reference(str):
    """A ``$ref`` with the schema that it leads to."""

    __slots__ = ("target",)

    target: Any


def prepare(schema: dict[str, Any], *, lone_references: bool) -> None:
    """Make the values of one (sub)schema ready, in place. Raises :class:`PatternError`.

    ``lone_references``: as up to draft 7, nothing that stands beside a ``$ref`` counts.
    """
    if isinstance(schema.get("pattern"), str):
        pattern = Pattern(schema["pattern"])
        pattern.search = compile_pattern(pattern)
        schema["pattern"] = pattern
    if isinstance(schema.get("patternProperties"), dict):
        patterns = Patterns(schema["patternProperties"])
        patterns.compiled = tuple((compile_pattern(key), value) for key, value in patterns.items())
        schema["patternProperties"] = patterns
    if isinstance(schema.get("enum"), list):
        enum = Enum(schema["enum"])
        enum.keys = frozenset(map(equality_key, enum))
        schema["enum"] = enum
    if lone_references and "$ref" in schema:
        reference = schema["$ref"]
        schema.clear()
        schema["$ref"] = reference


def compile_pattern(pattern: str) -> Callable[[str], object]:
    """Return the search function of ``pattern``; raise :class:`PatternError` where RE2 has none."""
    options = re2.Options()
    options.log_errors = False
    try:
        search: Callable[[str], object] = re2.compile(pattern, options=options).search
    except (re2.error, UnicodeEncodeError):
        raise PatternError(
            "is no pattern that can be matched in linear time (RE2 syntax, without look-around and back-references)"
        ) from None
    return search


def equality_key(value: Any) -> str:
    """Return a text that two JSON values share exactly if JSON Schema calls them equal (``1`` and ``1.0`` are)."""
    return '"' + value if type(value) is str else canonical_json(value)
