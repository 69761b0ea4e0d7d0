"""Conditions written out: their normal form for comparing, and text for people. Standard library only."""

from __future__ import annotations

import re

from schemarouter.match.keywords import KEYWORDS
from schemarouter.match.strings import plain_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

#: What YAML reads as a string without quotes, for short.
_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$./-]*\Z")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off"})
_ORDER = {keyword: place for place, keyword in enumerate(KEYWORDS)}


def normal_form(condition: Mapping[str, Any]) -> dict[str, Any]:
    """An equal condition in normal form, of new lists and maps: ``condition`` must be free of problems.

    Keywords and members in a fixed order, ``15.0`` as ``15``, lists whose order says nothing sorted and without doubles, a
    list of one where one value would do as that value.
    """
    return {keyword: _operand(keyword, condition[keyword]) for keyword in sorted(condition, key=_ORDER.__getitem__)}


def _operand(keyword: str, operand: Any) -> Any:
    if keyword in ("not", "items", "contains"):
        return normal_form(operand)
    if keyword in ("allOf", "anyOf"):
        return [normal_form(condition) for condition in operand]
    if keyword == "properties":
        return {name: normal_form(operand[name]) for name in sorted(operand)}
    if keyword == "under":
        folders = [operand] if isinstance(operand, str) else operand
        return _several([plain_path(folder) for folder in folders])
    if keyword in ("type", "like", "host"):
        return _several([operand] if isinstance(operand, str) else operand)
    if keyword == "required":
        return sorted(operand)
    if keyword == "enum":
        return sorted(map(_value, operand), key=written)
    return _value(operand)


def _several(strings: list[Any]) -> Any:
    distinct = sorted(set(strings))
    return distinct[0] if len(distinct) == 1 else distinct


def _value(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return {name: _value(value[name]) for name in sorted(value)}
    return value


def written(value: object) -> str:
    """A JSON value on one line, as in a YAML flow mapping; different values give different texts."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        if _PLAIN.match(value) and value.lower() not in _WORDS:
            return value
        return '"' + "".join(map(_escaped, value)) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(name)}: {written(member)}" for name, member in value.items()) + "}"
    return repr(value)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
