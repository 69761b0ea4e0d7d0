"""Servers that die, hang, flood and lie: an error with a reason, in bounded time, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from schemarouter import ExecutionPolicy, PolicyRule, SchemaRouter
from schemarouter.sources.mcp import McpConnectionError, McpLimits, McpProtocolError, McpSource
from schemarouter.sources.problem import SourceError
from support.mcp_calls import hostile, run

LIMITS = McpLimits(close_seconds=0.3)
SECRET = "s3cret-payload"


async def read(kind: str, limits: McpLimits = LIMITS, **options: Any) -> list[str]:
    async with McpSource("here", hostile(kind), limits=limits, protocol="2025-11-25", **options) as source:
        return [endpoint.name for endpoint in (await source.tool()).endpoints]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("die", "it ended with code 5"),
        ("die-listing", "it ended with code 7"),
        ("close-output", "its output ended"),
        ("old", "it speaks no version of the protocol that this side speaks"),
        ("same-cursor", "the pages of its listing lead round in a circle"),
        ("two-cursors", "the pages of its listing lead round in a circle"),
        ("endless-pages", "its listing has more than 100 pages"),
        ("many-tools", "it lists more than 2000 tools"),
        ("large-listing", "its listing is larger than 16000000 bytes"),
        ("long-line", "it sent a message that is longer than the limit"),
        ("deep", "it sent a message that is no JSON-RPC"),
        ("not-json", "it sent a message that is no JSON-RPC"),
        ("bad-encoding", "it sent a message that is no JSON-RPC"),
        ("no-tools", "it sent something that is not what the protocol says"),
        ("error", "it answered with error code -32603"),
        ("restless", "its tools change faster than they can be listed"),
    ],
)
def test_a_server_that_cannot_be_used(kind: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        asyncio.run(read(kind))
    assert str(caught.value) == f"server `here`: {message}"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("kind", ["flood", "flood-of-changes", "flood-of-noise"])
def test_a_flood_ends_the_connection(kind: str) -> None:
    with pytest.raises(SourceError, match=r"it (sends|writes) more than 50 (messages|lines) in a second"):
        asyncio.run(read(kind, McpLimits(close_seconds=0.3, max_messages_per_second=50)))


@pytest.mark.parametrize(
    ("kind", "limits", "message"),
    [
        ("hang", {"connect_seconds": 0.4}, "it did not agree on a version of the protocol within 0.4 seconds"),
        ("hang-listing", {"list_seconds": 0.4}, "it did not list its tools within 0.4 seconds"),
    ],
)
def test_a_server_that_hangs_is_waited_for_no_longer_than_allowed(
    kind: str, limits: dict[str, float], message: str
) -> None:
    with pytest.raises(SourceError) as caught:
        asyncio.run(read(kind, McpLimits(close_seconds=0.3, **limits)))  # type: ignore[arg-type]
    assert str(caught.value) == f"server `here`: {message}"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("two-same", "the tool `t` is listed more than once"),
        ("not-nfc", "is not in Unicode normalization form NFC"),
        ("hidden", "the tool `read\\u200b` has a name that holds the hidden character U+200B"),
        ("empty-name", "has a name that is empty"),
        ("bad-schema", "`input_schema.properties.a.type` is no valid JSON Schema"),
        ("remote-reference", "refers to another document"),
        ("slow-pattern", "holds a regular expression that"),
        ("not-finite", "has an input schema that holds a number that is not finite"),
        ("huge-description", "has a description of more than 100000 characters"),
    ],
)
def test_a_tool_that_cannot_be_registered_refuses_the_server(kind: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        asyncio.run(read(kind))
    assert str(caught.value).startswith("server `here`: tools[1]: ")
    assert message in str(caught.value)
    assert asyncio.run(read(kind, on_refused="leave-out")) == ["fine"]


def test_noise_between_messages_is_no_message() -> None:
    assert asyncio.run(read("noise")) == ["fine"]


@pytest.mark.parametrize(
    ("kind", "error"),
    [("bad-result", McpProtocolError), ("call-error", McpProtocolError), ("deep-result", McpConnectionError)],
)
def test_an_answer_that_is_none(
    kind: str, error: type[Exception], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async def scenario() -> None:
        async with McpSource("here", hostile(kind), limits=LIMITS) as source:
            router = SchemaRouter(policy=ExecutionPolicy(rules=[PolicyRule(effect="allow", operation="here.*")]))
            router.add_bound_tool(await source.tool(), source.invoker())
            with pytest.raises(error) as caught:
                await run(router, "here", "fine")
            assert SECRET not in f"{caught.value!s} {caught.value.__cause__!r}"
            assert caught.value.execution_succeeded is None  # type: ignore[attr-defined]

    asyncio.run(scenario())
    assert SECRET not in "".join(capfd.readouterr())


def gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
@pytest.mark.parametrize("cancelled", [False, True])
def test_a_server_that_does_not_want_to_end_is_ended_with_its_children(tmp_path: Path, cancelled: bool) -> None:
    noted = tmp_path / "pid"

    async def scenario() -> None:
        async with McpSource("here", hostile("deaf", str(noted)), limits=LIMITS) as source:
            await source.tool()
            if cancelled:
                await asyncio.sleep(60)

    async def cut_off() -> None:
        task = asyncio.create_task(scenario())
        while not noted.exists() or not noted.read_text():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut_off() if cancelled else scenario())
    assert gone(int(noted.read_text()))


def test_what_a_server_claims_to_be_is_kept_and_trusted_nowhere() -> None:
    async def scenario() -> None:
        async with McpSource("here", hostile("fine"), limits=LIMITS) as source:
            tool = await source.tool()
            assert tool.key == "here"
            assert tool.metadata["server"] == {"name": "\u202ehostile", "version": "1"}

    asyncio.run(scenario())
