"""An MCP server as a source of tools: connected, listed, and called."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from schemarouter.model.tool import ToolSpec
from schemarouter.sources.mcp.errors import McpConnectionError, McpContractError
from schemarouter.sources.mcp.host import McpHost
from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.listing import LeftOut, Listing, OnRefused, check_name, read_listing
from schemarouter.sources.mcp.servers import HttpServer, McpServer, StdioServer
from schemarouter.sources.problem import SourceError

if TYPE_CHECKING:
    from schemarouter.sources.mcp.connection import Connection

#: ``auto`` takes the newest that both sides speak; ``2025-11-25`` also takes the earlier ones that begin in the same way.
Protocol = Literal["auto", "2025-11-25", "2026-07-28"]
#: How often a listing is begun again because the tools changed meanwhile.
_TRIES = 3
#: Characters of what a server calls itself that are kept.
_CLAIM = 200


class McpSource:
    """``async with McpSource("git", StdioServer(...)) as source``: a server under the name that the application gives it.

    ``tool()`` gives its contract, ``invoker()`` what runs it. ``on_refused="leave-out"`` leaves out tools that cannot be
    registered (see ``left_out``) instead of refusing the server. ``keep_error_content`` keeps what a failed tool says in
    the error that is raised; by default nobody sees it. ``host`` answers what the server asks; by default nobody does.

    Raises ``SourceError`` for an illegal name. It belongs to the event loop in which it was entered.
    """

    def __init__(
        self,
        name: str,
        server: McpServer,
        *,
        limits: McpLimits | None = None,
        protocol: Protocol = "auto",
        on_refused: OnRefused = "refuse",
        keep_error_content: bool = False,
        host: McpHost | None = None,
    ) -> None:
        check_name(name)
        if not isinstance(server, StdioServer | HttpServer):
            raise TypeError(f"a server is a `StdioServer` or a `HttpServer`, not a `{type(server).__name__}`")
        if protocol not in ("auto", "2025-11-25", "2026-07-28"):
            raise ValueError("`protocol` must be `auto`, `2025-11-25` or `2026-07-28`")
        self.name = name
        self.limits = limits if limits is not None else McpLimits()
        self._server = server
        self._protocol = protocol
        self._on_refused = on_refused
        self._keep_error_content = keep_error_content
        self._host = host
        self._connection: Connection | None = None
        self._listing: Listing | None = None
        self._fingerprint: str | None = None
        self._changes = 0
        self._listed_at = 0
        self._changed = asyncio.Event()

    async def __aenter__(self) -> McpSource:
        """Connect. Raises ``SourceError`` if the server cannot be started or reached, or does not speak the protocol."""
        try:
            from schemarouter.sources.mcp.connection import Connection
        except ImportError:
            raise SourceError(
                "MCP servers need the extra `mcp`", help="install it with `pip install 'schemarouter[mcp]'`"
            ) from None
        if self._connection is not None:
            raise RuntimeError("a source can be entered once")
        self._connection = Connection(
            self.name, self._server, self.limits, self._protocol, self._note_change, self._host
        )
        await self._connection.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            await self._connection.close()

    # The contract

    async def tool(self) -> ToolSpec:
        """List the server's tools, and return them as one tool. Raises ``SourceError``, and keeps what it had, if it cannot."""
        try:
            async with asyncio.timeout(self.limits.list_seconds):
                for _ in range(_TRIES):
                    at = self._changes
                    items = await self._list()
                    if at == self._changes:
                        break
                else:
                    raise self._problem("its tools change faster than they can be listed")
        except TimeoutError:
            raise self._problem(f"it did not list its tools within {self.limits.list_seconds:g} seconds") from None
        listing = read_listing(self.name, items, on_refused=self._on_refused, metadata=self._about())
        self._listing, self._listed_at, self._fingerprint = listing, at, listing.tool.fingerprint
        return listing.tool.model_copy(deep=True)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What the last listing left out, which is nothing unless ``on_refused`` is ``leave-out``."""
        return self._listing.left_out if self._listing is not None else ()

    @property
    def stale(self) -> bool:
        """Whether the server said that its tools changed since they were listed."""
        return self._listing is None or self._changes != self._listed_at

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the contract of the last listing, or ``None`` before there was one."""
        return self._fingerprint

    @property
    def listed_at(self) -> int:
        """How often the server had said that its tools changed when they were listed last."""
        return self._listed_at

    @property
    def protocol_version(self) -> str:
        """The version of the protocol that is spoken. Raises ``McpConnectionError`` if there is no connection."""
        return self._connected().client.protocol_version

    @property
    def changes(self) -> int:
        """How often the server said that its tools changed."""
        return self._changes

    async def wait_for_change(self, after: int) -> None:
        """Return once the server has said more than ``after`` times that its tools changed."""
        while self._changes <= after:
            self._changed.clear()
            await self._changed.wait()

    def _note_change(self) -> None:
        self._changes += 1
        self._changed.set()

    async def _list(self) -> list[Any]:
        """All pages. No cursor is followed twice."""
        connection, limits = self._open_connection(), self.limits
        items: list[Any] = []
        cursor: str | None = None
        cursors: set[str] = set()
        left = limits.max_listing_bytes
        for _ in range(limits.max_pages):
            page = await connection.list_page(cursor)
            items += page.tools
            left -= sum(len(tool.model_dump_json()) for tool in page.tools)
            if left < 0:
                raise self._problem(f"its listing is larger than {limits.max_listing_bytes} bytes")
            if len(items) > limits.max_tools:
                raise self._problem(f"it lists more than {limits.max_tools} tools")
            cursor = page.next_cursor
            if cursor is None:
                return items
            if cursor in cursors:
                raise self._problem("the pages of its listing lead round in a circle")
            cursors.add(cursor)
        raise self._problem(f"its listing has more than {limits.max_pages} pages")

    def _about(self) -> dict[str, Any]:
        """What the server says about itself, for people. It decides nothing."""
        client = self._open_connection().client
        about: dict[str, Any] = {"protocol": client.protocol_version}
        info = client.server_info
        if info is not None:
            about["server"] = {"name": info.name[:_CLAIM], "version": info.version[:_CLAIM]}
        return about

    # Calls

    def invoker(self) -> McpInvoker:
        """What runs calls under the contract of the last listing. Raises ``SourceError`` before there was one."""
        if self._listing is None:
            raise self._problem("its tools were not listed yet")
        return McpInvoker(self, self._listing.tool)

    async def call(self, endpoint: str, arguments: dict[str, Any], *, structured: bool) -> Any:
        """Send one call and return its data (see ``results``). Raises a ``McpCallError``. It passes no policy: bind it."""
        connection = self._connected_here()
        from schemarouter.sources.mcp.results import data_of

        result = await connection.call(endpoint, arguments)
        return data_of(
            result, f"{self.name}.{endpoint}", structured=structured, keep_error_content=self._keep_error_content
        )

    async def send(self, request: Any, result: Any, *, progress: Any | None = None) -> Any:
        """Send any request of the protocol and return its ``result`` (a model or an adapter of pydantic), as the SDK has it.

        ``progress`` hears how far it is. Raises a ``McpCallError``. It passes no policy: call it from an invoker.
        """
        return await self._connected_here().send(request, result, progress)

    @property
    def capabilities(self) -> Any:
        """What the server says that it offers. Raises ``McpConnectionError`` if there is no connection."""
        return self._connected().client.server_capabilities

    def _open_connection(self) -> Connection:
        try:
            connection = self._connected_here()
            _ = connection.client
        except McpConnectionError as error:
            raise SourceError(str(error)) from None
        return connection

    def _connected_here(self) -> Connection:
        connection = self._connected()
        if asyncio.get_running_loop() is not connection.loop:
            raise McpConnectionError(f"the connection to the server `{self.name}` belongs to another event loop")
        return connection

    def _connected(self) -> Connection:
        if self._connection is None:
            raise McpConnectionError(f"the connection to the server `{self.name}` is not open")
        return self._connection

    def _problem(self, message: str) -> SourceError:
        return SourceError(message, where=f"server `{self.name}`")


class McpInvoker:
    """Runs the calls of one contract. Once the server says that its tools changed, nothing is sent any more."""

    def __init__(self, source: McpSource, tool: ToolSpec) -> None:
        self._source = source
        self._structured = {endpoint.name: bool(endpoint.output_schema) for endpoint in tool.endpoints}
        self.fingerprint = tool.fingerprint

    async def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        """Raises ``McpContractError`` where the contract is not the server's any more, else as ``McpSource.call``."""
        source = self._source
        if source.stale or source.fingerprint != self.fingerprint:
            raise McpContractError(f"the server `{source.name}` says that its tools changed; list them anew and rebind")
        return await source.call(endpoint, arguments, structured=self._structured[endpoint])
