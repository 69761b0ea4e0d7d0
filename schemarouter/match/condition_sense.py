"""Whether well-formed keywords mean something together: a condition that no value could satisfy, or fail, is a mistake.

Standard library only.
"""

from __future__ import annotations

from schemarouter.match.keywords import FAMILIES, PLURALS, TYPES
from schemarouter.match.values import family, is_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeAlias

    #: Where in the condition, what is wrong, and what to do about it.
    Nonsense: TypeAlias = tuple[tuple[str | int, ...], str, str | None]

#: A lower bound and an upper bound of the same thing.
_PAIRS = (
    ("minimum", "maximum"),
    ("minimum", "exclusiveMaximum"),
    ("exclusiveMinimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
)


def nonsense(condition: Mapping[str, Any]) -> Iterator[Nonsense]:
    """What the keywords of one condition, each of which is well formed, make impossible or empty together."""
    if condition.get("absent") is True and len(condition) == 1:
        advice = "say what the argument must be if it is there, or `not: {}` if it must not be there"
        yield ("absent",), "`absent: true` alone is always satisfied", advice
    for low, high in _PAIRS:
        if low in condition and high in condition:
            least, most = condition[low], condition[high]
            strict = low.startswith("exclusive") or high.startswith("exclusive")
            if least > most or (strict and least == most):
                yield (
                    (low,),
                    f"`{low}: {least}` and `{high}: {most}` leave no value",
                    f"raise `{high}`, or lower `{low}`",
                )
    if "additionalProperties" in condition:
        for index, name in enumerate(condition.get("required", ())):
            if name not in condition.get("properties", ()):
                message = f"`{name}` is required, but `additionalProperties: false` does not let it in"
                yield ("required", index), message, f"add `{name}` to `properties`"
    names = condition.get("type", ())
    types = [names] if isinstance(names, str) else names
    if types:
        yield from _against_type(condition, types)
    else:
        yield from _against_each_other(condition)


def _against_type(condition: Mapping[str, Any], types: list[str]) -> Iterator[Nonsense]:
    allowed = {TYPES[name] for name in types}
    for keyword in condition:
        if keyword in FAMILIES and FAMILIES[keyword] not in allowed:
            yield (
                (keyword,),
                f"`{keyword}` is about {PLURALS[FAMILIES[keyword]]}, which `type` excludes",
                "remove it, or add that type to `type`",
            )
    values: list[tuple[tuple[str | int, ...], object]] = [
        (("enum", index), member) for index, member in enumerate(condition.get("enum", ()))
    ]
    if "const" in condition:
        values.append((("const",), condition["const"]))
    for where, value in values:
        if not any(_is_of_type(value, name) for name in types):
            yield where, "this value is not of the type that `type` names", "change the one or the other"


def _against_each_other(condition: Mapping[str, Any]) -> Iterator[Nonsense]:
    about: dict[str, str] = {}
    for keyword in condition:
        if keyword in FAMILIES:
            about.setdefault(FAMILIES[keyword], keyword)
    if len(about) > 1:
        (first, keyword), (second, other) = list(about.items())[:2]
        message = f"`{keyword}` is about {PLURALS[first]}, `{other}` about {PLURALS[second]}: no value is both"
        yield (other,), message, "use `anyOf` with one condition for each kind of value"


def _is_of_type(value: object, name: str) -> bool:
    return family(value) == TYPES[name] and (name != "integer" or is_integer(value))
