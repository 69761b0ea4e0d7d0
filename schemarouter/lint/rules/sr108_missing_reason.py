"""A rule that denies or asks for approval gives no reason.

## What it does
Reports `deny` and `require_approval` rules without `reason`.

## Why it matters
The reason of a denial is what the agent, and whoever reads its log, gets to see; the reason of an approval is what the
person who is asked reads first. Without one they see a rule's name and must guess.

## Example
```yaml
version: 1
rules:
  - name: keep-jobs
    operation: "jobs.delete*"
    effect: deny
```

## Instead
```yaml
version: 1
rules:
  - name: keep-jobs
    operation: "jobs.delete*"
    effect: deny
    reason: jobs are kept for the audit
budget: {max_tool_calls: 20}
```

## Limits
Whether a reason is a good one is not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR108", "missing-reason", "info")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the effect of every rule that needs a reason and has none."""
    for index, entry in enumerate(policy.document.rules):
        if entry.effect != "allow" and not (entry.reason and entry.reason.strip()):
            yield Problem(
                "SR108",
                f"this `{entry.effect}` rule gives no reason",
                Target(("rules", index, "effect")),
                help="add `reason:`, in words for whoever is refused or asked",
            )
