"""An operation is in the catalog and not in the lock: nobody has looked at what the policy decides about it.

## What it does
With `--lock` and `--catalog`: reports every operation of the catalog that the lock does not have, at the rule that
decides about it now.

## Why it matters
A wildcard also takes the tools that do not exist yet. The policy did not change, its text passes every review, and
still an agent can call something new. An executor that is given the lock refuses such an operation.

## Example
With a lock that was written before the server published `files.export`, which only reads:
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
Where the rule is meant for it, write the lock again: `schemarouter lock`. Where it is not, name what is meant:
```yaml
version: 1
rules:
  - name: read-files
    operation: [files.read, files.stat]
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

and write the lock again in either case.

## Limits
Goes by the catalog that it is given: operations that a server publishes later are refused when they are called, by an
executor that has the lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.catalog.drift import deciders_text
from schemarouter.document.words import shown
from schemarouter.lint.catalogued import call_of
from schemarouter.lint.locked import REVIEW, place_of
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR411", "unlocked-operation", "error", needs=["catalog", "lock"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every operation that the lock lacks."""
    for each in policy.drift:
        if each.kind == "unlocked" and each.after is not None:
            yield Problem(
                "SR411",
                f"{shown(each.operation)} is not in the lock; now it is: {deciders_text(each.after.deciders)}",
                place_of(policy, each.after),
                help=REVIEW,
                witness=call_of(each.after.operation),
            )
