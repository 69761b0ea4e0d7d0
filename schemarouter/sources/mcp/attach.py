"""A server under a router: its contract registered, its invoker bound, and both kept up with what the server lists.

When the server says that its tools changed, they are listed anew, and contract and invoker are replaced together. A plan
that was made before drifts and fails closed; nothing that was allowed for the old contract is carried over. Where the
new listing cannot be read, the invoker is taken away: no call runs until it can.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Any

from schemarouter.errors import RegistrationError
from schemarouter.model.tool import ToolSpec
from schemarouter.runtime.router import SchemaRouter
from schemarouter.sources.mcp.errors import McpContractError
from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.listing import OnRefused
from schemarouter.sources.mcp.servers import McpServer
from schemarouter.sources.mcp.source import McpInvoker, McpSource, Protocol
from schemarouter.sources.problem import SourceError


class Attached:
    """A server's tool in a router.

    ``tool`` is the contract that is registered, ``fingerprint`` its own; ``problem`` says why nothing is bound, if so.
    """

    def __init__(self, router: SchemaRouter, source: McpSource, on_change: Callable[[Attached], Any] | None) -> None:
        self.source = source
        self.key = source.name
        self.tool: ToolSpec | None = None
        self.fingerprint: str | None = None
        self.problem: SourceError | RegistrationError | None = None
        self._router = router
        self._on_change = on_change
        self._turn = asyncio.Lock()

    async def refresh(self) -> bool:
        """List the server's tools and, if the contract is another one, register and bind it; say whether it was.

        Raises ``SourceError`` or ``RegistrationError`` if that cannot be done; then no invoker is bound any more.
        """
        async with self._turn:
            return await self._refresh()

    async def catch_up(self) -> bool:
        """As :meth:`refresh`, but only if the server said that its tools changed and nobody has listed them since."""
        async with self._turn:
            return await self._refresh() if self.source.stale else False

    async def _refresh(self) -> bool:
        try:
            tool = await self.source.tool()
            if self.problem is None and self.fingerprint == self.source.fingerprint:
                return False
            self._put(tool)
        except (SourceError, RegistrationError) as error:
            self.problem = error
            self._unbind()
            raise
        return True

    def _put(self, tool: ToolSpec) -> None:
        before = self.fingerprint
        if before is not None and self._registered() != before:
            raise RegistrationError(f"the tool `{self.key}` was replaced by somebody else: it is left alone")
        self._router.add_bound_tool(tool, _Following(self), replace=before is not None)
        self.tool, self.fingerprint, self.problem = tool, self.source.fingerprint, None

    def detach(self) -> None:
        """Take the tool out of the router, if it is still the one that was put there."""
        if self.fingerprint is not None and self._registered() == self.fingerprint:
            self._unbind()
            with contextlib.suppress(KeyError):
                self._router.registry.unregister(self.key)
        self.tool = self.fingerprint = None

    async def follow(self) -> None:
        """Refresh whenever the server says that its tools changed; never returns. :func:`attach` runs it."""
        seen = self.source.listed_at
        while True:
            await self.source.wait_for_change(seen)
            seen = self.source.changes  # where this one cannot be read, a further one is waited for
            try:
                changed = await self.catch_up()
            except (SourceError, RegistrationError):
                changed = True
            if changed:
                self._tell()

    def _tell(self) -> None:
        if self._on_change is not None:
            try:
                self._on_change(self)
            except Exception as error:  # noqa: BLE001 - the application hears of it in its loop, and changes are followed on
                context = {"message": f"on_change of the mcp server {self.key} failed", "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)

    def _registered(self) -> str | None:
        prepared = self._router.registry.snapshot().tools.get(self.key)
        return None if prepared is None else prepared.fingerprint

    def _unbind(self) -> None:
        with contextlib.suppress(KeyError):
            self._router.executor.unbind(self.key)


class _Following:
    """The invoker of one contract. While the tools are being listed anew, a call waits, and then runs under the same or not."""

    def __init__(self, attached: Attached) -> None:
        self._attached = attached
        self._invoker: McpInvoker = attached.source.invoker()

    async def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        attached = self._attached
        if attached.source.stale:
            try:
                await attached.catch_up()
            except (SourceError, RegistrationError):
                raise McpContractError(
                    f"the tools of the server `{attached.key}` changed and cannot be listed"
                ) from None
        if attached.fingerprint != self._invoker.fingerprint:
            raise McpContractError(f"the tools of the server `{attached.key}` changed while the call was in progress")
        return await self._invoker(endpoint, arguments)


@contextlib.asynccontextmanager
async def attach(
    router: SchemaRouter,
    name: str,
    server: McpServer,
    *,
    limits: McpLimits | None = None,
    protocol: Protocol = "auto",
    on_refused: OnRefused = "refuse",
    keep_error_content: bool = False,
    on_change: Callable[[Attached], Any] | None = None,
) -> AsyncGenerator[Attached, None]:
    """``async with attach(router, "git", StdioServer("mcp-server-git")):`` runs the server's tools under ``router``.

    The server starts, is listed, registered under ``name`` and bound; at the end it is taken out again and stopped.
    ``on_change`` is called after each change that came through, or failed to (``problem``). The rest is as for
    ``McpSource``. Raises ``SourceError`` for a server that cannot be used and ``RegistrationError`` for a name that is
    taken, and leaves the router as it was.
    """
    source = McpSource(
        name, server, limits=limits, protocol=protocol, on_refused=on_refused, keep_error_content=keep_error_content
    )
    async with source:
        attached = Attached(router, source, on_change)
        await attached.refresh()
        following = asyncio.create_task(attached.follow(), name=f"changes of mcp server {name}")
        try:
            yield attached
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            attached.detach()
