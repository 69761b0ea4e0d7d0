"""A real MCP server for tests of the proxy, with everything a server can have: ``python mcp_full_server.py [stdio|http]``.

What it does is appended to the file ``$EFFECTS``, so that a test sees what reached it. ``http`` prints its port first.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import warnings
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ToolsListChanged,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

warnings.simplefilter("ignore")
_ANYTHING: dict[str, Any] = {"type": "object"}
_NAMES = ["note", "ask", "sample", "roots", "slow", "wait", "retitle", "image", "state"]
_FORM: dict[str, Any] = {"type": "object", "properties": {"colour": {"type": "string"}}}
_TITLE = ["first"]
bus = InMemorySubscriptionBus()


def effect(text: str) -> None:
    with open(os.environ["EFFECTS"], "a") as file:
        file.write(text + "\n")


def said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


async def on_list_tools(_: Any, __: Any) -> types.ListToolsResult:
    tools = [types.Tool(name=name, description=_TITLE[0], input_schema=_ANYTHING) for name in _NAMES]
    return types.ListToolsResult(tools=tools)


async def on_call_tool(context: Any, params: types.CallToolRequestParams) -> Any:
    given = params.arguments or {}
    modern = context.protocol_version in MODERN_PROTOCOL_VERSIONS
    effect(f"{params.name} {sorted(given)} meta={sorted(context.meta or {})}" if "meta" in given else params.name)
    match params.name:
        case "note":
            return said(given.get("text", ""))
        case "image":
            return types.CallToolResult(content=[types.ImageContent(type="image", data="aGk=", mime_type="image/png")])
        case "ask":
            form = types.ElicitRequestFormParams(message=given.get("message", "which?"), requested_schema=_FORM)
            answer = await _asked(context, params, types.ElicitRequest(params=form), types.ElicitResult, modern)
            if isinstance(answer, types.InputRequiredResult):
                return answer
            effect(f"answer {answer.action} {answer.content}")
            return said(f"{answer.action} {answer.content}")
        case "sample":
            message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="think"))
            request = types.CreateMessageRequest(
                params=types.CreateMessageRequestParams(messages=[message], max_tokens=5)
            )
            answer = await _asked(context, params, request, types.CreateMessageResult, modern)
            return answer if isinstance(answer, types.InputRequiredResult) else said(f"model {answer.model}")
        case "roots":
            answer = await _asked(context, params, types.ListRootsRequest(), types.ListRootsResult, modern)
            return answer if isinstance(answer, types.InputRequiredResult) else said(str(answer.roots[0].uri))
        case "slow":
            for step in (1, 2, 3):
                await context.session.report_progress(step, 3, f"step {step}")
            return said("done")
        case "wait":
            try:
                await asyncio.sleep(600)
            finally:
                effect("cancelled")
        case "retitle":
            _TITLE[0] = given["title"]
            if modern:
                for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
                    await bus.publish(event)
            else:
                await context.session.send_tool_list_changed()
                await context.session.send_prompt_list_changed()
                await context.session.send_resource_list_changed()
            return said("retitled")
    return said("?")


async def _asked(context: Any, params: Any, request: Any, result: type[Any], modern: bool) -> Any:
    """What the client answers: at once, or by sending the call again."""
    if not modern:
        return await context.session.send_request(request, result)
    if params.input_responses is None:
        return types.InputRequiredResult(input_requests={"q": request}, request_state="s3cret-state")
    assert params.request_state == "s3cret-state"
    return params.input_responses["q"]


async def on_list_resources(_: Any, params: Any) -> types.ListResourcesResult:
    effect("resources/list")
    last = params is not None and params.cursor == "2"
    name = "b" if last else "a"
    resource = types.Resource(uri=f"note:///{name}", name=name)
    return types.ListResourcesResult(resources=[resource], next_cursor=None if last else "2")


async def on_list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="note:///{name}", name="notes")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def on_read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    effect(f"read {params.uri}")
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=str(params.uri), text="text of it")])


async def on_list_prompts(_: Any, __: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[types.Prompt(name="greet")])


async def on_get_prompt(_: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    effect(f"prompt {params.name}")
    text = types.TextContent(type="text", text=f"hello {(params.arguments or {}).get('who')}")
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])


async def on_completion(_: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    effect(f"complete {params.argument.value}")
    return types.CompleteResult(completion=types.Completion(values=[params.argument.value + "!"]))


def make() -> Server[Any]:
    return Server(
        "full",
        version="1",
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_list_resource_templates=on_list_templates,
        on_read_resource=on_read_resource,
        on_list_prompts=on_list_prompts,
        on_get_prompt=on_get_prompt,
        on_completion=on_completion,
        on_subscriptions_listen=ListenHandler(bus),
    )


async def serve_stdio() -> None:
    server = make()
    changed = NotificationOptions(tools_changed=True, prompts_changed=True, resources_changed=True)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options(changed))


async def serve_http() -> None:
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(make().streamable_http_app(), log_level="critical", lifespan="on")
        await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    asyncio.run(serve_stdio() if sys.argv[1:] in ([], ["stdio"]) else serve_http())
