"""One defect, one finding: codes that give way to a more telling one at the same place.

This comes after suppressions. Whoever suppresses the more telling code gets the other one: a dead `deny` (SR202) cannot
be hushed up by suppressing that its matcher is repeated (SR207).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.model.diagnostic import Finding

#: Code -> the code that says it better.
GIVES_WAY = {"SR202": "SR207"}


def without_repetitions(findings: Iterable[Finding]) -> list[Finding]:
    """``findings`` without those that another one at the same place says better."""
    found = list(findings)
    better = set(GIVES_WAY.values())
    places = {(finding.code, finding.pointer) for finding in found if finding.code in better}
    if not places:
        return found
    return [finding for finding in found if (GIVES_WAY.get(finding.code), finding.pointer) not in places]
