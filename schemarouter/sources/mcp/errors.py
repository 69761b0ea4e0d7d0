"""How a call of an MCP tool fails. No class of these counts as transient, and no message holds what a server sent.

An application that knows better names a class at binding time: ``transient=(McpConnectionError,)``.
"""

from __future__ import annotations

from typing import Any

from schemarouter.errors import NonRetryableInvocationError


class McpCallError(NonRetryableInvocationError):
    """A call of an MCP tool failed. Nobody can know whether it had its effect."""


class McpToolError(McpCallError):
    """The server answered with ``isError``: the tool says that it failed.

    What it says is no data and does not cross the boundary: it passed no output schema. ``content`` holds the content
    blocks only where the application asked for that (``keep_error_content=True``), else it is empty.
    """

    content: tuple[Any, ...] = ()


class McpProtocolError(McpCallError):
    """The server refused the call, or answered with something that is no result of a tool. ``code`` is JSON-RPC's."""

    code: int | None = None


class McpConnectionError(McpCallError):
    """The server did not answer in time, or the connection to it is gone."""


class McpContractError(McpCallError):
    """The server says that its tools changed, so the call was not sent."""
