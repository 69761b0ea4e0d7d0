"""Laws of reading: any input gives a source or an error, values are what the formats' own parsers say, and every
key, value and comment is found exactly where it stands."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from schemarouter.document.text import read_source
from schemarouter.model.diagnostic import Span, Target
from support.layouts import Layout, toml_layout, tree, yaml_layout

EXAMPLES = Path(__file__).resolve().parents[2] / "config" / "examples"
GOOD = {
    "yaml": "".join((EXAMPLES / "github-mcp.yaml").read_text(encoding="utf-8").splitlines(keepends=True)[:80]),
    "toml": "".join((EXAMPLES / "github-rest.toml").read_text(encoding="utf-8").splitlines(keepends=True)[:80]),
}
TOKENS = {
    "yaml": [
        "a: ",
        "- ",
        "> ",
        "* ",
        "*.x",
        "*a",
        "&a ",
        "!t ",
        "!!str ",
        "[",
        "]",
        "{",
        "}",
        ": ",
        ":",
        ", ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "\r\n",
        "\r",
        "\t",
        " #c",
        "'",
        '"',
        "? ",
        "<<: ",
        "---\n",
        "...\n",
        "%YAML 1.2\n\n ",
        "010",
        ".inf",
        "[ab].x",
        "{a,b}",
        "@",
        "`",
        "\\",
        "\u2028",
        "\x85",
        "\ufeff",
        "\x00",
        "\u202e",
        "�",
        "x: 1\n",
        "k: &b [1]\n",
        "é",
        "😀",
        "true: ",
        "~",
    ],
    "toml": [
        "[a]\n",
        "[[a]]\n",
        "[a.b]\n",
        "[[a.b]]\n",
        "a = 1\n",
        "b.c = 2\n",
        "c = {a = 1}\n",
        "c = [1, {b = 2}]\n",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        " = ",
        ".",
        ", ",
        "\n",
        "\r\n\n ",
        "\r",
        "\t",
        " # c",
        "'",
        '"',
        "'''",
        '"""',
        "\\",
        "\\u0041",
        "inf",
        "1979-05-27",
        "1979-05-27 07:32:00",
        "x",
        '"a b"',
        "é",
        "😀",
        "\x00",
        "\u202e",
        "\ufeff",
        "yes",
        "1_0",
    ],
}
FORMATS = ("yaml", "toml")
FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SEEDS = st.integers(min_value=0, max_value=2**48)


def mutated(fmt: str) -> st.SearchStrategy[str]:
    edit = st.tuples(st.integers(0, 4000), st.integers(0, 6), st.sampled_from(TOKENS[fmt]))

    def apply(parts: tuple[int, int, list[tuple[int, int, str]]]) -> str:
        start, length, edits = parts
        text = GOOD[fmt][start : start + length]
        for at, remove, insert in edits:
            at = min(at, len(text))
            text = text[:at] + insert + text[at + remove :]
        return text

    return st.one_of(
        st.lists(st.sampled_from(TOKENS[fmt]), max_size=25).map("".join),
        st.tuples(st.integers(0, 3000), st.integers(0, 800), st.lists(edit, max_size=6)).map(apply),
        st.text(max_size=60),
    )


def lines_of(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)


def assert_inside(span: Span, lines: list[str]) -> None:
    assert 1 <= span.line <= span.end_line <= len(lines)
    assert (span.line, span.column) <= (span.end_line, span.end_column)
    # A line end of two characters may be pointed at.
    assert 1 <= span.column <= len(lines[span.line - 1]) + 2
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 2


def assert_sound(raw: bytes | str, fmt: Any) -> None:
    """A source or an error; only plain data; every place inside the text."""
    source, problems = read_source(raw, "p", fmt)
    errors = [problem for problem in problems if problem.code != "SR004"]
    assert source is not None or errors
    text = source.text if source is not None else raw if isinstance(raw, str) else raw.decode("utf-8", "replace")
    lines = lines_of(text.removeprefix("\ufeff"))
    for problem in problems:
        assert re.fullmatch(r"SR0\d\d|SR103", problem.code)
        assert problem.help
        assert not problem.message.endswith(".")
        assert not re.search(r"[\r\n]", problem.message)
        for place in (problem.at, *(place for _message, place in problem.related)):
            if isinstance(place, Span):
                assert_inside(place, lines)
            elif source is not None:
                assert_inside(source.locate(place), lines)
    if source is None:
        return
    stack: list[tuple[tuple[str | int, ...], object]] = [((), source.data)]
    while stack:
        path, value = stack.pop()
        for part in ("key", "value", "entry"):
            assert_inside(source.locate(Target(path, part)), lines)
        assert (source.scalar(path) is None) == isinstance(value, (dict, list))
        if isinstance(value, dict):
            assert all(type(key) is str for key in value)
            stack.extend(((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            stack.extend(((*path, index), inner) for index, inner in enumerate(value))
        else:
            assert value is None or type(value) in (str, bool, int, float)
            assert not isinstance(value, float) or math.isfinite(value)
    for comment in source.comments:
        assert lines[comment.line - 1][comment.column - 1 :] == "#" + comment.text


@pytest.mark.parametrize("fmt", FORMATS)
def test_any_text_gives_a_source_or_an_error(fmt: str) -> None:
    @FAST
    @given(mutated(fmt))
    @example("")
    @example("a: 1\n\r\nyes[\ufeff\x00a: 1\n-{a,b}\n> , [ab].x}x: 1\n\n  rules<<: *.x'.inf")
    @example("&b ? \ufeff, %!!str ")
    @example("&a[a],1]---]\x001e3ayes# c")
    def check(text: str) -> None:
        assert_sound(text, fmt)

    check()


@pytest.mark.parametrize("fmt", FORMATS)
def test_any_bytes_give_a_source_or_an_error(fmt: str) -> None:
    @FAST
    @given(st.one_of(st.binary(max_size=80), mutated(fmt).map(lambda text: text.encode("utf-8", "surrogatepass"))))
    @example(b"\xff\xfea\x00")
    @example(b"a: \xc3\x28")
    def check(raw: bytes) -> None:
        assert_sound(raw, fmt)

    check()


@settings(FAST, max_examples=400)
@given(mutated("toml"))
def test_toml_accepts_what_tomllib_accepts_and_nothing_else(text: str) -> None:
    source, problems = read_source(text, "p", "toml")
    codes = {problem.code for problem in problems}
    try:
        expected = tomllib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        assert codes & {"SR001", "SR002", "SR009", "SR010"}
    else:
        assert not codes - {"SR006", "SR009", "SR103"}
        assert source is not None
        assert codes or source.data == expected


def assert_places(layout: Layout, fmt: Any, data: object) -> None:
    text = layout.text
    source, problems = read_source(text.encode(), "p", fmt)
    assert problems == []
    assert source is not None
    assert source.data == data

    def position(offset: int) -> tuple[int, int]:
        before = text[:offset].replace("\r\n", "\n")
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    def span(place: tuple[int, int]) -> Span:
        return Span(*position(place[0]), *position(place[1]))

    for path, (key, value) in layout.places.items():
        found = source.locate(Target(path, "value"))
        if path in layout.tables:
            assert found[:2] == span(value)[:2], path
            assert source.text_at(found).startswith("[")
        else:
            assert found == span(value), path
        if key is not None:
            assert source.locate(Target(path, "key")) == span(key), path
    expected = [(*position(start), text[start + 1 : end]) for start, end in layout.comments]
    assert [(one.line, one.column, one.text) for one in source.comments] == expected
    for one in source.comments:
        assert one.own_line == (not lines_of(text)[one.line - 1][: one.column - 1].strip())


@FAST
@given(SEEDS)
def test_every_place_in_yaml_is_exact(seed: int) -> None:
    random = Random(seed)
    data = tree(random)
    layout = yaml_layout(data, random)
    assert_places(layout, "yaml", data)
    assert YAML(typ="safe", pure=True).load(layout.text) == data


@FAST
@given(SEEDS)
def test_every_place_in_toml_is_exact(seed: int) -> None:
    random = Random(seed)
    data = tree(random)
    layout = toml_layout(data, random)
    assert tomllib.loads(layout.text) == data
    assert_places(layout, "toml", data)


@FAST
@given(SEEDS)
def test_what_stands_at_a_toml_value_is_the_value(seed: int) -> None:
    random = Random(seed)
    source, _problems = read_source(toml_layout(tree(random), random).text, "p", "toml")
    assert source is not None
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), source.data)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, (dict, list)):
            steps = value.items() if isinstance(value, dict) else enumerate(value)
            stack.extend(((*path, step), inner) for step, inner in steps)
        else:
            written = source.text_at(source.locate(Target(path)))
            assert tomllib.loads(f"value = {written}")["value"] == value
