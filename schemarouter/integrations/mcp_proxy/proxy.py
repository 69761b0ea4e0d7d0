"""The proxy as a whole: servers behind, a policy in the middle, a client in front."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.client.client import Client

from schemarouter import __version__
from schemarouter.integrations.boundary import CANARY, SelfTestError
from schemarouter.integrations.mcp_proxy.asked import AskedByServer
from schemarouter.integrations.mcp_proxy.behind import Behind
from schemarouter.integrations.mcp_proxy.core import Core
from schemarouter.integrations.mcp_proxy.front import Front, tell_changes
from schemarouter.integrations.mcp_proxy.gate import ProxyGate
from schemarouter.integrations.mcp_proxy.names import FrontNames
from schemarouter.integrations.mcp_proxy.shown import DeniedTools, may_run
from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.listing import OnRefused
from schemarouter.sources.mcp.servers import McpServer
from schemarouter.sources.mcp.source import McpSource, Protocol
from schemarouter.state.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.models import InitializationOptions

    from schemarouter.audit.log import DecisionLog
    from schemarouter.integrations.mcp_proxy.client import ClientInFront
    from schemarouter.model.approval import Approver
    from schemarouter.runtime.governance import PolicyLike
    from schemarouter.state.kill_switch import KillSwitch
    from schemarouter.state.port import StateStore


@dataclass(frozen=True, slots=True)
class ServerBehind:
    """A server under its local name; what it calls itself does not count."""

    name: str
    server: McpServer
    limits: McpLimits = field(default_factory=McpLimits)
    protocol: Protocol = "auto"
    on_refused: OnRefused = "refuse"


class McpProxy:
    """``async with McpProxy(policy, [ServerBehind("git", StdioServer("mcp-server-git"))]) as proxy: await proxy.serve(*streams)``.

    ``run_id`` with a ``store`` is a run that survives the process: a client that reconnects goes on with its budget. Without
    a store the run lives as long as this object. ``approver`` is asked about calls that need approval (``StoredApprovals``);
    the client only if ``client_asks_a_person``. ``denied`` says what becomes of tools in listings that the policy denies
    whatever their arguments are. ``process`` is told of the groups of processes that servers run in.

    Entering it raises ``SourceError`` for a server that cannot be used, ``RegistrationError`` for names that run into each
    other, ``PolicyError`` for a policy that cannot be enforced here, and ``SelfTestError`` if a call does not come here.
    """

    def __init__(
        self,
        policy: PolicyLike,
        servers: Iterable[ServerBehind],
        *,
        run_id: str | None = None,
        store: StateStore | None = None,
        approver: Approver | None = None,
        client_asks_a_person: bool = False,
        denied: DeniedTools = "hide",
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
        process: Callable[[int, bool], None] | None = None,
    ) -> None:
        given = list(servers)
        if not given:
            raise ValueError("a proxy needs a server")
        if denied not in ("hide", "mark"):
            raise ValueError("`denied` is `hide` or `mark`")
        self.names = FrontNames(one.name for one in given)
        self.core = Core(
            policy,
            ProxyGate(client_asks_a_person=client_asks_a_person, stored=approver),
            MemoryStore() if store is None else store,
            uuid.uuid4().hex if run_id is None else run_id,
            kill_switch=kill_switch,
            decision_log=decision_log,
        )
        self._changes: asyncio.Queue[str] = asyncio.Queue()
        self.servers: dict[str, Behind] = {}
        for one in given:
            self.servers[one.name] = self._behind(one, process)
        self.front = Front(self.core, self.servers, self.names, denied)
        self._stack = contextlib.AsyncExitStack()

    def _behind(self, one: ServerBehind, process: Callable[[int, bool], None] | None) -> Behind:
        asked = AskedByServer(self.core, one.name, self._client)
        source = McpSource(
            one.name,
            one.server,
            limits=one.limits,
            protocol=one.protocol,
            on_refused=one.on_refused,
            host=asked.host(told=lambda message: self._told(one.name, message), process=process),
        )
        asked.source = source
        return Behind(self.core, source, asked, lambda: self._note("tools"))

    def _client(self) -> ClientInFront | None:
        client = self.front.client
        return None if client is None or client.modern else client

    # Changes

    def _note(self, kind: str) -> None:
        if self._changes.qsize() < 100:  # each kind is told once, however often it comes
            self._changes.put_nowait(kind)

    def _told(self, name: str, message: Any) -> None:
        """A notification of a server: lists that changed are told on, if the client may see them; nothing else is."""
        kinds: dict[type[Any], tuple[str, str]] = {
            types.PromptListChangedNotification: ("prompts", "prompts/list"),
            types.ResourceListChangedNotification: ("resources", "resources/list"),
        }
        found = kinds.get(type(message))
        if found is not None and may_run(self.core, self.servers[name], found[1]):
            self._note(found[0])

    # Its life

    async def __aenter__(self) -> McpProxy:
        try:
            for behind in self.servers.values():
                await self._stack.enter_async_context(behind.source)
                await behind.refresh()
                await self._stack.enter_async_context(_running(behind.follow(), f"changes of mcp server {behind.name}"))
            await self._test()
            await self._stack.enter_async_context(_running(tell_changes(self.front, self._changes), "changes in front"))
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        self.core.executor.close()

    async def _test(self) -> None:
        """A call through the real server in front has to come here, and run nothing."""
        name = f"{CANARY}{uuid.uuid4().hex}"
        async with Client(self.front.server, mode="legacy", cache=None) as client:
            result = await client.session.call_tool(name, {})
        if name not in self.front.refused or not result.is_error:
            raise SelfTestError("a call of the self-test did not reach the boundary; the proxy is not started")
        self.front.refused.clear()
        self.front.client = None

    def options(self) -> InitializationOptions:
        """What the handshake of 2025-11-25 and before says about the proxy."""
        from mcp.server.models import InitializationOptions

        return InitializationOptions(
            server_name="schemarouter", server_version=__version__, capabilities=self.front.capabilities()
        )

    async def serve(self, incoming: Any, outgoing: Any) -> None:
        """Serve one client over two streams of messages until it is gone."""
        await self.front.server.run(incoming, outgoing, self.options())


@asynccontextmanager
async def _running(work: Any, name: str) -> AsyncGenerator[None, None]:
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
