"""The format for people: message, place, the text itself with a mark under it, and what to do about it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.text import Text

from schemarouter.model.diagnostic import Finding, Fix, Span
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.console import SEVERITY_COLORS, render
from schemarouter_cli.render.plain import call_text, load_lines, summary
from schemarouter_cli.render.snippet import Style, gutter_width, snippet, split_lines
from schemarouter_cli.text import printable


def render_full(outcome: Outcome, *, color: bool, width: int) -> str:
    """All findings with their snippets, and a summary line."""
    lines = {path: split_lines(text) for path, text in outcome.texts.items()}
    parts: list[Text] = []
    for finding in outcome.findings:
        rows = list(_finding(finding, lines, width))
        if rows[-1].plain.strip() == "|":  # the empty gutter only leads over to what stands below it
            rows.pop()
        parts += [*rows, Text()]
    parts += [Text(line) for line in load_lines(outcome)]
    parts.append(_summary(outcome))
    return render(parts, color=color, width=width)


def _finding(finding: Finding, lines: dict[str, list[str]], width: int) -> Iterator[Text]:
    color = SEVERITY_COLORS[finding.severity]
    yield Text.assemble(
        (finding.severity, f"bold {color}"),
        (f": {finding.code}[{finding.name}] ", "bold"),
        (printable(finding.message), "bold"),
    )
    gutter = gutter_width([finding.span, *(related.span for related in finding.related)])
    mark = Style("^", f"bold {color}")
    yield from _place(finding.path, finding.span, mark, lines, gutter, width)
    for related in finding.related:
        yield from _note(gutter, "note", "bold", printable(related.message), width)
        yield from _place(related.path, related.span, Style("-", "bold blue"), lines, gutter, width)
    if finding.help:
        yield from _note(gutter, "help", "bold green", printable(finding.help), width)
    if finding.witness is not None:
        yield from _note(gutter, "example", "bold", call_text(finding.witness), width)
    if finding.fix is not None:
        yield from _note(gutter, "fix", "bold green", _fix(finding.fix), width)


def _place(path: str, span: Span, style: Style, lines: dict[str, list[str]], gutter: int, width: int) -> Iterator[Text]:
    yield Text.assemble((" " * gutter + "--> ", "blue"), f"{printable(path)}:{span.line}:{span.column}")
    yield from snippet(lines.get(path, []), span, style, gutter=gutter, width=width)


def _note(gutter: int, word: str, style: str, text: str, width: int) -> Iterator[Text]:
    """``= help: ...``, wrapped under itself."""
    lead = f"{word}: "
    indent = gutter + 3 + len(lead)
    wrapped = textwrap.wrap(text, max(width - indent, 20), break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(wrapped or [""]):
        if number == 0:
            yield Text.assemble((" " * gutter + " = ", "blue"), (lead, style), line)
        else:
            yield Text(" " * indent + line)


def _fix(fix: Fix) -> str:
    if not fix.edits:
        return f"known, {fix.applicability}"
    places = []
    for edit in fix.edits:
        new = printable(edit.text)
        where = f"at {edit.span.line}:{edit.span.column}"
        if not edit.text:
            places.append(f"remove the text {where}")
        elif edit.span[:2] == edit.span[2:]:
            places.append(f"insert `{new}` {where}")
        else:
            places.append(f"write `{new}` {where}")
    return f"{', '.join(places)} ({fix.applicability})"


def _summary(outcome: Outcome) -> Text:
    counts = outcome.counts()
    worst = next((severity for severity, number in counts.items() if number), None)
    return Text(summary(outcome), style=f"bold {SEVERITY_COLORS[worst]}" if worst else "bold green")
