"""One server behind: connected, its contract registered and followed, its operations bound to what sends them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from schemarouter.errors import RegistrationError
from schemarouter.integrations.mcp_proxy.asked import AskedByServer
from schemarouter.integrations.mcp_proxy.entered import ENTERED, Entered
from schemarouter.integrations.mcp_proxy.operations import ASKED_BY_CLIENT, ASKED_BY_SERVER, with_protocol
from schemarouter.integrations.mcp_proxy.requests import LISTS, data_of_result, request_of, result_of
from schemarouter.sources.mcp.errors import McpContractError
from schemarouter.sources.mcp.results import data_of
from schemarouter.sources.mcp.source import McpSource
from schemarouter.sources.problem import SourceError

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.core import Core
    from schemarouter.model.tool import ToolSpec


class Behind:
    """A server under the boundary ``core``. ``source`` must not be entered yet; ``changed`` is called after each change.

    ``tool`` is the contract of its tools as listed last, ``problem`` why nothing is bound, if so.
    """

    def __init__(self, core: Core, source: McpSource, asked: AskedByServer, changed: Callable[[], None]) -> None:
        self.source = source
        self.name = source.name
        self.tool: ToolSpec | None = None
        self.problem: str | None = None
        self._core = core
        self._asked = asked
        self._changed = changed
        self._turn = asyncio.Lock()

    # Its contract

    async def refresh(self) -> bool:
        """List the tools and, if the contract is another one, register and bind it; say whether it was.

        Raises ``SourceError`` if that cannot be done; then nothing is bound any more.
        """
        async with self._turn:
            return await self._refresh()

    async def catch_up(self) -> bool:
        """As :meth:`refresh`, but only if the server said that its tools changed and nobody has listed them since."""
        async with self._turn:
            return await self._refresh() if self.source.stale else False

    async def _refresh(self) -> bool:
        try:
            listed = await self.source.tool()
            whole = with_protocol(listed)
            registered = self._core.registry.snapshot().tools.get(self.name)
            if self.problem is None and registered is not None and registered.fingerprint == whole.fingerprint:
                return False
            self._core.registry.register(whole, replace=self.tool is not None)
            self._core.executor.bind(self.name, _Invoker(self, whole), expected_fingerprint=whole.fingerprint)
        except (SourceError, RegistrationError) as error:
            self.problem = " ".join(str(error).split())
            with contextlib.suppress(KeyError):
                self._core.executor.unbind(self.name)
            raise error if isinstance(error, SourceError) else SourceError(self.problem) from None
        self.tool, self.problem = listed, None
        return True

    async def follow(self) -> None:
        """Refresh whenever the server says that its tools changed; never returns."""
        seen = self.source.listed_at
        while True:
            await self.source.wait_for_change(seen)
            seen = self.source.changes  # where this one cannot be read, a further one is waited for
            try:
                changed = await self.catch_up()
            except SourceError:
                changed = True
            if changed or self.source.listed_at >= seen:
                self._changed()

    # What is sent

    async def send(self, endpoint: str, arguments: dict[str, Any], entered: Entered) -> Any:
        """Send a request that was let through, answer what the server asks meanwhile, and keep its result whole."""
        if endpoint in LISTS:
            entered.result = await LISTS[endpoint].of(self.source)
        else:
            entered.result = await self._asked.converse(
                lambda answers, state: request_of(endpoint, arguments, answers, state), result_of(endpoint), entered
            )
        return data_of_result(entered.result)

    async def call(self, endpoint: str, arguments: dict[str, Any], entered: Entered, *, structured: bool) -> Any:
        """Call a tool. Raises ``McpToolError`` for a result with ``isError``, which is kept whole as well."""
        entered.result = await self._asked.converse(
            lambda answers, state: request_of("tools/call", {"name": endpoint, "arguments": arguments}, answers, state),
            result_of("tools/call"),
            entered,
        )
        return data_of(entered.result, f"{self.name}.{endpoint}", structured=structured, keep_error_content=False)

    async def to_client(self, endpoint: str, arguments: dict[str, Any], entered: Entered) -> Any:
        """Ask the client what the server wants to know, once that was let through."""
        return await self._asked.to_client(endpoint, arguments, entered)


class _Invoker:
    """What runs the operations of one contract, and of no other."""

    def __init__(self, behind: Behind, contract: ToolSpec) -> None:
        self._behind = behind
        self._structured = {endpoint.name: bool(endpoint.output_schema) for endpoint in contract.endpoints}
        self._fingerprint = contract.fingerprint

    async def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        behind, entered = self._behind, ENTERED.get()
        if entered is None:
            raise McpContractError(f"`{behind.name}.{endpoint}` was called without a request")
        if endpoint in ASKED_BY_SERVER:
            return await behind.to_client(endpoint, arguments, entered)
        await self._check(behind)
        if endpoint in ASKED_BY_CLIENT:
            return await behind.send(endpoint, arguments, entered)
        return await behind.call(endpoint, arguments, entered, structured=self._structured[endpoint])

    async def _check(self, behind: Behind) -> None:
        """Send nothing under a contract that is not the server's any more."""
        if behind.source.stale:
            try:
                await behind.catch_up()
            except SourceError:
                raise McpContractError(
                    f"the tools of the server `{behind.name}` changed and cannot be listed"
                ) from None
        registered = behind._core.registry.snapshot().tools.get(behind.name)
        if registered is None or registered.fingerprint != self._fingerprint:
            raise McpContractError(f"the tools of the server `{behind.name}` changed while the call was in progress")
