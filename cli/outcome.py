"""What a check found, as the renderers see it, and the exit code that follows from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from schemarouter.model.diagnostic import SEVERITIES, Finding

#: The analysis did not finish: never reported as clean, whatever its severity is (SPEC 12).
UNDECIDED = "SR903"


@dataclass(slots=True)
class Outcome:
    """Findings of all files, the files' texts for snippets, and how many findings were suppressed.

    ``failures`` counts the files that could not be read; nothing is known about them.
    """

    files: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    suppressed: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    failures: int = 0

    def counts(self) -> dict[str, int]:
        """Findings per severity, the most severe first."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    def exit_code(self, *, strict: bool) -> int:
        """2 if a file could not be read; 1 for an error or an undecided question, and with ``strict`` for a warning."""
        if self.failures:
            return 2
        failing = {"error", "warning"} if strict else {"error"}
        return int(any(finding.severity in failing or finding.code == UNDECIDED for finding in self.findings))
