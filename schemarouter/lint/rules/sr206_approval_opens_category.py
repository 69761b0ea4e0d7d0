"""A `require_approval` rule lets through, once approved, what a category guard would deny.

## What it does
Says for every `require_approval` rule which of the guards `allow_destructive`, `allow_mutations` and
`allow_unclassified_remote` are off and would deny calls that the rule matches.

## Why it matters
A matching rule decides alone. Without the rule those calls are denied; with it they run as soon as the callback says
`True`. That is often what is wanted, and it is worth knowing that the guard does not stand behind the person who is
asked.

## Example
```yaml
version: 1
approval: {callback: ops}
rules:
  - name: ask-for-deletes
    operation: jobs.delete
    effect: require_approval
    reason: a job may still be needed
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
approval: {callback: ops}
rules:
  - name: ask-for-reads
    operation: jobs.export
    effect: require_approval
    reason: the export holds personal data
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Static: it looks at the rule's predicates, at the guards, and for operations without wildcards at `classify`. Rules
above that already deny such calls are not taken into account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.patterns import is_literal
from schemarouter.lint.predicates import can_match, can_match_unclassified, operations
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.v1 import Rule
    from schemarouter.lint.context import LintContext


@rule("SR206", "approval-opens-category", "info")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the effect of every approval rule that reaches behind a guard."""
    for index, entry in enumerate(policy.document.rules):
        if entry.effect != "require_approval":
            continue
        opened = _opened(policy, entry)
        if opened:
            guards = ", ".join(f"`{guard}`" for guard in opened)
            yield Problem(
                "SR206",
                f"once approved, this rule lets through what a guard would deny: {guards}",
                Target(("rules", index, "effect")),
                help="nothing to do if that is meant; else narrow the rule with `when:`",
            )


def _opened(policy: LintContext, entry: Rule) -> list[str]:
    """The guards that are off and would deny some call that ``entry`` matches."""
    defaults = policy.document.defaults
    read_only, destructive = _classified(policy, entry)
    opened = []
    if not defaults.allow_destructive and destructive is not False and can_match(entry.when, destructive=True):
        opened.append("allow_destructive")
    if not defaults.allow_mutations and read_only is not True and can_match(entry.when, read_only=False):
        opened.append("allow_mutations")
    if not defaults.allow_unclassified_remote and read_only is None and can_match_unclassified(entry.when):
        opened.append("allow_unclassified_remote")
    return opened


def _classified(policy: LintContext, entry: Rule) -> tuple[bool | None, bool | None]:
    """What ``classify`` makes of the rule's operations, where they are spelled out and all classified alike."""
    patterns = operations(entry)
    if not all(is_literal(pattern) for pattern in patterns):
        return None, None
    effective = {policy.graph.effective(pattern, True, None, None)[1:] for pattern in patterns}
    return effective.pop() if len(effective) == 1 else (None, None)
