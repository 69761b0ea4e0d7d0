"""An operation is in the lock and no longer in the catalog.

## What it does
With `--lock` and `--catalog`: reports every locked operation that the catalog does not have.

## Why it matters
What is locked may be called. A server that publishes the operation again, with the very same contract, is let in by the
old review; and rules for it may now match nothing.

## Example
With a lock that has `files.stat`, and a catalog that has not:
```yaml
version: 1
rules:
  - name: read-files
    operation: "files.*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
Write the lock again, from a catalog with all tools: `schemarouter lock POLICY --catalog catalog.json -o policy.lock`.
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
budget: {max_tool_calls: 20}
```

## Limits
A catalog that was made while a server was out of reach lacks its tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.locked import REVIEW
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR415", "locked-operation-gone", "warning", needs=["catalog", "lock"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every operation that is gone."""
    for each in policy.drift:
        if each.kind == "gone":
            yield Problem(
                "SR415",
                f"{shown(each.operation)} is in the lock and not in the catalog",
                Target(("version",), "entry"),
                help=REVIEW,
            )
