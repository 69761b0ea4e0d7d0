"""An allow rule takes every operation, or every operation of a tool, whatever it does.

## What it does
Reports `allow` rules without predicates whose pattern is made of wildcards only (`*`, `*.*`) or is a whole tool
(`github.*`).

## Why it matters
A matching rule decides alone: behind such a rule no category guard speaks any more. What the tool deletes, what nobody
classified and what its server adds tomorrow is allowed, and all rules below are dead for it.

## Example
```yaml
version: 1
rules:
  - name: use-github
    operation: "github.*"
    effect: allow
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: use-github
    operation: "github.*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Any predicate or argument condition under `when` silences this rule, whether or not it narrows much. Rules above that
deny the dangerous part are not taken into account, because the part that does not exist yet is not denied by them. For
a local tool of your own, suppress the finding and say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import covers_everything, whole_tool
from schemarouter.lint.predicates import is_unrestricted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR306", "allow-everything", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern that allows all operations, or all of a tool, without a predicate."""
    for pattern in policy.rule_patterns:
        entry = policy.document.rules[pattern.entry]
        if entry.effect != "allow" or "*" not in pattern.text or not is_unrestricted(entry.when):
            continue
        tool = whole_tool(pattern.text)
        if tool is not None:
            what = f"every operation of {shown(tool)}"
        elif covers_everything(pattern.text):
            what = "every operation of every tool"
        else:
            continue
        yield Problem(
            "SR306",
            f"{shown(pattern.text)} allows {what}, also what is destructive or unclassified",
            pattern.target,
            help="name the operations, or narrow the rule: `when: {read_only: true, destructive: false}`",
        )
