"""Requests of the protocol, made anew from the arguments that were decided about, and the results that belong to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import mcp_types as types
from pydantic import BaseModel, TypeAdapter, ValidationError

from schemarouter.sources.mcp.errors import McpProtocolError
from schemarouter.sources.mcp.source import McpSource

Paused = types.InputRequiredResult
_RESULTS: dict[str, Any] = {
    "tools/call": TypeAdapter(types.CallToolResult | Paused),
    "resources/read": TypeAdapter(types.ReadResourceResult | Paused),
    "prompts/get": TypeAdapter(types.GetPromptResult | Paused),
    "completion/complete": types.CompleteResult,
}
_ELICITATION: TypeAdapter[Any] = TypeAdapter(types.ElicitRequestParams)


def request_of(endpoint: str, arguments: dict[str, Any], answers: Any, state: str | None) -> Any:
    """The request to a server for ``endpoint``, with answers to what it asked before."""
    again = {"input_responses": answers, "request_state": state}
    if endpoint == "tools/call":
        return types.CallToolRequest(params=types.CallToolRequestParams(**arguments, **again))
    if endpoint == "resources/read":
        return types.ReadResourceRequest(params=types.ReadResourceRequestParams(**arguments, **again))
    if endpoint == "prompts/get":
        return types.GetPromptRequest(params=types.GetPromptRequestParams(**arguments, **again))
    return types.CompleteRequest(params=_read(types.CompleteRequestParams.model_validate, arguments))


def result_of(endpoint: str) -> Any:
    """What the result of such a request is read as."""
    return _RESULTS[endpoint]


def request_to_client(endpoint: str, arguments: dict[str, Any]) -> tuple[types.InputRequest, type[BaseModel]]:
    """The request to the client for ``endpoint``, and what its result is read as. Raises ``McpProtocolError``."""
    if endpoint == "roots/list":
        return types.ListRootsRequest(), types.ListRootsResult
    if endpoint == "elicitation/create":
        return types.ElicitRequest(params=_read(_ELICITATION.validate_python, arguments)), types.ElicitResult
    params = _read(types.CreateMessageRequestParams.model_validate, arguments)
    with_tools = params.tools is not None or params.tool_choice is not None
    result = types.CreateMessageResultWithTools if with_tools else types.CreateMessageResult
    return types.CreateMessageRequest(params=params), result


def endpoint_of(request: types.InputRequest) -> tuple[str, dict[str, Any]]:
    """The operation that a server's request is, and its arguments as they stand on the wire."""
    if isinstance(request, types.ListRootsRequest) or request.params is None:
        return request.method, {}
    return request.method, arguments_of(request.params)


def arguments_of(params: BaseModel) -> dict[str, Any]:
    """The parameters of a request, without what is about its transport."""
    found = params.model_dump(mode="json", by_alias=True, exclude_none=True)
    for name in ("_meta", "task"):
        found.pop(name, None)
    return found


def data_of_result(result: Any) -> Any:
    """A result as the data that hooks and logs may see."""
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


def _read(read: Callable[[Any], Any], arguments: dict[str, Any]) -> Any:
    try:
        return read(arguments)
    except ValidationError:
        raise McpProtocolError("the parameters of the request are not what the protocol says") from None


class Listed(NamedTuple):
    """A list that a server hands out in pages: how it is asked for, and which capability says that there is one."""

    request: Any
    result: type[Any]
    field: str
    capability: str

    async def of(self, source: McpSource) -> Any:
        """All pages as one result, within the limits of a listing; nothing if the server has no such list."""
        if getattr(source.capabilities, self.capability) is None:
            return self.result(**{self.field: []})
        limits, items, left = source.limits, [], source.limits.max_listing_bytes
        cursor, seen = None, set()
        for _ in range(limits.max_pages):
            page = await source.send(self.request(params=types.PaginatedRequestParams(cursor=cursor)), self.result)
            items += getattr(page, self.field)
            left -= len(page.model_dump_json())
            cursor = page.next_cursor
            if left < 0 or len(items) > limits.max_tools or (cursor is not None and cursor in seen):
                raise McpProtocolError(
                    f"the listing of the server `{source.name}` has no end, or is longer than the limit"
                )
            if cursor is None:
                return self.result(**{self.field: items})
            seen.add(cursor)
        raise McpProtocolError(f"the listing of the server `{source.name}` has more than {limits.max_pages} pages")


LISTS: dict[str, Listed] = {
    "resources/list": Listed(types.ListResourcesRequest, types.ListResourcesResult, "resources", "resources"),
    "resources/templates/list": Listed(
        types.ListResourceTemplatesRequest, types.ListResourceTemplatesResult, "resource_templates", "resources"
    ),
    "prompts/list": Listed(types.ListPromptsRequest, types.ListPromptsResult, "prompts", "prompts"),
}
