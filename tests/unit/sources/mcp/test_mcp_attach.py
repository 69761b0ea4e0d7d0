"""A server under a router, and what happens when its tools change: old plans drift, and nothing runs unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("mcp")

from schemarouter import (
    BindingDriftError,
    ExecutionPolicy,
    PolicyRule,
    PolicyViolationError,
    RegistrationError,
    SchemaDriftError,
    SchemaRouter,
    ToolSpec,
)
from schemarouter.sources.mcp import Attached, McpContractError, McpLimits, McpServer, attach
from schemarouter.sources.problem import SourceError
from support.mcp_calls import call_of, http, run, stdio

LIMITS = McpLimits(close_seconds=0.5)
ALLOW = ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="here.*")])
WAYS = [(way, protocol) for way in ("stdio", "http") for protocol in ("2025-11-25", "2026-07-28")]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.01)


def on(way: str, scenario: Callable[[McpServer], Awaitable[None]]) -> None:
    async def main(server: McpServer) -> None:
        await scenario(server)

    if way == "stdio":
        asyncio.run(main(stdio()))
    else:
        with http() as server:
            asyncio.run(main(server))


@pytest.mark.parametrize(("way", "protocol"), WAYS)
def test_when_the_tools_change_old_plans_drift(way: str, protocol: Any) -> None:
    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ALLOW)
        changes: list[Attached] = []
        async with attach(router, "here", server, limits=LIMITS, protocol=protocol, on_change=changes.append) as here:
            assert (here.key, here.problem) == ("here", None)
            old = call_of(router, "here", "echo", {"text": "a"})
            before = router.registry.get("here")
            assert (await router.executor.execute_call(old)).data["content"][0]["text"] == "a"

            await run(router, "here", "change", {"add": "more"})
            await until(lambda: bool(changes))
            after = router.registry.get("here")
            assert [endpoint.name for endpoint in after.endpoints] == [
                *(endpoint.name for endpoint in before.endpoints),
                "more",
            ]
            assert after.endpoint("more").read_only is None
            with pytest.raises(SchemaDriftError, match="tool contract changed"):
                await router.executor.execute_call(old)
            assert (await run(router, "here", "echo", {"text": "b"}))["content"][0]["text"] == "b"

            await run(router, "here", "spoil")
            await until(lambda: len(changes) == 2)
            assert "tools[13]: the tool ` spoiled` has a name" in str(here.problem)
            assert router.registry.get("here") == after
            with pytest.raises(BindingDriftError):
                await run(router, "here", "echo", {"text": "c"})
            with pytest.raises(SourceError):
                await here.refresh()
        assert (router.registry.keys(), router.executor.bound_keys()) == ([], [])

    on(way, scenario)


def test_a_call_in_progress_does_not_reach_a_server_whose_tools_changed() -> None:
    """The contract is looked at once more right before the call is sent, whoever was slow to hear of a change."""

    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ALLOW)
        async with attach(router, "here", server, limits=LIMITS) as here:
            invoke = router.executor._bindings.get("here").invoker  # type: ignore[union-attr]
            await run(router, "here", "change", {"add": "more"})
            await until(lambda: here.tool is not None and len(here.tool.endpoints) == 13)
            with pytest.raises(McpContractError, match="changed while the call was in progress"):
                await invoke("echo", {"text": "a"})

    on("stdio", scenario)


def test_a_change_that_changes_nothing_is_none() -> None:
    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ALLOW)
        changes: list[Attached] = []
        async with attach(router, "here", server, limits=LIMITS, on_change=changes.append) as here:
            old = call_of(router, "here", "echo", {"text": "a"})
            version = router.registry.version
            assert await here.refresh() is False
            await run(router, "here", "change", {"add": "fail"})  # the same tool again
            await until(lambda: here.source.listed_at == here.source.changes >= 1)
            await router.executor.execute_call(old)
            assert (router.registry.version, changes) == (version, [])

    on("stdio", scenario)


def test_policy_decides_about_tools_that_appear() -> None:
    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="here.change")]))
        async with attach(router, "here", server, limits=LIMITS) as here:
            await run(router, "here", "change", {"add": "more"})
            await until(lambda: here.tool is not None and len(here.tool.endpoints) == 13)
            with pytest.raises(PolicyViolationError, match="allow_unclassified_remote"):
                await run(router, "here", "more")

    on("stdio", scenario)


def test_a_name_that_is_taken_leaves_the_router_as_it_was() -> None:
    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ALLOW)
        router.add_tool(ToolSpec(name="here", endpoints=[]))
        with pytest.raises(RegistrationError, match="already registered"):
            async with attach(router, "here", server, limits=LIMITS):
                pass
        assert router.registry.get("here") == ToolSpec(name="here", endpoints=[])

    on("stdio", scenario)


def test_a_tool_that_somebody_replaced_is_left_alone() -> None:
    async def scenario(server: McpServer) -> None:
        router = SchemaRouter(policy=ALLOW)
        changes: list[Attached] = []
        other = ToolSpec(name="here", endpoints=[])
        async with attach(router, "here", server, limits=LIMITS, on_change=changes.append) as here:
            change = call_of(router, "here", "change", {"add": "more"})
            await router.executor.execute_call(change)
            await until(lambda: len(changes) == 1)
            router.add_tool(other, replace=True)
            here.fingerprint = "of another contract"
            with pytest.raises(RegistrationError, match="was replaced by somebody else"):
                await here.refresh()
        assert router.registry.get("here") == other

    on("stdio", scenario)


def test_an_observer_that_fails_stops_nothing() -> None:
    async def scenario(server: McpServer) -> None:
        heard: list[str] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context["message"]))

        def observe(_: Attached) -> None:
            raise RuntimeError("observer")

        router = SchemaRouter(policy=ALLOW)
        async with attach(router, "here", server, limits=LIMITS, on_change=observe):
            for name in ("more", "another"):
                await run(router, "here", "change", {"add": name})
                await until(lambda name=name: any(e.name == name for e in router.registry.get("here").endpoints))  # type: ignore[misc]
            await until(lambda: len(heard) == 2)
        assert heard == ["on_change of the mcp server here failed"] * 2

    on("stdio", scenario)
