"""A piece of a file with a mark under an exact span, in terminal cells: tabs, wide and combining characters, long lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from schemarouter.model.diagnostic import Span
from schemarouter_cli.text import escape, is_hidden

TAB = 4
ELLIPSIS = "..."
#: Of a longer span only the first lines and the last one are shown.
HEAD_LINES = 3
#: Characters looked at to the left and to the right of a mark; a line may hold megabytes.
REACH = 400
_LINE_END = re.compile(r"\r\n|\n|\r")


def split_lines(text: str) -> list[str]:
    """Lines as the readers count them: LF, CRLF or CR ends one."""
    return _LINE_END.split(text)


class Style(NamedTuple):
    """The character that marks a span, and its style."""

    mark: str
    style: str


class _Strip:
    """A stretch of one line, as it is shown: one piece of text for each code point."""

    def __init__(self, line: str, first: int, focus: int, room: int) -> None:
        """Show ``line`` so that what stands from index ``first`` to ``focus`` is visible in ``room`` cells."""
        self.start = max(0, first - REACH)
        shown = line[self.start : max(first, min(focus, first + REACH)) + REACH]
        self.pieces: list[tuple[str, bool]] = []
        at = 0
        for character in shown:
            hidden = character != "\t" and is_hidden(character)
            piece = " " * (TAB - at % TAB) if character == "\t" else escape(character) if hidden else character
            self.pieces.append((piece, hidden))
            at += cell_len(piece)
        self.cut_left = self.start > 0
        self.cut_right = self.start + len(shown) < len(line)
        if at > room or self.cut_left or self.cut_right:
            self._fit(first - self.start, room)

    def _fit(self, first: int, room: int) -> None:
        """Drop pieces on both sides until the rest has room; a third of it goes to what stands before ``first``."""
        room = max(room - 2 * len(ELLIPSIS), TAB)
        begin, used = min(first, len(self.pieces)), 0
        while begin > 0 and (used := used + cell_len(self.pieces[begin - 1][0])) <= room // 3:
            begin -= 1
        end, used = begin, 0
        while end < len(self.pieces) and (used := used + cell_len(self.pieces[end][0])) <= room:
            end += 1
        # At the end of a line the room on the right is free: give it to the left.
        spare = room - cell_len("".join(piece for piece, _ in self.pieces[begin:end]))
        while end == len(self.pieces) and begin > 0 and (spare := spare - cell_len(self.pieces[begin - 1][0])) >= 0:
            begin -= 1
        self.cut_left = self.cut_left or begin > 0
        self.cut_right = self.cut_right or end < len(self.pieces)
        self.pieces = self.pieces[begin:end]
        self.start += begin

    def cell(self, index: int) -> int:
        """The cell in which the code point ``index`` of the line begins, clipped to what is shown."""
        within = min(max(index - self.start, 0), len(self.pieces))
        left = len(ELLIPSIS) if self.cut_left else 0
        return left + cell_len("".join(piece for piece, _ in self.pieces[:within]))

    def text(self) -> Text:
        """The stretch with its escapes highlighted."""
        result = Text.assemble((ELLIPSIS, "dim")) if self.cut_left else Text()
        for piece, hidden in self.pieces:
            result.append(piece, "bold magenta" if hidden else None)
        if self.cut_right:
            result.append(ELLIPSIS, "dim")
        return result


def _normalized(lines: list[str], span: Span) -> Span:
    """``span`` without the blank rest that a block ends in, inside the text. Columns stay as they are otherwise."""
    line, column, end_line, end_column = span
    end_line = min(end_line, len(lines))
    while end_line > line and not lines[end_line - 1][: end_column - 1].strip():
        end_line -= 1
        end_column = len(lines[end_line - 1].rstrip()) + 1
    return Span(line, column, end_line, end_column)


def gutter_width(spans: list[Span]) -> int:
    """How wide line numbers are that share one gutter."""
    return max((len(str(span.end_line)) for span in spans), default=1)


def snippet(lines: list[str], span: Span, style: Style, *, gutter: int, width: int) -> list[Text]:
    """The lines of ``span`` with its mark, each behind a gutter; nothing if the text has no such line."""
    if not 0 < span.line <= len(lines):
        return []
    span = _normalized(lines, span)
    bar = Text.assemble((" " * gutter + " |", "blue"))
    room = max(width - gutter - 5, 20)
    if span.line == span.end_line:
        body = _single(lines[span.line - 1], span, style, gutter, room)
    else:
        body = _several(lines, span, style, gutter, room)
    return [bar, *body, bar.copy()]


def _row(gutter: int, label: int | None, body: Text) -> Text:
    row = Text.assemble((f"{'' if label is None else label:>{gutter}} |", "blue"))
    if body.plain.strip():
        row.append(" ").append_text(body)
    row.rstrip()
    return row


def _single(line: str, span: Span, style: Style, gutter: int, room: int) -> list[Text]:
    strip = _Strip(line, span.column - 1, span.end_column - 1, room)
    begin = strip.cell(span.column - 1)
    marks = max(strip.cell(span.end_column - 1) - begin, 1)
    return [
        _row(gutter, span.line, strip.text()),
        _row(gutter, None, Text.assemble(" " * begin, (style.mark * marks, style.style))),
    ]


def _several(lines: list[str], span: Span, style: Style, gutter: int, room: int) -> list[Text]:
    """A bar at the left side joins the first and the last character of the span."""
    edge = ("| ", style.style)
    first = lines[span.line - 1]
    strip = _Strip(first, span.column - 1, span.column, room)
    if first[: span.column - 1].strip():
        begin = strip.cell(span.column - 1)
        rows = [
            _row(gutter, span.line, Text.assemble("  ", strip.text())),
            _row(gutter, None, Text.assemble(" ", ("_" * (begin + 1) + style.mark, style.style))),
        ]
    else:
        rows = [_row(gutter, span.line, Text.assemble(("/ ", style.style), strip.text()))]
    between = range(span.line + 1, span.end_line)
    shown = between if len(between) <= HEAD_LINES else between[: HEAD_LINES - 1]
    for number in shown:
        rows.append(_row(gutter, number, Text.assemble(edge, _Strip(lines[number - 1], 0, 0, room).text())))
    if len(shown) < len(between):
        dots = "." * max(gutter, len(ELLIPSIS))
        rows.append(Text.assemble((dots, "blue"), " " * (gutter + 3 - len(dots)), ("|", style.style)))
    last = lines[span.end_line - 1]
    strip = _Strip(last, max(span.end_column - 2, 0), span.end_column - 1, room)
    end = max(strip.cell(span.end_column - 1), 1)
    rows.append(_row(gutter, span.end_line, Text.assemble(edge, strip.text())))
    rows.append(_row(gutter, None, Text.assemble(("|" + "_" * end + style.mark, style.style))))
    return rows
