"""Arguments for a witness: values that satisfy some conditions and fail others, by construction and trial.

Whether values exist is not decided here, only looked for, in a bounded number of trials. What is found was evaluated;
what is not found says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from schemarouter.analysis.words import words_of
from schemarouter.match.conditions import Conditions, compile_conditions

#: Values tried for one argument, and sets of arguments tried for one witness.
_VALUES = 24
_TRIALS = 400
#: Values of every type, for failing a condition or for satisfying one that says little.
_POOL: tuple[Any, ...] = ("x", "", 0, 1, -1, 1_000_000, True, False, [], {}, ["x"], None, "x" * 80)
_DEPTH = 6


def find_arguments(hold: Iterable[Conditions], fail: Iterable[Conditions]) -> dict[str, Any] | None:
    """Arguments for which every one of ``hold`` holds and every one of ``fail`` fails, or ``None`` if none were found."""
    wanted = list(dict.fromkeys(hold))
    unwanted = [one for one in dict.fromkeys(fail) if one not in wanted]
    names: dict[str, list[Any]] = {}
    for conditions in wanted:
        for name, condition in conditions.canonical().items():
            candidates = names.setdefault(name, [])
            candidates += [value for value in _satisfying(condition, 0) if value not in candidates]
    free: dict[str, list[Any]] = {}
    for conditions in unwanted:
        for name, condition in conditions.canonical().items():
            if name not in names:
                free.setdefault(name, [])
                free[name] += [value for value in _failing(condition) if value not in free[name]]
    choices = [[(name, value) for value in values[:_VALUES]] for name, values in names.items()]
    choices += [[(name, value) for value in values[:_VALUES]] for name, values in free.items() if values]
    for picked in islice(product(*choices), _TRIALS):
        arguments = _assemble(picked)
        if (
            arguments is not None
            and all(one.evaluate(arguments) is True for one in wanted)
            and all(one.evaluate(arguments) is False for one in unwanted)
        ):
            return arguments
    return None


def _satisfying(condition: Mapping[str, Any], depth: int) -> list[Any]:
    """Values that a condition may hold for, the most likely first; each still has to be evaluated."""
    if depth > _DEPTH:
        return []
    found: list[Any] = []
    if "const" in condition:
        found.append(condition["const"])
    found += condition.get("enum", ())
    for pattern in _listed(condition.get("like")):
        found += islice(words_of(pattern), 4)
    found += [f"{folder.rstrip('/')}/x" for folder in _listed(condition.get("under"))]
    for pattern in _listed(condition.get("host")):
        found += [f"https://{word}/" for word in islice(words_of(pattern), 3)]
    for keyword, step in (("minimum", 0), ("maximum", 0), ("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        if keyword in condition:
            found += [condition[keyword] + step, condition[keyword] + step / 2]
    if "minLength" in condition or "maxLength" in condition:
        found.append("x" * min(condition.get("minLength", 1), 65_536))
    if {"items", "contains", "minItems", "maxItems"} & condition.keys():
        found += _lists(condition, depth)
    if {"properties", "required"} & condition.keys():
        found.append(_members(condition, depth))
    for keyword in ("anyOf", "allOf"):
        for part in condition.get(keyword, ()):
            found += _satisfying(part, depth + 1)
    found += _POOL
    return _distinct(value for value in found if _holds(condition, value) is True)


def _lists(condition: Mapping[str, Any], depth: int) -> Iterator[Any]:
    items = _satisfying(condition["items"], depth + 1) if "items" in condition else ["x"]
    inside = _satisfying(condition["contains"], depth + 1) if "contains" in condition else []
    count = min(condition.get("minItems", 1), 1_000)
    for item in [*inside, *items][:8]:
        yield [item] * max(count, 1)
    yield []


def _members(condition: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = condition.get("properties", {})
    members: dict[str, Any] = dict.fromkeys(condition.get("required", ()), "x")
    for name, part in properties.items():
        values = _satisfying(part, depth + 1)
        if values:
            members[name] = values[0]
    return members


def _failing(condition: Mapping[str, Any]) -> list[Any]:
    found: list[Any] = [_ABSENT] if condition.get("absent") is False else []
    numbers = [condition[key] for key in ("minimum", "exclusiveMinimum") if key in condition]
    found += [number - 1 for number in numbers]
    numbers = [condition[key] for key in ("maximum", "exclusiveMaximum") if key in condition]
    found += [number + 1 for number in numbers]
    found += [text for text in ("/zq/x", "https://zq.example/", "zq") if _holds(condition, text) is False]
    if "not" in condition:
        found += _satisfying(condition["not"], 1)
    if "maxLength" in condition:
        found.append("x" * min(condition["maxLength"] + 1, 65_536))
    if "maxItems" in condition:
        found.append(["x"] * min(condition["maxItems"] + 1, 1_000))
    found += _POOL
    return _distinct(value for value in found if value is _ABSENT or _holds(condition, value) is False)


class _Absent:
    """Stands for an argument that is left out."""


_ABSENT = _Absent()


def _holds(condition: Mapping[str, Any], value: Any) -> bool | None:
    return compile_conditions({"a": condition}).evaluate({"a": value})


def _listed(value: Any) -> Sequence[str]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(type(value) is type(other) and value == other for other in found):
            found.append(value)
    return found


def _assemble(picked: Iterable[tuple[str, Any]]) -> dict[str, Any] | None:
    """Arguments in which each name, or JSON Pointer through maps, has its value; ``None`` if two are in each other's way."""
    arguments: dict[str, Any] = {}
    for name, value in picked:
        if value is _ABSENT:
            continue
        steps = (
            [name]
            if not name.startswith("/")
            else [step.replace("~1", "/").replace("~0", "~") for step in name.split("/")[1:]]
        )
        here: Any = arguments
        for step in steps[:-1]:
            here = here.setdefault(step, {})
            if not isinstance(here, dict):
                return None
        if steps[-1] in here:
            return None
        here[steps[-1]] = value
    return arguments
