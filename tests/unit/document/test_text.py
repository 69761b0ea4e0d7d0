"""The pass "text": encodings, hidden characters, size; lines and columns."""

from __future__ import annotations

import pytest

from schemarouter.document import limits
from schemarouter.document.positions import Lines
from schemarouter.document.text import read_source
from schemarouter.model.diagnostic import Span, Target


def read(raw, fmt="yaml"):
    return read_source(raw, "policy", fmt)


def said(problems):
    return [(problem.code, problem.message, problem.at) for problem in problems]


@pytest.mark.parametrize(
    ("raw", "message", "at"),
    [
        ("a: 1".encode("utf-16"), "the file is UTF-16, not UTF-8", Span(1, 1, 1, 1)),
        ("a: 1".encode("utf-32"), "the file is UTF-32, not UTF-8", Span(1, 1, 1, 1)),
        (b"\xfe\xff\x00a", "the file is UTF-16, not UTF-8", Span(1, 1, 1, 1)),
        (b"a: 1\r\nb: \xff", "byte 0xff is not UTF-8 here", Span(2, 4, 2, 5)),
        ("é: ".encode() + b"\xc3", "byte 0xc3 is not UTF-8 here", Span(1, 4, 1, 5)),
        (b"\xef\xbb\xbf\xff", "byte 0xff is not UTF-8 here", Span(1, 1, 1, 2)),
        (b"\x00\x00\x00\xff", "the file looks like UTF-16 or UTF-32", Span(1, 1, 1, 1)),
    ],
)
@pytest.mark.parametrize("fmt", ["yaml", "toml"])
def test_bytes_that_are_not_utf_8(raw, message, at, fmt):
    source, problems = read(raw, fmt)
    assert source is None
    assert said(problems) == [("SR001", message, at)]


@pytest.mark.parametrize(("text", "fmt"), [("a: 1", "yaml"), ("a = 1", "toml")])
def test_a_byte_order_mark_at_the_start_is_not_counted(text, fmt):
    for raw in (b"\xef\xbb\xbf" + text.encode(), "\ufeff" + text):
        source, problems = read(raw, fmt)
        assert problems == []
        assert source.data == {"a": 1}
        assert source.locate(Target(("a",), "key")) == Span(1, 1, 1, 2)


@pytest.mark.parametrize(
    ("character", "message"),
    [
        ("\x00", "the text contains a NUL character"),
        ("\x07", "the text contains a control character (U+0007)"),
        ("\x7f", "the text contains a control character (U+007F)"),
        ("\x85", "the text contains a next-line character (U+0085)"),
        ("\u2028", "the text contains a line separator (U+2028)"),
        ("\u2029", "the text contains a paragraph separator (U+2029)"),
        ("\ufeff", "the text contains a byte order mark (U+FEFF) inside the text"),
        ("\u202e", "the text contains a hidden character (U+202E right-to-left override)"),
        ("\u2066", "the text contains a hidden character (U+2066 left-to-right isolate)"),
        ("\ud800", "the text contains a lone surrogate (U+D800)"),
        ("\uffff", "the text contains a hidden character (U+FFFF non-character)"),
    ],
)
@pytest.mark.parametrize(
    ("before", "after", "fmt"),
    [
        ("a: 1\r\nbé: 'x", "y'\nc: 2", "yaml"),
        ("a: 1\r\n# é---", "\nc: 2", "yaml"),
        ("a = 1\r\nb = 'éx", "'\nc = 2", "toml"),
    ],
)
def test_hidden_characters_are_named_where_they_stand(character, message, before, after, fmt):
    source, problems = read(before + character + after, fmt)
    column = len(before.split("\r\n")[1]) + 1
    assert said(problems) == [("SR009", message, Span(2, column, 2, column + 1))]
    assert source.data["c"] == 2  # reading goes on, with what follows in its place
    assert source.locate(Target(("c",), "key")) == Span(3, 1, 3, 2)


@pytest.mark.parametrize("line_end", ["\x85", "\u2028", "\u2029", "\r", "\x0b", "\x0c"])
def test_no_odd_line_end_makes_a_hidden_key(line_end):
    source, problems = read(f"a: 1 # x{line_end}b: 2", "yaml")
    if line_end == "\r":  # an ordinary line end in YAML
        assert (source.data, problems) == ({"a": 1, "b": 2}, [])
        assert source.locate(Target(("b",), "key")) == Span(2, 1, 2, 2)
    else:
        assert source.data == {"a": 1}
        assert [problem.code for problem in problems] == ["SR009"]


def test_hidden_characters_do_not_hide_other_errors():
    _source, problems = read("a: \u202e1\na: 2\nb: !t 3")
    assert [problem.code for problem in problems] == ["SR009", "SR002", "SR008"]


def test_only_so_many_hidden_characters_are_listed():
    _source, problems = read("# " + "\u202e" * 1000)
    assert len(problems) == limits.MAX_LISTED


@pytest.mark.parametrize("fmt", ["yaml", "toml"])
def test_size_and_lines_are_limited(fmt):
    for raw in (b"#" * (limits.MAX_BYTES + 1), "#" * (limits.MAX_BYTES + 1), "#" + "é" * (limits.MAX_BYTES // 2)):
        assert said(read(raw, fmt)[1]) == [("SR010", "the file is larger than 16 MiB", Span(1, 1, 1, 1))]
    assert said(read("\n" * limits.MAX_LINES, fmt)[1]) == [
        ("SR010", "the file has more than 1000000 lines", Span(1, 1, 1, 1))
    ]
    assert read("\n" * (limits.MAX_LINES - 1), fmt)[1] == []


def test_lines_and_columns_count_code_points():
    text = "é😀\r\na\rb\n\nc"
    lines = Lines(text)
    assert lines.count == 5
    assert [lines.position(at) for at in (0, 1, 2, 4, 5, 6, 7, 8, 9, 10)] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (5, 1), (5, 2),
    ]  # fmt: skip
    assert all(lines.offset(*lines.position(at)) == at for at in range(len(text) + 1))


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\r\n", "a\r", "\n", "\r\n\n"])
def test_lines_at_the_edges(text):
    lines = Lines(text)
    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert lines.count == len(expected)
    assert lines.position(len(text)) == (len(expected), len(expected[-1]) + 1)
