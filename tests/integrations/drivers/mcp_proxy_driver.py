"""A client of MCP behind `McpProxy`, with a real server behind it. Whoever approves does so out of band, and the call is sent again."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, ClassVar

import mcp_types as types
from conformance.driving import Call, Seen, Setup, World

from drivers.out_of_band import Folders, OutOfBand
from schemarouter import SqliteStore, load_policy
from schemarouter.integrations.mcp_proxy.front import Front
from schemarouter.integrations.mcp_proxy.proxy import McpProxy, ServerBehind
from schemarouter.sources.mcp import StdioServer
from schemarouter.state.signatures import public_text
from schemarouter.state.stored_approvals import StoredApprovals
from support.mcp_proxies import LIMITS, client_of, text

SERVER = Path(__file__).with_name("world_server.py")


class ProxyHost(OutOfBand):
    def __init__(self, setup: Setup, world: World, folder: Path) -> None:
        self.setup, self.world, self.folder = setup, world, folder
        self.store = setup.store if isinstance(setup.store, SqliteStore) else SqliteStore(folder / "state.db")
        self.signer = self.signer_in(folder)
        self.policy = load_policy(setup.policy, hooks=setup.hooks)
        self.calls: list[Call] = []

    def set_policy(self, text: str) -> None:
        self.policy = load_policy(text)

    def proxy(self, proxy: type[McpProxy] = McpProxy) -> McpProxy:
        server = StdioServer(sys.executable, [str(SERVER)], {"RAN": str(self.folder / "ran")})
        approver = StoredApprovals(self.store, public_text(self.signer.public), wait=0)
        behind = ServerBehind("agent", server, LIMITS)
        return proxy(self.policy, [behind], store=self.store, run_id=self.setup.run_id or "r1", approver=approver)

    def run(self, *calls: Call) -> Seen:
        self.calls = list(calls)
        seen = Seen(asyncio.run(self._send(calls)))
        ran = self.folder / "ran"
        if ran.exists():
            self.world.ran += [(name, given) for name, given in map(json.loads, ran.read_text().splitlines())]
            ran.unlink()
        seen.questions += self.questions()
        return seen

    async def _send(self, calls: tuple[Call, ...]) -> dict[str, str]:
        async with self.proxy() as proxy, client_of(proxy, "2026-07-28") as client:
            results = await asyncio.gather(*(client.call_tool(one.name, one.arguments) for one in calls))
            told = {one.id: text(result) for one, result in zip(calls, results, strict=True)}
            for call in calls if self.setup.nested else ():
                reads = [Call("read", {"path": path}, f"n{path}") for path in call.arguments["task"].split()[1:]]
                async with self.proxy() as nested, client_of(nested, "2025-11-25") as agent:
                    for read in reads:
                        told[read.id] = text(await agent.call_tool(read.name, read.arguments))
        return told

    def restarted(self) -> ProxyHost:
        again = ProxyHost(self.setup, self.world, self.folder)
        again.calls = self.calls
        return again


class DeafFront(Front):
    """Calls are answered by somebody else."""

    async def _call_tool(self, *_: Any) -> types.CallToolResult:
        return types.CallToolResult(content=[], is_error=True)


class McpProxyDriver(Folders):
    name = "MCP proxy"
    missing: ClassVar[dict[str, str]] = {
        "retrying_host": "a client that sends a call again makes another call",
        "renamed_tool": "names follow one rule",
        "default_left_out": "a default of a server is not believed; what is left out is in doubt, and the stricter outcome counts",
        "positional_and_keyword": "a model names every argument",
    }

    def build(self, setup: Setup, world: World) -> ProxyHost:
        return ProxyHost(setup, world, self.folder())

    def bypassed(self, setup: Setup, world: World) -> None:
        class Deaf(McpProxy):
            """What an SDK of another release would make of it."""

            def __init__(self, *given: Any, **options: Any) -> None:
                super().__init__(*given, **options)
                self.front = DeafFront(self.core, self.servers, self.names, "hide")

        async def start() -> None:
            async with ProxyHost(setup, world, self.folder()).proxy(Deaf):
                pass

        asyncio.run(start())
