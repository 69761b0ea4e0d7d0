"""Real MCP servers over stdio: listed, classified, checked, and called through the boundary.

``mcp-server-git`` and ``mcp-server-time`` come from PyPI, ``server-filesystem`` and ``server-memory`` from npm
(`make test` installs them). A call that is denied never reaches its server: that is shown by what the server would have
done.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from schemarouter import ApprovalDeniedError, PolicyViolationError, SchemaRouter, SchemaValidationError
from schemarouter.sources.mcp import McpLimits, McpToolError, StdioServer, attach
from schemarouter.sources.mcp.results import text_of
from support.command import Run
from support.mcp_calls import run

ROOT = Path(__file__).parents[2]
NPM = ROOT / ".envs" / "node" / "node_modules" / ".bin"
PYPI = Path(sys.executable).parent
#: A server is slow to start where many tests run at once.
LIMITS = McpLimits(connect_seconds=100, list_seconds=100, call_seconds=100, close_seconds=2)

REST = """
  - {name: reading, operation: "*", effect: allow, when: {read_only: true, destructive: false}}
  - {name: rest, operation: "*", effect: deny}
"""


def from_npm(name: str, *arguments: str, **env: str) -> StdioServer:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip(f"NODE IS MISSING: {name} from npm is not tested")
    assert (NPM / name).exists(), "the servers from npm are not installed: run `make .envs/node/.installed`"
    return StdioServer(str(NPM / name), arguments, env)


@asynccontextmanager
async def router_of(policy: str, key: str, server: StdioServer, **options: Any) -> AsyncIterator[SchemaRouter]:
    router = SchemaRouter.from_policy(policy, **options)
    async with attach(router, key, server, limits=LIMITS):
        yield router


def listed(router: SchemaRouter, key: str) -> set[str]:
    return {endpoint.name for endpoint in router.registry.get(key).endpoints}


async def denied(error: type[Exception], call: Awaitable[Any], *, rule: str = "") -> None:
    with pytest.raises(error) as caught:
        await call
    assert rule in str(caught.value)
    assert caught.value.execution_succeeded is False  # type: ignore[attr-defined]  # the server was never reached


# Filesystem


FILES_POLICY = """
version: 1
approval: {{callback: person}}
budget: {{max_tool_calls: 50, max_elapsed_seconds: 300}}
classify:
  - {{operation: ["files.read_*", "files.list_*", "files.get_*", "files.search_*", files.directory_tree], read_only: true, destructive: false}}
  - {{operation: [files.write_file, files.edit_file, files.move_file], read_only: false, destructive: true}}
  - {{operation: files.create_directory, read_only: false, destructive: false}}
rules:
  - name: notes
    operation: files.write_file
    effect: allow
    when: {{arguments: {{path: {{type: string, under: ["{folder}/notes"]}}}}}}
  - {{name: folders, operation: files.create_directory, effect: require_approval}}
""" + REST.replace("{", "{{").replace("}", "}}")


def test_filesystem(tmp_path: Path, quick: Run) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    policy = tmp_path / "policy.yaml"
    policy.write_text(FILES_POLICY.format(folder=tmp_path))
    server = from_npm("mcp-server-filesystem", str(tmp_path))
    asked: list[str] = []

    def approve(_tool: Any, endpoint: Any, call: Any) -> bool:
        asked.append(endpoint.name)
        return bool(call.arguments["path"].endswith("good"))

    async def scenario() -> None:
        async with router_of(str(policy), "files", server, callbacks={"person": approve}) as router:
            assert {"read_text_file", "write_file", "move_file", "create_directory"} <= listed(router, "files")
            assert len(listed(router, "files")) == 14

            read = await run(router, "files", "read_text_file", {"path": f"{tmp_path}/secret.txt"})
            assert read == {"content": "secret"}  # structured content, checked against the server's output schema
            await run(router, "files", "write_file", {"path": f"{tmp_path}/notes/a.txt", "content": "one"})
            assert (tmp_path / "notes" / "a.txt").read_text() == "one"

            for path in (
                f"{tmp_path}/secret.txt",
                f"{tmp_path}/other.txt",
                f"{tmp_path}/notes/../secret.txt",
                f"{tmp_path}/notes-of-others.txt",
                "notes/b.txt",
            ):
                write = run(router, "files", "write_file", {"path": path, "content": "changed"})
                await denied(PolicyViolationError, write, rule="rest")
            move = {"source": f"{tmp_path}/secret.txt", "destination": f"{tmp_path}/notes/b.txt"}
            await denied(PolicyViolationError, run(router, "files", "move_file", move), rule="rest")
            edit = {"path": f"{tmp_path}/secret.txt", "edits": [{"oldText": "secret", "newText": "x"}]}
            await denied(PolicyViolationError, run(router, "files", "edit_file", edit), rule="rest")

            await denied(ApprovalDeniedError, run(router, "files", "create_directory", {"path": f"{tmp_path}/bad"}))
            await run(router, "files", "create_directory", {"path": f"{tmp_path}/good"})
            await denied(SchemaValidationError, run(router, "files", "write_file", {"path": 3, "content": "x"}))

            outside = run(router, "files", "read_text_file", {"path": "/etc/hostname"})
            with pytest.raises(McpToolError, match=r"the tool `files.read_text_file` reports that it failed"):
                await outside

    asyncio.run(scenario())
    assert asked == ["create_directory", "create_directory"]
    there = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
    assert there == ["good", "notes", "notes/a.txt", "policy.yaml", "secret.txt"]
    assert (tmp_path / "secret.txt").read_text() == "secret"

    # The same server through the command: a catalog, and the policy checked against it.
    line = f"mcp:{server.command} {tmp_path}"
    written = quick("catalog", line, "--name", "files", "-o", "catalog.json")
    assert (written.code, json.loads((tmp_path / "catalog.json").read_text())["version"]) == (0, 1), written.err
    again = quick("catalog", line, "--name", "files", "-o", "again.json")
    assert again.code == 0
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "catalog.json").read_bytes()
    checked = quick("check", "policy.yaml", "--catalog", "catalog.json")
    assert checked.code == 0, checked.out
    policy.write_text(policy.read_text().replace("files.move_file]", "files.move_fiel]"))
    wrong = quick("check", "policy.yaml", "--catalog", "catalog.json", "--output-format", "concise")
    assert wrong.code == 1
    assert "move_fiel" in wrong.out


# Memory


MEMORY_POLICY = (
    """
version: 1
classify:
  - {operation: ["memory.read_*", "memory.search_*", "memory.open_*"], read_only: true, destructive: false}
  - {operation: "memory.delete_*", read_only: false, destructive: true}
rules:
  - name: few
    operation: memory.create_entities
    effect: allow
    when: {arguments: {entities: {type: array, maxItems: 1}}}
"""
    + REST
)


def test_memory(tmp_path: Path) -> None:
    stored = tmp_path / "memory.jsonl"
    server = from_npm("mcp-server-memory", MEMORY_FILE_PATH=str(stored))

    def entities(*names: str) -> dict[str, Any]:
        return {"entities": [{"name": name, "entityType": "person", "observations": []} for name in names]}

    async def scenario() -> None:
        async with router_of(MEMORY_POLICY, "memory", server) as router:
            assert len(listed(router, "memory")) == 9
            await run(router, "memory", "create_entities", entities("ada"))
            before = stored.read_bytes()
            await denied(
                PolicyViolationError, run(router, "memory", "create_entities", entities("b", "c")), rule="rest"
            )
            delete = run(router, "memory", "delete_entities", {"entityNames": ["ada"]})
            await denied(PolicyViolationError, delete, rule="rest")
            assert stored.read_bytes() == before
            graph = await run(router, "memory", "read_graph")
            assert [entity["name"] for entity in graph["entities"]] == ["ada"]

    asyncio.run(scenario())


# Git


GIT_POLICY = (
    """
version: 1
classify:
  - {operation: [git.git_status, git.git_log, git.git_show, "git.git_diff*", git.git_branch], read_only: true, destructive: false}
  - {operation: git.git_reset, read_only: false, destructive: true}
  - {operation: "*", read_only: false, destructive: false}
rules:
  - name: adding
    operation: git.git_add
    effect: allow
    when: {arguments: {files: {type: array, items: {type: string, like: "*.txt"}}}}
"""
    + REST
)


def test_git(tmp_path: Path, repository: Callable[..., str]) -> None:
    server = StdioServer(str(PYPI / "mcp-server-git"), ["--repository", str(tmp_path)])
    here = {"repo_path": str(tmp_path)}

    async def scenario() -> None:
        async with router_of(GIT_POLICY, "git", server) as router:
            assert len(listed(router, "git")) == 12
            assert "a.txt" in text_of(await run(router, "git", "git_status", here))
            await run(router, "git", "git_add", {**here, "files": ["a.txt"]})
            assert repository("diff", "--cached", "--name-only") == "a.txt\n"
            for endpoint, arguments in (
                ("git_add", {**here, "files": ["a.txt", "key.pem"]}),
                ("git_reset", here),
                ("git_commit", {**here, "message": "second"}),
                ("git_checkout", {**here, "branch_name": "other"}),
                ("git_create_branch", {**here, "branch_name": "other"}),
            ):
                await denied(PolicyViolationError, run(router, "git", endpoint, arguments), rule="rest")
            with pytest.raises(McpToolError):
                await run(router, "git", "git_show", {**here, "revision": "no-such-revision"})

    asyncio.run(scenario())
    assert repository("diff", "--cached", "--name-only") == "a.txt\n"
    assert repository("rev-list", "--count", "HEAD") == "1\n"
    assert len(repository("branch", "--list").splitlines()) == 1


# Time


def test_time() -> None:
    server = StdioServer(str(PYPI / "mcp-server-time"), ["--local-timezone", "UTC"])
    policy = "version: 1\nclassify:\n  - {operation: time.get_current_time, read_only: true, destructive: false}\n"

    async def scenario() -> None:
        async with router_of(policy, "time", server) as router:
            assert listed(router, "time") == {"get_current_time", "convert_time"}
            now = await run(router, "time", "get_current_time", {"timezone": "Asia/Seoul"})
            assert now["timezone"] == "Asia/Seoul"
            with pytest.raises(McpToolError):
                await run(router, "time", "get_current_time", {"timezone": "Nowhere/Land"})
            convert = {"source_timezone": "UTC", "time": "10:00", "target_timezone": "Asia/Seoul"}
            await denied(PolicyViolationError, run(router, "time", "convert_time", convert), rule="unclassified")
            # What the server says about itself changes nothing: it claims that both only read.
            hints = [endpoint.metadata["annotations"] for endpoint in router.registry.get("time").endpoints]
            assert [hint["read_only_hint"] for hint in hints] == [True, True]

    asyncio.run(scenario())
