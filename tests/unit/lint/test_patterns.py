"""How patterns are written, and which names look alike."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.lint.confusable import odd_letter, skeleton
from schemarouter.lint.limits import plain
from schemarouter.lint.patterns import (
    alternatives,
    braces,
    covers_everything,
    crosses_tools,
    endpoint_words,
    is_literal,
    lacks_endpoint_part,
    pieces,
    sample_operation,
    whole_tool,
)
from schemarouter.match.pattern import literal
from schemarouter.model.names import split_operation

PATTERNS = st.text(alphabet="ab.*?[]!^-{},/_", max_size=14)


@given(PATTERNS)
def test_pieces_join_to_the_pattern_and_agree_with_the_matcher(pattern):
    found = pieces(pattern)
    assert "".join(piece.text for piece in found) == pattern
    assert all(pattern.startswith(piece.text, piece.start) for piece in found)
    if is_literal(pattern):
        assert literal(pattern) == pattern


@given(PATTERNS)
def test_a_piece_matches_what_it_says(pattern):
    """Each bracket is one to ``fnmatch`` as well: alone it matches one character or none, never its own text."""
    for piece in pieces(pattern):
        if piece.kind == "bracket":
            assert not fnmatchcase(piece.text, piece.text)
        elif piece.kind in {"text", "open"}:
            assert fnmatchcase(piece.text, piece.text)
            assert not fnmatchcase(piece.text + "a", piece.text)


@given(PATTERNS)
def test_a_sample_is_an_operation_that_the_pattern_matches(pattern):
    sample = sample_operation(pattern)
    if sample is not None:
        assert split_operation(sample)
        assert fnmatchcase(sample, pattern)


@given(PATTERNS, st.text(alphabet="ab./_", max_size=8), st.text(alphabet="ab", min_size=1, max_size=3))
def test_what_covers_everything_matches_every_operation_of_that_shape(pattern, middle, end):
    if covers_everything(pattern) and pattern.count("?") + pattern.count(".") == 0:
        assert fnmatchcase(f"a{middle}.{end}", pattern)


@pytest.mark.parametrize(
    ("pattern", "kinds"),
    [
        ("", []),
        ("github.*", ["text", "star"]),
        ("a[!]]b", ["text", "bracket", "text"]),
        ("[]", ["open", "text"]),
        ("[!]", ["open", "text"]),
        ("[]]", ["bracket"]),
        ("a[[]b[", ["text", "bracket", "text", "open"]),
        ("**?", ["star", "any"]),
    ],
)
def test_kinds_of_pieces(pattern, kinds):
    assert [piece.kind for piece in pieces(pattern)] == kinds


def test_whole_tool():
    assert whole_tool("github.*") == "github"
    assert whole_tool("corp.db.?*") == "corp.db"
    assert [whole_tool(pattern) for pattern in ("github*", "*.*", ".*", "github.a*", "github.*.x", "github.?")] == [
        None
    ] * 6


def test_everything():
    assert all(covers_everything(pattern) for pattern in ("*", "**", "*.*", "?*.?*", "*?"))
    assert not any(covers_everything(pattern) for pattern in ("", "a*", "?.?", "[a]*", ".", "*_*"))


def test_missing_endpoint_part():
    assert all(lacks_endpoint_part(pattern) for pattern in ("github", "github*", "mcp__github__**"))
    assert not any(
        lacks_endpoint_part(pattern) for pattern in ("github.*", "*", "*github", "git*hub", "git?*", "git[h]*")
    )


def test_crossing():
    assert all(crosses_tools(pattern) for pattern in ("*delete*", "*.get", "git*.list", "?*.x", "a*b"))
    assert not any(crosses_tools(pattern) for pattern in ("*", "*.*", "github.*", "github.*delete*", "a.b", "git?.x"))


def test_braces_outside_of_brackets():
    assert braces("a.{b,c}") == "{b,c}"
    assert [braces(pattern) for pattern in ("a.{id}", "a.[{]b,c[}]", "a.[{b,c}]", "a.b,c", "a.{b,[}]")] == [None] * 5
    assert alternatives("a.{b,,c}d") == ["a.bd", "a.d", "a.cd"]


def test_words_of_the_endpoint():
    assert endpoint_words("jobs.deleteAll*") == ["delete", "all"]
    assert endpoint_words("github.repos/delete-branch_v2") == ["delete", "branch", "v", "2"]
    assert endpoint_words("a.HTTPGet") == ["http", "get"]
    assert endpoint_words("a.*_write") == ["write"]
    assert endpoint_words("a.*") == []


def test_skeletons():
    assert skeleton("GitHub") == skeleton("github") == skeleton("gіtһub") == skeleton("ｇithub")
    assert skeleton("pаyments") == skeleton("PAYMENTS")
    assert skeleton("Ηello") == skeleton("hello")
    assert skeleton("jira") != skeleton("jlra")


@pytest.mark.parametrize(
    ("name", "index", "looks_like"),
    [("pаyments", 1, "a"), ("ａb", 0, "a"), ("x.Ｂ", 2, "B"), ("files.οpen", 6, "o"), ("scоpe", 2, "o")],
)
def test_odd_letters(name, index, looks_like):
    odd = odd_letter(name)
    assert odd is not None
    assert (odd.at, odd.looks_like, odd.character) == (index, looks_like, name[index])


@pytest.mark.parametrize(
    "name", ["plain", "поиск", "σύνολο", "検索API", "μs", "Δt", "straße", "naïve", "Łódź", "api-метод", "x²"]
)
def test_letters_that_belong(name):
    assert odd_letter(name) is None


def test_numbers_are_written_plainly():
    from decimal import Decimal

    assert [plain(Decimal(text)) for text in ("3.60", "1E+2", "0.10", "5", "1e-7")] == [
        "3.6",
        "100",
        "0.1",
        "5",
        "0.0000001",
    ]
