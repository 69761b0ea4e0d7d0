"""Diffs as Markdown, for the description of or a comment on a pull request. Nothing of a policy can become markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from schemarouter_cli.changes import FileDiff
from schemarouter_cli.render.diff_words import (
    DIRECTIONS,
    NEUTRAL,
    conditional_text,
    decider,
    headline,
    numbers,
    outcome_word,
    place_text,
    subject,
    unlisted_text,
)
from schemarouter_cli.replay import replay
from schemarouter_cli.text import printable

if TYPE_CHECKING:
    from schemarouter.analysis.changes import Change

#: Rows of one table: hosts cut longer comments off, and nobody reads them.
MOST_ROWS = 60
#: Plain in every context of Markdown. Of links only `www` needs no other mark.
_SPECIAL = re.compile(r"[^\w ./,()-]|_", re.ASCII)
_TICKS = re.compile("`+")


def render_markdown(files: Sequence[FileDiff]) -> str:
    """A heading with the verdict, and a table for each file that changes."""
    lines = [f"## Policy changes: {headline(files)}", ""]
    same = [file for file in files if not file.changes and not file.diff.undecided]
    for file in files:
        if file not in same:
            lines += _file(file)
    if same:
        lines += [f"No semantic change: {', '.join(_code(file.name) for file in same)}", ""]
    lines.append(f"{numbers(files)}.")
    return "\n".join(lines) + "\n"


def _file(file: FileDiff) -> Iterator[str]:
    yield f"### {_code(file.name)}: {file.title}"
    yield ""
    for reason in file.diff.undecided:
        yield f"- **undecided**: {escape(reason)}"
    if file.diff.undecided:
        yield ""
    changes = sorted(file.changes, key=lambda change: DIRECTIONS.index(change.direction))
    if changes:
        yield "| | what | before | after |"
        yield "|---|---|---|---|"
    for change in changes[:MOST_ROWS]:
        yield _row(file, change)
    if len(changes) > MOST_ROWS:
        yield f"| | and {len(changes) - MOST_ROWS} more | | |"
    yield ""
    note = unlisted_text(file)
    if note is not None:
        yield f"{note[:1].upper()}{note[1:]}."
        yield ""
    replays = [replay(file, change.witness) for change in changes[:MOST_ROWS] if change.witness is not None]
    if replays:
        yield from _details("Replay the calls that show it", dict.fromkeys(replays))


def _row(file: FileDiff, change: Change) -> str:
    word = NEUTRAL if change.direction == "neutral" else f"**{change.direction}**"
    what = f"{_code(subject(change))}<br>{change.code} {change.name}"
    note = conditional_text(change)
    if note is not None:
        what += f"<br><em>{escape(note)}</em>"
    cells = [word, what, _side(file, change, after=False), _side(file, change, after=True)]
    return f"| {' | '.join(cells)} |"


def _side(file: FileDiff, change: Change, *, after: bool) -> str:
    place = change.new_location if after else change.old_location
    value = escape(outcome_word(change, change.after if after else change.before))
    lines = [f"**{value}**"]
    if change.kind == "decision":
        name, side = (change.new_rule, file.new) if after else (change.old_rule, file.old)
        who = decider(name, place, side)
        lines.append(f"rule {_code(name)}" if name is not None and side is not None else escape(who))
    if place is not None:
        lines.append(_code(place_text(place)))
    return "<br>".join(lines)


def _details(title: str, commands: dict[str, None]) -> Iterator[str]:
    text = "\n".join(map(printable, commands))
    fence = "`" * max(3, *(len(found) + 1 for found in _TICKS.findall(text)), 0)
    yield f"<details><summary>{title}</summary>"
    yield ""
    yield f"{fence}sh"
    yield text
    yield fence
    yield ""
    yield "</details>"
    yield ""


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def escape(text: str) -> str:
    """``text`` as it is, on one line, wherever it stands in Markdown: every mark becomes a character reference."""
    return _SPECIAL.sub(
        lambda found: found[0] if ord(found[0]) > 127 else f"&#{ord(found[0])};", printable(text)
    ).replace("www", "w&#119;w")
