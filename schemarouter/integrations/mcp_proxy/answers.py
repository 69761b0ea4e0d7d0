"""What the client is told: results, denials that a model can read, and questions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import mcp_types as types

from schemarouter.errors import ApprovalDeniedError, ExecutionError, SchemaRouterError, SchemaValidationError

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.core import Core
    from schemarouter.integrations.mcp_proxy.entered import Entered

_OUT_OF_BAND = "`schemarouter approvals show "
_COME_AGAIN = (
    "; a person answers with `schemarouter approvals approve`, and then the same call, sent again with the same "
    "arguments, runs once"
)


def told(error: Exception) -> str:
    """Why a call did not run, failed, or has a result that is withheld: one line, never a payload."""
    if not isinstance(error, SchemaRouterError):
        return f"failed: {type(error).__name__}"
    text = str(error)
    if isinstance(error, ApprovalDeniedError) and _OUT_OF_BAND in text:
        return f"not allowed yet: {text}{_COME_AGAIN}"
    succeeded = getattr(error, "execution_succeeded", False)
    if isinstance(error, SchemaValidationError) and succeeded:
        return f"the call ran, and its result is withheld: {text}"
    return f"failed: {text}" if isinstance(error, ExecutionError) else f"not allowed: {text}"


def denied(error: Exception) -> types.CallToolResult:
    """A result that the model can read."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=told(error))], is_error=True)


def result_of_tool(entered: Entered, *, modern: bool) -> types.CallToolResult:
    """The server's result, as far as it belongs to the contract: content, structured content, and whether it failed."""
    raw: types.CallToolResult = entered.result
    whole: dict[str, Any] = {"content": raw.content, "is_error": raw.is_error}
    given = "structured_content" in raw.model_fields_set
    if given and (modern or isinstance(raw.structured_content, dict)):  # before 2026-07-28 only objects may stand there
        whole["structured_content"] = raw.structured_content
    return types.CallToolResult(**whole)


async def question(core: Core, entered: Entered) -> types.InputRequiredResult:
    """The result that asks, with the sealed state that the answer has to bring back."""
    if entered.question is None:
        raise RuntimeError("there is no question")
    ticket, requests = entered.question
    state = await asyncio.to_thread(core.tickets.issue, entered.bound, ticket)
    return types.InputRequiredResult(input_requests=requests, request_state=state)
