"""Ways through the plain data of a policy document that step over whatever has the wrong type.

The passes behind the structure use them: an error in one place hides nothing in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemarouter.model.diagnostic import DocPath


def mapping(data: object, key: str) -> Mapping[str, Any]:
    """The mapping at ``key`` of ``data``; an empty one where there is none."""
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def items(data: object, key: str) -> list[Any]:
    """The list at ``key`` of ``data``; an empty one where there is none."""
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []


def entries(data: object, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The mappings in the list at ``key``, with their indices."""
    for index, entry in enumerate(items(data, key)):
        if isinstance(entry, dict):
            yield index, entry


def strings(data: object, key: str) -> Iterator[tuple[DocPath, str]]:
    """The string at ``key``, or the strings in the list there, with their paths below ``data``."""
    found = data.get(key) if isinstance(data, dict) else None
    if isinstance(found, str):
        yield (key,), found
    elif isinstance(found, list):
        for index, text in enumerate(found):
            if isinstance(text, str):
                yield (key, index), text


def examples(rule: Mapping[str, Any]) -> Iterator[tuple[DocPath, object]]:
    """Every example of a rule, with its path below the rule."""
    given = rule.get("examples")
    for key in ("decides", "ignores"):
        for index, example in enumerate(items(given, key)):
            yield ("examples", key, index), example
