"""Saved listings: all shared ones import, nothing is classified, and what is illegal is refused whole, with its place."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import unicodedata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter import InMemoryRegistry
from schemarouter.sources.mcp import LeftOut, read_listing, tool_from_listing
from schemarouter.sources.mcp.listing import MAX_DESCRIPTION, MAX_TOOLS
from schemarouter.sources.problem import SourceError

ROOT = Path(__file__).parents[4]
SHARED = ROOT.parent / "shared" / "data" / "mcp"
COUNTS = list(csv.DictReader((ROOT / "tests/data/mcp-listings.tsv").read_text().splitlines(), delimiter="\t"))
#: ``tools/list`` of PyPI ``mcp-server-git`` 2026.10.19 (MIT).
GIT = json.loads((ROOT / "tests/data/mcp-server-git-listing.json").read_text())["tools_list"]["tools"]


def item(name: Any = "t", **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def shared(name: str) -> list[Any]:
    if not SHARED.exists():
        pytest.skip("THE SHARED MCP LISTS ARE NOT THERE: ../shared/data/mcp")
    if name == "github-toolsnaps":
        return [json.loads(path.read_text()) for path in sorted((SHARED / name).glob("*.snap"))]
    tools: list[Any] = json.loads((SHARED / "run" / f"{name}.json").read_text())["tools_list"]["tools"]
    return tools


@pytest.mark.parametrize("row", COUNTS, ids=lambda row: row["listing"])
def test_every_shared_listing_imports(row: dict[str, str]) -> None:
    listing = shared(row["listing"])
    tool = tool_from_listing("local", listing)
    said = [endpoint.metadata.get("annotations", {}) for endpoint in tool.endpoints]
    assert [int(count) for count in list(row.values())[1:]] == [
        len(tool.endpoints),
        sum(bool(endpoint.input_schema) for endpoint in tool.endpoints),
        sum(bool(endpoint.output_schema) for endpoint in tool.endpoints),
        sum(bool(annotations) for annotations in said),
        sum(annotations.get("read_only_hint") is True for annotations in said),
        sum(annotations.get("destructive_hint") is True for annotations in said),
    ]
    assert [endpoint.name for endpoint in tool.endpoints] == [each["name"] for each in listing]
    assert {(endpoint.read_only, endpoint.destructive) for endpoint in tool.endpoints} == {(None, None)}
    assert (tool.key, tool.remote, tool.source_type) == ("local", True, "mcp")
    assert InMemoryRegistry().register(tool) == "local"


def test_the_table_knows_every_shared_listing() -> None:
    if not SHARED.exists():
        pytest.skip("THE SHARED MCP LISTS ARE NOT THERE: ../shared/data/mcp")
    there = {path.stem for path in (SHARED / "run").glob("*.json")} | {"github-toolsnaps"}
    assert there == {row["listing"] for row in COUNTS}


def test_a_listing_of_a_real_server() -> None:
    tool = tool_from_listing("git", GIT)
    status = tool.endpoint("git_status")
    assert status.description == "Shows the working tree status"
    assert status.input_schema["required"] == ["repo_path"]
    assert status.metadata["annotations"] == {
        "read_only_hint": True,
        "destructive_hint": False,
        "idempotent_hint": True,
        "open_world_hint": False,
    }
    assert (status.read_only, status.destructive, status.output_fields, status.parameters) == (None, None, [], [])
    assert tool.metadata == {}


def test_hints_are_no_part_of_the_contract() -> None:
    plain = tool_from_listing("s", [item()])
    hinted = tool_from_listing("s", [item(annotations={"readOnlyHint": True, "title": "T"}, title="Title")])
    assert plain.fingerprint == hinted.fingerprint
    assert plain.fingerprint != tool_from_listing("s", [item(description="another")]).fingerprint


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"readOnlyHint": True}, {"read_only_hint": True}),
        ({"read_only_hint": True}, {"read_only_hint": True}),
        (SimpleNamespace(readOnlyHint=True, title="T"), {"read_only_hint": True, "title": "T"}),
        (SimpleNamespace(read_only_hint=False), {"read_only_hint": False}),
        ({"readOnlyHint": True, "read_only_hint": True}, {"read_only_hint": True}),
        ({"readOnlyHint": True, "read_only_hint": False, "destructiveHint": False}, {"destructive_hint": False}),
        ({"readOnlyHint": "true", "destructiveHint": 1, "idempotentHint": None, "title": 3, "more": {}}, {}),
        ({"idempotentHint": True, "openWorldHint": False}, {"idempotent_hint": True, "open_world_hint": False}),
        ("hint", {}),
        (None, {}),
    ],
)
def test_annotations_of_both_spellings_have_one_here(given_: Any, expected: dict[str, Any]) -> None:
    (endpoint,) = tool_from_listing("s", [item(annotations=given_)]).endpoints
    assert endpoint.metadata.get("annotations", {}) == expected
    assert (endpoint.read_only, endpoint.destructive) == (None, None)


def test_items_may_be_objects_of_an_sdk() -> None:
    schema = {"type": "object"}
    objects = [
        SimpleNamespace(name="a", description="d", input_schema=schema, output_schema=schema, annotations=None),
        SimpleNamespace(name="b", inputSchema=schema),
        {"name": "c", "input_schema": schema, "output_schema": None, "description": None},
    ]
    a, b, c = tool_from_listing("s", objects).endpoints
    assert (a.description, a.input_schema, a.output_schema) == ("d", schema, schema)
    assert (b.name, b.output_schema, c.description, c.output_schema) == ("b", {}, "", {})


def test_the_objects_of_mcp_itself() -> None:
    types = pytest.importorskip("mcp_types")
    given_ = types.Tool(
        name="a", input_schema={"type": "object"}, annotations=types.ToolAnnotations(read_only_hint=True)
    )
    (endpoint,) = tool_from_listing("s", [given_]).endpoints
    assert endpoint.metadata == {"annotations": {"read_only_hint": True}}


DEEP: dict[str, Any] = {}
for _ in range(100_000):
    DEEP = {"not": DEEP}

REFUSED = [
    (item(""), "has a name that is empty"),
    (item(" t"), "has a name that has leading or trailing white space"),
    (item("t\n"), "the tool `t\\n` has a name that holds the hidden character U+000A at position 2"),
    (item("re\u200bad"), "the tool `re\\u200bad` has a name that holds the hidden character U+200B"),
    (item("cafe\u0301"), "has a name that is not in Unicode normalization form NFC"),
    (item("\ud800"), "has a name that holds the hidden character U+D800"),
    (item("x" * 513), "longer than 512 characters"),
    (item(3), "has no name that is text"),
    ({"inputSchema": {}}, "has no name that is text"),
    (3, "has no name that is text"),
    ({"name": "t"}, "has no input schema"),
    (item(inputSchema=[]), "has an input schema that is no JSON object"),
    (item(outputSchema="x"), "has an output schema that is no JSON object"),
    (item(inputSchema={"type": "s3cret"}), "`input_schema.type` is no valid JSON Schema"),
    (item(inputSchema={"properties": {"a": {"$ref": "http://127.0.0.1/x"}}}), "refers to another document"),
    (item(inputSchema={"$ref": "#"}), "refers to itself without an end"),
    (item(outputSchema={"pattern": "(?=s3cret)"}), "holds a regular expression that"),
    (item(inputSchema={"const": float("nan")}), "has an input schema that holds a number that is not finite"),
    (item(inputSchema=DEEP), "is nested deeper than 64 levels"),
    (item(input_schema=DEEP), "has two different `inputSchema`, one in each spelling"),
    (item(input_schema={}), "has two different `inputSchema`, one in each spelling"),
    (item(description=["x"]), "has a description that is no text"),
    (item(description="x" * (MAX_DESCRIPTION + 1)), "has a description of more than 100000 characters"),
    (item(inputSchema={"properties": {"x" * 100_000: {"type": "s3cret"}}}), "cannot be registered"),
]


@pytest.mark.parametrize(("wrong", "message"), REFUSED, ids=range(len(REFUSED)))
def test_a_tool_that_cannot_be_registered_refuses_the_listing(wrong: Any, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        tool_from_listing("s", [item("fine"), wrong])
    assert caught.value.where == "server `s`: tools[1]"
    assert message in str(caught.value)
    assert len(str(caught.value)) < 700
    assert str(caught.value).isprintable()
    assert "s3cret" not in str(caught.value)
    assert "leave-out" in str(caught.value.help)
    assert caught.value.__cause__ is None

    listing = read_listing("s", [item("fine"), wrong], on_refused="leave-out")
    assert [endpoint.name for endpoint in listing.tool.endpoints] == ["fine"]
    (left,) = listing.left_out
    assert left.where == "tools[1]"
    assert message in f"the tool `{left.name}` {left.reason}"


def test_of_tools_with_one_name_none_is_taken() -> None:
    listing = read_listing("s", [item("t"), item("fine"), item("t", description="2")], on_refused="leave-out")
    assert [endpoint.name for endpoint in listing.tool.endpoints] == ["fine"]
    reason = "is listed more than once"
    assert listing.left_out == (LeftOut("tools[0]", "t", reason), LeftOut("tools[2]", "t", reason))
    with pytest.raises(SourceError, match="the tool `t` is listed more than once"):
        tool_from_listing("s", [item("t"), item("t")])


@pytest.mark.parametrize("listing", ["tools", b"tools", {"tools": []}, None, 3])
def test_what_is_no_listing(listing: Any) -> None:
    with pytest.raises(SourceError, match="a listing must be the list of tools"):
        tool_from_listing("s", listing)


def test_a_listing_without_an_end() -> None:
    with pytest.raises(SourceError, match=f"holds more than {MAX_TOOLS} tools"):
        tool_from_listing("s", (item(str(number)) for number in iter(int, 1)))


@pytest.mark.parametrize("name", ["", " s", "s\n", "\u202es", "e\u0301", "x" * 513, 3, None])
def test_local_names_are_names(name: Any) -> None:
    with pytest.raises(SourceError, match="the local name of a server"):
        tool_from_listing(name, [])


def test_another_word_for_what_to_do_is_an_error() -> None:
    with pytest.raises(ValueError, match="`on_refused` must be"):
        read_listing("s", [], on_refused="ignore")  # type: ignore[arg-type]


@given(st.lists(st.text(max_size=8), unique=True, max_size=6))
def test_names_are_used_as_they_are_or_refused(names: list[str]) -> None:
    listing = read_listing("s", [item(name) for name in names], on_refused="leave-out")
    kept = [endpoint.name for endpoint in listing.tool.endpoints]
    assert kept == [name for name in names if name in kept]
    assert len(kept) + len(listing.left_out) == len(names)
    assert all(unicodedata.is_normalized("NFC", name) and name == name.strip() and name for name in kept)


def test_saved_listings_need_no_extra() -> None:
    code = (
        "import sys; sys.modules['mcp'] = sys.modules['mcp_types'] = None\n"
        "from schemarouter.sources.mcp import tool_from_listing, McpSource, StdioServer\n"
        "from schemarouter.sources.problem import SourceError\n"
        "print(tool_from_listing('s', [{'name': 't', 'inputSchema': {}}]).key)\n"
        "import asyncio\n"
        "try: asyncio.run(McpSource('s', StdioServer('x')).__aenter__())\n"
        "except SourceError as error: print(error, '-', error.help)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "s",
        "MCP servers need the extra `mcp` - install it with `pip install 'schemarouter[mcp]'`",
    ]
