"""Destructive calls run without approval.

## What it does
Reports every `allow` rule, and the default `allow_destructive`, that lets some destructive call run without approval.
Shows such a call. Where the rule names the operation, it is a warning: somebody has thought of this one.

## Why it matters
What a destructive call does cannot be undone. A matching `allow` rule decides alone: no category guard stands behind
it.

## Example
```yaml
version: 1
rules:
  - name: edit-pages
    operation: "wiki.*"
    effect: allow
    when: {read_only: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
approval: {callback: ops}
rules:
  - name: review-what-is-lost
    operation: "wiki.*"
    effect: require_approval
    reason: a page that is gone stays gone
    when: {destructive: true}
  - name: edit-pages
    operation: "wiki.*"
    effect: allow
    when: {read_only: false, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Exact, `classify`, earlier rules and the approval mode included. Whether argument conditions can be met is not decided:
a call that depends on them counts as one that can run. An operation whose `destructive` is unknown is not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.exact import DESTRUCTIVE
from schemarouter.lint.rule import rule
from schemarouter.lint.running import running
from schemarouter.match.classes import class_mask
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR402", "destructive-without-approval", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for everyone who lets such calls run."""
    for found in running(policy, class_mask(destructive=True), DESTRUCTIVE):
        such = f", such as `{found.call.operation}`" if found.call is not None and found.literal is None else ""
        some = " with some arguments" if found.conditional else ""
        if found.rule is None:
            yield Problem(
                "SR402",
                f"destructive calls run{some} without approval where no rule matches{such}",
                Target(("defaults", "allow_destructive")),
                help="set it to false, and write rules for what may be destroyed",
                witness=found.call,
            )
            continue
        if found.literal is None:
            message = f"destructive calls run{some} without approval{such}"
        else:
            message = f"`{found.literal}` runs{some} without approval where it is destructive"
        yield Problem(
            "SR402",
            message,
            Target(("rules", found.rule, "operation")),
            help="add `when: {destructive: false}`, or say in `classify` that the operations are not; else require approval",
            witness=found.call,
            severity="error" if found.literal is None else "warning",
        )
