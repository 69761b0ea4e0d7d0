"""Findings: the one type of everything that a reader, a compiler pass or a lint rule has to say.

Rules and passes speak in document paths (:class:`Target`); one module, ``document.positions``, turns a path into
a line and a column. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

#: A path into a policy document: keys and list indices from the root.
DocPath: TypeAlias = tuple[str | int, ...]

Severity = Literal["error", "warning", "info"]
Applicability = Literal["safe", "unsafe"]
Part = Literal["key", "value", "entry"]

#: For sorting and for exit codes: the most severe first.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Span(NamedTuple):
    """A stretch of text. Lines and columns count code points from 1; ``end_column`` is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Target(NamedTuple):
    """A place in a document: the key at ``path``, its value, or both (``entry``)."""

    path: DocPath
    part: Part = "value"

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer (RFC 6901)."""
        return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in self.path)


class Related(NamedTuple):
    """A second place that a finding cites, resolved to a span."""

    message: str
    path: str
    span: Span


class Edit(NamedTuple):
    """Replace the text in ``span`` by ``text``."""

    span: Span
    text: str


class Fix(NamedTuple):
    """A change that removes the finding. ``safe`` only where both graphs are proven equal."""

    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A concrete call, as a witness (CALL in SPEC 12.1)."""

    operation: str
    remote: bool
    read_only: bool | None
    destructive: bool | None
    arguments: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding whose places are still document paths (or a span, where no tree exists yet)."""

    code: str
    message: str
    at: Target | Span
    help: str | None = None
    related: tuple[tuple[str, Target | Span], ...] = ()
    fix: tuple[Applicability, tuple[tuple[Target | Span, str], ...]] | None = None
    witness: Call | None = None
    rule: str | None = None
    #: Only these characters (start, end) of the scalar at ``at`` are concerned; ignored where the scalar holds escapes.
    within: tuple[int, int] | None = None
    #: How severe this one is, where that is not what its code says.
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with its place in a file. ``path`` is what the user called the file, ``<stdin>`` or ``<text>``."""

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    span: Span
    help: str | None = None
    pointer: str = ""
    rule: str | None = None
    related: tuple[Related, ...] = ()
    witness: Call | None = None
    fix: Fix | None = None
    #: Stable across unrelated edits: made of the code, the path in the document and the text concerned, not of line numbers.
    fingerprint: str = field(default="", compare=False)

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """By file, then position, then code."""
        return (self.path, self.span.line, self.span.column, self.code, self.message)

    def with_severity(self, severity: Severity) -> Finding:
        """A copy with another severity."""
        return replace(self, severity=severity)
