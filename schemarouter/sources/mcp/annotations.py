"""What a server says about its own tools, in one spelling. It describes; no decision ever reads it (SPEC 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: mcp 1 and the wire spell it ``readOnlyHint``, the objects of mcp 2 ``read_only_hint``.
_HINTS = {
    "read_only_hint": "readOnlyHint",
    "destructive_hint": "destructiveHint",
    "idempotent_hint": "idempotentHint",
    "open_world_hint": "openWorldHint",
}


def annotations_of(given: object) -> dict[str, bool | str]:
    """Return the annotations of a tool, from a mapping or an object: hints in ``snake_case``, and ``title``.

    Left out is what was not said, what has another type than the protocol gives it, and a hint whose two spellings
    contradict each other.
    """
    found: dict[str, bool | str] = {}
    for name, wire in _HINTS.items():
        said = {value for value in (_get(given, name), _get(given, wire)) if type(value) is bool}
        if len(said) == 1:
            found[name] = said.pop()
    title = _get(given, "title")
    if type(title) is str:
        found["title"] = title
    return found


def _get(given: object, name: str) -> Any:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)
