"""The documentation of a lint code on a terminal: headings, paragraphs, lists and code of a small part of Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from rich.text import Text

from schemarouter.lint.docs import RuleDoc
from schemarouter_cli.render.console import SEVERITY_COLORS, render

#: Longer lines of prose are hard to read, however wide the screen is.
PROSE_WIDTH = 88
_INLINE = re.compile(r"`([^`]+)`|\*([^*\s][^*]*)\*")
_ITEM = re.compile(r"([*-]|\d+\.) +")


def render_docs(doc: RuleDoc, *, color: bool, width: int) -> str:
    """The page of a code."""
    title = Text.assemble(
        (doc.severity, f"bold {SEVERITY_COLORS[doc.severity]}"),
        (f": {doc.code}[{doc.name}]", "bold"),
    )
    body = "\n\n".join([doc.summary, *(f"## {title}\n{text}" for title, text in doc.sections.items())])
    blocks = list(_blocks(body.splitlines(), min(width, PROSE_WIDTH)))
    while blocks and not blocks[-1].plain:
        blocks.pop()
    return render([title, Text(), *blocks], color=color, width=width)


def render_index(docs: Iterable[RuleDoc], *, color: bool, width: int) -> str:
    """All codes, one line each."""
    docs = list(docs)
    names = max((len(doc.name) for doc in docs), default=0)
    rows = [
        Text.assemble(
            (doc.code, "bold"),
            "  ",
            (f"{doc.severity:7}", SEVERITY_COLORS[doc.severity]),
            f"  {doc.name:{names}}  ",
            _inline(" ".join(doc.summary.split())),
        )
        for doc in docs
    ]
    return render(rows, color=color, width=width)


def _blocks(lines: list[str], width: int) -> Iterator[Text]:
    paragraph: list[str] = []
    in_code = False
    for line in [*lines, ""]:
        fence = line.startswith("```")
        if in_code:
            in_code = not fence
            yield Text() if fence else Text("    " + line, style="cyan")
            continue
        if paragraph and (fence or not line.strip() or line.startswith("#") or _ITEM.match(line)):
            yield from _prose(paragraph, width)
            paragraph = []
            if not line.strip():
                yield Text()
        if fence:
            in_code = True
        elif line.startswith("#"):
            yield Text(line.lstrip("# "), style="bold green")
        elif line.strip():
            paragraph.append(line.strip())


def _prose(paragraph: list[str], width: int) -> Iterator[Text]:
    text = " ".join(paragraph)
    item = _ITEM.match(text)
    indent = "  " + " " * len(item[0]) if item else "  "
    # Wrapping happens before the marks are taken out: lines may end early, but no code is torn apart.
    glued = _INLINE.sub(lambda found: found[0].replace(" ", "\0"), text)
    first = "  " if item else indent
    for line in textwrap.wrap(
        glued, width, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ):
        yield _inline(line.replace("\0", " "))


def _inline(line: str) -> Text:
    """Inline code keeps its back-ticks: it is the same without colour."""
    result = Text()
    at = 0
    for found in _INLINE.finditer(line):
        result.append(line[at : found.start()])
        result.append(found[0] if found[1] else found[2], "cyan" if found[1] else "italic")
        at = found.end()
    return result.append(line[at:])
