"""JSON Schema keywords that the library's own versions would make slow, unsafe or wrong, done again.

``pattern`` and ``patternProperties`` match with RE2 in linear time (a search; ``$`` is the end of the text and
nothing else), ``enum`` and ``uniqueItems`` compare canonical keys in a set, ``multipleOf`` counts in exact decimals.
Keywords that multiply work are counted, so that no schema and no value, however large, make a check run for long.

The functions find what they need ready-made in the schema: :func:`prepare` puts it there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import re2
from jsonschema import validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from schemarouter.model.json_value import canonical_json

#: Alternatives, references, patterns and the like that one check may try: a few seconds of work.
MAX_STEPS = 200_000

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


class TooMuchWork(Exception):  # noqa: N818 - it says what happened, and never leaves this package
    """A check took more than :data:`MAX_STEPS`."""


class PatternError(ValueError):
    """RE2 cannot match a pattern."""


class Pattern(str):
    """A ``pattern`` with its compiled form."""

    __slots__ = ("search",)

    search: Callable[[str], object]


class Patterns(dict[str, Any]):
    """``patternProperties`` with compiled keys."""

    __slots__ = ("compiled",)

    compiled: tuple[tuple[str, Callable[[str], object], Any], ...]


class Enum(list[Any]):
    """An ``enum`` with the set of its members' keys."""

    __slots__ = ("keys",)

    keys: frozenset[str]


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


def prepare(schema: dict[str, Any]) -> None:
    """Put compiled patterns and sets of keys into one (sub)schema, in place."""
    if isinstance(schema.get("pattern"), str):
        pattern = Pattern(schema["pattern"])
        pattern.search = compile_pattern(pattern)
        schema["pattern"] = pattern
    if isinstance(schema.get("patternProperties"), dict):
        patterns = Patterns(schema["patternProperties"])
        patterns.compiled = tuple((key, compile_pattern(key), value) for key, value in patterns.items())
        schema["patternProperties"] = patterns
    if isinstance(schema.get("enum"), list):
        enum = Enum(schema["enum"])
        enum.keys = frozenset(map(equality_key, enum))
        schema["enum"] = enum


def equality_key(value: Any) -> str:
    """Return a text that two JSON values share exactly if JSON Schema calls them equal (``1`` and ``1.0`` are)."""
    return '"' + value if type(value) is str else canonical_json(value)


class _Work(threading.local):
    steps = 0


_work = _Work()


def reset_work() -> None:
    """Start counting steps anew, for this thread."""
    _work.steps = 0


def _spend(steps: int) -> None:
    _work.steps += steps
    if _work.steps > MAX_STEPS:
        raise TooMuchWork


def _counted(keyword: Keyword, cost: Callable[[Any, Any], int]) -> Keyword:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError] | None:
        _spend(cost(value, instance))
        return keyword(validator, value, instance, schema)

    return check


def _any_of(validator: Any, schemas: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    _spend(len(schemas))
    if not any(_fits(validator, instance, schema) for schema in schemas):
        yield ValidationError("fits no alternative")


def _one_of(validator: Any, schemas: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    _spend(len(schemas))
    fitting = (True for schema in schemas if _fits(validator, instance, schema))
    if not next(fitting, False) or next(fitting, False):
        yield ValidationError("fits no alternative, or more than one")


def _fits(validator: Any, instance: Any, schema: Any) -> bool:
    """Whether ``instance`` fits: the first error is enough, where the library would collect all of them."""
    return next(validator.descend(instance, schema), None) is None


def _pattern(_validator: Validator, pattern: Pattern, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not pattern.search(instance):
        yield ValidationError("does not match the pattern")


def _pattern_properties(validator: Any, patterns: Patterns, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        _spend(len(patterns) * len(instance))
        for pattern, search, subschema in patterns.compiled:
            for name, value in instance.items():
                if search(name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or allowed is True:
        return
    declared = schema.get("properties", ())
    patterns = schema.get("patternProperties")
    for name, value in instance.items():
        if name in declared or (patterns and any(search(name) for _, search, _ in patterns.compiled)):
            continue
        if allowed is False:
            yield ValidationError("holds a property that is not declared")
            return
        yield from validator.descend(value, allowed, path=name)


def _enum(_validator: Validator, enum: Enum, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if equality_key(instance) not in enum.keys:
        yield ValidationError("is none of the values")


def _unique_items(_validator: Validator, unique: bool, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if unique and isinstance(instance, list) and len(set(map(equality_key, instance))) < len(instance):
        yield ValidationError("holds an item twice")


def _multiple_of(_validator: Validator, unit: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if type(instance) not in (int, float):
        return
    if type(instance) is int and type(unit) is int:
        fits = instance % unit == 0
    else:
        # The numbers that were written, not their nearest binary fractions: 19.99 is a multiple of 0.01.
        fits = (Fraction(Decimal(repr(instance))) / Fraction(Decimal(repr(unit)))).denominator == 1
    if not fits:
        yield ValidationError("is no multiple")


_REPLACED: dict[str, Keyword] = {
    "anyOf": _any_of,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "enum": _enum,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}
#: What one application of a keyword costs, from its value and the instance. Names are looked up fast, 32 to a step;
#: the library compares every member of an object or array with every other for the last two.
_COSTS: dict[str, Callable[[Any, Any], int]] = {
    **dict.fromkeys(("$ref", "not", "if"), lambda _value, _instance: 1),
    **dict.fromkeys(("allOf", "dependentSchemas", "dependencies"), lambda value, _instance: len(value)),
    **dict.fromkeys(("properties", "required", "dependentRequired"), lambda value, _instance: len(value) >> 5),
    "contains": lambda _value, instance: len(instance) if isinstance(instance, list) else 0,
    **dict.fromkeys(
        ("unevaluatedItems", "unevaluatedProperties"),
        lambda _value, instance: len(instance) ** 2 // 2000 if isinstance(instance, list | dict) else 0,
    ),
}


@cache
def checking_class(base: Any) -> Any:
    """Return the validator class of a draft with the keywords of this module."""
    counted = {name: _counted(base.VALIDATORS[name], cost) for name, cost in _COSTS.items() if name in base.VALIDATORS}
    extend: Any = validators.extend
    return extend(base, {**counted, **_REPLACED})
