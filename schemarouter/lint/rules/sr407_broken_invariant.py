"""An invariant does not hold, or its question cannot be read.

## What it does
Asks the question of every invariant about the policy, exactly, over all operations and attributes. Reports an invariant
whose question is answered with yes, with a call that shows it, and a question that has no meaning.

## Why it matters
An invariant says what must never happen, whatever else is edited. A rule that breaks it was perhaps meant, but not by
whoever wrote the invariant down.

## Example
```yaml
version: 1
rules:
  - name: jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false}
invariants:
  - name: destructive-calls-are-asked-about
    never: destructive and remote and not approval
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: destructive-jobs
    operation: "jobs.*"
    effect: deny
    reason: done by people
    when: {destructive: true}
  - name: jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false, destructive: false}
invariants:
  - name: destructive-calls-are-asked-about
    never: destructive and remote and not approval
budget: {max_tool_calls: 20}
```

## Limits
The words of a question are `remote`, `local`, `read-only`, `mutating`, `unclassified`, `destructive`, `allow`,
`approval`, `deny` and `operation:PATTERN`, joined by `and`, each with or without `not` before it. A question that could
not be answered within the bound on work counts as broken. Loading a policy asks no questions unless it is told to
(`check="full"`). `check --invariants FILE` asks the questions of another file about every policy; those cannot be
suppressed in the policy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.invariants import problems_of
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext
    from schemarouter.model.diagnostic import Problem


@rule("SR407", "broken-invariant", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the question of every invariant that does not hold."""
    for index, invariant in enumerate(policy.document.invariants):
        yield from problems_of(invariant, policy.document, policy.graph, Target(("invariants", index, "never")))
