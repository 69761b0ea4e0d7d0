"""What a server asks of the client: sampling, elicitation, roots. Each is an operation of its own, and decided as one.

Before 2026-07-28 the server sends a request; since then its result *is* the question. Both come here, and are brought to
the client in whichever of the two ways the client speaks, but for one: a client of 2026-07-28 takes no requests, so a
server of the older protocol is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mcp_types as types

from schemarouter.errors import SchemaRouterError
from schemarouter.integrations.mcp_proxy.entered import Entered
from schemarouter.integrations.mcp_proxy.operations import ASKED_BY_SERVER
from schemarouter.integrations.mcp_proxy.requests import arguments_of, data_of_result, endpoint_of, request_to_client
from schemarouter.integrations.mcp_proxy.tickets import Ticket
from schemarouter.integrations.mcp_proxy.verdicts import always_denied
from schemarouter.sources.mcp.errors import McpProtocolError
from schemarouter.sources.mcp.host import McpHost

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.client import ClientInFront
    from schemarouter.integrations.mcp_proxy.core import Core
    from schemarouter.sources.mcp.source import McpSource

#: How often a server may ask in one call.
_ROUNDS = 10
#: Seconds before a server is asked again that only said to come again.
_AGAIN = 0.1


class AskedByServer:
    """The questions of one server. ``client`` gives the client of now, if it takes requests."""

    def __init__(self, core: Core, name: str, client: Callable[[], ClientInFront | None]) -> None:
        self._core = core
        self._name = name
        self._client = client
        self.source: McpSource | None = None

    # The older way: requests

    def host(self, **more: Any) -> McpHost:
        """What the connection offers: what the policy denies whatever the arguments is not even offered."""
        from schemarouter.integrations.mcp_proxy.verdicts import Attributes

        offered = {
            endpoint: always_denied(self._core.graph, Attributes(f"{self._name}.{endpoint}", True, None, None)) is None
            for endpoint in ASKED_BY_SERVER
        }
        return McpHost(
            sampling=self._sampling if offered["sampling/createMessage"] else None,
            elicitation=self._elicitation if offered["elicitation/create"] else None,
            roots=self._roots if offered["roots/list"] else None,
            **more,
        )

    async def _sampling(self, _context: Any, params: types.CreateMessageRequestParams) -> Any:
        return await self._answered("sampling/createMessage", arguments_of(params))

    async def _elicitation(self, _context: Any, params: types.ElicitRequestParams) -> Any:
        return await self._answered("elicitation/create", arguments_of(params))

    async def _roots(self, _context: Any) -> Any:
        return await self._answered("roots/list", {})

    async def _answered(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        """The client's answer, or an error that tells the server nothing of the policy."""
        client = self._client()
        if client is None:
            return types.ErrorData(code=types.INVALID_REQUEST, message="the client takes no requests")
        try:
            return await self._ask(endpoint, arguments, client)
        except SchemaRouterError:
            return types.ErrorData(code=types.INVALID_REQUEST, message="not allowed by the side of the client")

    # The newer way: results that ask

    async def converse(self, request: Callable[[Any, str | None], Any], result: Any, entered: Entered) -> Any:
        """Send a request until its result is one, and bring to the client what the server asks meanwhile.

        If the client has to answer by sending its request again, what it is asked stands in ``entered.question``.
        """
        source = self.source
        if source is None:
            raise RuntimeError("a server that is not connected has nothing to ask")
        answers, state = None, None
        if entered.ticket is not None and entered.ticket.kind == "input":
            answers, state = entered.answers or None, entered.ticket.state
        for _ in range(_ROUNDS):
            found = await source.send(request(answers, state), result, progress=entered.progress)
            if not isinstance(found, types.InputRequiredResult):
                return found
            asked, state = found.input_requests or {}, found.request_state
            if not asked:
                answers = None
                await asyncio.sleep(_AGAIN)
                continue
            try:
                answers = {key: await self._ask(*endpoint_of(one), entered.client) for key, one in asked.items()}
            except SchemaRouterError as error:
                raise McpProtocolError(f"the server `{self._name}` asks the client, and that failed: {error}") from None
            if entered.client.modern:
                entered.question = (Ticket("input", tuple(asked), state, entered.approved), answers)
                raise McpProtocolError(f"the server `{self._name}` asks the client for input first")
        raise McpProtocolError(f"the server `{self._name}` asked more than {_ROUNDS} times in one call")

    async def _ask(self, endpoint: str, arguments: dict[str, Any], client: ClientInFront) -> Any:
        """Decide about a question; return the client's answer, or the question itself where the client is asked later."""
        entered = await self._core.enter(client, self._name, endpoint, arguments)
        await self._core.execute(self._name, endpoint, entered)
        return entered.result

    async def to_client(self, endpoint: str, arguments: dict[str, Any], entered: Entered) -> Any:
        """The invoker of such an operation: made anew from the arguments that were decided about."""
        request, result = request_to_client(endpoint, arguments)
        if not entered.client.takes(request):
            raise McpProtocolError(f"the client does not take `{endpoint}`")
        entered.result = request if entered.client.modern else await entered.client.ask(request, result)
        return data_of_result(entered.result)
