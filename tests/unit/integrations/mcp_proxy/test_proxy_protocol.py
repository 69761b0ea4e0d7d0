"""Resources, prompts, completion, sampling, elicitation and roots: operations like all others, in both directions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError
from mcp.client.client import Client

from schemarouter.sources.problem import SourceError
from support.mcp_calls import hostile
from support.mcp_proxies import LIMITS, PROTOCOLS, Person, ServerBehind, client_of, full, lines, proxied, text

NOTHING = "version: 1\nrules: [{operation: [s.ask, s.sample, s.roots, s.note], effect: allow}]\n"
EVERYTHING = 'version: 1\nbudget: {max_tool_calls: 50}\nrules: [{operation: "*", effect: allow}]\n'


async def requests(client: Client) -> dict[str, str]:
    """What comes of each request that is no call of a tool."""
    found = {}
    for name, request in {
        "list": client.list_resources(),
        "templates": client.list_resource_templates(),
        "read": client.read_resource("note:///a"),
        "prompts": client.list_prompts(),
        "prompt": client.get_prompt("greet", {"who": "you"}),
        "complete": client.complete(types.PromptReference(name="greet"), {"name": "who", "value": "y"}),
    }.items():
        try:
            found[name] = str(await request)
        except MCPError as error:
            found[name] = f"error: {error.message}"
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_they_are_denied_until_a_rule_says_otherwise(tmp_path: Path, protocol: str) -> None:
    effects = tmp_path / "e"

    async def scenario() -> None:
        async with proxied(NOTHING, full(effects)) as proxy, client_of(proxy, protocol) as client:
            offered = client.server_capabilities
            assert (offered.resources, offered.prompts, offered.completions) == (None, None, None)
            found = await requests(client)
            assert all(one.startswith("error: not allowed: ") for one in found.values()), found
            assert "`s.resources/read`, which is remote and unclassified" in found["read"]

    asyncio.run(scenario())
    assert lines(effects) == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_with_a_rule_they_pass(tmp_path: Path, protocol: str) -> None:
    effects = tmp_path / "e"

    async def scenario() -> None:
        async with proxied(EVERYTHING, full(effects)) as proxy, client_of(proxy, protocol) as client:
            offered = client.server_capabilities
            assert offered.resources is not None
            assert offered.resources.subscribe is not True
            assert offered.prompts is not None
            listed = await client.list_resources()
            assert [str(one.uri) for one in listed.resources] == ["note:///a", "note:///b"]  # both pages
            assert [one.uri_template for one in (await client.list_resource_templates()).resource_templates] == [
                "note:///{name}"
            ]
            [content] = (await client.read_resource("note:///a")).contents
            assert isinstance(content, types.TextResourceContents)
            assert content.text == "text of it"
            assert [one.name for one in (await client.list_prompts()).prompts] == ["greet"]
            [message] = (await client.get_prompt("greet", {"who": "you"})).messages
            assert isinstance(message.content, types.TextContent)
            assert message.content.text == "hello you"
            completed = await client.complete(types.PromptReference(name="greet"), {"name": "who", "value": "y"})
            assert completed.completion.values == ["y!"]

    asyncio.run(scenario())
    assert lines(effects) == ["resources/list", "resources/list", "read note:///a", "prompt greet", "complete y"]


def test_conditions_and_approvals_hold_for_them(tmp_path: Path) -> None:
    policy = """
version: 1
rules:
  - {operation: s.resources/read, effect: allow, when: {arguments: {uri: {type: string, like: "note:///a*"}}}}
  - {operation: s.prompts/get, effect: require_approval}
"""

    async def scenario() -> None:
        for protocol in PROTOCOLS:
            async with proxied(policy, full(tmp_path / "e"), client_asks_a_person=True) as proxy:
                person = Person()
                async with client_of(proxy, protocol, elicitation_callback=person) as client:
                    await client.read_resource("note:///a")
                    with pytest.raises(MCPError, match="not allowed"):
                        await client.read_resource("note:///b")
                    await client.get_prompt("greet")
                    assert len(person.asked) == 1
                    person.says = False
                    with pytest.raises(MCPError, match="the person at the client said no"):
                        await client.get_prompt("greet")

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == ["read note:///a", "prompt greet"] * 2


def test_several_servers_keep_their_resources_apart(tmp_path: Path) -> None:
    policy = 'version: 1\nrules: [{operation: ["a.*", "b.resources/list", "b.prompts/*"], effect: allow}]\n'
    a, b = tmp_path / "a", tmp_path / "b"

    async def scenario() -> None:
        async with proxied(policy, full(a, "a"), full(b, "b")) as proxy, client_of(proxy, "2025-11-25") as client:
            uris = [str(one.uri) for one in (await client.list_resources()).resources]
            assert uris == [f"mcp-proxy:{name}:note:///{note}" for name in "ab" for note in "ab"]
            [content] = (await client.read_resource("mcp-proxy:a:note:///a")).contents
            assert str(content.uri) == "mcp-proxy:a:note:///a"
            for uri in ("mcp-proxy:b:note:///a", "note:///a", "mcp-proxy:c:note:///a", "mcp-proxy:%61:note:///a"):
                with pytest.raises(MCPError, match="not allowed"):
                    await client.read_resource(uri)
            assert [one.name for one in (await client.list_prompts()).prompts] == ["a__greet", "b__greet"]
            await client.get_prompt("b__greet")
            reference = types.ResourceTemplateReference(uri="mcp-proxy:a:note:///{name}")
            await client.complete(reference, {"name": "name", "value": "v"})

    asyncio.run(scenario())
    assert lines(a) == ["resources/list", "resources/list", "read note:///a", "complete v"]
    assert lines(b) == ["resources/list", "resources/list", "prompt greet"]


# What the server asks


class Answering:
    """A client that answers whatever a server asks."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.options: dict[str, Any] = {
            "elicitation_callback": self.elicit,
            "sampling_callback": self.sample,
            "list_roots_callback": self.roots,
        }

    async def elicit(self, _: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult(action="accept", content={"colour": "red"})

    async def sample(self, _: Any, params: Any) -> types.CreateMessageResult:
        self.asked.append(params.messages[0].content.text)
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="deep"), model="m1"
        )

    async def roots(self, _: Any) -> types.ListRootsResult:
        self.asked.append("roots")
        return types.ListRootsResult(roots=[types.Root(uri="file:///work")])


#: The protocols in front and behind that can bring a question of a server to a client.
PAIRS = [("2025-11-25", "2025-11-25"), ("2025-11-25", "2026-07-28"), ("2026-07-28", "2026-07-28")]


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize(("front", "behind"), PAIRS)
def test_a_server_asks_only_what_the_policy_lets_it(tmp_path: Path, front: str, behind: str) -> None:
    async def scenario() -> None:
        client_side = Answering()
        async with (
            proxied(NOTHING, full(tmp_path / "e", protocol=behind)) as proxy,
            client_of(proxy, front, **client_side.options) as client,
        ):
            for tool in ("ask", "sample", "roots"):
                result = await client.session.call_tool(tool, {}, allow_input_required=True)
                assert isinstance(result, types.CallToolResult), tool
                assert result.is_error, tool
                assert "s3cret" not in text(result)
            assert not (await client.call_tool("note", {})).is_error
        assert client_side.asked == []
        async with (
            proxied(EVERYTHING, full(tmp_path / "e", protocol=behind)) as proxy,
            client_of(proxy, front, **client_side.options) as client,
        ):
            assert text(await client.call_tool("ask", {})) == "accept {'colour': 'red'}"
            assert text(await client.call_tool("sample", {})) == "model m1"
            assert text(await client.call_tool("roots", {})) == "file:///work"
        assert client_side.asked == ["which?", "think", "roots"]

    asyncio.run(scenario())


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize(("front", "behind"), PAIRS)
def test_what_a_server_asks_is_decided_by_what_it_asks(tmp_path: Path, front: str, behind: str) -> None:
    policy = """
version: 1
rules:
  - {operation: s.ask, effect: allow}
  - {operation: s.elicitation/create, effect: deny, when: {arguments: {message: {type: string, like: "*password*"}}}}
  - {operation: s.elicitation/create, effect: allow}
"""

    async def scenario() -> None:
        client_side = Answering()
        async with (
            proxied(policy, full(tmp_path / "e", protocol=behind)) as proxy,
            client_of(proxy, front, **client_side.options) as client,
        ):
            assert not (await client.call_tool("ask", {"message": "which colour?"})).is_error
            asked = await client.session.call_tool("ask", {"message": "which password?"}, allow_input_required=True)
            assert isinstance(asked, types.CallToolResult)
            assert asked.is_error
        assert client_side.asked == ["which colour?"]

    asyncio.run(scenario())


def test_a_client_of_2026_takes_no_requests_of_an_older_server(tmp_path: Path) -> None:
    async def scenario() -> None:
        client_side = Answering()
        async with (
            proxied(EVERYTHING, full(tmp_path / "e", protocol="2025-11-25")) as proxy,
            client_of(proxy, "2026-07-28", **client_side.options) as client,
        ):
            result = await client.session.call_tool("ask", {}, allow_input_required=True)
            assert isinstance(result, types.CallToolResult)
            assert result.is_error
        assert client_side.asked == []

    asyncio.run(scenario())


def test_the_state_of_a_server_comes_back_sealed_and_once(tmp_path: Path) -> None:
    """On 2026-07-28 a client could answer what a server never asked, or send its answer twice."""
    effects = tmp_path / "e"
    said = types.ElicitResult(action="accept", content={"colour": "red"})

    async def scenario() -> None:
        async with (
            proxied(EVERYTHING, full(effects)) as proxy,
            client_of(proxy, "2026-07-28", **Answering().options) as client,
        ):

            async def ask(arguments: dict[str, Any], **more: Any) -> Any:
                return await client.session.call_tool("ask", arguments, allow_input_required=True, **more)

            for state in (None, "s3cret-state"):
                forged = await ask({}, input_responses={"q": said}, request_state=state)
                assert forged.is_error
            assert lines(effects) == []
            asked = await ask({})
            assert isinstance(asked, types.InputRequiredResult)
            assert set(asked.input_requests or {}) == {"q"}
            assert asked.request_state is not None
            other = await ask({"message": "other"}, input_responses={"q": said}, request_state=asked.request_state)
            assert other.is_error
            answered = await ask({}, input_responses={"q": said}, request_state=asked.request_state)
            assert text(answered) == "accept {'colour': 'red'}"
            again = await ask({}, input_responses={"q": said}, request_state=asked.request_state)
            assert "used before" in text(again)

    asyncio.run(scenario())
    assert lines(effects) == ["ask", "ask", "answer accept {'colour': 'red'}"]


def test_a_call_that_was_approved_is_not_asked_about_again_when_its_server_asks(tmp_path: Path) -> None:
    policy = """
version: 1
rules:
  - {operation: s.ask, effect: require_approval}
  - {operation: s.elicitation/create, effect: allow}
"""
    asked: list[str] = []

    async def both(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message.split("\n")[0])
        content = {"approve": True} if "May this" in params.message else {"colour": "red"}
        return types.ElicitResult(action="accept", content=content)

    async def scenario() -> None:
        for front in PROTOCOLS:
            async with (
                proxied(policy, full(tmp_path / "e"), client_asks_a_person=True) as proxy,
                client_of(proxy, front, elicitation_callback=both) as client,
            ):
                assert text(await client.call_tool("ask", {})) == "accept {'colour': 'red'}"

    asyncio.run(scenario())
    assert asked == ["May this call run, once?", "which?"] * 2


@pytest.mark.parametrize("name", ["resources/read", "sampling/createMessage"])
def test_a_tool_that_is_called_like_an_operation_of_the_protocol_is_refused(tmp_path: Path, name: str) -> None:
    async def scenario() -> None:
        async with proxied(EVERYTHING, ServerBehind("s", hostile("named", name), LIMITS)):
            pass

    with pytest.raises(SourceError, match="is called like an operation of the protocol"):
        asyncio.run(scenario())
