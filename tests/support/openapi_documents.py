"""Small OpenAPI documents for tests, and what a test does with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from schemarouter.model.call import ToolCall
from schemarouter.model.tool import ToolSpec
from schemarouter.sources.openapi import OpenApiImport, load_openapi


def document(paths: dict[str, Any] | None = None, *, version: str = "3.1.0", **members: Any) -> dict[str, Any]:
    """A document with these paths."""
    return {"openapi": version, "info": {"title": "A title", "version": "1"}, "paths": paths or {}, **members}


def get(**members: Any) -> dict[str, Any]:
    """A path item with one ``get``."""
    return {"get": members}


def write(folder: Path, contents: Any, name: str = "api.json") -> Path:
    """Write ``contents``: text as it is, data as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(contents, bytes):
        path.write_bytes(contents)
    else:
        path.write_text(contents if isinstance(contents, str) else json.dumps(contents), "utf-8")
    return path


def imported(folder: Path, contents: Any, file: str = "api.json", **options: Any) -> OpenApiImport:
    """Write a document and import it."""
    return load_openapi(write(folder, contents, file), **options)


def call_of(tool: ToolSpec, endpoint: str, **arguments: Any) -> ToolCall:
    """A call made for the contract as it is."""
    return call_without_tool(tool, endpoint, **arguments).model_copy(update={"tool_fingerprint": tool.fingerprint})


def call_without_tool(tool: ToolSpec, endpoint: str, **arguments: Any) -> ToolCall:
    """The same for an invoker alone: the fingerprint of a large tool takes its time."""
    fingerprint = tool.endpoint(endpoint).fingerprint
    return ToolCall(tool=tool.key, endpoint=endpoint, arguments=arguments, schema_fingerprint=fingerprint)
