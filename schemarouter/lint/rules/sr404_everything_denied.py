"""No call can ever run.

## What it does
Reports a policy that denies every call, whatever the operation, its attributes and its arguments are.

## Why it matters
Perhaps that is meant, while a tool is taken out of service. More often a wide `deny` has slipped to the top, and
everything below it is dead.

## Example
```yaml
version: 1
rules:
  - name: nothing
    operation: "*"
    effect: deny
    reason: closed
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: reads
    operation: "*"
    effect: allow
    when: {read_only: true, destructive: false}
  - name: nothing-else
    operation: "*"
    effect: deny
    reason: closed
budget: {max_tool_calls: 20}
```

## Limits
A call that would run once approved counts as one that can run, whether or not a callback is named (SR403), and so does
one that depends on argument conditions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.analysis.decided import decided_call
from schemarouter.analysis.search import Undecided
from schemarouter.lint.exact import RUNS
from schemarouter.lint.rule import rule
from schemarouter.match.classes import ALL_CLASSES
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR404", "everything-denied", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the rules if no call can run."""
    analysis = policy.analysis
    gap: Undecided | None = None
    for number in (*range(len(policy.graph.rules)), None):
        if number is not None and policy.graph.rules[number].effect == "deny":
            continue
        work = analysis.work_of(number)
        answer = decided_call(analysis.view, number, ALL_CLASSES, ("allow", "approval"), work)
        if isinstance(answer, Undecided):
            gap = answer
        elif answer is not None:
            return
    if gap is not None:
        analysis.decided(gap, RUNS, None)
    else:
        yield Problem(
            "SR404",
            "no call can ever run: every one is denied",
            Target(("rules",), "key"),
            help="narrow the `deny` that takes everything, or put rules that allow above it",
        )
