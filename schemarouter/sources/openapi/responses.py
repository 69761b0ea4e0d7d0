"""The output schema of an operation: what the document says of its successful responses."""

from __future__ import annotations

from typing import Any

from schemarouter.sources.openapi.files import Files, Place
from schemarouter.sources.openapi.schemas import Piece, Schemas
from schemarouter.sources.problem import SourceError


def output_schema(operation: Place, files: Files, schemas: Schemas) -> dict[str, Any]:
    """One schema for all 2xx responses, or an empty one where any of them may be anything.

    A response without content is null. ``default`` is about errors as well and says nothing here.
    """
    responses = operation.value.get("responses")
    if responses is None:
        return {}
    listed = files.resolve(operation.child("responses"))
    if not isinstance(listed.value, dict):
        raise SourceError("`responses` is no map", where=str(listed), help="map status codes to responses")
    pieces: list[Piece] = []
    alternatives: list[Any] = []
    for status in listed.value:
        if not (len(status) == 3 and status[0] == "2"):
            continue
        response = files.resolve(listed.child(status))
        content = response.value.get("content") if isinstance(response.value, dict) else None
        if not content:
            alternatives.append({"type": "null"})
            continue
        where = files.resolve(response.child("content"))
        for media_type in where.value if isinstance(where.value, dict) else ():
            entry = files.resolve(where.child(media_type))
            plain = media_type.partition(";")[0].strip().lower()
            if not (plain == "application/json" or plain.endswith("+json")):
                return {}  # text, or whatever the server sends
            if not isinstance(entry.value, dict) or "schema" not in entry.value:
                return {}
            piece = schemas.piece(entry.child("schema"))
            pieces.append(piece)
    if not pieces:
        return alternatives[0] if alternatives else {}
    definitions = schemas.definitions(pieces, operation)
    alternatives.extend(piece.schema for piece in pieces)
    unique: list[Any] = []
    for each in alternatives:
        if each not in unique:
            unique.append(each)
    if any(each in (True, {}) for each in unique):
        return {}
    schema = {"anyOf": unique} if len(unique) > 1 or not isinstance(unique[0], dict) else dict(unique[0])
    if definitions:
        schema["$defs"] = definitions
    return schema
