"""A rule has no name.

## What it does
Reports every rule without `name`.

## Why it matters
Decision logs, errors, `explain` and `diff` call a rule by its name. Without one they can only call it by its index,
which every insertion above it changes, so that last month's log no longer says which rule decided.

## Example
```yaml
version: 1
rules:
  - operation: "jobs.delete*"
    effect: deny
    reason: jobs are kept for the audit
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
None: a rule has a name or it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR107", "unnamed-rule", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the ``operation`` key of every rule without a name."""
    for index, entry in enumerate(policy.document.rules):
        if entry.name is None:
            yield Problem(
                "SR107",
                "this rule has no name",
                Target(("rules", index, "operation"), "key"),
                help="add `name:`; logs, errors and `diff` call the rule by it",
            )
