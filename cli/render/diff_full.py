"""Diffs for people: what is given first, before in red and after in green, the rules, and a call to replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from schemarouter_cli.changes import FileDiff
from schemarouter_cli.render.console import render
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

#: Changes of one direction that are shown one by one; nobody reads more, and the other formats have them all.
MOST_SHOWN = 100
_STYLES = {"widened": "bold red", "narrowed": "bold green", "neutral": "bold", "undecided": "bold yellow"}
_VERDICTS = {**_STYLES, "mixed": "bold red", "equivalent": "bold green"}


def render_full(files: Sequence[FileDiff], *, color: bool, width: int) -> str:
    """Every file with its changes, and a summary line."""
    parts: list[Text] = []
    for file in files:
        parts += [*_file(file), Text()]
    verdict = headline(files)
    worst = next((one for one in ("undecided", "mixed", "widened") if any(one == file.verdict for file in files)), "")
    style = _VERDICTS.get(worst, "bold green")
    summary = numbers(files)
    parts.append(Text(summary if summary.startswith(verdict) else f"{verdict}: {summary}", style))
    return render(parts, color=color, width=width)


def _file(file: FileDiff) -> Iterator[Text]:
    yield Text.assemble((printable(file.name), "bold"), ": ", (file.title, _VERDICTS[file.verdict]))
    for reason in file.diff.undecided:
        yield Text()
        yield Text.assemble(("undecided", _STYLES["undecided"]), f": {printable(reason)}")
    for direction in DIRECTIONS:
        changes = [change for change in file.changes if change.direction == direction]
        for change in changes[:MOST_SHOWN]:
            yield Text()
            yield from _change(file, change)
        if len(changes) > MOST_SHOWN:
            yield Text()
            word = NEUTRAL if direction == "neutral" else direction
            yield Text.assemble(
                (word, _STYLES[direction]), f": {len(changes) - MOST_SHOWN} more, see the format `json`"
            )
    note = unlisted_text(file)
    if note is not None:
        yield Text()
        yield Text.assemble(("note: ", "bold"), note)


def _change(file: FileDiff, change: Change) -> Iterator[Text]:
    word = NEUTRAL if change.direction == "neutral" else change.direction
    yield Text.assemble(
        (word, _STYLES[change.direction]),
        (f": {change.code}[{change.name}] ", "bold"),
        (printable(subject(change)), "bold"),
    )
    before, after = printable(outcome_word(change, change.before)), printable(outcome_word(change, change.after))
    wide = max(len(before), len(after))
    old, new = (_who(file, change, after=False), _who(file, change, after=True))
    yield Text.assemble((f"  - {before:{wide}}", "red"), (f"   {old}" if old else "", "dim"))
    yield Text.assemble((f"  + {after:{wide}}", "green"), (f"   {new}" if new else "", "dim"))
    note = conditional_text(change)
    if note is not None:
        yield Text.assemble(("  note: ", "bold"), note)
    if change.witness is not None:
        yield Text.assemble(("  replay: ", "bold"), (printable(replay(file, change.witness)), "cyan"))


def _who(file: FileDiff, change: Change, *, after: bool) -> str:
    """Who decides on a side, and where that stands."""
    place = change.new_location if after else change.old_location
    where = place_text(place)
    if change.kind != "decision":
        return printable(where)
    name, side = (change.new_rule, file.new) if after else (change.old_rule, file.old)
    return printable(f"{decider(name, place, side)}{', ' if where else ''}{where}")
