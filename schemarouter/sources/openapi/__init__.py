"""OpenAPI 3.0, 3.1 and 3.2: a document as one remote tool, and invokers for its operations.

Importing a document needs no extra; :class:`HttpInvoker` and :class:`SyncHttpInvoker` need ``schemarouter[openapi]``.
"""

from __future__ import annotations

from schemarouter.sources.openapi.load import load_openapi
from schemarouter.sources.openapi.model import Classification, Note, OpenApiImport, Operation

__all__ = ["Classification", "Note", "OpenApiImport", "Operation", "load_openapi"]
