"""Field projection: only what was asked for and declared crosses the boundary.

A declared field has a source path (where it is in the raw output) and a result path (where it goes). Arrays on the
source path are passed through item by item, at the root too, and keep their length and order in the result, so that
``id`` and ``owner.name`` of ``[{"id": 1, "owner": {"name": "a", "mail": "b"}}]`` give
``[{"id": 1, "owner": {"name": "a"}}]``. Where a result path leaves the source path, what is found from there on is
put at its own place: ``owner.name`` as ``by`` gives ``[{"by": "a"}]``, and an array met after the parting gives the
array of what its items hold. A field that an object lacks is left out; ``null`` on the way stays ``null``. Anything
else on the way is no object, and the output does not have the shape of its contract.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemarouter.contract.schema import CompiledSchema, Violation
from schemarouter.model.tool import FieldSpec

_ABSENT = object()


class OutputError(ValueError):
    """An output does not fit its declared fields. The path in ``violation`` holds declared keys and array indices."""

    def __init__(self, violation: Violation) -> None:
        super().__init__("the output does not fit its declared fields")
        self.violation = violation


class _Move:
    """A field that goes elsewhere: ``source`` and ``result`` are the steps after the common prefix."""

    __slots__ = ("result", "schema", "source")

    def __init__(self, source: tuple[str, ...], result: tuple[str, ...], schema: CompiledSchema | None) -> None:
        self.source = source
        self.result = result
        self.schema = schema


class _Node:
    """A place on the way to fields: what to keep under which key, and what to move from here."""

    __slots__ = ("children", "kept", "moves")

    def __init__(self) -> None:
        self.kept: list[tuple[str, CompiledSchema | None]] = []
        self.children: dict[str, _Node] = {}
        self.moves: list[_Move] = []


class Projection:
    """The way from a checked output to the result, for some declared fields. Immutable once built."""

    __slots__ = ("_root",)

    def __init__(self, fields: Iterable[tuple[FieldSpec, CompiledSchema | None]]) -> None:
        """``fields`` are the wanted ones, each with the schema of its value where it has one."""
        self._root = _Node()
        for field, schema in fields:
            self._add(field.projection_path, field.result_projection_path, schema)

    def _add(self, source: tuple[str, ...], result: tuple[str, ...], schema: CompiledSchema | None) -> None:
        node = self._root
        if source == result:
            for step in source[:-1]:
                node = node.children.setdefault(step, _Node())
            node.kept.append((source[-1], schema))
            return
        shared = 0
        while shared < min(len(source), len(result)) - 1 and source[shared] == result[shared]:
            node = node.children.setdefault(source[shared], _Node())
            shared += 1
        node.moves.append(_Move(source[shared:], result[shared:], schema))

    def apply(self, output: Any) -> Any:
        """Return the result for a checked copy of an output, of which it may hold parts.

        Raises :class:`OutputError`.
        """
        return _project(output, self._root, ())


def _project(value: Any, node: _Node, path: tuple[str | int, ...]) -> Any:
    if type(value) is list:
        return [_project(item, node, (*path, index)) for index, item in enumerate(value)]
    if value is None:
        return None
    if type(value) is not dict:
        raise OutputError(Violation(path, None, "is no object, where declared fields are expected"))
    result: dict[str, Any] = {}
    for key, schema in node.kept:
        if key in value:
            result[key] = value[key] if schema is None else _checked(value[key], schema, (*path, key))
    for key, child in node.children.items():
        if key in value:
            result[key] = _project(value[key], child, (*path, key))
    for move in node.moves:
        found = _find(value, move.source, path, move.schema)
        if found is not _ABSENT:
            _put(result, move.result, found, path)
    return result


def _find(value: Any, steps: tuple[str, ...], path: tuple[str | int, ...], schema: CompiledSchema | None) -> Any:
    if not steps:
        return value if schema is None else _checked(value, schema, path)
    if type(value) is list:
        found = (_find(item, steps, (*path, index), schema) for index, item in enumerate(value))
        return [item for item in found if item is not _ABSENT]
    if value is None:
        return None
    if type(value) is not dict:
        raise OutputError(Violation(path, None, "is no object, where declared fields are expected"))
    if steps[0] not in value:
        return _ABSENT
    return _find(value[steps[0]], steps[1:], (*path, steps[0]), schema)


def _put(result: dict[str, Any], steps: tuple[str, ...], value: Any, path: tuple[str | int, ...]) -> None:
    for step in steps[:-1]:
        inner = result.setdefault(step, {})
        if type(inner) is not dict:
            raise OutputError(Violation(path, None, "leaves no place for a field that the contract puts there"))
        result = inner
    result[steps[-1]] = value


def _checked(value: Any, schema: CompiledSchema, path: tuple[str | int, ...]) -> Any:
    violation = schema.violation(value)
    if violation is not None:
        raise OutputError(violation._replace(path=path + violation.path))
    return value
