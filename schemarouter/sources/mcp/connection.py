"""One connection to one server, alive in a task of its own.

The SDK runs its streams in the task that opens the client, and ends that task when a stream fails. Here that is a task
that nobody else runs in: a server that dies never cancels the code of the application, and whoever waits for an answer
gets an error with a reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from schemarouter import __version__
from schemarouter.sources.mcp.errors import McpCallError, McpConnectionError, McpProtocolError
from schemarouter.sources.mcp.host import McpHost
from schemarouter.sources.mcp.http import http_streams
from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.meter import Metered
from schemarouter.sources.mcp.servers import HttpServer, McpServer
from schemarouter.sources.mcp.stdio import stdio_streams
from schemarouter.sources.problem import SourceError

CallResult = types.CallToolResult | types.InputRequiredResult
#: Without the SDK's own check of the output: that is the boundary's, which knows no slow pattern and tells no value.
_CALL_RESULT: TypeAdapter[CallResult] = TypeAdapter(CallResult)
#: Seconds before a lost subscription is opened again; doubled each time, up to the second value.
_AGAIN, _AGAIN_AT_MOST = 1.0, 60.0
#: Codes that the SDK answers with in the server's place.
_CLOSED = -32000
_UNREADABLE = -32700

# The SDK logs what it cannot read, tracebacks and payloads included; without a handler Python prints that. Handlers of
# the application get it as before.
for _logger in ("mcp", "client"):
    logging.getLogger(_logger).addHandler(logging.NullHandler())


class Connection:
    """Use :meth:`open`, then the requests, then :meth:`close`, all in one event loop.

    ``changed`` is called, without arguments, whenever the server says that its tools changed.
    """

    def __init__(
        self,
        name: str,
        server: McpServer,
        limits: McpLimits,
        protocol: str,
        changed: Callable[[], None],
        host: McpHost | None = None,
    ) -> None:
        self._name = name
        self._server = server
        self._limits = limits
        self._protocol = protocol
        self._changed = changed
        self._host = host or McpHost()
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._reason: str | None = None
        self.loop = asyncio.get_running_loop()

    @property
    def client(self) -> Client:
        """The client of the SDK. Raises ``McpConnectionError`` if there is no connection."""
        if self._client is None:
            raise McpConnectionError(f"there is no connection to the server `{self._name}`{self._because()}")
        return self._client

    # Its life

    async def open(self) -> None:
        """Connect, and agree on a version of the protocol. Raises ``SourceError``."""
        opened: asyncio.Future[None] = self.loop.create_future()
        self._task = asyncio.create_task(self._live(opened), name=f"mcp server {self._name}")
        try:
            async with asyncio.timeout(self._limits.connect_seconds):
                await asyncio.wait({opened, self._task}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            await self.close(at_once=True)
            raise self._problem(
                f"it did not agree on a version of the protocol within {self._limits.connect_seconds:g} seconds"
            ) from None
        except BaseException:
            await self.close(at_once=True)
            raise
        failed = opened.exception() if opened.done() and not opened.cancelled() else None
        if self._client is None:
            await self.close()
            raise failed or self._problem(self._reason or "the connection failed")

    async def close(self, *, at_once: bool = False) -> None:
        """End the connection, and the process if there is one. Takes bounded time. ``at_once``: it never was a connection."""
        self._closing.set()
        if self._task is not None:
            for cancel in (at_once, True):
                if cancel:
                    self._task.cancel()
                await asyncio.wait({self._task}, timeout=3 * self._limits.close_seconds + 1)

    async def _live(self, opened: asyncio.Future[None]) -> None:
        try:
            async with (
                self._streams() as streams,
                Client(
                    _Given(streams),
                    mode="legacy" if self._protocol == "2025-11-25" else "auto",
                    cache=None,
                    message_handler=self._on_message,
                    sampling_callback=self._host.sampling,
                    elicitation_callback=self._host.elicitation,
                    list_roots_callback=self._host.roots,
                    client_info=types.Implementation(name="schemarouter", version=__version__),
                ) as client,
            ):
                self._check_version(client.protocol_version)
                self._client = client
                opened.set_result(None)
                listening = asyncio.create_task(self._listen(client))
                try:
                    await self._closing.wait()
                finally:
                    listening.cancel()
                    await asyncio.gather(listening, return_exceptions=True)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, it is told to whoever waits
            self._stop(_reason_of(error))
            if not opened.done():
                opened.set_exception(self._as_problem(error))
        finally:
            self._client = None
            if not opened.done():
                opened.cancel()

    @contextlib.asynccontextmanager
    async def _streams(self) -> AsyncGenerator[tuple[Any, Any], None]:
        server, limits = self._server, self._limits
        if isinstance(server, HttpServer):
            opened = http_streams(server, limits, self._note)
        else:
            opened = stdio_streams(server, limits, self._stop, self._host.process)
        async with opened as (incoming, outgoing):
            yield Metered(incoming, limits.max_messages_per_second, self.loop.time, self._stop), outgoing

    def _check_version(self, version: str) -> None:
        if self._protocol == "2025-11-25" and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise self._problem("it does not speak the protocol of 2025-11-25 or an earlier one")
        if self._protocol == "2026-07-28" and version not in MODERN_PROTOCOL_VERSIONS:
            raise self._problem("it does not speak the protocol of 2026-07-28")

    def _note(self, reason: str) -> None:
        self._reason = reason

    def _stop(self, reason: str) -> None:
        if self._reason is None:
            self._reason = reason

    # Changes

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed()
        elif self._host.told is not None:
            self._host.told(message)

    async def _listen(self, client: Client) -> None:
        """Since 2026-07-28 changes are told to those who ask for them. What was missed meanwhile counts as a change."""
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        wanted = _changes_told(client.server_capabilities, all_lists=self._host.told is not None)
        if not any(wanted.values()):
            return
        wait = _AGAIN
        while True:
            try:
                async with client.listen(**wanted) as events:
                    wait = _AGAIN
                    async for _ in events:
                        pass  # every event is a message as well, and noted as that
            except ListenNotSupportedError:
                return
            except (MCPError, SubscriptionLost, TimeoutError):
                pass
            await asyncio.sleep(wait)
            wait = min(2 * wait, _AGAIN_AT_MOST)
            self._changed()

    # Requests

    async def list_page(self, cursor: str | None) -> types.ListToolsResult:
        """Return one page of ``tools/list``. Raises ``SourceError``."""
        try:
            return await self.client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        except McpConnectionError as error:
            raise self._problem(self._reason or str(error)) from None
        except (MCPError, ValidationError, RuntimeError, ValueError) as error:
            told = _is_unreadable(error) or _is_closed(error)
            raise self._problem(self._reason if told and self._reason else _reason_of(error)) from None

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Send one ``tools/call`` and return what the server answers. Raises a ``McpCallError``."""
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        result: CallResult = await self.send(request)
        return result

    async def send(
        self, request: Any, result: TypeAdapter[Any] | type[Any] = _CALL_RESULT, progress: Any | None = None
    ) -> Any:
        """Send any request and return its ``result``; ``progress`` hears how far it is. Raises a ``McpCallError``."""
        try:
            async with asyncio.timeout(self._limits.call_seconds) as scope:
                return await self.client.session.send_request(request, result, progress_callback=progress)
        except TimeoutError:
            if not scope.expired():
                raise McpConnectionError(f"the server `{self._name}` did not take a call") from None
            raise McpConnectionError(
                f"the server `{self._name}` did not answer within {self._limits.call_seconds:g} seconds"
            ) from None
        except ValidationError:
            what = "no result of a tool" if result is _CALL_RESULT else "no result of the request"
            raise McpProtocolError(f"the server `{self._name}` sent something that is {what}") from None
        except MCPError as error:
            raise self._failed(error) from None
        except RuntimeError:  # the SDK's, for a connection that is not open any more
            raise McpConnectionError(f"there is no connection to the server `{self._name}`{self._because()}") from None

    def _failed(self, error: MCPError) -> McpCallError:
        if _is_closed(error):
            return McpConnectionError(f"the connection to the server `{self._name}` is gone{self._because()}")
        if _is_unreadable(error):
            return McpProtocolError(f"the answer of the server `{self._name}` cannot be read{self._because()}")
        refused = McpProtocolError(f"the server `{self._name}` refused the call with error code {error.code}")
        refused.code = error.code
        return refused

    def _because(self) -> str:
        return f": {self._reason}" if self._reason else ""

    def _problem(self, message: str) -> SourceError:
        return SourceError(message, where=f"server `{self._name}`")

    def _as_problem(self, error: Exception) -> SourceError:
        if isinstance(error, SourceError):
            return error if error.where is not None else self._problem(error.message)
        return self._problem(self._reason or _reason_of(error))


class _Given:
    """A transport whose streams are open already."""

    def __init__(self, streams: tuple[Any, Any]) -> None:
        self._streams = streams

    async def __aenter__(self) -> tuple[Any, Any]:
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        return None


def _changes_told(capabilities: types.ServerCapabilities, *, all_lists: bool) -> dict[str, Any]:
    """Which changes the server tells of, and this side wants to hear of."""
    offered = {
        "tools_list_changed": capabilities.tools,
        "prompts_list_changed": capabilities.prompts if all_lists else None,
        "resources_list_changed": capabilities.resources if all_lists else None,
    }
    return {name: bool(one is not None and one.list_changed) for name, one in offered.items()}


def _is_closed(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == _CLOSED


def _is_unreadable(error: Exception) -> bool:
    return isinstance(error, MCPError) and error.code == _UNREADABLE


def _reason_of(error: BaseException) -> str:
    """Say what went wrong without a word of the server's."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, SourceError):
        return error.message
    if isinstance(error, MCPError):
        if error.code == _CLOSED:
            return "the connection is gone"
        if error.code == _UNREADABLE:
            return "it sent an answer that is no JSON-RPC"
        return f"it answered with error code {error.code}"
    if isinstance(error, ValidationError):
        return "it sent something that is not what the protocol says"
    if isinstance(error, RuntimeError):  # the SDK's own word for it
        return "it speaks no version of the protocol that this side speaks"
    return f"the connection failed ({type(error).__name__})"
