"""JSON values as conditions see them: their family, and a key under which equal values are one. Standard library only."""

from __future__ import annotations

from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

#: Exact types only: a subclass may answer questions in its own way, so it is not judged at all.
_FAMILY: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}
#: Values deeper than this are not compared.
_MAX_DEPTH = 64


def family(value: object) -> str | None:
    """``null``, ``boolean``, ``number``, ``string``, ``array`` or ``object``; ``None`` for what JSON cannot hold.

    ``True`` is no number, and a number that is not finite has no family.
    """
    found = _FAMILY.get(type(value))
    if found == "number" and not (isinstance(value, int) or (isinstance(value, float) and isfinite(value))):
        return None
    return found


def is_integer(value: object) -> bool:
    """Whether a finite number has no fraction: ``1.0`` is an integer, as in JSON Schema."""
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def key(value: object, depth: int = _MAX_DEPTH) -> Hashable:
    """A hashable key, equal for equal JSON values: ``1`` and ``1.0`` are one, ``1`` and ``True`` are two.

    Raises ``ValueError`` if the value holds something that JSON cannot, or lies too deep.
    """
    kind = family(value)
    if kind in ("string", "null"):
        return value
    if kind in ("number", "boolean"):
        return (kind, value)
    if depth <= 0 or kind is None:
        raise ValueError("not a JSON value, or too deep")
    if isinstance(value, list):
        return ("array", tuple([key(item, depth - 1) for item in value]))
    members = []
    for name, member in value.items():  # type: ignore[attr-defined]  # an exact dict: all other families are above
        if type(name) is not str:
            raise ValueError("not a JSON value: a name that is no string")
        members.append((name, key(member, depth - 1)))
    return ("object", frozenset(members))
