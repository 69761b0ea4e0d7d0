"""The client in front: which protocol it speaks, and what it can be asked. It is not trusted code."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from schemarouter.sources.mcp.errors import McpCallError


class ClientRefusedError(McpCallError):
    """The client was asked, and gave no answer that can be used."""


class ClientInFront:
    """The client, as one of its requests shows it."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self.session = context.session
        #: Since 2026-07-28 a client takes no requests; what it is asked stands in the result of its own request.
        self.modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS

    def takes(self, request: types.InputRequest) -> bool:
        """Whether the client says that it can be asked this."""
        can = self.session.client_capabilities
        if can is None:
            return False
        if isinstance(request, types.ListRootsRequest):
            return can.roots is not None
        if isinstance(request, types.CreateMessageRequest):
            return can.sampling is not None
        elicitation = can.elicitation
        if elicitation is None:
            return False
        if isinstance(request.params, types.ElicitRequestURLParams):
            return elicitation.url is not None
        return elicitation.form is not None or elicitation.url is None  # before 2025-11-25 a form was all there was

    async def ask(self, request: Any, result: type[Any], seconds: float | None = None) -> Any:
        """Send a request and return its result. Raises :class:`ClientRefusedError`, ``TimeoutError`` after ``seconds``."""
        try:
            return await self.session.send_request(request, result, request_read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == types.REQUEST_TIMEOUT:
                raise TimeoutError from None
            raise ClientRefusedError(f"the client answered with error code {error.code}") from None
        except ValidationError:
            raise ClientRefusedError("the client answered with something that is no answer") from None
