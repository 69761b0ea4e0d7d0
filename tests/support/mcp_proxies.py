"""What tests of the MCP proxy share: proxies over real servers, and real clients in front of them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.client.client import Client

from schemarouter import load_policy
from schemarouter.integrations.mcp_proxy.proxy import McpProxy, ServerBehind
from schemarouter.sources.mcp import McpLimits, StdioServer

HERE = Path(__file__).parent
#: A server is slow to start where many tests run at once.
LIMITS = McpLimits(connect_seconds=100, list_seconds=100, call_seconds=60, close_seconds=2)
PROTOCOLS = ("2025-11-25", "2026-07-28")


def full(effects: Path, name: str = "s", *, protocol: Any = "auto", limits: McpLimits = LIMITS) -> ServerBehind:
    """The server with everything, ``mcp_full_server.py``."""
    server = StdioServer(sys.executable, [str(HERE / "mcp_full_server.py")], {"EFFECTS": str(effects)})
    return ServerBehind(name, server, limits, protocol)


def plain(effects: Path, name: str = "s", *, limits: McpLimits = LIMITS) -> ServerBehind:
    """The server of ``mcp_server.py``."""
    server = StdioServer(sys.executable, [str(HERE / "mcp_server.py"), "stdio"], {"EFFECTS": str(effects)})
    return ServerBehind(name, server, limits)


@asynccontextmanager
async def proxied(policy: str, *servers: ServerBehind, **options: Any) -> AsyncIterator[McpProxy]:
    """A proxy with a policy in text."""
    async with McpProxy(load_policy(policy), servers, **options) as proxy:
        yield proxy


class _Streams:
    """A transport to a proxy in this process, over streams of messages as on a pipe."""

    def __init__(self, proxy: McpProxy) -> None:
        self._proxy = proxy

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Any]:
        to_server, from_client = anyio.create_memory_object_stream[Any](0)
        to_client, from_server = anyio.create_memory_object_stream[Any](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._proxy.serve, from_client, to_client)
            try:
                yield from_server, to_server
            finally:
                for stream in (to_server, from_client, to_client, from_server):
                    stream.close()
                group.cancel_scope.cancel()

    async def __aenter__(self) -> Any:
        self._context = self._open()
        return await self._context.__aenter__()

    async def __aexit__(self, *error: Any) -> Any:
        return await self._context.__aexit__(*error)


def client_of(proxy: McpProxy, protocol: str, **options: Any) -> Client:
    """A real client in front of ``proxy`` that speaks ``protocol``."""
    mode = "legacy" if protocol == "2025-11-25" else "auto"
    return Client(_Streams(proxy), mode=mode, cache=None, **options)  # type: ignore[arg-type]


def text(result: types.CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


class Person:
    """A person at the client. ``says`` is what is answered to a form, ``asked`` what was shown."""

    def __init__(self, says: Any = True, action: str = "accept") -> None:
        self.says, self.action = says, action
        self.asked: list[str] = []

    async def __call__(self, _context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        content = {"approve": self.says} if self.action == "accept" else None
        return types.ElicitResult(action=self.action, content=content)  # type: ignore[arg-type]


def lines(effects: Path) -> list[str]:
    """What reached the server."""
    return effects.read_text().splitlines() if effects.exists() else []
