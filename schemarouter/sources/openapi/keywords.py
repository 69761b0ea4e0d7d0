"""Which keywords of a Schema Object are taken over, and what their values must look like.

What is not listed (``example``, ``xml``, ``discriminator``, ``x-...``) asserts nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from schemarouter.contract.ready import PatternError, compile_pattern, equality_key
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.sources.openapi.limits import MAX_DESCRIPTION, MAX_VALUE_DEPTH

TYPES: Final = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})


class Unusable(ValueError):  # noqa: N818 - the converter makes a note of it
    """The value of a keyword cannot be taken; the text is the end of a sentence about the keyword."""


def text(value: Any) -> str:
    """A description, bounded, and without what is not Unicode; not text means none."""
    if not isinstance(value, str):
        return ""
    return value[:MAX_DESCRIPTION].encode("utf-8", "replace").decode("utf-8")


def json_value(value: Any) -> Any:
    """A private copy of a ``default`` or ``const``."""
    try:
        copy = checked_copy(value)
    except JsonValueError as error:
        raise Unusable(error.reason) from None
    if _depth(copy) > MAX_VALUE_DEPTH:
        raise Unusable(f"is nested deeper than {MAX_VALUE_DEPTH} levels")
    return copy


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0) if isinstance(value, dict | list) else 0


def _number(value: Any) -> Any:
    if type(value) not in (int, float) or value - value != 0:
        raise Unusable("is no finite number")
    return json_value(value)


def _positive(value: Any) -> Any:
    if _number(value) <= 0:
        raise Unusable("is not positive")
    return value


def _count(value: Any) -> Any:
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int or value < 0:
        raise Unusable("is no count")
    return json_value(value)


def _boolean(value: Any) -> Any:
    if type(value) is not bool:
        raise Unusable("is no boolean")
    return value


def _string(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unusable("is no text")
    return text(value)


def _pattern(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unusable("is no text")
    try:
        compile_pattern(value)
    except PatternError:
        raise Unusable("cannot be matched in linear time (RE2 syntax)") from None
    return value


def _enum(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise Unusable("is no list of values")
    return list({equality_key(member): member for member in map(json_value, value)}.values())


def _names(value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Unusable("is no list of names")
    return json_value(list(dict.fromkeys(value)))


def _names_by_name(value: Any) -> Any:
    if not isinstance(value, dict):
        raise Unusable("is no map of names")
    return {name: _names(names) for name, names in value.items()}


#: Keywords whose value holds no schema. ``type``, ``nullable`` and the exclusive limits are treated by the converter.
PLAIN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "title": _string,
    "description": _string,
    "default": json_value,
    "deprecated": _boolean,
    "readOnly": _boolean,
    "writeOnly": _boolean,
    "format": _string,
    "contentEncoding": _string,
    "contentMediaType": _string,
    "enum": _enum,
    "multipleOf": _positive,
    "maximum": _number,
    "minimum": _number,
    "maxLength": _count,
    "minLength": _count,
    "pattern": _pattern,
    "maxItems": _count,
    "minItems": _count,
    "uniqueItems": _boolean,
    "maxProperties": _count,
    "minProperties": _count,
    "required": _names,
}
#: The same, for what came with 3.1.
PLAIN_31: Final[Mapping[str, Callable[[Any], Any]]] = {
    "const": json_value,
    "maxContains": _count,
    "minContains": _count,
    "dependentRequired": _names_by_name,
}
#: Keywords whose loss changes nothing that is asserted.
DESCRIPTIVE: Final = frozenset(
    {
        "title",
        "description",
        "default",
        "deprecated",
        "readOnly",
        "writeOnly",
        "format",
        "contentEncoding",
        "contentMediaType",
    }
)
ONE, MANY, MAP = "one", "many", "map"
#: Keywords with subschemas.
NESTED: Final[Mapping[str, str]] = {
    "properties": MAP,
    "items": ONE,
    "additionalProperties": ONE,
    "allOf": MANY,
    "anyOf": MANY,
    "oneOf": MANY,
    "not": ONE,
}
NESTED_31: Final[Mapping[str, str]] = {
    "patternProperties": MAP,
    "prefixItems": MANY,
    "contains": ONE,
    "propertyNames": ONE,
    "if": ONE,
    "then": ONE,
    "else": ONE,
    "dependentSchemas": MAP,
    "unevaluatedItems": ONE,
    "unevaluatedProperties": ONE,
}
