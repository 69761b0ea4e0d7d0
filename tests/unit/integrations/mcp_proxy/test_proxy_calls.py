"""Calls of tools through the proxy, in both protocols, over real servers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from schemarouter.errors import PolicyError, RegistrationError
from schemarouter.integrations.mcp_proxy.shown import MARK
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.sources.mcp import McpLimits
from schemarouter.sources.problem import SourceError
from schemarouter.state.kill_switch import KillSwitch
from schemarouter.state.memory import MemoryStore
from schemarouter.state.sqlite import SqliteStore
from support.mcp_calls import http
from support.mcp_proxies import LIMITS, PROTOCOLS, ServerBehind, client_of, full, lines, plain, proxied, text

POLICY = """
version: 1
rules:
  - {name: echoing, operation: s.echo, effect: allow}
  - {name: short, operation: "s.write note", effect: allow, when: {arguments: {text: {type: string, maxLength: 5}}}}
  - {name: adding, operation: [s.add, s.lie, s.forget, s.fail, s.change, s.spoil], effect: allow}
  - {name: no-dying, operation: s.die, effect: deny, reason: it would be gone}
"""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_allowed_runs_and_what_is_denied_says_why_and_never_reaches_the_server(
    tmp_path: Path, protocol: str
) -> None:
    effects = tmp_path / "effects"

    async def scenario() -> None:
        async with proxied(POLICY, plain(effects)) as proxy, client_of(proxy, protocol) as client:
            assert client.protocol_version == protocol
            assert text(await client.call_tool("echo", {"text": "hello"})) == "hello"
            await client.call_tool("write note", {"text": "short"})
            long = await client.call_tool("write note", {"text": "s3cret and long"})
            assert long.is_error
            assert text(long) == (
                "not allowed: no rule matches `s.write note`, which is remote and unclassified, and "
                "`allow_unclassified_remote` is false"
            )
            dying = await client.call_tool("die", {})
            assert (dying.is_error, text(dying)) == (
                True,
                "not allowed: rule `no-dying` denies `s.die`: it would be gone",
            )
            doubtful = await client.call_tool("echo", {"text": 5})
            assert doubtful.is_error
            assert "arguments for s.echo" in text(doubtful)
            assert "5" not in text(doubtful)
            added = await client.call_tool("add", {"a": 1, "b": 2})
            assert (added.structured_content, text(added)) == ({"sum": 3}, "3")

    asyncio.run(scenario())
    assert lines(effects) == ["short"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_server_says_of_its_failure_reaches_the_model_and_a_lie_does_not(tmp_path: Path, protocol: str) -> None:
    async def scenario() -> None:
        async with proxied(POLICY, plain(tmp_path / "e")) as proxy, client_of(proxy, protocol) as client:
            failed = await client.session.call_tool("fail", {})
            assert (failed.is_error, text(failed)) == (True, "s3cret-payload")  # the model can correct itself
            for lying in ("lie", "forget"):  # structured content that is none, or missing
                result = await client.session.call_tool(lying, {})
                assert result.is_error
                assert "s3cret" not in text(result)
                assert result.structured_content is None
            withheld = text(await client.session.call_tool("lie", {}))
            assert withheld.startswith("the call ran, and its result is withheld: output from s.lie")

    asyncio.run(scenario())


def test_tools_that_are_always_denied_are_hidden_or_marked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(POLICY, plain(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            shown = {tool.name for tool in (await client.list_tools()).tools}
            # `write note` depends on its arguments, so it is there.
            assert shown == {"echo", "write note", "add", "lie", "forget", "fail", "change", "spoil"}
        async with (
            proxied(POLICY, plain(tmp_path / "e"), denied="mark") as proxy,
            client_of(proxy, "2026-07-28") as client,
        ):
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == 12
        assert tools["die"].meta == {MARK: True}
        assert tools["die"].description == "[denied: rule `no-dying` denies `s.die`: it would be gone] die."
        assert tools["echo"].meta is None
        assert tools["echo"].annotations is not None
        assert tools["echo"].annotations.read_only_hint is True
        assert tools["add"].output_schema is not None

    asyncio.run(scenario())


def test_unclassified_whatever_the_server_says_of_itself(tmp_path: Path) -> None:
    policy = "version: 1\ndefaults: {allow_mutations: true, allow_destructive: true}\n"

    async def scenario() -> None:
        async with proxied(policy, plain(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            result = await client.call_tool("echo", {"text": "x"})  # it says readOnlyHint: true
            assert "unclassified" in text(result)
        classified = "version: 1\nclassify:\n  - {operation: s.echo, read_only: true, destructive: false}\n"
        async with proxied(classified, plain(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            assert text(await client.call_tool("echo", {"text": "x"})) == "x"
            assert [tool.name for tool in (await client.list_tools()).tools] == ["echo"]

    asyncio.run(scenario())


def test_several_servers_are_decided_by_their_own_names_before_any_renaming(tmp_path: Path) -> None:
    """INTEGRATIONS: a proxy that renames tools to `server_tool` first lets `*.write*` miss `demo_write_all`."""
    policy = """
version: 1
rules:
  - {operation: "b.write*", effect: deny}
  - {operation: ["*.write note", "*.echo"], effect: allow}
"""
    a, b = tmp_path / "a", tmp_path / "b"

    async def scenario() -> None:
        async with proxied(policy, plain(a, "a"), plain(b, "b")) as proxy, client_of(proxy, "2025-11-25") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {"a__echo", "a__write note", "b__echo"}
            await client.call_tool("a__write note", {"text": "to a"})
            denied = await client.call_tool("b__write note", {"text": "to b"})
            assert "`b.write note`" in text(denied)
            assert text(await client.call_tool("b__echo", {"text": "x"})) == "x"
            for unknown in ("echo", "a.echo", "c__echo", "a__", "__echo", "a__b__echo", "a_echo"):
                result = await client.session.call_tool(unknown, {"text": "x"})
                assert (result.is_error, "unknown tool" in text(result)) == (True, True), unknown

    asyncio.run(scenario())
    assert (lines(a), lines(b)) == (["to a"], [])


def test_an_operation_of_the_protocol_is_no_tool(tmp_path: Path) -> None:
    async def scenario() -> None:
        policy = 'version: 1\nrules: [{operation: "s.*", effect: allow}]\n'
        async with proxied(policy, full(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            result = await client.session.call_tool("resources/read", {"uri": "note:///a"})
            assert "unknown tool" in text(result)

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


def test_the_budget_is_that_of_the_run_and_a_client_that_comes_again_goes_on_with_it(tmp_path: Path) -> None:
    policy = 'version: 1\nbudget: {max_tool_calls: 3}\nrules: [{operation: "s.*", effect: allow}]\n'
    effects = tmp_path / "e"

    async def scenario(run: str) -> list[bool]:
        store = SqliteStore(tmp_path / "state.db")
        failed = []
        try:
            async with proxied(policy, full(effects), store=store, run_id=run) as proxy:
                for protocol in PROTOCOLS:  # two connections of one process
                    async with client_of(proxy, protocol) as client:
                        result = await client.call_tool("note", {"text": "same"})
                        failed.append(result.is_error)
                        if result.is_error:
                            assert "max_tool_calls=3" in text(result)
        finally:
            store.close()
        return failed

    assert asyncio.run(scenario("one")) == [False, False]
    assert asyncio.run(scenario("one")) == [False, True]  # another process: the same store
    assert asyncio.run(scenario("one")) == [True, True]
    assert asyncio.run(scenario("two")) == [False, False]
    assert len(lines(effects)) == 5


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("same", [True, False])
def test_of_8_parallel_calls_a_limit_lets_3_through(tmp_path: Path, protocol: str, same: bool) -> None:
    policy = 'version: 1\nbudget: {max_tool_calls: 3}\nrules: [{operation: "s.*", effect: allow}]\n'
    effects = tmp_path / "e"

    async def scenario() -> None:
        async with proxied(policy, full(effects)) as proxy, client_of(proxy, protocol) as client:
            calls = [client.call_tool("note", {"text": "x" if same else str(n)}) for n in range(8)]
            assert sum(not result.is_error for result in await asyncio.gather(*calls)) == 3

    asyncio.run(scenario())
    assert len(lines(effects)) == 3


def test_the_kill_switch_denies_everything(tmp_path: Path) -> None:
    switch = tmp_path / "off"

    async def scenario() -> None:
        async with (
            proxied(POLICY, plain(tmp_path / "e"), kill_switch=KillSwitch(switch)) as proxy,
            client_of(proxy, "2026-07-28") as client,
        ):
            assert not (await client.call_tool("echo", {"text": "x"})).is_error
            switch.touch()
            denied = await client.call_tool("echo", {"text": "x"})
            assert "kill switch is on" in text(denied)
            switch.unlink()
            assert not (await client.call_tool("echo", {"text": "x"})).is_error

    asyncio.run(scenario())


def test_hooks_of_the_policy_see_calls_and_veto_them(tmp_path: Path) -> None:
    seen: list[Any] = []

    def before(_tool: Any, endpoint: Any, call: Any) -> None:
        seen.append((endpoint.name, call.arguments))
        if endpoint.name == "add":
            raise RuntimeError("s3cret")

    async def scenario() -> None:
        async with proxied(POLICY, plain(tmp_path / "e")) as proxy:
            proxy.core.executor.hooks = ExecutionHooks(before_call=[before])
            async with client_of(proxy, "2026-07-28") as client:
                await client.call_tool("echo", {"text": "x"})
                vetoed = await client.call_tool("add", {"a": 1, "b": 2})
                assert (vetoed.is_error, "hook failed" in text(vetoed), "s3cret" in text(vetoed)) == (True, True, False)

    asyncio.run(scenario())
    assert seen == [("echo", {"text": "x"}), ("add", {"a": 1, "b": 2})]


def test_a_policy_that_names_hooks_nobody_supplied_is_refused(tmp_path: Path) -> None:
    policy = "version: 1\nhooks: {before_call: [audit]}\n"
    with pytest.raises(PolicyError):
        asyncio.run(_enter(policy, plain(tmp_path / "e")))


async def _enter(policy: str, *servers: ServerBehind, **options: Any) -> None:
    async with proxied(policy, *servers, **options):
        pass


def test_names_that_run_into_each_other_are_refused(tmp_path: Path) -> None:
    for names in (("a", "a"), ("a", "a__b"), ("a_", "a"), ("a", "a.b")):
        with pytest.raises(RegistrationError):
            asyncio.run(_enter(POLICY, *(plain(tmp_path / "e", name) for name in names)))
    with pytest.raises(SourceError, match="local name"):
        asyncio.run(_enter(POLICY, plain(tmp_path / "e", " ")))
    with pytest.raises(ValueError, match="needs a server"):
        asyncio.run(_enter(POLICY))


def test_over_streamable_http_behind(tmp_path: Path) -> None:
    async def scenario(behind: ServerBehind) -> None:
        async with proxied(POLICY, behind) as proxy, client_of(proxy, "2026-07-28") as client:
            assert text(await client.call_tool("echo", {"text": "x"})) == "x"
            await client.call_tool("write note", {"text": "over"})
            assert "not allowed" in text(await client.call_tool("write note", {"text": "too long"}))

    with http(effects=tmp_path / "e") as server:
        asyncio.run(scenario(ServerBehind("s", server, LIMITS)))
    assert lines(tmp_path / "e") == ["over"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_progress_and_cancellation_pass_through(tmp_path: Path, protocol: str) -> None:
    effects = tmp_path / "e"
    policy = 'version: 1\nrules: [{operation: "s.*", effect: allow}]\n'

    async def scenario() -> None:
        heard: list[Any] = []

        async def progress(*told: Any) -> None:
            heard.append(told)

        async with proxied(policy, full(effects)) as proxy, client_of(proxy, protocol) as client:
            await client.call_tool("slow", {}, progress_callback=progress)
            for _ in range(100):
                if len(heard) == 3:
                    break
                await asyncio.sleep(0.05)
            assert sorted(heard) == [(1.0, 3.0, "step 1"), (2.0, 3.0, "step 2"), (3.0, 3.0, "step 3")]
            waiting = asyncio.create_task(client.call_tool("wait", {}))
            while "wait" not in lines(effects):
                await asyncio.sleep(0.05)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            for _ in range(200):
                if "cancelled" in lines(effects):
                    break
                await asyncio.sleep(0.05)
            assert lines(effects)[-1] == "cancelled"
            assert text(await client.call_tool("note", {"text": "still there"})) == "still there"

    asyncio.run(scenario())


def test_what_the_client_says_beside_the_arguments_does_not_reach_the_server(tmp_path: Path) -> None:
    effects = tmp_path / "e"
    policy = 'version: 1\nrules: [{operation: "s.*", effect: allow}]\n'

    async def scenario() -> None:
        async with (
            proxied(policy, full(effects, protocol="2025-11-25")) as proxy,
            client_of(proxy, "2025-11-25") as client,
        ):
            await client.session.call_tool("note", {"meta": 1}, meta={"org.example/smuggled": "x"})

    asyncio.run(scenario())
    assert lines(effects) == ["note ['meta'] meta=[]"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_changed_tools_are_listed_anew_and_the_client_is_told(tmp_path: Path, protocol: str) -> None:
    policy = 'version: 1\nrules: [{operation: ["s.retitle", "s.note", "s.prompts/list"], effect: allow}]\n'
    heard: list[str] = []

    async def on(message: Any) -> None:
        heard.append(type(message).__name__)

    async def scenario() -> None:
        async with (
            proxied(policy, full(tmp_path / "e")) as proxy,
            client_of(proxy, protocol, message_handler=on) as client,
        ):
            if protocol == "2025-11-25":
                await changed(client)
            else:
                kinds = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
                async with client.listen(**kinds):
                    await changed(client)

    async def changed(client: Any) -> None:
        before = (await client.list_tools()).tools
        assert {tool.description for tool in before} == {"first"}
        await client.call_tool("retitle", {"title": "second"})
        for _ in range(200):
            if {"ToolListChangedNotification", "PromptListChangedNotification"} <= set(heard):
                break
            await asyncio.sleep(0.05)
        assert {tool.description for tool in (await client.list_tools()).tools} == {"second"}
        assert text(await client.call_tool("note", {"text": "after"})) == "after"  # under the new contract

    asyncio.run(scenario())
    # The list of resources is denied, so nothing is said of it.
    assert {"ToolListChangedNotification", "PromptListChangedNotification"} <= set(heard)
    assert "ResourceListChangedNotification" not in heard


def test_a_listing_that_spoils_takes_the_tools_away(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with proxied(POLICY, plain(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            await client.call_tool("spoil", {})
            for _ in range(200):
                if not (await client.list_tools()).tools:
                    break
                await asyncio.sleep(0.05)
            assert (await client.list_tools()).tools == []
            result = await client.session.call_tool("echo", {"text": "x"})
            assert result.is_error
            assert text(result).startswith("failed: ")

    asyncio.run(scenario())


def test_results_keep_their_blocks(tmp_path: Path) -> None:
    policy = 'version: 1\nrules: [{operation: "s.*", effect: allow}]\n'

    async def scenario() -> None:
        async with proxied(policy, full(tmp_path / "e")) as proxy, client_of(proxy, "2025-11-25") as client:
            [block] = (await client.call_tool("image", {})).content
            assert isinstance(block, types.ImageContent)
            assert (block.data, block.mime_type) == ("aGk=", "image/png")

    asyncio.run(scenario())


def test_a_call_that_takes_too_long_is_over(tmp_path: Path) -> None:
    policy = 'version: 1\nrules: [{operation: "s.*", effect: allow}]\n'
    limits = McpLimits(connect_seconds=100, list_seconds=100, call_seconds=0.5, close_seconds=2)

    async def scenario() -> None:
        async with (
            proxied(policy, full(tmp_path / "e", limits=limits), store=MemoryStore(), run_id="r") as proxy,
            client_of(proxy, "2026-07-28") as client,
        ):
            late = await client.call_tool("wait", {})
            assert text(late) == "failed: the server `s` did not answer within 0.5 seconds"

    asyncio.run(scenario())
