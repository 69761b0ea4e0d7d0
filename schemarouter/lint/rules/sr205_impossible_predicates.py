r"""The predicates of a rule contradict each other: it can match nothing.

## What it does
Reports `unclassified: true` together with `read_only`, and rules whose operations `classify` gives other attributes
than the rule asks for.

## Why it matters
Unclassified means that nobody said whether an operation is read-only. Such a rule never decides. If it is a deny, it
protects nothing.

## Example
```yaml
version: 1
rules:
  - name: unknown-reads
    operation: "files.*"
    effect: deny
    when: {unclassified: true, read_only: true}
```

## Instead
```yaml
version: 1
rules:
  - name: unknown-reads
    operation: "files.*"
    effect: deny
    when: {unclassified: true}
```

## Limits
Rules that match nothing because earlier rules take all their calls are not reported here but as SR201. A contradiction
with `classify` is found by `check`, and by loading a policy with `check="full"`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR205", "impossible-predicates", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the predicates of every rule that operations match, and no call. The rest the reader reports."""
    for number, answer in policy.analysis.dead.items():
        if answer.covers or answer.no_operation:
            continue
        entries = policy.analysis.classifying(number)
        yield Problem(
            "SR205",
            "no call can match: `classify` gives these operations other attributes than the rule asks for",
            Target(("rules", number, "when")),
            help="correct `classify`, or the rule",
            related=tuple(("classified here", Target(("classify", entry, "operation"))) for entry in entries),
        )
