"""The decision about an operation is not the one that was locked.

## What it does
With `--lock` and `--catalog`: reports every locked operation about which the policy now decides otherwise, or that
has other attributes, with what was decided and what is.

## Why it matters
The policy may not have changed at all: a tool that is now remote, or that another version of an OpenAPI document calls
by another method, meets other rules. Nobody sees that in a review of the policy.

## Example
With a lock that was written when the catalog called `files.delete` read-only:
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
Look at it, decide it by name if that is wanted, and write the lock again: `schemarouter lock`.
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
  - name: keep-files
    operation: files.delete
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Limits
If the policy itself changed (SR414), only outcomes and effective attributes are compared: rules may have been renamed
and reordered. Argument conditions are not compared; `schemarouter diff` does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.catalogued import call_of
from schemarouter.lint.locked import REVIEW, place_of
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR412", "decision-moved", "error", needs=["catalog", "lock"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every decision that moved."""
    unchanged = policy.lock is not None and policy.lock.digest == policy.graph.digest
    though = ", though the policy did not change" if unchanged else ""
    for each in policy.drift:
        if each.kind == "moved" and each.after is not None:
            yield Problem(
                "SR412",
                f"the decision about {shown(each.operation)} moved{though}: {each.change}",
                place_of(policy, each.after),
                help=REVIEW,
                witness=call_of(each.after.operation),
            )
