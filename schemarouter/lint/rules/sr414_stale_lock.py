"""The lock was written for another version of this policy.

## What it does
With `--lock` and `--catalog`: compares the digest of the policy with the one in the lock, and says how many decisions
about the catalog moved with it. Each of them is reported as SR411 or SR412.

## Why it matters
A lock records what somebody reviewed. After an edit of the policy it says nothing of the policy that is enforced; an
executor refuses to start with such a pair.

## Example
With a lock that was written for another version of the policy:
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
Look at what moved, and write the lock again: `schemarouter lock POLICY --catalog catalog.json -o policy.lock`.
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
budget: {max_tool_calls: 20}
```

## Limits
Whatever changes the digest makes a lock stale, also an edit that moves no decision, such as another `reason`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.catalogued import some_of
from schemarouter.lint.locked import REVIEW
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR414", "stale-lock", "error", needs=["catalog", "lock"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the top of the policy if the lock belongs to another one."""
    lock = policy.lock
    if lock is None or lock.digest == policy.graph.digest:
        return
    moved = [each.operation for each in policy.drift if each.kind != "contract"]
    what = f"not as locked: {some_of(moved)}" if moved else "every decision about the catalog is as locked"
    yield Problem(
        "SR414",
        f"the lock is stale, it was written for the policy {lock.digest[:12]} and this one is {policy.graph.digest[:12]}; {what}",
        Target(("version",), "entry"),
        help=REVIEW,
    )
