"""A rule loses some of its calls to an earlier rule with another outcome.

## What it does
Says for each rule that decides some calls and loses others which earlier rule takes one of them with another outcome,
and shows that call.

## Why it matters
Exceptions are made in this way, and so are mistakes: a wide rule further up reaches into what this one is about.

## Example
```yaml
version: 1
rules:
  - name: read
    operation: "*read*"
    effect: allow
    when: {read_only: true, destructive: false}
  - name: no-secrets
    operation: "secrets.*"
    effect: deny
    reason: secrets stay where they are
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: read
    operation: "files.*read*"
    effect: allow
    when: {read_only: true, destructive: false}
  - name: no-secrets
    operation: "secrets.*"
    effect: deny
    reason: secrets stay where they are
budget: {max_tool_calls: 20}
```

## Limits
One call for each rule, not all of them. An exception that stands above its rule on purpose looks the same, which is why
this is shown with `--pedantic` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.naming import rule_named
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR204", "partially-shadowed", "info")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the operation of every rule that is alive and loses calls."""
    for number in range(len(policy.graph.rules)):
        if number in policy.analysis.dead:
            continue
        lost = policy.analysis.lost(number)
        if lost is None or (number in policy.analysis.doubtful and policy.analysis.lost(number, looser=True)):
            continue  # the second is SR202's
        shown = "some calls are" if lost.call is None else f"`{lost.call.operation}` is"
        yield Problem(
            "SR204",
            f"{shown} lost to {rule_named(policy.graph, lost.rule)}: `{lost.outcome}`, where this rule says `{lost.wanted}`",
            Target(("rules", number, "operation")),
            help="nothing to do for an exception that is meant; else move this rule up, or narrow the other",
            related=(("takes it", Target(("rules", lost.rule, "operation"))),),
            witness=lost.call,
        )
