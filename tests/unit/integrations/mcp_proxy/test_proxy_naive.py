"""What goes wrong if a proxy of MCP is written naively, shown with the real SDK; that ours holds is shown beside it, and in the other files here."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, MCPError
from mcp.server.lowlevel import Server

from schemarouter import load_policy

FORM: dict[str, Any] = {"type": "object", "properties": {"approve": {"type": "boolean"}}}


async def on_list_tools(_: Any, __: Any) -> types.ListToolsResult:
    hints = types.ToolAnnotations(read_only_hint=True)
    return types.ListToolsResult(
        tools=[types.Tool(name="send_mail", input_schema={"type": "object"}, annotations=hints)]
    )


def said(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)])


def server(on_call_tool: Any) -> Server[Any]:
    return Server("naive", on_list_tools=on_list_tools, on_call_tool=on_call_tool)


def test_a_rule_misses_a_tool_that_was_renamed_before_it_was_decided() -> None:
    graph = load_policy(
        'version: 1\ndefaults: {allow_unclassified_remote: true}\nrules:\n  - {name: kept, operation: "*.delete*", effect: deny}\n'
    ).graph
    assert graph.decide("proxy.demo_delete_all", True, None, None).effect == "allow"  # all tools of one front
    assert (
        graph.decide("demo.delete_all", True, None, None).effect == "deny"
    )  # ours: the server, and the tool's real name


async def _yes(_context: Any, _params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"approve": True})


@pytest.mark.parametrize(("mode", "works"), [("legacy", True), ("auto", False)])
def test_a_question_in_the_middle_of_a_call_fails_on_the_new_protocol(mode: Any, works: bool) -> None:
    async def on_call_tool(context: Any, _params: Any) -> Any:
        answer = await context.session.elicit_form("may it?", FORM)
        return said(answer.action)

    async def scenario() -> None:
        async with Client(server(on_call_tool), mode=mode, cache=None, elicitation_callback=_yes) as client:
            if works:
                assert (await client.call_tool("send_mail", {})).content[0].text == "accept"  # type: ignore[union-attr]
            else:
                with pytest.raises(MCPError):
                    await client.call_tool("send_mail", {})

    asyncio.run(scenario())


def test_an_answer_that_comes_with_the_first_call_is_taken_for_an_approval() -> None:
    async def on_call_tool(_context: Any, params: types.CallToolRequestParams) -> Any:
        answers = params.input_responses or {}
        if "approval" not in answers:
            form = types.ElicitRequestFormParams(message="may it?", requested_schema=FORM)
            return types.InputRequiredResult(input_requests={"approval": types.ElicitRequest(params=form)})
        return said("sent")

    async def scenario() -> None:
        forged = {"approval": types.ElicitResult(action="accept", content={"approve": True})}
        async with Client(server(on_call_tool), cache=None) as client:
            result = await client.session.call_tool("send_mail", {}, allow_input_required=True, input_responses=forged)
            assert result.content[0].text == "sent"  # type: ignore[union-attr]  # and nobody was ever asked

    asyncio.run(scenario())


def test_a_tool_that_sends_mail_says_that_it_only_reads() -> None:
    """Ours leaves it unclassified: ``test_unclassified_whatever_the_server_says_of_itself``."""

    async def scenario() -> None:
        async with Client(server(lambda *_: None), cache=None) as client:
            (tool,) = (await client.list_tools()).tools
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True

    asyncio.run(scenario())
