"""``schemarouter catalog``: every kind of source, the same bytes twice, and what changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from jsonschema import Draft202012Validator

from schemarouter.catalog.file import read_catalog
from schemarouter.resources import read_resource
from support.command import Run, environment
from support.shared_data import shared

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / "tests" / "data" / "github-mcp-listing.json"
SERVER = ROOT / "tests" / "support" / "mcp_server.py"
SCHEMA = Draft202012Validator(json.loads(read_resource("schemas", "catalog.v1.schema.json")))
OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {"get": {"operationId": "pets/list", "responses": {}}},
        "/pets/{id}": {
            "delete": {
                "operationId": "pets/delete",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {},
            }
        },
    },
}
TOOLS = """
__all__ = ["add", "greet"]
print("printed by the module")

def add(a: int, b: int = 2) -> int:
    return a + b

async def greet(name: str) -> str:
    return name
"""


def listing(*tools: dict[str, object]) -> str:
    return json.dumps({"tools": [{"inputSchema": {"type": "object"}, **tool} for tool in tools]})


def test_an_openapi_document(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "pets.json").write_text(json.dumps(OPENAPI))
    result = quick("catalog", "pets.json", "-o", "catalog.json")
    assert (result.code, result.out, result.err) == (0, "", "wrote `catalog.json`: 1 tool, 2 operations\n")
    data = (tmp_path / "catalog.json").read_bytes()
    SCHEMA.validate(json.loads(data))
    catalog = read_catalog(data)
    assert list(catalog.operations) == ["pets.pets/delete", "pets.pets/list"]
    assert catalog.operations["pets.pets/delete"].attributes == (True, False, True)
    assert catalog.operations["pets.pets/list"].read_only is True
    assert [tuple(one) for one in catalog.operations["pets.pets/delete"].arguments] == [("id", True, ("integer",))]
    assert str(tmp_path) not in data.decode()
    assert quick("catalog", "pets.json").out.encode() == data
    other = quick("catalog", "pets.json", "--server-url", "https://pets.example/v1")
    assert other.out.encode() != data


def test_twice_the_same_bytes_and_what_changed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text(listing({"name": "a"}, {"name": "b"}, {"name": "c"}))
    assert run("catalog", "l.json", "-o", "c.json").err == "wrote `c.json`: 1 tool, 3 operations\n"
    before, stamp = (tmp_path / "c.json").read_bytes(), os.stat(tmp_path / "c.json").st_mtime_ns
    assert run("catalog", "l.json", "-o", "c.json").err == "unchanged `c.json`: 1 tool, 3 operations\n"
    assert os.stat(tmp_path / "c.json").st_mtime_ns == stamp
    (tmp_path / "l.json").write_text(
        listing(
            {"name": "d"},
            {"name": "b", "description": "another"},
            {"name": "a", "annotations": {"readOnlyHint": True}},
        )
    )
    changed = run("catalog", "l.json", "-o", "c.json")
    assert (changed.code, changed.out) == (0, "")
    assert changed.err.splitlines() == [
        "hints: `l.a`: none -> read_only true",
        "contract: `l.b`",
        "removed: `l.c`",
        "added: `l.d`: remote, unclassified, destructive unknown",
        "wrote `c.json`: 1 tool, 3 operations",
    ]
    assert (tmp_path / "c.json").read_bytes() != before


def test_the_order_of_a_listing_does_not_matter(quick: Run, tmp_path: Path) -> None:
    tools = json.loads(GITHUB.read_text())["tools"]
    (tmp_path / "github.json").write_text(json.dumps(tools))
    (tmp_path / "again.json").write_text(json.dumps({"result": {"tools": tools[::-1]}}))
    one, other = quick("catalog", "github.json"), quick("catalog", "again.json", "--name", "github")
    assert one.out == other.out
    assert len(read_catalog(one.out.encode())) == 117


def test_several_sources(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "pets.json").write_text(json.dumps(OPENAPI))
    (tmp_path / "l.json").write_text(listing({"name": "a"}))
    whole = quick("catalog", "animals=pets.json", "corp.mail=l.json", "-o", "all.json")
    assert whole.code == 0
    assert read_catalog((tmp_path / "all.json").read_bytes()).keys == {"animals", "corp.mail"}
    quick("catalog", "animals=pets.json", "-o", "one.json")
    quick("catalog", "corp.mail=l.json", "-o", "two.json")
    assert quick("catalog", "two.json", "one.json").out.encode() == (tmp_path / "all.json").read_bytes()
    collision = quick("catalog", "corp=l.json", "corp.a=l.json")
    assert (collision.code, collision.out) == (2, "")
    assert "runs into the tool `corp.a`" in collision.err
    assert quick("catalog", "l.json", "l.json").err.startswith("error: two tools have the key `l`\nhelp: ")
    assert "`--name` is for one source" in quick("catalog", "l.json", "pets.json", "--name", "x").err
    assert "whose tools have their names already" in quick("catalog", "x=one.json").err


def test_standard_input(quick: Run) -> None:
    text = listing({"name": "a"})
    assert read_catalog(quick("catalog", "-", "--name", "srv", stdin=text).out.encode()).keys == {"srv"}
    assert "needs a local name" in quick("catalog", "-", stdin=text).err
    assert "cannot be read from standard input" in quick("catalog", "-", stdin="openapi: 3.1.0\n").err


# A server that runs


def test_a_server_over_stdio(run: Run, tmp_path: Path) -> None:
    result = run("catalog", f"mcp:{sys.executable} {SERVER} stdio", "--name", "srv", "-o", "c.json")
    assert result.code == 0, result.err
    catalog = read_catalog((tmp_path / "c.json").read_bytes())
    assert catalog.operations["srv.write note"].attributes == (True, None, None)
    again = run("catalog", f"srv=mcp:{sys.executable} {SERVER} stdio", "-o", "c.json")
    assert again.err.startswith("unchanged")
    suggested = run("catalog", "c.json", "--suggest-classify")
    assert 'its name says `write`\n  # - {operation: "srv.write note"' in suggested.out


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server on loopback."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "http"], stdout=subprocess.PIPE, text=True, cwd=folder, env=environment()
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_server_over_http_is_the_same(run: Run, tmp_path: Path) -> None:
    stdio = run("catalog", f"srv=mcp:{sys.executable} {SERVER} stdio")
    with served(tmp_path) as address:
        assert run("catalog", f"mcp:{address}", "--name", "srv").out == stdio.out


def test_a_real_server_is_what_was_recorded(run: Run, tmp_path: Path) -> None:
    """``mcp-server-git``, started, and its listing as it was saved elsewhere and long ago: the same catalog."""
    recorded = shared("mcp", "run", "py-git.json")
    saved = run("catalog", str(recorded), "--name", "git", "-o", "git.json")
    assert saved.code == 0
    live = run("catalog", f"git=mcp:{Path(sys.executable).with_name('mcp-server-git')}", "-o", "git.json")
    assert live.err == "unchanged `git.json`: 1 tool, 12 operations\n"


def test_a_variable_for_a_server(run: Run, tmp_path: Path) -> None:
    command = f"srv=mcp:{sys.executable} {SERVER} stdio"
    assert run("catalog", command, "--env", "MISSING").err.startswith("error: the variable `MISSING` is not set\n")
    script = "import os, sys; os.environ.get('TOKEN') == 'x' or sys.exit(7); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    (tmp_path / "needs.py").write_text(script)
    needing = f"srv=mcp:{sys.executable} needs.py {SERVER} stdio"
    assert run("catalog", needing, env={"TOKEN": "x"}).code == 2
    assert run("catalog", needing, "--env", "TOKEN", env={"TOKEN": "x"}).code == 0


class _Refusing(BaseHTTPRequestHandler):
    """Says no to everybody, and remembers who asked."""

    asked: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        self.asked.append(self.headers.get("Authorization"))
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class calls it so
        pass


def test_a_header_for_a_server(run: Run) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        source = f"srv=mcp:http://127.0.0.1:{server.server_address[1]}/mcp"
        options = ("--header", "Authorization=MY_TOKEN")
        refused = run("catalog", source, *options, env={"MY_TOKEN": "Bearer s3cret"})
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert refused.code == 2
    assert set(_Refusing.asked) == {"Bearer s3cret"}
    assert "s3cret" not in refused.err
    assert run("catalog", source, *options).err.startswith("error: the variable `MY_TOKEN` is not set\n")
    assert "a header is written as" in run("catalog", source, "--header", "Authorization: x").err


# A module


def test_a_module_needs_to_be_allowed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mytools.py").write_text(TOOLS)
    refused = run("catalog", "python:mytools")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "error: importing `mytools` runs its code and is not allowed\nhelp: allow it: `--allow-import mytools`\n"
    )
    result = run("catalog", "python:mytools", "--allow-import", "mytools")
    assert result.err == "printed by the module\n"
    catalog = read_catalog(result.out.encode())
    assert [(each.operation, each.remote) for each in catalog] == [("add.call", False), ("greet.call", False)]
    spaced = run("catalog", "my=python:mytools", "--allow-import", "mytools")
    assert list(read_catalog(spaced.out.encode()).operations) == ["my.add.call", "my.greet.call"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise SystemExit(3)", "cannot be imported: SystemExit"),
        ("1 / 0", "cannot be imported: ZeroDivisionError"),
        ("def f(", "cannot be imported: SyntaxError"),
        ("x = 1", "does not say which of its functions are tools"),
    ],
)
def test_a_module_that_gives_no_tools(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "mytools.py").write_text(text)
    result = run("catalog", "python:mytools", "--allow-import", "mytools.")
    assert (result.code, result.out) == (2, "")
    assert message in result.err


@pytest.mark.parametrize("module", ["", "a b", "os;x", "../x", "mytools.", "1x"])
def test_what_is_no_module(quick: Run, module: str) -> None:
    result = quick("catalog", f"python:{module}", "--allow-import", "mytools")
    assert result.code == 2
    assert "is no module name" in result.err


# What cannot be read


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", "", "error: "),
        ("x.json", "{", "error: "),
        ("x.json", "[" * 50_000, "error: "),
        ("x.json", '{"tools": {}}', "error: "),
        ("x.json", '{"swagger": "2.0"}', "the document is Swagger 2.0"),
        ("x.json", listing({"name": "a"}, {"name": "a"}), "listed more than once"),
        ("x.json", listing({"name": "a\u202eb"}), "error: "),
        ("x.json", listing({"name": 7}), "has no name that is text"),
        ("x.json", '{"tools": [7]}', "error: "),
        ("x.json", '{"format":"schemarouter.catalog","version":9}', "has format version 9"),
        ("x.yaml", "a: &a [*a]\n", "error: "),
        ("x.json", "\0\1\2", "error: "),
    ],
)
def test_what_cannot_be_read_is_refused_whole(quick: Run, tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    result = quick("catalog", name, "-o", "out.json")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert message in result.err
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing-file.json", "no such file"),
        ("myapp.tools", "for the Python module of that name, write `python:myapp.tools`"),
        (".", "error: "),
        ("mcp:x", "an MCP server needs a local name"),
        ("srv=mcp:", "names no command and no address"),
        ("srv=mcp:'a", "a quotation mark without its partner"),
        ("srv=mcp:no-such-command-here", "cannot be started"),
        ("srv=mcp:http://127.0.0.1:9/", "error: "),
        ("srv=mcp:http://user:secret@127.0.0.1/", "a user name, a password or a fragment"),
        ("srv=mcp:true", "error: "),
        ("\x1b[31m", "error: "),
    ],
)
def test_sources_that_are_none(run: Run, source: str, message: str) -> None:
    result = run("catalog", source)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "secret" not in result.err
    assert "\x1b" not in result.err


def test_another_file_is_not_overwritten(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text(listing({"name": "a"}))
    for output in ("l.json", "notes.txt"):
        (tmp_path / "notes.txt").write_text("mine")
        before = (tmp_path / output).read_text()
        result = quick("catalog", "l.json", "-o", output)
        assert result.code == 2
        assert "exists and is no catalog" in result.err
        assert (tmp_path / output).read_text() == before


def test_tools_that_cannot_be_registered_can_be_left_out(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "l.json").write_text(listing({"name": "a"}, {"name": "b", "inputSchema": {"type": "nonsense"}}))
    assert quick("catalog", "l.json").code == 2
    result = quick("catalog", "l.json", "--leave-out")
    assert list(read_catalog(result.out.encode()).operations) == ["l.a"]
    assert result.err.startswith("note: left out tools[1] `b`: it ")


# Hints


def test_hints_paste_into_a_policy(quick: Run, tmp_path: Path) -> None:
    suggested = quick("catalog", f"github={GITHUB}", "--suggest-classify")
    assert (suggested.code, suggested.err) == (0, "")
    policy = "version: 1\nbudget: {max_tool_calls: 9}\n" + suggested.out
    (tmp_path / "p.yaml").write_text(policy)
    quick("catalog", f"github={GITHUB}", "-o", "c.json")
    assert quick("check", "--strict", "--catalog", "c.json", "p.yaml").code == 0
    explained = quick(
        "explain", "p.yaml", "--operation", "github.get_me", "--remote", "--unclassified", "--destructive-unknown"
    )
    assert "as read-only, not destructive" in explained.out
    assert quick("catalog", f"github={GITHUB}", "--suggest-classify", "-o", "x").code == 2


def test_every_shared_listing_gives_hints_that_compile(quick: Run, tmp_path: Path) -> None:
    listings = sorted(shared("mcp", "run").glob("*.json"))
    assert len(listings) >= 25
    result = quick("catalog", *(str(path) for path in listings), "-o", "all.json")
    assert result.err == "wrote `all.json`: 25 tools, 261 operations\n"
    suggested = quick("catalog", "all.json", "--suggest-classify")
    (tmp_path / "p.yaml").write_text("version: 1\nbudget: {max_tool_calls: 9}\n" + suggested.out)
    checked = quick("check", "--strict", "--catalog", "all.json", "p.yaml")
    assert checked.code == 0, checked.out


# Real size


def test_github_rest_from_its_document_to_a_lock(run: Run, tmp_path: Path) -> None:
    document = shared("openapi", "github-rest.json")
    assert run("catalog", f"github={document}", "-o", "c.json").err.endswith(
        "wrote `c.json`: 1 tool, 1223 operations\n"
    )
    SCHEMA.validate(json.loads((tmp_path / "c.json").read_bytes()))
    policy = str(ROOT / "config" / "examples" / "github-rest.toml")
    checked = run(
        "check", "--catalog", "c.json", policy, "--output-format", "json", "--select", "SR308,SR309,SR505,SR208"
    )
    document_ = json.loads(checked.out)
    assert document_["findings"] == []
    load = document_["catalog"][0]
    assert load["operations"] == 1223 == load["allow"] + load["approval"] + load["deny"] + load["depends"]
    assert run("lock", policy, "--catalog", "c.json", "-o", "p.lock").code == 0
    again = run(
        "check", "--catalog", "c.json", "--lock", "p.lock", policy, "--select", "SR41", "--output-format", "concise"
    )
    assert (again.code, again.out) == (0, "")
