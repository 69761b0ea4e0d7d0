"""What a check found, as the renderers see it, and the exit code that follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from schemarouter.model.diagnostic import SEVERITIES, Finding
from schemarouter_cli.failure import CANNOT_RUN

if TYPE_CHECKING:
    from schemarouter.catalog.decisions import Load
    from schemarouter.document.source import Source

#: The analysis did not finish: never reported as clean, whatever its severity is (SPEC 12).
UNDECIDED = "SR903"
#: Bytes of a file up to which its text is kept for snippets.
SNIPPET_LIMIT = 16 * 1024 * 1024


class Outcome:
    """Findings of all files, the files' texts for snippets, and how many findings were suppressed.

    ``loads``: with a catalog, what each policy that compiles comes to for its operations.

    ``failures`` counts the files that could not be read; nothing is known about them.
    """

    __slots__ = ("failures", "files", "findings", "loads", "suppressed", "texts")

    def __init__(self, files: Iterable[str] = (), findings: Iterable[Finding] = (), suppressed: int = 0) -> None:
        self.files = list(files)
        self.findings = list(findings)
        self.suppressed = suppressed
        self.texts: dict[str, str] = {}
        self.failures = 0
        self.loads: dict[str, Load] | None = None

    def add(self, path: str, raw: bytes, findings: Iterable[Finding], source: Source | None) -> None:
        """Add what was found in the file ``path``, with its text. A hostile size is not worth a snippet."""
        found = list(findings)
        self.findings += found
        if found and len(raw) <= SNIPPET_LIMIT:
            self.texts[path] = source.text if source is not None else raw.decode("utf-8-sig", "replace")

    def counts(self) -> dict[str, int]:
        """Findings per severity, the most severe first."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    def exit_code(self, *, strict: bool) -> int:
        """2 if a file could not be read; 1 for an error or an undecided question, and with ``strict`` for a warning."""
        if self.failures:
            return CANNOT_RUN
        failing = {"error", "warning"} if strict else {"error"}
        return int(any(finding.severity in failing or finding.code == UNDECIDED for finding in self.findings))
