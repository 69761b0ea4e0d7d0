"""A document and where to send its calls, in one step."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from schemarouter.model.tool import ToolSpec
from schemarouter.sources.openapi.invoker import HttpInvoker
from schemarouter.sources.openapi.load import load_openapi
from schemarouter.sources.openapi.model import Classify, Select


class BoundOpenApi(NamedTuple):
    """What ``SchemaRouter.add_bound_tool(*...)`` takes."""

    tool: ToolSpec
    invoker: HttpInvoker


def openapi_tool(
    path: str | os.PathLike[str],
    *,
    base_url: str,
    name: str | None = None,
    namespace: str | None = None,
    classify: Classify | None = None,
    select: Select | None = None,
    outputs: bool = False,
    **http: Any,
) -> BoundOpenApi:
    """Import the document at ``path`` and make an async invoker for it; ``http`` are options of :class:`HttpInvoker`.

    ``base_url`` becomes part of the contract: a tool that is sent elsewhere is another tool. Raises what
    :func:`~schemarouter.sources.openapi.load.load_openapi` and the invoker raise.
    """
    imported = load_openapi(
        path, name=name, namespace=namespace, server_url=base_url, classify=classify, select=select, outputs=outputs
    )
    return BoundOpenApi(imported.tool, HttpInvoker(imported, **http))
