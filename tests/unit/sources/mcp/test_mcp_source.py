"""A real server, over both transports, in both protocols: listed in pages, called, and what it returns."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("mcp")

from schemarouter import (
    ExecutionPolicy,
    NonRetryableInvocationError,
    PolicyRule,
    RetryPolicy,
    SchemaRouter,
    SchemaValidationError,
    TransientInvocationError,
)
from schemarouter.sources.mcp import (
    HttpServer,
    McpConnectionError,
    McpContractError,
    McpLimits,
    McpProtocolError,
    McpServer,
    McpSource,
    McpToolError,
    StdioServer,
)
from schemarouter.sources.mcp.results import text_of
from schemarouter.sources.problem import SourceError
from support.mcp_calls import TOKEN, call_of, http, run, stdio
from support.mcp_server import SECRET

LIMITS = McpLimits(call_seconds=30, close_seconds=0.5)
NAMES = ["echo", "write note", "add", "lie", "forget", "fail", "hang", "die", "ask", "variables", "change", "spoil"]
WAYS = [(way, protocol) for way in ("stdio", "http", "http-json") for protocol in ("2025-11-25", "2026-07-28")]


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, McpServer]]:
    with http("http") as streaming, http("http-json") as plain:
        yield {"stdio": stdio(), "http": streaming, "http-json": plain}


def allowing(source: McpSource, tool: Any) -> SchemaRouter:
    router = SchemaRouter(policy=ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="here.*")]))
    router.add_bound_tool(tool, source.invoker())
    return router


async def failure(router: SchemaRouter, endpoint: str) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its class is looked at by the caller
        await run(router, "here", endpoint)
    assert SECRET not in f"{caught.value!s} {caught.value!r} {caught.value.__cause__!r}"
    return caught.value


@pytest.mark.parametrize(("way", "protocol"), WAYS)
def test_a_real_server(servers: dict[str, McpServer], way: str, protocol: Any) -> None:
    async def scenario() -> None:
        async with McpSource("here", servers[way], limits=LIMITS, protocol=protocol) as source:
            tool = await source.tool()
            assert source.protocol_version == protocol
            assert (tool.key, tool.remote) == ("here", True)
            assert tool.metadata == {"protocol": protocol, "server": {"name": "claimed name", "version": "1"}}
            assert [endpoint.name for endpoint in tool.endpoints] == NAMES  # six pages
            assert tool.endpoint("echo").metadata["annotations"] == {"read_only_hint": True, "destructive_hint": False}
            assert {endpoint.read_only for endpoint in tool.endpoints} == {None}
            assert source.left_out == ()

            router = allowing(source, tool)
            said = await run(router, "here", "echo", {"text": "grüß"})
            assert said == {"content": [{"type": "text", "text": "grüß"}]}
            assert text_of(said) == "grüß"
            assert await run(router, "here", "add", {"a": 1, "b": 2}) == {"sum": 3}
            assert type(await failure(router, "lie")) is SchemaValidationError
            assert type(await failure(router, "forget")) is McpProtocolError
            assert type(await failure(router, "ask")) is McpProtocolError
            error = await failure(router, "fail")
            assert type(error) is McpToolError
            assert str(error) == "the tool `here.fail` reports that it failed"
            assert error.content == ()
            assert isinstance(error, NonRetryableInvocationError)
            assert not isinstance(error, TransientInvocationError)

    asyncio.run(scenario())


def test_the_newest_protocol_is_taken_by_itself(servers: dict[str, McpServer]) -> None:
    async def scenario() -> str:
        async with McpSource("here", servers["http"], limits=LIMITS) as source:
            return source.protocol_version

    assert asyncio.run(scenario()) == "2026-07-28"


def test_a_server_gets_nothing_of_the_environment_but_what_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPLICATION_KEY", "s3cret")

    async def scenario() -> str:
        server = StdioServer(stdio().command, stdio().args, {"GIVEN": "x"})
        async with McpSource("here", server, limits=LIMITS) as source:
            return text_of(await run(allowing(source, await source.tool()), "here", "variables"))

    said = asyncio.run(scenario())
    assert '"GIVEN"' in said
    assert "APPLICATION_KEY" not in said


def test_a_failed_tool_is_heard_where_the_application_asks_for_it(servers: dict[str, McpServer]) -> None:
    async def scenario() -> McpToolError:
        async with McpSource("here", servers["http"], limits=LIMITS, keep_error_content=True) as source:
            router = allowing(source, await source.tool())
            with pytest.raises(McpToolError) as caught:
                await run(router, "here", "fail")
            return caught.value

    error = asyncio.run(scenario())
    assert SECRET not in str(error)
    assert error.content == ({"type": "text", "text": SECRET},)


def test_a_failed_tool_is_not_tried_again_unless_the_application_says_so(servers: dict[str, McpServer]) -> None:
    async def scenario(transient: tuple[type[Exception], ...]) -> int:
        tries = 0
        async with McpSource("here", servers["http"], limits=LIMITS) as source:
            tool = await source.tool()
            real = source.invoker()

            async def counting(endpoint: str, arguments: dict[str, Any]) -> Any:
                nonlocal tries
                tries += 1
                return await real(endpoint, arguments)

            router = SchemaRouter(policy=ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="*")]))
            router.add_bound_tool(tool, counting, transient=transient)
            retry = RetryPolicy(max_attempts=3, retry_non_read_only=True)
            with pytest.raises(McpToolError):
                await router.executor.execute_call(call_of(router, "here", "fail"), retry=retry)
        return tries

    assert asyncio.run(scenario(())) == 1
    assert asyncio.run(scenario((McpToolError,))) == 3


def test_a_call_that_hangs_is_cut_off_and_the_connection_lives_on(servers: dict[str, McpServer]) -> None:
    async def scenario(server: McpServer) -> None:
        limits = McpLimits(call_seconds=0.3, close_seconds=0.5)
        async with McpSource("here", server, limits=limits) as source:
            router = allowing(source, await source.tool())
            error = await failure(router, "hang")
            assert type(error) is McpConnectionError
            assert str(error) == "the server `here` did not answer within 0.3 seconds"

    for way in ("stdio", "http"):
        asyncio.run(scenario(servers[way]))


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_server_that_dies_fails_its_calls_and_nothing_else(way: str) -> None:
    async def scenario(server: McpServer) -> None:
        async with McpSource("here", server, limits=LIMITS) as source:
            router = allowing(source, await source.tool())
            assert type(await failure(router, "die")) is McpConnectionError
            error = await failure(router, "variables")
            assert type(error) is McpConnectionError
            assert way == "http" or str(error).endswith(": it ended with code 3")
            with pytest.raises(SourceError):
                await source.tool()
            await asyncio.sleep(0)  # the application's own task was never cancelled

    with contextlib.ExitStack() as stack:
        asyncio.run(scenario(stdio() if way == "stdio" else stack.enter_context(http())))


def test_many_calls_at_once(servers: dict[str, McpServer]) -> None:
    async def scenario(server: McpServer) -> None:
        async with McpSource("here", server, limits=LIMITS) as source:
            router = allowing(source, await source.tool())
            said = await asyncio.gather(*[run(router, "here", "echo", {"text": str(n)}) for n in range(30)])
            assert [text_of(each) for each in said] == [str(n) for n in range(30)]

    for way in ("stdio", "http"):
        asyncio.run(scenario(servers[way]))


def test_a_source_belongs_to_its_event_loop() -> None:
    async def scenario() -> None:
        async with McpSource("here", stdio(), limits=LIMITS) as source:
            router = allowing(source, await source.tool())

            def elsewhere() -> None:
                with pytest.raises(McpConnectionError, match="belongs to another event loop"):
                    asyncio.run(run(router, "here", "variables"))
                with pytest.raises(SourceError, match="belongs to another event loop"):
                    asyncio.run(source.tool())

            await asyncio.to_thread(elsewhere)
            with pytest.raises(RuntimeError, match="can be entered once"):
                await source.__aenter__()
        with pytest.raises(McpConnectionError, match="there is no connection to the server `here`"):
            await run(router, "here", "variables")

    asyncio.run(scenario())


def test_an_invoker_is_for_the_contract_that_it_was_made_for() -> None:
    async def scenario() -> None:
        async with McpSource("here", stdio(), limits=LIMITS) as source:
            router = allowing(source, await source.tool())
            old = source.invoker()
            await run(router, "here", "change", {"add": "more"})
            async with asyncio.timeout(60):
                while not source.stale:
                    await asyncio.sleep(0.01)
            with pytest.raises(McpContractError, match="says that its tools changed"):
                await old("echo", {"text": "a"})
            await source.tool()
            assert not source.stale
            with pytest.raises(McpContractError, match="list them anew and rebind"):
                await old("echo", {"text": "a"})
            assert text_of(await source.invoker()("echo", {"text": "a"})) == "a"

    asyncio.run(scenario())


def test_before_it_is_entered_there_is_nothing_to_ask() -> None:
    source = McpSource("here", stdio())
    with pytest.raises(SourceError, match="is not open"):
        asyncio.run(source.tool())
    with pytest.raises(SourceError, match="its tools were not listed yet"):
        source.invoker()


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (StdioServer("no-such-command-anywhere"), "the server cannot be started: no such file or directory"),
        (StdioServer("/"), "the server cannot be started: permission denied"),
        (StdioServer("python3", cwd="/no/such/folder"), "the server cannot be started: its folder does not exist"),
        (HttpServer("http://127.0.0.1:9/mcp"), "the connection failed (ConnectError)"),
    ],
)
def test_servers_that_cannot_be_reached(server: McpServer, message: str) -> None:
    async def scenario() -> None:
        async with McpSource("here", server, limits=LIMITS):
            pass

    with pytest.raises(SourceError) as caught:
        asyncio.run(scenario())
    assert str(caught.value) == f"server `here`: {message}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("headers", [{}, {"authorization": f"Bearer {TOKEN}x"}])
def test_a_server_that_refuses_the_credentials(servers: dict[str, McpServer], headers: dict[str, str]) -> None:
    async def scenario() -> None:
        server = servers["http"]
        assert isinstance(server, HttpServer)
        async with McpSource("here", HttpServer(server.url, headers), limits=LIMITS):
            pass

    with pytest.raises(SourceError) as caught:
        asyncio.run(scenario())
    assert str(caught.value).startswith("server `here`: it ")
    assert SECRET not in str(caught.value)
    assert TOKEN not in str(caught.value)
