"""Hints as ``classify`` entries: valid, exact, and never quietly for what contradicts itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.suggest import classify_text, literal_pattern, suggestions
from schemarouter.errors import CatalogError
from schemarouter.loading import load_policy
from schemarouter.match.pattern import matches
from schemarouter.model.tool import EndpointSpec, ToolSpec


def catalog(hints, **fields):
    endpoints = [
        EndpointSpec(
            name=name,
            metadata={"annotations": {key: value for key, value in said.items() if value is not None}},
            **fields,
        )
        for name, said in hints.items()
    ]
    return catalog_of([ToolSpec(name="srv", remote=True, endpoints=endpoints)])


def said(read_only=None, destructive=None):
    return {"readOnlyHint": read_only, "destructiveHint": destructive}


@pytest.mark.parametrize(
    ("name", "hints", "read_only", "destructive", "assumed", "doubtful"),
    [
        ("get_page", said(True), True, False, False, False),
        ("get_page", said(True, False), True, False, False, False),
        ("get_page", said(True, True), True, False, False, True),
        ("issue_read", said(True), True, False, False, False),
        ("make", said(False, False), False, False, False, False),
        ("make", said(False, True), False, True, False, False),
        ("make", said(False), False, True, True, False),  # the protocol's default is destructive
        ("make", said(None, False), False, False, True, False),  # and not read-only
        ("make", said(None, True), False, True, True, False),
        ("send_mail", said(True), True, False, False, True),
        ("gmail_send_mail", said(True, False), True, False, False, True),
        ("gmail_list_sent", said(True), True, False, False, False),
        ("list_delete_jobs", said(True), True, False, False, False),
        ("delete_page", said(False, False), False, False, False, True),
        ("page.delete", said(None, False), False, False, True, True),
        ("delete_page", said(False, True), False, True, False, False),
        ("update_page", said(False, False), False, False, False, False),
    ],
)
def test_a_suggestion(name, hints, read_only, destructive, assumed, doubtful):
    (one,) = suggestions(catalog({name: hints}))
    assert (one.read_only, one.destructive, one.assumed) == (read_only, destructive, assumed)
    assert (one.doubt is not None) is doubtful


def test_what_is_classified_already_is_left_alone():
    assert suggestions(catalog({"get": said(True)}, read_only=False)) == []
    assert suggestions(catalog({"get": {}})) == []


def test_the_text_compiles_and_says_what_was_suggested():
    given = catalog(
        {
            "get a": said(True),
            "make": said(False),
            "drop": said(False, True),
            "weird[x]*?": said(True),
            "naïve: yes # no": said(False, False),
            "'\"\\": said(True),
            "silent": {},
            "0\xa0\U00010000": said(True),
            "send": said(True),
            "both": said(True, True),
        }
    )
    text = classify_text(given)
    graph = load_policy("version: 1\n" + text).graph
    for one in suggestions(given):
        effective = graph.effective(one.operation, True, None, None)
        assert effective == ((True, one.read_only, one.destructive) if one.doubt is None else (True, None, None))
    assert graph.effective("srv.silent", True, None, None) == (True, None, None)
    assert graph.effective("srv.weirdx", True, None, None) == (True, None, None)
    assert '  # the server calls it read-only and destructive\n  # - {operation: "srv.both"' in text
    assert '  # the server says that it only reads, its name says `send`\n  # - {operation: "srv.send"' in text
    assert '  #   "srv.silent"' in text


def test_a_doubtful_entry_counts_once_its_comment_is_taken_away():
    text = classify_text(catalog({"send": said(True)}))
    assert "classify: []" in text
    uncommented = text.replace("classify: []", "classify:").replace("# - {", "- {")
    assert load_policy("version: 1\n" + uncommented).graph.effective("srv.send", True, None, None) == (
        True,
        True,
        False,
    )


def test_without_any_hint_the_section_is_empty():
    assert load_policy("version: 1\n" + classify_text(catalog_of([]))).graph.classify == ()


_names = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=20)


@given(st.dictionaries(_names, st.fixed_dictionaries({"readOnlyHint": st.booleans()}), max_size=5))
def test_whatever_tools_are_called_the_text_compiles(hints):
    try:
        given = catalog(hints)
    except CatalogError:
        return
    graph = load_policy("version: 1\n" + classify_text(given)).graph
    for one in suggestions(given):
        if one.doubt is None:
            assert graph.effective(one.operation, True, None, None)[1:] == (one.read_only, one.destructive)


@given(_names)
def test_a_literal_pattern_matches_its_name_only(name):
    assert matches(literal_pattern(name), name)
    assert not matches(literal_pattern(name), name + "x")
    assert not matches(literal_pattern(name), "x" + name)
