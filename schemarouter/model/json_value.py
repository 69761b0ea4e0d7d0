"""JSON values at the boundary: one checked copy, and the canonical text that fingerprints are made of.

What crosses the boundary is made of exactly ``dict`` (string keys), ``list``, ``str``, ``int``, ``float``, ``bool``
and ``None``. Subclasses are refused, because they may carry behaviour of their own; tuples are refused too, because
turning them into lists would return something else than what the tool returned.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Levels of objects and arrays in one value.
MAX_DEPTH = 64
#: Objects, arrays and scalars in one value; a value that is reached twice counts twice.
MAX_NODES = 100_000
#: Characters of all strings and keys of one value together.
MAX_CHARACTERS = 4_000_000
#: The same for the contract of a whole tool, which may have thousands of operations. No payload is that large.
MAX_CONTRACT_NODES = 4_000_000
MAX_CONTRACT_CHARACTERS = 64_000_000
#: Bits of an integer: what still fits into the range of a float.
MAX_INTEGER_BITS = 1023

_INFINITY = float("inf")


class JsonValueError(ValueError):
    """A value is not JSON, or larger than the limits.

    ``reason`` is an end of a sentence and holds nothing of the value; ``path`` are the keys and indices that lead to
    the place, which may come from an untrusted payload and therefore stay out of the message.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path: tuple[str | int, ...] = ()


def checked_copy(value: Any, *, contract: bool = False) -> Any:
    """Return a deep copy of ``value`` that shares nothing mutable with it, made in one pass.

    ``contract`` stands for the wider limits of the contract of a whole tool.

    Raises :class:`JsonValueError` for what is not JSON (see the module), for NaN and infinities, for text that is not
    Unicode, for cycles, and beyond the limits above. Aliases become separate copies.
    """
    limits = (MAX_CONTRACT_NODES, MAX_CONTRACT_CHARACTERS) if contract else (MAX_NODES, MAX_CHARACTERS)
    return _copy(value, 0, [limits[0] - 1, limits[1], *limits])


def _copy(value: Any, depth: int, left: list[int]) -> Any:
    kind = type(value)
    if kind is dict:
        return _copy_object(value, depth + 1, left)
    if kind is list:
        return _copy_array(value, depth + 1, left)
    if kind is str:
        _count_text(value, left)
    elif kind is int:
        if value.bit_length() > MAX_INTEGER_BITS:
            raise JsonValueError(f"holds an integer of more than {MAX_INTEGER_BITS} bits")
    elif kind is float:
        if not -_INFINITY < value < _INFINITY:
            raise JsonValueError("holds a number that is not finite")
    elif value is not None and kind is not bool:
        raise JsonValueError(f"holds a Python `{kind.__name__}`, which is not JSON")
    return value


def _copy_object(value: dict[str, Any], depth: int, left: list[int]) -> dict[str, Any]:
    copy = value.copy()  # one atomic step: another thread may be writing to the original
    _enter(len(copy), depth, left)
    for key, item in copy.items():
        if type(key) is not str:
            raise JsonValueError("holds an object with a key that is not a string")
        _count_text(key, left)
        kind = type(item)
        if kind is str:
            if len(item) > 32 or not item.isascii():
                try:
                    _count_text(item, left)
                except JsonValueError as error:
                    error.path = (key, *error.path)
                    raise
            else:
                left[1] -= len(item)
        elif kind is not bool and item is not None:
            try:
                copy[key] = _copy(item, depth, left)
            except JsonValueError as error:
                error.path = (key, *error.path)
                raise
    return copy


def _copy_array(value: list[Any], depth: int, left: list[int]) -> list[Any]:
    copy = value[:]
    _enter(len(copy), depth, left)
    for index, item in enumerate(copy):
        try:
            copy[index] = _copy(item, depth, left)
        except JsonValueError as error:
            error.path = (index, *error.path)
            raise
    return copy


def _enter(size: int, depth: int, left: list[int]) -> None:
    if depth > MAX_DEPTH:
        raise JsonValueError(f"is nested deeper than {MAX_DEPTH} levels, or holds itself")
    left[0] -= size
    if left[0] < 0:
        raise JsonValueError(f"holds more than {left[2]} values")


def _count_text(text: str, left: list[int]) -> None:
    left[1] -= len(text)
    if left[1] < 0:
        raise JsonValueError(f"holds more than {left[3]} characters")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise JsonValueError("holds text that is not Unicode (a lone surrogate)") from None


def canonical_json(value: Any, *, contract: bool = False) -> str:
    """Return the one text of a JSON value: sorted keys, no spaces, ASCII, and ``1.0`` written as ``1``.

    ``contract`` as for :func:`checked_copy`. Raises :class:`JsonValueError` as :func:`checked_copy` does.
    """
    return json.dumps(
        _plain_numbers(checked_copy(value, contract=contract)), sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def _plain_numbers(value: Any) -> Any:
    """Write whole floats as integers, in place: JSON has one kind of number."""
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value
    if kind is dict:
        for key, item in value.items():
            value[key] = _plain_numbers(item)
    elif kind is list:
        value[:] = map(_plain_numbers, value)
    return value
