"""Operations of the catalog that no rule is about are left to the category guards.

## What it does
With `--catalog`: counts the operations for which no rule matches, whatever the arguments are, and names the first of
them with what the defaults decide. Says it apart for those that are allowed, and for those that are denied.

## Why it matters
A default is a decision too, made by attributes instead of by name. An operation that is allowed because nobody
thought of it is the one to look at; one that is denied is at least safe.

## Example
With a catalog that has `files.read`, `files.stat` and `files.delete`:
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: read-files
    operation: files.read
    effect: allow
  - name: nothing-else
    operation: "files.*"
    effect: deny
    reason: not on the list
budget: {max_tool_calls: 20}
```

## Limits
An operation for which rules with argument conditions exist counts as named, although calls with other arguments reach
the defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.catalogued import call_of, some_of
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext

_WORDS = {"allow": "and are allowed", "approval": "and run once approved", "deny": "and are denied"}


@rule("SR405", "falls-to-default", "info", needs=["catalog"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for each outcome that the defaults give to operations that no rule is about."""
    for outcome, words in _WORDS.items():
        left = [
            one.operation
            for one in policy.decided
            if one.deciders[0].rule_index is None and one.deciders[0].outcome == outcome
        ]
        if left:
            share = f"{len(left)} of {len(policy.decided)} operations of the catalog"
            yield Problem(
                "SR405",
                f"{share} reach no rule {words}: {some_of(each.operation for each in left)}",
                Target(("rules",) if policy.document.rules else (), "key"),
                help='name them in rules; a last rule that denies `"*"` leaves nothing to the defaults',
                witness=call_of(left[0]),
            )
