"""OpenAPI 3.0, 3.1 and 3.2: a document as one remote tool, and invokers for its operations.

Importing a document needs no extra; what sends calls needs ``schemarouter[openapi]`` and is imported when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemarouter.sources.openapi.load import load_openapi
from schemarouter.sources.openapi.model import Classification, Note, OpenApiImport, Operation

if TYPE_CHECKING:
    from schemarouter.sources.openapi.bind import BoundOpenApi, openapi_tool
    from schemarouter.sources.openapi.invoker import HttpInvoker, SyncHttpInvoker

__all__ = [
    "BoundOpenApi",
    "Classification",
    "HttpInvoker",
    "Note",
    "OpenApiImport",
    "Operation",
    "SyncHttpInvoker",
    "load_openapi",
    "openapi_tool",
]
_LATER = {
    "BoundOpenApi": "bind",
    "HttpInvoker": "invoker",
    "SyncHttpInvoker": "invoker",
    "openapi_tool": "bind",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
