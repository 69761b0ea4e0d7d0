"""Calls through the boundary to a tool that is registered, as its contract is now."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemarouter import SchemaRouter, ToolCall
from schemarouter.sources.mcp import HttpServer, StdioServer

HERE = Path(__file__).parent
SERVER = str(HERE / "mcp_server.py")
TOKEN = "t0ken"


def call_of(router: SchemaRouter, key: str, endpoint: str, arguments: dict[str, Any] | None = None) -> ToolCall:
    """A call with the fingerprints of now."""
    tool = router.registry.get(key)
    return ToolCall(
        tool=key,
        endpoint=endpoint,
        arguments=arguments or {},
        schema_fingerprint=tool.endpoint(endpoint).fingerprint,
        tool_fingerprint=tool.fingerprint,
    )


async def run(router: SchemaRouter, key: str, endpoint: str, arguments: dict[str, Any] | None = None) -> Any:
    """Execute such a call and return its data."""
    return (await router.executor.execute_call(call_of(router, key, endpoint, arguments))).data


def stdio(effects: Path | None = None) -> StdioServer:
    """The server of ``mcp_server.py`` as a process."""
    return StdioServer(sys.executable, [SERVER, "stdio"], {} if effects is None else {"EFFECTS": str(effects)})


def hostile(kind: str, *more: str) -> StdioServer:
    """A server of ``hostile_mcp.py``."""
    return StdioServer(sys.executable, [str(HERE / "hostile_mcp.py"), kind, *more])


@contextlib.contextmanager
def http(mode: str = "http", effects: Path | None = None) -> Iterator[HttpServer]:
    """The server of ``mcp_server.py`` on a port of the loopback interface; it wants a token."""
    env = {**os.environ, "EXPECT_TOKEN": TOKEN, "EFFECTS": str(effects or os.devnull)}
    with subprocess.Popen([sys.executable, SERVER, mode], stdout=subprocess.PIPE, env=env) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            yield HttpServer(f"http://127.0.0.1:{port}/mcp", {"authorization": f"Bearer {TOKEN}"})
        finally:
            process.kill()  # it would wait for connections that hang on purpose
