"""The mark under a span stands exactly under it, whatever the line holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from schemarouter.model.diagnostic import Span
from schemarouter_cli.render.snippet import Style, snippet, split_lines

MARK = Style("^", "red")


def shown(text: str, span: tuple[int, int, int, int], *, width: int = 80, gutter: int = 1) -> list[str]:
    lines = snippet(split_lines(text), Span(*span), MARK, gutter=gutter, width=width)
    return [line.plain for line in lines]


def test_marks_the_span() -> None:
    assert shown("a: 1\nefect: allow\n", (2, 1, 2, 6)) == ["  |", "2 | efect: allow", "  | ^^^^^", "  |"]


def test_an_empty_span_gets_one_mark() -> None:
    assert shown("abc", (1, 4, 1, 4))[2] == "  |    ^"


def test_a_span_past_the_end_of_the_line_gets_a_mark_at_its_end() -> None:
    assert shown("abc", (1, 9, 1, 12))[2] == "  |    ^"


def test_a_line_that_is_not_there_has_no_snippet() -> None:
    assert shown("abc", (7, 1, 7, 2)) == []


def test_a_tab_reaches_to_the_next_stop() -> None:
    assert shown("a\tb: c", (1, 3, 1, 4))[1:3] == ["1 | a   b: c", "  |     ^"]


def test_wide_characters_take_two_cells() -> None:
    assert shown("北京: x", (1, 1, 1, 3))[1:3] == ["1 | 北京: x", "  | ^^^^"]
    assert shown("北京: x", (1, 5, 1, 6))[2] == "  |       ^"


def test_combining_characters_take_none() -> None:
    assert shown("e\u0301: x", (1, 5, 1, 6))[2] == "  |    ^"


@pytest.mark.parametrize("character", ["\u202e", "\x1b", "\x00", "\u200b", "\x9b", "\ud800", "\ufeff", "\u2028"])
def test_hidden_characters_are_written_out(character: str) -> None:
    rows = shown(f"a{character}b: c", (1, 3, 1, 4))
    escaped = f"<U+{ord(character):04X}>"
    assert rows[1] == f"1 | a{escaped}b: c"
    assert rows[2] == "  | " + " " * (1 + len(escaped)) + "^"


def test_a_long_line_is_cut_around_the_span() -> None:
    rows = shown("x" * 500 + "HERE" + "y" * 500, (1, 501, 1, 505), width=60)
    assert rows[1].startswith("1 | ...x")
    assert rows[1].endswith("y...")
    assert len(rows[1]) <= 60
    at = rows[2].index("^")
    assert rows[1][at : at + 4] == "HERE"
    assert rows[2].strip("| ") == "^^^^"


def test_the_end_of_a_long_line_is_shown_with_what_stands_before_it() -> None:
    rows = shown("x" * 500 + "HERE", (1, 501, 1, 505), width=60)
    assert rows[1].endswith("xHERE")
    assert len(rows[1]) > 45
    assert rows[2].index("^") == rows[1].index("HERE")


def test_a_megabyte_on_one_line_is_shown_in_one_row() -> None:
    rows = shown("x" * 1_000_000, (1, 1, 1, 1_000_001), width=80)
    assert len(rows[1]) <= 80
    assert set(rows[2].strip("| ")) == {"^"}


def test_several_lines_are_joined_by_a_bar() -> None:
    text = "rules:\n  - a: 1\n    b: 2\n"
    assert shown(text, (2, 5, 3, 9)) == [
        "  |",
        "2 |     - a: 1",
        "  |  _____^",
        "3 | |     b: 2",
        "  | |________^",
        "  |",
    ]
    assert shown(text, (1, 1, 3, 9))[1:5] == ["1 | / rules:", "2 | |   - a: 1", "3 | |     b: 2", "  | |________^"]


def test_a_span_that_ends_before_any_text_ends_on_the_line_above() -> None:
    assert shown("a: 1\n\n\nb: 2\n", (1, 1, 4, 1))[1:3] == ["1 | a: 1", "  | ^^^^"]


def test_the_middle_of_a_long_block_is_left_out() -> None:
    text = "".join(f"line{number}\n" for number in range(1, 12))
    assert shown(text, (1, 1, 11, 7), gutter=2)[1:-1] == [
        " 1 | / line1",
        " 2 | | line2",
        " 3 | | line3",
        "...  |",
        "11 | | line11",
        "   | |______^",
    ]


def test_every_line_end_of_the_readers_ends_a_line() -> None:
    assert split_lines("a\r\nb\rc\nd\x85e\u2028f") == ["a", "b", "c", "d\x85e\u2028f"]


@given(
    before=st.text(alphabet="ab\t北é\u0301\u202e\x1b", max_size=200),
    marked=st.text(alphabet="xyz京\u200b", min_size=1, max_size=30),
    after=st.text(alphabet="ab\t北", max_size=200),
    width=st.integers(60, 120),
)
def test_the_mark_is_as_wide_as_what_it_marks_and_stands_below_it(
    before: str, marked: str, after: str, width: int
) -> None:
    start = len(before) + 1
    rows = shown(before + marked + after, (1, start, 1, start + len(marked)), width=width)
    line, marks = rows[1], rows[2]
    visible = "".join("<U+200B>" if one == "\u200b" else one for one in marked)
    assert cell_len(line) <= width
    assert all(character.isprintable() for character in line + marks)
    if visible in line:
        at = marks.index("^")
        prefix = line[: line.index(visible)]
        # Combining characters before the span make indices and cells differ: compare cells.
        assert cell_len(prefix) == cell_len(marks[:at]) or line.count(visible) > 1
        assert cell_len(visible) == marks.count("^")
