"""The file of a catalog: the same bytes for the same catalog, and every other text refused with its place."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.file import is_catalog, read_catalog, write_catalog
from schemarouter.errors import CatalogError, PolicyError
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec
from schemarouter.resources import read_resource

SCHEMA = Draft202012Validator(json.loads(read_resource("schemas", "catalog.v1.schema.json")))
CATALOG = catalog_of(
    [
        ToolSpec(
            name="tickets",
            namespace="desk",
            remote=True,
            source_type="mcp",
            endpoints=[
                EndpointSpec(
                    name="create",
                    description="Öffnet ein Ticket",
                    parameters=[ParameterSpec(name="title", required=True, json_schema={"type": "string"})],
                    metadata={"annotations": {"readOnlyHint": False}},
                ),
                EndpointSpec(name="list all", input_schema={"type": "object"}, read_only=True, destructive=False),
            ],
        ),
        ToolSpec(name="empty", endpoints=[]),
    ]
)
DATA = write_catalog(CATALOG)
DOCUMENT = json.loads(DATA)


def test_a_catalog_survives_its_file():
    assert read_catalog(DATA) == CATALOG
    assert write_catalog(read_catalog(DATA)) == DATA
    assert is_catalog(DATA)
    assert DATA.isascii()
    assert DATA.endswith(b"\n")
    SCHEMA.validate(DOCUMENT)


def test_an_operation_is_a_line():
    assert sum(line.startswith(b'{"name":') for line in DATA.splitlines()) == len(CATALOG)


def test_an_empty_catalog():
    empty = catalog_of([])
    assert read_catalog(write_catalog(empty)) == empty
    SCHEMA.validate(json.loads(write_catalog(empty)))


def test_another_layout_and_order_give_the_same_catalog():
    document = copy.deepcopy(DOCUMENT)
    document["tools"].reverse()
    for tool in document["tools"]:
        tool["operations"].reverse()
    assert read_catalog(json.dumps(document, indent=3, sort_keys=True).encode()) == CATALOG


_names = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)


@given(st.dictionaries(_names, st.lists(_names, unique=True, max_size=4), max_size=4))
def test_whatever_can_be_made_can_be_read(names):
    tools = [
        ToolSpec(name=name, endpoints=[EndpointSpec(name=each) for each in inner]) for name, inner in names.items()
    ]
    try:
        catalog = catalog_of(tools)
    except CatalogError:
        return
    assert read_catalog(write_catalog(catalog)) == catalog


def changed(path, value):
    document = copy.deepcopy(DOCUMENT)
    at = document
    for step in path[:-1]:
        at = at[step]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(document).encode()


FIRST = ("tools", 0, "operations", 0)  # desk.tickets.create


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("format",), "schemarouter.graph", "says nowhere that it is one"),
        (("version",), "1", "`version`, has a version that is no positive integer"),
        (("version",), True, "no positive integer"),
        (("version",), 2, "has format version 2"),
        (("tools",), {}, "at `tools`, is no list"),
        (("more",), 1, "unknown member `more`"),
        (("tools", 0, "key"), 7, "at `tools[0].key`, is no string"),
        (("tools", 0, "key"), "a\nb", "tools[0] of the catalog: the key `a\\nb` holds the hidden character"),
        (("tools", 0, "remote"), "true", "at `tools[0].remote`, is neither `true` nor `false`"),
        (("tools", 0, "remote"), 1, "is neither"),
        (("tools", 0, "remote"), ..., "at `tools[0]`, lacks the member `remote`"),
        (("tools", 0, "head_fingerprint"), "A" * 64, "is no SHA-256"),
        ((*FIRST, "fingerprint"), None, "at `tools[0].operations[0].fingerprint`, is no SHA-256"),
        ((*FIRST, "read_only"), 0, "at `tools[0].operations[0].read_only`, is neither"),
        ((*FIRST, "name"), "", "the name `` is empty"),
        ((*FIRST, "name"), "list all", "the operation `desk.tickets.list all` is there twice"),
        ((*FIRST, "arguments", 0, "types"), ["text"], "types[0]`, is no JSON type"),
        ((*FIRST, "arguments", 0, "types"), [["string"]], "is no JSON type"),
        ((*FIRST, "arguments", 0, "required"), None, "arguments[0].required`, is neither"),
        ((*FIRST, "hints"), {"read_only": None}, "hints.read_only`, is neither"),
        ((*FIRST, "hints"), {"idempotent": True}, "unknown member `idempotent`"),
        ((*FIRST, "description"), "x" * 1001, "has more than 1000 characters"),
        ((*FIRST, "description"), "\ud800", "not Unicode"),
        (("tools", 1, "key"), "desk.tickets", "two tools have the key `desk.tickets`"),
        (("tools", 1, "key"), "desk.tickets.create", "runs into the tool `desk.tickets.create`"),
    ],
)
def test_a_damaged_catalog_is_refused_with_its_place(path, value, place):
    with pytest.raises(PolicyError) as caught:
        read_catalog(changed(path, value))
    assert type(caught.value) is CatalogError
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.help


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"{",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"format":"schemarouter.catalog","format":"schemarouter.catalog"}',
        b'{"format":"schemarouter.catalog","version":NaN}',
        b'{"format":"schemarouter.catalog","version":' + b"1" * 5000 + b"}",
        b'{"format":"schemarouter.catalog","version":1,"tools":[[]]}',
        DATA[:-20],
    ],
)
def test_what_is_no_catalog_is_refused(data):
    with pytest.raises(CatalogError) as caught:
        read_catalog(data)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_file_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("schemarouter.catalog.strict.SIZE_LIMIT", 100)
    with pytest.raises(CatalogError, match="more than 100 bytes"):
        read_catalog(DATA)


@given(st.data())
def test_a_mutated_file_is_read_or_refused(data):
    """Replaced, cut and doubled pieces: a catalog comes of it that can be written, or one error of one kind."""
    text = bytearray(DATA)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = min(len(text), start + data.draw(st.integers(0, 40)))
        text[start:end] = data.draw(
            st.sampled_from(
                [b"", b"null", b"[]", b"{}", b"1", b"true", b'"', b"\\u0000", b"\xff", bytes(text[start:end]) * 2]
            )
        )
    found, said = None, ""
    try:
        found = read_catalog(bytes(text))
    except CatalogError as error:
        said = str(error)
    assert "\n" not in said
    assert found is None or read_catalog(write_catalog(found)) == found
