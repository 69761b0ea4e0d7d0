"""Taking a whole rule out of a file: its lines, and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schemarouter.model.diagnostic import Span, Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemarouter.document.source import Source

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """The lines of a file, for taking rules out."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._texts: Sequence[str] = _LINE_END.split(source.text)
        self._comments = frozenset(comment.line for comment in source.comments)

    def of_rule(self, index: int) -> Span | None:
        """The lines of rule ``index``; ``None`` if it shares one with something else, or a comment speaks of it.

        A comment would be lost, or would speak of the next rule.
        """
        span = self._source.locate(Target(("rules", index), "entry"))
        before = self._text(span.line)[: span.column - 1].strip()
        behind = self._text(span.end_line)[span.end_column - 1 :].strip()
        if behind or before != ("-" if self._source.format == "yaml" else ""):
            return None
        if any(line in self._comments for line in range(span.line - 1, span.end_line + 1)):
            return None
        end = span.end_line + 1
        if end in self._comments:
            # A comment before a blank line speaks of what stands above it.
            following = end
            while following in self._comments:
                following += 1
            if not self._text(following).strip():
                return None
        if self._blank(span.line - 1):
            while self._blank(end):
                end += 1
        return Span(span.line, 1, end, 1)

    def _text(self, line: int) -> str:
        return self._texts[line - 1] if 0 < line <= len(self._texts) else ""

    def _blank(self, line: int) -> bool:
        return 0 < line <= len(self._texts) and not self._text(line).strip()
