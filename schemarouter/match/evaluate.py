"""Conditions as functions from a value to yes, no or cannot tell (SPEC 2.6). Standard library only.

Kleene's logic: ``None`` is "indeterminate". A test of a value that it is not about is indeterminate, never false. One
test reads a value once; how deep tests recurse is bounded by the condition, whatever the value.
"""

from __future__ import annotations

from schemarouter.match.keywords import FAMILIES, TYPES
from schemarouter.match.pattern import PatternSet
from schemarouter.match.strings import is_under_any, plain_host, plain_path
from schemarouter.match.values import family, is_integer, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeAlias

    Kleene: TypeAlias = bool | None
    #: A value and its family -> whether it passes.
    Test: TypeAlias = Callable[[Any, str], Kleene]


def all_of(answers: Iterable[Kleene]) -> Kleene:
    """Kleene's "and": no if any says no, else cannot tell if any cannot, else yes."""
    result: Kleene = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def any_of(answers: Iterable[Kleene]) -> Kleene:
    """Kleene's "or": yes if any says yes, else cannot tell if any cannot, else no."""
    result: Kleene = False
    for answer in answers:
        if answer is True:
            return True
        if answer is None:
            result = None
    return result


class Check:
    """A compiled condition. ``tests``: each keyword with its function, in the order in which they were written."""

    __slots__ = ("absent", "tests")

    def __init__(self, condition: Mapping[str, Any], *, ordinary_type: bool = False) -> None:
        """``condition`` must be free of problems. ``ordinary_type``: it stands inside ``anyOf`` or ``not``."""
        #: What a missing argument or member means to it.
        self.absent: Kleene = condition.get("absent")
        listed = condition.get("type", ())
        types = (listed,) if isinstance(listed, str) else tuple(listed)
        families = frozenset(TYPES[name] for name in types)
        tests: list[tuple[str, Test]] = []
        for keyword, operand in condition.items():
            if keyword == "type":
                tests.append((keyword, _type_test(types, families, False if ordinary_type else None)))
            elif keyword in _COMBINE:
                tests.append((keyword, _COMBINE[keyword](operand, ordinary_type)))
            elif keyword == "additionalProperties":
                tests.append((keyword, _about("object", families, _closed(condition.get("properties", {})))))
            elif keyword != "absent":
                tests.append((keyword, _about(FAMILIES[keyword], families, _MAKE[keyword](operand, ordinary_type))))
        self.tests = tuple(tests)

    def __call__(self, value: object) -> Kleene:
        """Whether ``value``, which is there, satisfies the condition."""
        kind = family(value)
        if kind is None:
            return None
        result: Kleene = True
        for _, test in self.tests:
            answer = test(value, kind)
            if answer is False:
                return False
            if answer is None:
                result = None
        return result


def _about(kind: str, families: frozenset[str], test: Callable[[Any], Kleene]) -> Test:
    """``test`` for values of family ``kind``. Others pass where ``type`` lists them, else nobody can tell."""
    others = families - {kind}

    def about(value: Any, actual: str) -> Kleene:
        if actual == kind:
            return test(value)
        return True if actual in others else None

    return about


def _type_test(types: tuple[str, ...], families: frozenset[str], otherwise: Kleene) -> Test:
    whole_only = "integer" in types and "number" not in types

    def test(value: Any, kind: str) -> Kleene:
        if kind in families and not (whole_only and kind == "number" and not is_integer(value)):
            return True
        return otherwise

    return test


def _one_of(members: list[object]) -> Test:
    keys = frozenset(key(member) for member in members)
    families = frozenset(family(member) for member in members)

    def test(value: Any, kind: str) -> Kleene:
        if kind not in families:
            return None
        try:
            return key(value) in keys
        except ValueError:
            return None

    return test


def _negation(condition: Mapping[str, Any]) -> Test:
    check = Check(condition, ordinary_type=True)

    def test(value: Any, _kind: str) -> Kleene:
        answer = check(value)
        return None if answer is None else not answer

    return test


def _several(
    conditions: list[Mapping[str, Any]], combine: Callable[[Iterable[Kleene]], Kleene], ordinary: bool
) -> Test:
    checks = [Check(condition, ordinary_type=ordinary) for condition in conditions]
    return lambda value, _kind: combine(check(value) for check in checks)


def _items(
    condition: Mapping[str, Any], combine: Callable[[Iterable[Kleene]], Kleene], ordinary: bool
) -> Callable[[Any], Kleene]:
    check = Check(condition, ordinary_type=ordinary)
    return lambda value: combine(map(check, value))


def _members(conditions: Mapping[str, Mapping[str, Any]], ordinary: bool) -> Callable[[Any], Kleene]:
    """A member that is not there is as unknown as a missing argument, unless its condition says ``absent``."""
    checks = [(name, Check(condition, ordinary_type=ordinary)) for name, condition in conditions.items()]
    return lambda value: all_of(check(value[name]) if name in value else check.absent for name, check in checks)


def _closed(properties: Mapping[str, object]) -> Callable[[Any], Kleene]:
    known = frozenset(properties)
    return lambda value: known.issuperset(value)


def _required(names: list[str]) -> Callable[[Any], Kleene]:
    return lambda value: all(name in value for name in names)


def _like(patterns: str | list[str]) -> Callable[[Any], Kleene]:
    return PatternSet(_listed(patterns)).matches


def _host(patterns: str | list[str]) -> Callable[[Any], Kleene]:
    wanted = PatternSet(_listed(patterns))

    def test(value: Any) -> Kleene:
        host = plain_host(value)
        return None if host is None else wanted.matches(host)

    return test


def _under(folders: str | list[str]) -> Callable[[Any], Kleene]:
    plain = [folder for folder in map(plain_path, _listed(folders)) if folder is not None]

    def test(value: Any) -> Kleene:
        path = plain_path(value)
        return None if path is None else is_under_any(path, plain)

    return test


def _listed(operand: str | list[str]) -> list[str]:
    return [operand] if isinstance(operand, str) else operand


_COMBINE: dict[str, Callable[[Any, bool], Test]] = {
    "const": lambda member, _: _one_of([member]),
    "enum": lambda members, _: _one_of(members),
    "allOf": lambda conditions, ordinary: _several(conditions, all_of, ordinary),
    "anyOf": lambda conditions, _: _several(conditions, any_of, True),
    "not": lambda condition, _: _negation(condition),
}
_MAKE: dict[str, Callable[[Any, bool], Callable[[Any], Kleene]]] = {
    "minimum": lambda bound, _: lambda value: value >= bound,
    "maximum": lambda bound, _: lambda value: value <= bound,
    "exclusiveMinimum": lambda bound, _: lambda value: value > bound,
    "exclusiveMaximum": lambda bound, _: lambda value: value < bound,
    "minLength": lambda count, _: lambda value: len(value) >= count,
    "maxLength": lambda count, _: lambda value: len(value) <= count,
    "minItems": lambda count, _: lambda value: len(value) >= count,
    "maxItems": lambda count, _: lambda value: len(value) <= count,
    "like": lambda patterns, _: _like(patterns),
    "under": lambda folders, _: _under(folders),
    "host": lambda patterns, _: _host(patterns),
    "items": lambda condition, ordinary: _items(condition, all_of, ordinary),
    "contains": lambda condition, ordinary: _items(condition, any_of, ordinary),
    "properties": _members,
    "required": lambda names, _: _required(names),
}
