"""Two rules have the same patterns and predicates and different effects: the second is dead.

## What it does
Reports a rule whose patterns, predicates and argument conditions are those of an earlier rule, in whatever order they
are written, and whose effect is another.

## Why it matters
The first rule that matches decides. The second never does, so one of the two says what is not so. Where the dead one
is the `deny`, the policy looks stricter than it is.

## Example
```yaml
version: 1
rules:
  - name: refunds
    operation: payments.refund
    effect: require_approval
    reason: money leaves the account
  - name: no-refunds
    operation: payments.refund
    effect: deny
    reason: refunds are made by people
approval: {callback: ops}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: no-refunds
    operation: payments.refund
    effect: deny
    reason: refunds are made by people
budget: {max_tool_calls: 20}
```

## Limits
Only identical matchers are compared; rules that are dead because earlier ones cover them together are SR201 and SR202.
One defect gives one finding: SR202 is left out here, unless this code is suppressed or not looked for. With argument
conditions the second rule can still decide where the conditions are in doubt: the stricter outcome counts then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.matchers import contradicted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR207", "same-match-different-effect", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the effect of every rule that an earlier one with another effect makes dead."""
    for index, earlier in contradicted(policy.graph).items():
        entry, decided = policy.graph.rules[index], policy.graph.rules[earlier]
        label = f"rule {shown(decided.name)}" if decided.name else f"the rule at index {earlier}"
        yield Problem(
            "SR207",
            f"{label} matches exactly the same calls and decides `{decided.effect}` first, this `{entry.effect}` is dead",
            Target(("rules", index, "effect")),
            help="remove one of the two, or narrow the first",
            related=(("decides first", Target(("rules", earlier, "effect"))),),
        )
