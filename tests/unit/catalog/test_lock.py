"""Locks: their file, and what moved since."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.decisions import decide_all
from schemarouter.catalog.drift import drift
from schemarouter.catalog.lock import load_lock, make_lock, read_lock, write_lock
from schemarouter.errors import CatalogError
from schemarouter.loading import load_policy
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.resources import read_resource

SCHEMA = Draft202012Validator(json.loads(read_resource("schemas", "lock.v1.schema.json")))
POLICY = """version: 1
name: files
classify: [{operation: files.stat, read_only: true}]
rules:
  - {name: reads, operation: "files.*", effect: allow, when: {read_only: true}}
  - {name: own, operation: files.write, effect: allow, when: {arguments: {path: {type: string, under: /work}}}}
  - {name: never, operation: files.drop, effect: deny}
"""
GRAPH = load_policy(POLICY).graph


def endpoint(name, read_only=None, **fields):
    return EndpointSpec(name=name, read_only=read_only, **fields)


def tools(*endpoints):
    given = endpoints or (endpoint("read", True), endpoint("write", False), endpoint("drop", False), endpoint("stat"))
    return catalog_of([ToolSpec(name="files", endpoints=list(given), remote=True)])


LOCK = make_lock(GRAPH, tools())
DATA = write_lock(LOCK)
DOCUMENT = json.loads(DATA)


def test_a_lock_survives_its_file(tmp_path):
    assert read_lock(DATA) == LOCK
    assert write_lock(read_lock(DATA)) == DATA == write_lock(make_lock(load_policy(POLICY).graph, tools()))
    SCHEMA.validate(DOCUMENT)
    (tmp_path / "policy.lock").write_bytes(DATA)
    assert load_lock(tmp_path / "policy.lock") == LOCK
    assert load_lock(os.fspath(tmp_path / "policy.lock")) == LOCK
    assert len(LOCK) == 4
    assert hash(read_lock(DATA)) == hash(LOCK)


def test_what_a_lock_says():
    by_name = {each["operation"]: each for each in DOCUMENT["operations"]}
    assert DOCUMENT["policy"] == {"name": "files", "digest": GRAPH.digest}
    assert by_name["files.read"]["deciders"] == [{"rule": "reads", "rule_index": 0, "outcome": "allow"}]
    assert by_name["files.write"]["outcome"] == "depends"
    assert by_name["files.stat"]["read_only"] is True
    contract = tools().operations["files.drop"]
    assert (by_name["files.drop"]["fingerprint"], by_name["files.drop"]["head_fingerprint"]) == contract.contract


def moved(catalog, graph=GRAPH):
    return [(each.kind, each.operation, each.change) for each in drift(LOCK, decide_all(graph, catalog), graph.digest)]


def test_nothing_moved():
    assert moved(tools()) == []


def test_a_new_operation_that_a_wildcard_takes():
    catalog = tools(
        *(endpoint(name, True) for name in ("read", "export")),
        endpoint("write", False),
        endpoint("drop", False),
        endpoint("stat"),
    )
    assert moved(catalog) == [("unlocked", "files.export", "")]


def test_a_contract_that_changed():
    catalog = tools(
        endpoint("read", True, description="reads, and more"),
        endpoint("write", False),
        endpoint("drop", False),
        endpoint("stat"),
    )
    assert moved(catalog) == [
        ("contract", "files.read", "allow by rule `reads` -> allow by rule `reads`"),
    ]


def test_attributes_that_changed_move_the_decision():
    catalog = tools(endpoint("read", False), endpoint("write", False), endpoint("drop", False))
    assert moved(catalog) == [
        ("moved", "files.read", "allow by rule `reads` -> deny by the defaults"),
        ("gone", "files.stat", ""),
    ]
    harmful = tools(
        endpoint("read", True, destructive=True), endpoint("write", False), endpoint("drop", False), endpoint("stat")
    )
    assert moved(harmful) == [
        ("moved", "files.read", "remote, read-only, destructive unknown -> remote, read-only, destructive"),
    ]


def test_under_another_policy_names_and_order_of_rules_do_not_matter():
    renamed = load_policy(POLICY.replace("name: never", "name: not-ever")).graph
    assert renamed.digest != GRAPH.digest
    assert moved(tools(), renamed) == []
    loosened = load_policy(POLICY.replace("effect: deny", "effect: allow")).graph
    assert moved(tools(), loosened) == [
        ("moved", "files.drop", "deny by rule `never` -> allow by rule `never`"),
    ]


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


FIRST = ("operations", 0)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("format",), "schemarouter.catalog", "says nowhere that it is one"),
        (("version",), 2, "has format version 2"),
        (("policy",), None, "at `policy`, is no object"),
        (("policy", "digest"), "abc", "at `policy.digest`, is no SHA-256"),
        (("policy", "name"), 3, "at `policy.name`, is no string"),
        (("operations", 1, "operation"), "files.drop", "has two entries for one operation"),
        ((*FIRST, "operation"), "files", "has no tool key, dot and endpoint name"),
        ((*FIRST, "operation"), "files.\u200b", "hidden character"),
        ((*FIRST, "outcome"), "allow", "at `operations[0].outcome`, does not follow from the deciders"),
        ((*FIRST, "deciders"), [], "deciders`, is empty"),
        ((*FIRST, "deciders", 0, "outcome"), "perhaps", "is none of"),
        ((*FIRST, "deciders", 0, "outcome"), [], "is none of"),
        ((*FIRST, "deciders", 0, "rule_index"), True, "neither null nor a number"),
        ((*FIRST, "deciders", 0, "rule_index"), None, "has a rule without its index"),
        ((*FIRST, "remote"), 1, "at `operations[0].remote`, is neither"),
        ((*FIRST, "fingerprint"), ..., "lacks the member `fingerprint`"),
    ],
)
def test_a_damaged_lock_is_refused_with_its_place(path, value, place):
    with pytest.raises(CatalogError) as caught:
        read_lock(changed(path, value))
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing", ".", "a\0b", "\udcff"])
def test_a_lock_that_cannot_be_read(tmp_path, name):
    with pytest.raises(CatalogError, match=r"the lock `.*` cannot be read: ") as caught:
        load_lock(tmp_path / name)
    assert "schemarouter lock" in caught.value.help


def test_a_pipe_that_nobody_writes_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CatalogError, match="nobody writes to"):
        load_lock(tmp_path / "pipe")


@pytest.mark.parametrize("thing", [LOCK, tools()], ids=["lock", "catalog"])
def test_what_was_made_stays_what_it_is(thing):
    assert thing.operations
    for copied in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
        assert copied == thing
        assert hash(copied) == hash(thing)
        assert copied.operations == thing.operations
    assert thing != "another thing"
    with pytest.raises(dataclasses.FrozenInstanceError):
        thing.tools = ()
    with pytest.raises(TypeError):
        thing.operations["x"] = None


@given(st.data())
def test_a_mutated_file_is_read_or_refused(data):
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
        found = read_lock(bytes(text))
    except CatalogError as error:
        said = str(error)
    assert "\n" not in said
    assert found is None or read_lock(write_lock(found)) == found
