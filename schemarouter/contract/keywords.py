"""JSON Schema keywords that the library's own versions would make slow, unsafe or wrong, done again.

``pattern`` and ``patternProperties`` match with RE2 in linear time (a search; ``$`` is the end of the text and
nothing else), ``enum`` and ``uniqueItems`` compare canonical keys in a set, ``multipleOf`` counts in exact decimals.
Keywords that multiply work are counted, so that no schema and no value, however large, make a check run for long.
The keywords that lead to subschemas go through :func:`descend`, which makes no new validator for each of them: a
document that has one name and static references needs none. They find their values as ``ready`` makes them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from jsonschema import validators
from jsonschema.exceptions import ValidationError

from schemarouter.contract.ready import Enum, Pattern, Patterns, Reference, equality_key

#: Alternatives, references, patterns and the like that one check may try: a few seconds of work.
MAX_STEPS = 200_000

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]
Errors = Iterator[ValidationError]


class TooMuchWork(Exception):  # noqa: N818 - it says what happened, and never leaves this package
    """A check took more than :data:`MAX_STEPS`."""


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


def descend(validator: Any, instance: Any, schema: Any, path: str | int | None = None) -> Errors:
    """Yield what is wrong with ``instance``, which stands at ``path`` in the value that is being checked."""
    if schema is True:
        return
    if schema is False:
        yield ValidationError("nothing is allowed here", validator="false", path=() if path is None else (path,))
        return
    checks = validator.VALIDATORS
    for keyword, value in schema.items():
        check = checks.get(keyword)
        errors = None if check is None else check(validator, value, instance, schema)
        if errors is not None:
            for error in errors:
                if not isinstance(error.validator, str):
                    error.validator = keyword
                if path is not None:
                    error.path.appendleft(path)
                yield error


def _fits(validator: Any, instance: Any, schema: Any) -> bool:
    """Whether ``instance`` fits: the first error is enough, where the library would collect all of them."""
    return next(descend(validator, instance, schema), None) is None


def _ref(validator: Any, reference: Reference, instance: Any, _schema: Any) -> Errors:
    _spend(1)
    return descend(validator, instance, reference.target)


def _all_of(validator: Any, schemas: Any, instance: Any, _schema: Any) -> Errors:
    _spend(len(schemas))
    for schema in schemas:
        yield from descend(validator, instance, schema)


def _any_of(validator: Any, schemas: Any, instance: Any, _schema: Any) -> Errors:
    _spend(len(schemas))
    if not any(_fits(validator, instance, schema) for schema in schemas):
        yield ValidationError("fits no alternative")


def _one_of(validator: Any, schemas: Any, instance: Any, _schema: Any) -> Errors:
    _spend(len(schemas))
    fitting = (True for schema in schemas if _fits(validator, instance, schema))
    if not next(fitting, False) or next(fitting, False):
        yield ValidationError("fits no alternative, or more than one")


def _properties(validator: Any, properties: Mapping[str, Any], instance: Any, _schema: Any) -> Errors:
    if isinstance(instance, dict):
        _spend(len(properties) >> 5)
        for name, schema in properties.items():
            if name in instance:
                yield from descend(validator, instance[name], schema, name)


def _pattern_properties(validator: Any, patterns: Patterns, instance: Any, _schema: Any) -> Errors:
    if isinstance(instance, dict):
        _spend(len(patterns) * len(instance))
        for search, schema in patterns.compiled:
            for name, value in instance.items():
                if search(name):
                    yield from descend(validator, value, schema, name)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    if not isinstance(instance, dict) or allowed is True:
        return
    declared = schema.get("properties", ())
    patterns = schema.get("patternProperties")
    for name, value in instance.items():
        if name in declared or (patterns and any(search(name) for search, _ in patterns.compiled)):
            continue
        if allowed is False:
            yield ValidationError("holds a property that is not declared")
            return
        yield from descend(validator, value, allowed, name)


def _items(validator: Any, items: Any, instance: Any, schema: Mapping[str, Any]) -> Errors:
    """``items`` since 2020-12: for what ``prefixItems`` leaves."""
    if isinstance(instance, list):
        for index in range(len(schema.get("prefixItems", ())), len(instance)):
            yield from descend(validator, instance[index], items, index)


def _items_or_tuple(validator: Any, items: Any, instance: Any, _schema: Any) -> Errors:
    """``items`` before 2020-12: one schema for all, or one for each of the first ones."""
    if isinstance(instance, list):
        if isinstance(items, list):
            for index, (item, schema) in enumerate(zip(instance, items, strict=False)):
                yield from descend(validator, item, schema, index)
        else:
            for index, item in enumerate(instance):
                yield from descend(validator, item, items, index)


def _pattern(_validator: Any, pattern: Pattern, instance: Any, _schema: Any) -> Errors:
    if isinstance(instance, str) and not pattern.search(instance):
        yield ValidationError("does not match the pattern")


def _enum(_validator: Any, enum: Enum, instance: Any, _schema: Any) -> Errors:
    if equality_key(instance) not in enum.keys:
        yield ValidationError("is none of the values")


def _unique_items(_validator: Any, unique: bool, instance: Any, _schema: Any) -> Errors:
    if unique and isinstance(instance, list) and len(set(map(equality_key, instance))) < len(instance):
        yield ValidationError("holds an item twice")


def _multiple_of(_validator: Any, unit: Any, instance: Any, _schema: Any) -> Errors:
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
    "$ref": _ref,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "items": _items_or_tuple,
    "pattern": _pattern,
    "enum": _enum,
    "uniqueItems": _unique_items,
    "multipleOf": _multiple_of,
}
#: What one application of the library's keywords costs, from its value and the instance. Names are looked up fast, 32
#: to a step; the last two compare every member of an object or array with every other.
_COSTS: dict[str, Callable[[Any, Any], int]] = {
    **dict.fromkeys(("not", "if"), lambda _value, _instance: 1),
    **dict.fromkeys(("dependentSchemas", "dependencies"), lambda value, _instance: len(value)),
    **dict.fromkeys(("required", "dependentRequired"), lambda value, _instance: len(value) >> 5),
    "contains": lambda _value, instance: len(instance) if isinstance(instance, list) else 0,
    **dict.fromkeys(
        ("unevaluatedItems", "unevaluatedProperties"),
        lambda _value, instance: len(instance) ** 2 // 2000 if isinstance(instance, list | dict) else 0,
    ),
}


@cache
def checking_class(base: Any) -> Any:
    """Return the validator class of a draft with the keywords of this module."""
    known: Mapping[str, Any] = base.VALIDATORS
    replaced = {name: check for name, check in _REPLACED.items() if name in known}
    if "prefixItems" in known:
        replaced["items"] = _items
    counted = {name: _counted(known[name], cost) for name, cost in _COSTS.items() if name in known}
    extend: Any = validators.extend
    return extend(base, {**counted, **replaced})
