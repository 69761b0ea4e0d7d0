"""A rule could be left out: later rules give all its calls the same outcome.

## What it does
Reports rules that decide calls, each of which a later rule would decide with the same outcome if this one were not
there. It names the later rules.

## Why it matters
Whoever edits the rule believes in a change, and whoever narrows the later rule believes to have narrowed everything.
Two places that say one thing drift apart.

## Example
```yaml
version: 1
rules:
  - name: read-jobs
    operation: jobs.list
    effect: allow
    when: {read_only: true, destructive: false}
  - name: read-everything
    operation: "*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: read-everything
    operation: "*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
A rule that merely restates what the category guards say is good style and not reported; only a later rule counts. Nor
is a rule reported whose calls would fall to a rule that is dead now. With argument conditions it is reported only
where leaving it out changes nothing however they turn out. An outcome is deny, approval or allow: a name and a reason
that people read in the logs are lost with the rule. Where they are wanted, suppress this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.naming import rules_named
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR203", "redundant-rule", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the operation of every rule that could be left out."""
    for number, answer in policy.analysis.redundant.items():
        later = rules_named(policy.graph, answer.takers)
        gives = "gives" if len(answer.takers) == 1 else "together give"
        yield Problem(
            "SR203",
            f"this rule could be left out: {later} further down {gives} all its calls the same outcome",
            Target(("rules", number, "operation")),
            help="remove it; or narrow what comes later, if the rule is meant to stand on its own",
            related=tuple(("gives the same", Target(("rules", taker, "operation"))) for taker in answer.takers),
            fix=policy.removal(number),
        )
