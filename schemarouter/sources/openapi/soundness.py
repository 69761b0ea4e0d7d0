"""Whether every schema of an import can be registered, found out before anybody registers it."""

from __future__ import annotations

from typing import Any, Final

from schemarouter.contract.scan import SchemaError
from schemarouter.contract.schema import CompiledSchema
from schemarouter.sources.openapi.files import Place, shown
from schemarouter.sources.problem import SourceError

_LEAVE_OUT: Final = "simplify the schema, or leave the operation out with `select`"


class Soundness:
    """Collects the schemas of one direction, each with the operation that it belongs to."""

    def __init__(self) -> None:
        self._schemas: list[tuple[dict[str, Any], Place]] = []

    def add(self, schema: dict[str, Any], place: Place) -> None:
        """Remember a schema for :meth:`check`."""
        if schema:
            self._schemas.append((schema, place))

    def check(self) -> None:
        """Raise ``SourceError`` for the first schema that registration would refuse."""
        whole = self._together()
        if whole is not None:
            try:
                CompiledSchema(whole)
            except SchemaError:
                pass  # or only all of them together are too large: each is looked at
            else:
                return
        for schema, place in self._schemas:
            try:
                CompiledSchema(schema)
            except SchemaError as problem:
                where = "".join(f".{step}" for step in problem.path)
                raise SourceError(
                    f"the schema of the operation cannot be used: `{shown(where)}` {problem.reason}",
                    where=str(place),
                    help=_LEAVE_OUT,
                ) from None

    def _together(self) -> dict[str, Any] | None:
        """All of them as one schema that is sound exactly if they are; operations share most of their definitions."""
        definitions: dict[str, Any] = {}
        members: dict[str, Any] = {}
        for number, (schema, _) in enumerate(self._schemas):
            for name, definition in schema.get("$defs", {}).items():
                if definitions.setdefault(name, definition) is not definition:
                    return None
            members[str(number)] = {key: value for key, value in schema.items() if key != "$defs"}
        return {"$defs": definitions, "properties": members}
