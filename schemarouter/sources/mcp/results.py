"""What a tool of a server returns, as data of this side.

With an output schema the data is the structured content, and nothing else: that is what the schema is about. Without one
it is ``{"content": [block, ...]}``, blocks as the protocol writes them, and ``"structured_content"`` beside it if the
server sent some. So the shape depends on the contract, never on what a server feels like today.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types

from schemarouter.sources.mcp.connection import CallResult
from schemarouter.sources.mcp.errors import McpProtocolError, McpToolError


def data_of(result: CallResult, operation: str, *, structured: bool, keep_error_content: bool) -> Any:
    """Return the data of ``result``; ``structured`` says whether the operation has an output schema.

    Raises ``McpToolError`` for ``isError``, and ``McpProtocolError`` for a question instead of an answer and for
    structured content that is missing.
    """
    if isinstance(result, types.InputRequiredResult):
        raise McpProtocolError(f"`{operation}` asks for input instead of answering, which is not supported")
    if result.is_error:
        failed = McpToolError(f"the tool `{operation}` reports that it failed")
        if keep_error_content:
            failed.content = tuple(_blocks(result))
        raise failed
    given = "structured_content" in result.model_fields_set
    if structured:
        if not given:
            raise McpProtocolError(f"`{operation}` has an output schema, and returned no structured content")
        return result.structured_content
    data: dict[str, Any] = {"content": _blocks(result)}
    if given and result.structured_content is not None:
        data["structured_content"] = result.structured_content
    return data


def text_of(data: Any) -> str:
    """Return the text blocks of data without an output schema, one after the other, separated by line ends."""
    return "\n".join(block["text"] for block in data["content"] if block.get("type") == "text")


def _blocks(result: types.CallToolResult) -> list[dict[str, Any]]:
    return [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
