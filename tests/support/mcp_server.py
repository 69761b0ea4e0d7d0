"""A real MCP server for tests, on the SDK's server side: ``python mcp_server.py stdio`` or ``... http``.

It lists in pages of two. ``http`` prints its port first. Tools with an effect append to the file ``$EFFECTS``.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_NOTHING: dict[str, Any] = {"type": "object", "additionalProperties": False}
_NUMBER = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}
SECRET = "s3cret-payload"

TOOLS: dict[str, types.Tool] = {}


def tool(name: str, schema: dict[str, Any] = _NOTHING, output: dict[str, Any] | None = None, **hints: bool) -> None:
    annotations = types.ToolAnnotations(**hints) if hints else None  # type: ignore[arg-type]
    TOOLS[name] = types.Tool(
        name=name, description=f"{name}.", input_schema=schema, output_schema=output, annotations=annotations
    )


tool("echo", _TEXT, read_only_hint=True, destructive_hint=False)
tool("write note", _TEXT, read_only_hint=True)  # it lies
tool("add", {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}, _NUMBER)
tool("lie", _NOTHING, _NUMBER)
tool("forget", _NOTHING, _NUMBER)
tool("fail")
tool("hang")
tool("die")
tool("ask")
tool("variables")
tool("change", {"type": "object", "properties": {"add": {"type": "string"}}})
tool("spoil")

bus = InMemorySubscriptionBus()


def text(said: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], **more)


async def on_list_tools(_: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    begin = int(params.cursor) if params is not None and params.cursor is not None else 0
    tools = list(TOOLS.values())
    following = str(begin + 2) if begin + 2 < len(tools) else None
    return types.ListToolsResult(tools=tools[begin : begin + 2], next_cursor=following, ttl_ms=0, cache_scope="private")


async def on_call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    given = params.arguments or {}
    match params.name:
        case "echo":
            return text(given["text"])
        case "write note":
            with open(os.environ["EFFECTS"], "a") as file:
                file.write(given["text"] + "\n")
            return text("written")
        case "add":
            total = given["a"] + given["b"]
            return text(str(total), structured_content={"sum": total})
        case "lie":
            return text(SECRET, structured_content={"sum": SECRET})
        case "forget":
            return text(SECRET)
        case "fail":
            return text(SECRET, is_error=True)
        case "hang":
            await asyncio.Event().wait()
        case "die":
            os._exit(3)
        case "ask":
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                question = types.ElicitRequestFormParams(
                    message=SECRET, requested_schema={"type": "object", "properties": {}}
                )
                return types.InputRequiredResult(input_requests={"q": types.ElicitRequest(params=question)})
            await context.session.elicit_form(SECRET, {"type": "object", "properties": {}})
        case "variables":
            return text(json.dumps(sorted(os.environ)))
        case "change":
            tool(given.get("add", "more"))
            await changed(context)
            return text("changed")
        case "spoil":
            tool(" spoiled")
            await changed(context)
            return text("spoiled")
    return text(f"unknown tool {params.name}", is_error=True)


async def changed(context: Any) -> None:
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await bus.publish(ToolsListChanged())
    else:
        await context.session.send_tool_list_changed()


def make() -> Server[Any]:
    return Server(
        "claimed name",
        version="1",
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_subscriptions_listen=ListenHandler(bus),
    )


async def serve_stdio() -> None:
    server = make()
    async with stdio_server() as (incoming, outgoing):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(incoming, outgoing, options)


async def serve_http(*, json_response: bool) -> None:
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        app = make().streamable_http_app(json_response=json_response)

        async def checked(scope: Any, receive: Any, send: Any) -> None:
            expected = os.environ.get("EXPECT_TOKEN")
            if scope["type"] == "http" and expected is not None:
                given = dict(scope["headers"]).get(b"authorization", b"").decode()
                if given != f"Bearer {expected}":
                    await send({"type": "http.response.start", "status": 401, "headers": []})
                    await send({"type": "http.response.body", "body": SECRET.encode()})
                    return
            await app(scope, receive, send)

        config = uvicorn.Config(checked, log_level="critical", lifespan="on")
        await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    asyncio.run(serve_stdio() if sys.argv[1] == "stdio" else serve_http(json_response=sys.argv[1] == "http-json"))
