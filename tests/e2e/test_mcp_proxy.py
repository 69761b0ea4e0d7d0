"""`schemarouter mcp-proxy` as a client starts it: real servers behind, a real client in front, in both protocols."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from support.command import SCRIPT, environment
from support.mcp_proxies import PROTOCOLS, Person, text

ROOT = Path(__file__).parents[2]
NPM = ROOT / ".envs" / "node" / "node_modules" / ".bin"
PYPI = Path(sys.executable).parent
HERE = Path(__file__).parents[1] / "support"
TIME_POLICY = """
version: 1
rules:
  - {name: now, operation: time.get_current_time, effect: allow}
  - {name: no-conversions, operation: time.convert_time, effect: deny, reason: nobody needs that}
"""
TIME = [str(PYPI / "mcp-server-time"), "--local-timezone", "UTC"]
SEOUL = {"timezone": "Asia/Seoul"}
CONVERT = {"source_timezone": "UTC", "time": "10:00", "target_timezone": "Asia/Seoul"}


class Desk:
    """A folder with a policy, and clients that start the proxy in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, policy: str, name: str = "policy.yaml") -> None:
        """A file of the folder."""
        (self.folder / name).write_text(policy)

    @asynccontextmanager
    async def client(self, *arguments: str, protocol: str = "2026-07-28", **options: Any) -> AsyncIterator[Client]:
        """A client whose server is the proxy."""
        server = StdioServerParameters(
            command=str(SCRIPT),
            args=["mcp-proxy", "--policy", "policy.yaml", *arguments],
            env=environment(),
            cwd=self.folder,
        )
        mode = "legacy" if protocol == "2025-11-25" else "auto"
        async with Client(server, mode=mode, cache=None, **options) as client:  # type: ignore[arg-type]
            yield client

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run the command to its end."""
        done = subprocess.run(
            [str(SCRIPT), *arguments],
            cwd=self.folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=100,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def from_npm(name: str) -> str:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip(f"NODE IS MISSING: {name} from npm is not tested")
    assert (NPM / name).exists(), "the servers from npm are not installed: run `make .envs/node/.installed`"
    return str(NPM / name)


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


async def refused(call: Awaitable[types.CallToolResult], words: str) -> str:
    result = await call
    assert result.is_error
    assert words in text(result)
    return text(result)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_time(desk: Desk, protocol: str) -> None:
    desk.write(TIME_POLICY)

    async def scenario() -> None:
        async with desk.client("--name", "time", "--", *TIME, protocol=protocol) as client:
            assert await names(client) == {"get_current_time"}  # what is always denied is not even listed
            assert "Asia/Seoul" in text(await client.call_tool("get_current_time", SEOUL))
            said = await refused(client.call_tool("convert_time", CONVERT), "no-conversions")
            assert "nobody needs that" in said
            assert "Asia" not in said
            await refused(client.call_tool("get_current_time", {"timezone": "Nowhere/Land"}), "")
        async with desk.client("--name", "time", "--denied", "mark", "--", *TIME, protocol=protocol) as client:
            marked = {tool.name: tool.description or "" for tool in (await client.list_tools()).tools}
            assert "denied" in marked["convert_time"].lower()
            assert "denied" not in marked["get_current_time"].lower()
        async with desk.client("--name", "clock", "--", *TIME, protocol=protocol) as client:
            assert await names(client) == set()  # under another name they are other operations
            await refused(client.call_tool("get_current_time", SEOUL), "`clock.get_current_time`")

    asyncio.run(scenario())


GIT_POLICY = """
version: 1
rules:
  - name: texts
    operation: git.git_add
    effect: allow
    when: {arguments: {files: {type: array, items: {type: string, like: "*.txt"}}}}
  - {name: looks, operation: [git.git_status, git.git_log], effect: allow}
  - {name: rest, operation: "*", effect: deny, reason: people do that}
"""


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_git(desk: Desk, repository: Callable[..., str], protocol: str) -> None:
    desk.write(GIT_POLICY)
    here = {"repo_path": str(desk.folder)}
    behind = ["--", str(PYPI / "mcp-server-git"), "--repository", str(desk.folder)]

    async def scenario() -> None:
        async with desk.client("--name", "git", *behind, protocol=protocol) as client:
            assert await names(client) == {"git_add", "git_status", "git_log"}
            assert "a.txt" in text(await client.call_tool("git_status", here))
            assert not (await client.call_tool("git_add", {**here, "files": ["a.txt"]})).is_error
            for name, arguments in (
                ("git_add", {**here, "files": ["a.txt", "key.pem"]}),
                ("git_commit", {**here, "message": "second"}),
                ("git_reset", here),
                ("git_checkout", {**here, "branch_name": "other"}),
            ):
                assert "people do that" in await refused(client.call_tool(name, arguments), "rest")

    asyncio.run(scenario())
    assert repository("diff", "--cached", "--name-only") == "a.txt\n"
    assert repository("rev-list", "--count", "HEAD") == "1\n"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_filesystem(desk: Desk, protocol: str) -> None:
    desk.write(
        "version: 1\nrules:\n"
        "  - name: notes\n    operation: files.write_file\n    effect: allow\n"
        f'    when: {{arguments: {{path: {{type: string, under: ["{desk.folder}/notes"]}}}}}}\n'
        "  - {name: looks, operation: files.read_text_file, effect: allow}\n"
    )
    (desk.folder / "notes").mkdir()
    (desk.folder / "secret.txt").write_text("secret")
    behind = ["--", from_npm("mcp-server-filesystem"), str(desk.folder)]

    async def scenario() -> None:
        async with desk.client("--name", "files", *behind, protocol=protocol) as client:
            assert await names(client) == {"write_file", "read_text_file"}
            read = await client.call_tool("read_text_file", {"path": str(desk.folder / "secret.txt")})
            assert text(read) == "secret"
            assert read.structured_content == {"content": "secret"}
            note = {"path": str(desk.folder / "notes" / "a.txt"), "content": "one"}
            assert not (await client.call_tool("write_file", note)).is_error
            for path in ("secret.txt", "notes/../secret.txt", "notes-of-others.txt"):
                given = {"path": f"{desk.folder}/{path}", "content": "canary-of-the-content"}
                assert "canary-of-the-content" not in await refused(
                    client.call_tool("write_file", given), "not allowed"
                )

    asyncio.run(scenario())
    assert (desk.folder / "notes" / "a.txt").read_text() == "one"
    assert (desk.folder / "secret.txt").read_text() == "secret"


def test_memory(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is told where to write by a variable, which only `--env` hands on."""
    stored = desk.folder / "memory.jsonl"
    desk.write('version: 1\nrules:\n  - {name: few, operation: "memory.*_entities", effect: allow}\n')
    line = ["mcp-proxy", "--policy", "policy.yaml", "--name", "memory", "--env", "MEMORY_FILE_PATH", "--"]
    server = StdioServerParameters(
        command=str(SCRIPT),
        args=[*line, from_npm("mcp-server-memory")],
        env=environment(MEMORY_FILE_PATH=str(stored)),
        cwd=desk.folder,
    )

    async def scenario() -> None:
        async with Client(server, cache=None) as client:
            entity = {"name": "ada", "entityType": "person", "observations": []}
            await client.call_tool("create_entities", {"entities": [entity]})
            await refused(client.call_tool("read_graph", {}), "memory.read_graph")

    asyncio.run(scenario())
    assert "ada" in stored.read_text()


def test_several_servers_and_one_over_http(desk: Desk) -> None:
    effects = desk.folder / "effects"
    with over_http(effects) as address:
        desk.write(
            "version: 1\nrules:\n"
            '  - {name: no-notes, operation: "*.write*", effect: deny}\n'
            "  - {name: echoes, operation: web.echo, effect: allow}\n"
            "  - {name: now, operation: time.get_current_time, effect: allow}\n"
        )
        servers = {
            "time": {"command": TIME[0], "args": TIME[1:]},
            "web": {"url": address, "headers_env": {"authorization": "WEB_TOKEN"}},
        }
        desk.write(json.dumps({"version": 1, "servers": servers}), "servers.json")
        said = desk.run("mcp-proxy", "--policy", "policy.yaml", "--servers", "servers.json", code=2)
        assert "`WEB_TOKEN` is not set" in said
        del servers["web"]["headers_env"]
        desk.write(json.dumps({"version": 1, "servers": servers}), "servers.json")

        async def scenario() -> None:
            async with desk.client("--servers", "servers.json") as client:
                assert await names(client) == {"time__get_current_time", "web__echo"}
                assert text(await client.call_tool("web__echo", {"text": "x"})) == "x"
                assert "Asia" in text(await client.call_tool("time__get_current_time", SEOUL))
                await refused(client.call_tool("web__write note", {"text": "x"}), "no-notes")
                await refused(client.call_tool("echo", {"text": "x"}), "unknown tool")

        asyncio.run(scenario())
    assert not effects.exists()


@contextmanager
def over_http(effects: Path) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, str(HERE / "mcp_server.py"), "http"],
        stdout=subprocess.PIPE,
        env=environment(EFFECTS=str(effects)),
        text=True,
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/mcp"
        finally:
            server.kill()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_that_reconnects_goes_on_with_its_budget(desk: Desk, protocol: str) -> None:
    desk.write(TIME_POLICY + "budget: {max_tool_calls: 3}\n")
    assert "--store" in desk.run("mcp-proxy", "--policy", "policy.yaml", "--", *TIME, code=2)
    options = ["--store", "state.db", "--run", "@session", "--name", "time", "--", *TIME]

    async def twice() -> list[str]:
        async with desk.client(*options, protocol=protocol) as client:
            return [text(await client.call_tool("get_current_time", SEOUL)) for _ in range(2)]

    first, second = asyncio.run(twice()), asyncio.run(twice())
    assert all("Asia/Seoul" in said for said in [*first, second[0]])
    assert "max_tool_calls=3" in second[1]
    (desk.folder / "session").unlink()  # another session
    assert all("Asia/Seoul" in said for said in asyncio.run(twice()))


def test_eight_clients_of_one_run_share_its_limit(desk: Desk) -> None:
    desk.write(TIME_POLICY + "budget: {max_tool_calls: 3}\n")

    async def one() -> bool:
        async with desk.client("--store", "state.db", "--run", "r", "--name", "time", "--", *TIME) as client:
            return not (await client.call_tool("get_current_time", SEOUL)).is_error

    async def all_at_once() -> int:
        return sum(await asyncio.gather(*(one() for _ in range(8))))

    assert asyncio.run(all_at_once()) == 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_approver_lets_a_call_run_from_another_terminal(desk: Desk, protocol: str) -> None:
    desk.write(TIME_POLICY.replace("effect: allow", "effect: require_approval") + "approval: {callback: ops}\n")
    desk.write("a passphrase\n", "passphrase")
    public = desk.run("approvals", "keygen", "--passphrase-file", "passphrase")
    desk.write(next(line for line in public.splitlines() if line.startswith("ed25519:")), "approver.pub")
    options = ["--store", "state.db", "--approver-key", "approver.pub", "--name", "time", "--", *TIME]

    async def call() -> types.CallToolResult:
        async with desk.client(*options, protocol=protocol) as client:
            return await client.call_tool("get_current_time", SEOUL)

    waiting = asyncio.run(call())
    assert waiting.is_error
    found = re.search(r"`schemarouter approvals show (\S+)`", text(waiting))
    assert found is not None
    assert "Asia/Seoul" in desk.run("approvals", "show", found[1], "--store", "state.db")
    signing = ["--key", "approver.key", "--passphrase-file", "passphrase", "--yes"]
    desk.run("approvals", "approve", found[1], "--store", "state.db", *signing)
    assert "Asia/Seoul" in text(asyncio.run(call()))
    assert asyncio.run(call()).is_error  # once


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_is_asked_only_if_somebody_vouches_for_it(desk: Desk, protocol: str) -> None:
    desk.write(TIME_POLICY.replace("effect: allow", "effect: require_approval") + "approval: {callback: ops}\n")
    person = Person()

    async def call(*vouched: str) -> types.CallToolResult:
        options = [*vouched, "--name", "time", "--", *TIME]
        async with desk.client(*options, protocol=protocol, elicitation_callback=person) as client:
            return await client.call_tool("get_current_time", SEOUL)

    assert asyncio.run(call()).is_error
    assert person.asked == []
    assert "Asia/Seoul" in text(asyncio.run(call("--client-asks-a-person")))
    assert len(person.asked) == 1


# Servers that die, hang, flood and lie


def hostile(kind: str, *more: str) -> list[str]:
    return [sys.executable, str(HERE / "hostile_mcp.py"), kind, *more]


@pytest.mark.parametrize(
    "kind",
    [
        *("die", "close-output", "die-listing", "not-json", "no-tools", "error", "two-cursors", "two-same", "hidden"),
        *("flood", "flood-of-noise", "many-tools", "large-listing", "long-line", "deep"),
    ],
)
def test_a_server_that_cannot_be_used_is_an_error_before_anything_is_served(desk: Desk, kind: str) -> None:
    desk.write('version: 1\nrules:\n  - {name: all, operation: "s.*", effect: allow}\n')
    said = desk.run("mcp-proxy", "--policy", "policy.yaml", "--name", "s", "--", *hostile(kind), code=2)
    assert said.startswith("error: ")
    assert "`s`" in said
    assert "s3cret-payload" not in said
    assert "\u200b" not in said


@pytest.mark.parametrize("kind", ["bad-result", "call-error", "deep-result"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_results_that_are_none_are_errors_that_tell_nothing(desk: Desk, kind: str, protocol: str) -> None:
    desk.write('version: 1\nrules:\n  - {name: all, operation: "s.*", effect: allow}\n')

    async def scenario() -> None:
        async with desk.client("--name", "s", "--", *hostile(kind), protocol=protocol) as client:
            assert "s3cret-payload" not in await refused(client.call_tool("fine", {}), "server `s`")

    asyncio.run(scenario())


def test_a_server_that_is_killed_is_an_error_and_the_proxy_lives(desk: Desk) -> None:
    desk.write('version: 1\nrules:\n  - {name: all, operation: "s.*", effect: allow}\n')
    server = [sys.executable, str(HERE / "mcp_server.py"), "stdio"]

    async def scenario() -> None:
        async with desk.client("--name", "s", "--env", "PATH", "--", *server) as client:
            await refused(client.call_tool("die", {}), "server `s`")
            await refused(client.call_tool("echo", {"text": "x"}), "server `s`")

    asyncio.run(scenario())


def test_a_server_that_hangs_is_given_up(desk: Desk) -> None:
    desk.write('version: 1\nrules:\n  - {name: all, operation: "s.*", effect: allow}\n')
    server = [sys.executable, str(HERE / "mcp_server.py"), "stdio"]

    async def scenario() -> None:
        async with desk.client("--timeout", "4s", "--name", "s", "--", *server) as client:
            await refused(client.call_tool("hang", {}), "did not answer within 4 seconds")
            assert text(await client.call_tool("echo", {"text": "x"})) == "x"

    asyncio.run(scenario())


@pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGTERM])
def test_a_proxy_that_is_killed_leaves_no_server_behind(desk: Desk, signal_: signal.Signals) -> None:
    desk.write('version: 1\nrules:\n  - {name: all, operation: "s.*", effect: allow}\n')
    child = desk.folder / "pid"  # of a child of a server that heeds neither the end of its input nor SIGTERM
    with subprocess.Popen(
        [str(SCRIPT), "mcp-proxy", "--policy", "policy.yaml", "--name", "s", "--", *hostile("deaf", str(child))],
        cwd=desk.folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as proxy:
        assert proxy.stderr is not None
        assert "mcp-proxy: policy" in proxy.stderr.readline()
        proxy.send_signal(signal_)
        proxy.wait(60)
    pid = int(child.read_text())
    end = time.monotonic() + 30
    while _lives(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_what_is_no_message_is_answered_or_told_and_the_proxy_lives(desk: Desk) -> None:
    desk.write(TIME_POLICY)
    lines = [
        '{"jsonrpc": "2.0", "id": 7, "method": 3}',
        *["no JSON"] * 20,
        "",
        '{"jsonrpc": "2.0", "id": 8, "method": "ping"}',
        "x" * 16_000_001,
        '{"jsonrpc": "2.0", "id": 9, "method": "ping"}',
    ]
    done = subprocess.run(
        [str(SCRIPT), "mcp-proxy", "--policy", "policy.yaml", "--name", "time", "--", *TIME],
        cwd=desk.folder,
        env=environment(),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[7]["error"]["code"] == -32600
    assert 8 in answers
    assert 9 not in answers
    assert done.stderr.count("no JSON-RPC message") == 10  # of twenty: it is told, and does not flood
    assert "16000000 bytes" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


# What a person gets wrong


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--", "x"], "missing option '--policy'"),
        (["--policy", "policy.yaml"], "there is no server"),
        (["--policy", "gone.yaml", "--", "x"], "gone.yaml"),
        (["--policy", "policy.yaml", "--", "no-such-program-here"], "no-such-program-here"),
        (["--policy", "policy.yaml", "--servers", "gone.yaml"], "gone.yaml"),
        (["--policy", "policy.yaml", "--servers", "policy.yaml"], "servers"),
        (["--policy", "policy.yaml", "--name", "a b\u200b", "--", *TIME], "name"),
        (["--policy", "policy.yaml", "--run", "r", "--", *TIME], "--store"),
        (["--policy", "policy.yaml", "--approver-key", "x", "--", *TIME], "--store"),
        (["--policy", "policy.yaml", "--header", "a=b", "--", *TIME], "--header"),
        (["--policy", "policy.yaml", "--log", "log", "--", *TIME], "--log-key"),
        (["--policy", "policy.yaml", "--", "http://127.0.0.1:9/mcp"], "127.0.0.1"),
    ],
)
def test_mistakes_are_told(desk: Desk, arguments: list[str], words: str) -> None:
    desk.write(TIME_POLICY)
    said = desk.run("mcp-proxy", *arguments, code=2)
    assert said.startswith("error: ")
    assert words in said
