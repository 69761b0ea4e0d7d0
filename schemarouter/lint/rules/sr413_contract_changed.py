"""The contract of a locked operation changed; what the policy decides about it did not.

## What it does
With `--lock` and `--catalog`: reports every locked operation whose fingerprint, or the fingerprint of its tool without
endpoints, is another one: its description, its arguments, its output, or where its calls go.

## Why it matters
Somebody looked at an operation and let it in. This is another one of the same name. An executor that is given the lock
refuses it.

## Example
With a lock that was written before `files.read` got another argument:
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
Look at what changed (`schemarouter catalog SOURCE -o catalog.json` says it), and write the lock again. No policy helps:
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
budget: {max_tool_calls: 20}
```

## Limits
Hints and other descriptive metadata are no part of a contract. Its description is: a model reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.locked import REVIEW, place_of
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR413", "contract-changed", "error", needs=["catalog", "lock"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every contract that changed."""
    for each in policy.drift:
        if each.kind == "contract" and each.after is not None:
            yield Problem(
                "SR413",
                f"the contract of {shown(each.operation)} is not the one that was locked",
                place_of(policy, each.after),
                help=REVIEW,
            )
