"""The pattern language is that of ``fnmatchcase``, corner for corner."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemarouter.match.alphabet import CODE_POINTS, bracket_charset, contains, representative
from schemarouter.match.pattern import PatternSet, literal, matches
from schemarouter.match.shiftand import ShiftAnd
from schemarouter.match.tokens import parse

HOSTILE = st.text("ab[]!-^\\*?.&~|\n#", max_size=12)
NAMES = st.text("ab[]!-^\\.&~|\n*?#", max_size=9)
CORNERS = [
    "[!]]", "[]-a]", "[z-a]", "[!z-a]", "[", "[!", "[]", "[!]", "[a-]", "[--0]", "[^a]", "[\\]", "[a\\-z]", "[[]",
    "[]]", "[a-c-e]", "[!a-c-e]", "[b-a]x", "[-a]", "[!-a]", "[--]", "[---]", "[a--]", "[!!]", "[!!a]", "[&&]", "[~~]",
    "[||]", "[[:alpha:]]", "[a][", "a[b", "[b-ac]", "[\n]", "?\n", "*\n", "", "**", "*?*", "?*?", "[é-ü]", "\U0001f600?",
]  # fmt: skip


def shift_and(pattern: str, name: str) -> bool:
    """The bit-parallel matcher alone, without the dictionaries before it."""
    return list(ShiftAnd([(7, parse(pattern))]).find(name)) == [7]


@given(HOSTILE, NAMES)
@settings(max_examples=1500, deadline=None)
def test_a_pattern_matches_what_fnmatchcase_matches(pattern: str, name: str) -> None:
    expected = fnmatchcase(name, pattern)
    assert matches(pattern, name) is expected
    assert shift_and(pattern, name) is expected


@given(
    st.text(max_size=8),
    st.lists(st.one_of(st.sampled_from(["*", "?", "[a-z]", "[!x]"]), st.text(max_size=3)), max_size=5),
)
@settings(max_examples=300, deadline=None)
@example("\ud800", ["?"])
@example("e\u0301", ["?"])
def test_any_unicode_is_matched_code_point_by_code_point(name: str, pieces: list[str]) -> None:
    for pattern in ("".join(pieces), name[:2] + "*" + name[3:], name + "?"):
        assert matches(pattern, name) is fnmatchcase(name, pattern)
        assert shift_and(pattern, name) is fnmatchcase(name, pattern)


@pytest.mark.parametrize("pattern", CORNERS)
def test_corners_of_the_language(pattern: str) -> None:
    letters = sorted({*pattern, *"ab-]![\\^\nz"})
    for size in range(4 if len(letters) < 12 else 3):
        for name in map("".join, product(letters, repeat=size)):
            assert matches(pattern, name) is fnmatchcase(name, pattern), (pattern, name)


@given(st.text("abyz[]!-^\\&~|", max_size=8).map(lambda inside: f"[{inside}]"))
@settings(max_examples=300, deadline=None)
def test_a_bracket_is_the_set_that_fnmatchcase_says(bracket: str) -> None:
    steps = parse(bracket).steps
    if len(steps) != 1:
        return
    charset = bracket_charset(bracket)
    assert list(charset) == sorted(set(charset))
    for code in [*range(0x180), 0xD7FF, 0xD800, 0xFFFF, 0x10000, CODE_POINTS - 1]:
        assert contains(charset, chr(code)) is fnmatchcase(chr(code), bracket)


@given(HOSTILE)
@settings(max_examples=400, deadline=None)
def test_a_literal_is_the_only_name_that_matches(pattern: str) -> None:
    only = literal(pattern)
    if only is None:
        return
    assert fnmatchcase(only, pattern)
    assert not any(fnmatchcase(other, pattern) for other in (only + "a", only[1:], "b" + only[1:], "") if other != only)


@pytest.mark.parametrize(
    ("pattern", "only"),
    [
        ("a.b", "a.b"),
        ("a[*]", "a*"),
        ("[[]a", "[a"),
        ("a[", "a["),
        ("a*", None),
        ("a?", None),
        ("[ab]", None),
        ("[z-a]", None),
    ],
)
def test_literal_examples(pattern: str, only: str | None) -> None:
    assert literal(pattern) == only


@given(st.lists(HOSTILE, max_size=6), NAMES)
@settings(max_examples=300, deadline=None)
def test_a_pattern_set_matches_if_any_pattern_does(patterns: list[str], name: str) -> None:
    one, other = PatternSet(patterns), PatternSet(reversed(patterns))
    assert one == other
    assert hash(one) == hash(other)
    assert one.matches(name) is any(fnmatchcase(name, pattern) for pattern in patterns)


def test_a_thousand_unclosed_brackets_are_literals() -> None:
    pattern = "[" * 200_000
    assert literal(pattern) == pattern


def test_representatives_are_readable() -> None:
    assert representative(0, CODE_POINTS) == "a"
    assert representative(0, 0x61) == "0"
    assert representative(0x7B, CODE_POINTS) == "{"
    assert representative(0x10, 0x12) == "\x10"
