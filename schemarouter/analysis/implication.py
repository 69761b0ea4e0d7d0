"""Which argument conditions follow from others, as far as that is easily seen. What is not seen counts as independent.

Conditions have three answers, so "follows" is meant both ways: ``one`` implies ``other`` if ``other`` holds whenever ``one``
does, and ``one`` fails whenever ``other`` does. Likewise conditions exclude each other if each fails when the other holds.
Everything here is sound and none of it complete: ``False`` is no claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from schemarouter.analysis.words import lies_within, may_overlap
from schemarouter.match.conditions import Conditions
from schemarouter.match.evaluate import Check
from schemarouter.match.keywords import FAMILIES, TYPES
from schemarouter.match.strings import is_under, plain_path
from schemarouter.match.values import family, key

_Condition = Mapping[str, Any]
_ALL = frozenset(TYPES.values())
#: Families whose values can always be compared; lists and maps may lie too deep for it.
_SCALARS = frozenset(("null", "boolean", "number", "string"))


@lru_cache(maxsize=65_536)
def implies(one: Conditions, other: Conditions) -> bool:
    """Whether ``other`` holds whenever ``one`` does, and ``one`` fails whenever ``other`` does."""
    if one == other:
        return True
    mine, theirs = one.canonical(), other.canonical()
    return all(name in mine and _stronger(mine[name], condition, True) for name, condition in theirs.items())


@lru_cache(maxsize=65_536)
def excludes(one: Conditions, other: Conditions) -> bool:
    """Whether each fails whenever the other holds."""
    mine, theirs = one.canonical(), other.canonical()
    return any(_apart(condition, theirs[name]) for name, condition in mine.items() if name in theirs)


# One argument


def _stronger(one: _Condition, other: _Condition, absence: bool) -> bool:
    if absence and not _absent_stronger(one.get("absent"), other.get("absent")):
        return False
    families = _families(one)
    listed = _types(other)
    if listed:
        if not families <= {TYPES[name] for name in listed}:
            return False
        if "number" in families and _whole_only(listed) and not _whole_only(_types(one)):
            return False
    return all(
        _keyword_follows(one, other, keyword, families) for keyword in other if keyword not in ("type", "absent")
    )


def _absent_stronger(one: bool | None, other: bool | None) -> bool:
    return (one is not True or other is True) and (other is not False or one is False)


def _keyword_follows(one: _Condition, other: _Condition, keyword: str, families: frozenset[str]) -> bool:
    wanted = other[keyword]
    kind = FAMILIES.get(keyword)
    if kind is not None and not families <= {kind, *(TYPES[name] for name in _types(other))}:
        return False  # a value of another type, for which `one` holds, leaves `other` in doubt
    members = _members(one)
    if members is not None and kind in _SCALARS and {family(member) for member in members} == {kind}:
        check = Check({keyword: wanted})
        return all(check(member) is True for member in members)
    if keyword in ("const", "enum"):
        return members is not None and _fewer(members, _members(other) or [])
    if keyword == "additionalProperties":
        return one.get(keyword) == wanted and one.get("properties") == other.get("properties")
    if keyword in _BOUNDS:
        return any(_tighter(name, one[name], keyword, wanted) for name in _BOUNDS[keyword] if name in one)
    if keyword not in one:
        return False
    mine = one[keyword]
    follows = _FOLLOWS.get(keyword)
    return mine == wanted and repr(mine) == repr(wanted) if follows is None else follows(mine, wanted)


def _fewer(mine: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return {key(one) for one in mine} <= {key(one) for one in theirs} and {family(one) for one in mine} == {
        family(one) for one in theirs
    }


#: Bounds of one side -> the keywords that can be as tight.
_BOUNDS = {
    "minimum": ("minimum", "exclusiveMinimum"),
    "exclusiveMinimum": ("exclusiveMinimum", "minimum"),
    "maximum": ("maximum", "exclusiveMaximum"),
    "exclusiveMaximum": ("exclusiveMaximum", "maximum"),
    "minLength": ("minLength",),
    "maxLength": ("maxLength",),
    "minItems": ("minItems",),
    "maxItems": ("maxItems",),
}


_LOWER = frozenset(("minimum", "exclusiveMinimum", "minLength", "minItems"))


def _tighter(name: str, mine: float, keyword: str, wanted: float) -> bool:
    if mine == wanted:
        return name == keyword or name.startswith("exclusive")
    return mine > wanted if keyword in _LOWER else mine < wanted


def _patterns_within(mine: str | list[str], theirs: str | list[str]) -> bool:
    return all(any(one == other or lies_within(one, other) for other in _list(theirs)) for one in _list(mine))


def _folders_within(mine: str | list[str], theirs: str | list[str]) -> bool:
    folders = [folder for one in _list(theirs) if (folder := plain_path(one)) is not None]
    inner = [plain_path(one) for one in _list(mine)]
    return all(one is not None and any(is_under(one, folder) for folder in folders) for one in inner)


_FOLLOWS: dict[str, Callable[[Any, Any], bool]] = {
    "like": _patterns_within,
    "host": _patterns_within,
    "under": _folders_within,
    "required": lambda mine, theirs: set(theirs) <= set(mine),
    "items": lambda mine, theirs: _stronger(mine, theirs, False),
    "contains": lambda mine, theirs: _stronger(mine, theirs, False),
    "properties": lambda mine, theirs: all(
        name in mine and _stronger(mine[name], condition, True) for name, condition in theirs.items()
    ),
}


def _apart(one: _Condition, other: _Condition) -> bool:
    """Whether each fails for every argument for which the other holds."""
    if not (_absent_apart(one, other) and _absent_apart(other, one)):
        return False
    mine, theirs = _members(one), _members(other)
    families = _families(one), _families(other)
    if mine is not None or theirs is not None:
        return (
            families[0] | families[1] <= _SCALARS
            and _members_fail(mine, other, families[1])
            and _members_fail(theirs, one, families[0])
        )
    if families[0] != families[1] or len(families[0]) != 1:
        return False
    return _bounds_apart(one, other) or any(
        keyword in one and keyword in other and apart(one[keyword], other[keyword])
        for keyword, apart in (("like", _patterns_apart), ("host", _patterns_apart), ("under", _folders_apart))
    )


def _absent_apart(one: _Condition, other: _Condition) -> bool:
    return one.get("absent") is not True or other.get("absent") is False


def _members_fail(members: Sequence[Any] | None, other: _Condition, families: frozenset[str]) -> bool:
    """Whether ``other``, which holds for ``families`` only, fails for all of ``members``, and they for what it holds for."""
    if members is None:
        return True
    check = Check(other)
    return all(check(member) is False for member in members) and families <= {family(member) for member in members}


def _bounds_apart(one: _Condition, other: _Condition) -> bool:
    for low, high in ((one, other), (other, one)):
        for least, most in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
            if least in low and most in high and low[least] > high[most]:
                return True
        for least in ("minimum", "exclusiveMinimum"):
            for most in ("maximum", "exclusiveMaximum"):
                strict = least != "minimum" or most != "maximum"
                if least in low and most in high and (low[least] > high[most] or (strict and low[least] == high[most])):
                    return True
    return False


def _patterns_apart(mine: str | list[str], theirs: str | list[str]) -> bool:
    return not any(may_overlap(one, other) for one in _list(mine) for other in _list(theirs))


def _folders_apart(mine: str | list[str], theirs: str | list[str]) -> bool:
    pairs = [(plain_path(one), plain_path(other)) for one in _list(mine) for other in _list(theirs)]
    return all(
        one is not None and other is not None and one.isascii() and other.isascii()
        and not is_under(one, other) and not is_under(other, one)
        for one, other in pairs
    )  # fmt: skip


# What a condition can hold for


def _families(condition: _Condition) -> frozenset[str]:
    """Families of the values that the condition may hold for; more than that is no harm."""
    members = _members(condition)
    if members is not None:
        return frozenset(filter(None, map(family, members)))
    listed = _types(condition)
    if listed:
        return frozenset(TYPES[name] for name in listed)
    about = {FAMILIES[keyword] for keyword in condition if keyword in FAMILIES}
    return frozenset(about) if about else _ALL


def _members(condition: _Condition) -> Sequence[Any] | None:
    if "const" in condition:
        return [condition["const"]]
    members: Sequence[Any] | None = condition.get("enum")
    return members


def _types(condition: _Condition) -> Sequence[str]:
    listed = condition.get("type", ())
    return (listed,) if isinstance(listed, str) else listed


def _whole_only(types: Sequence[str]) -> bool:
    return "integer" in types and "number" not in types


def _list(operand: str | list[str]) -> list[str]:
    return [operand] if isinstance(operand, str) else operand
