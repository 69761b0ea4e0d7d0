"""A `deny` or `require_approval` is dead, and looser rules decide its calls.

## What it does
Reports rules that never decide although they are stricter than what happens: earlier rules take all their calls, and
at least one of these calls runs, or runs without being asked about. Shows such a call. Also where what is left to the
rule are calls of which nobody can say whether its argument conditions hold, because an earlier rule has wider ones.

## Why it matters
The policy looks stricter than it is. What this rule forbids or has reviewed runs all the same. It is the one mistake
in the order of rules that gives authority away, so a comment cannot suppress it.

## Example
```yaml
version: 1
rules:
  - name: use-jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false}
  - name: keep-jobs
    operation: "jobs.delete*"
    effect: deny
    reason: jobs are kept for the audit
    when: {read_only: false, destructive: true}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: keep-jobs
    operation: "jobs.*"
    effect: deny
    reason: jobs are kept for the audit
    when: {destructive: true}
  - name: use-jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false}
budget: {max_tool_calls: 20}
```

## Limits
As those of SR201. Where the matchers are identical, SR207 says it; if SR207 is suppressed or not looked for, this code
says it instead, so that no dead `deny` can be hushed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.naming import rule_named, rules_named
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR202", "unreachable-deny", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the effect of every dead rule that is stricter than what decides its calls."""
    analysis, graph = policy.analysis, policy.graph
    taken = {number: answer.covers for number, answer in analysis.dead.items()} | dict(analysis.doubtful)
    for number, covers in sorted(taken.items()):
        effect = graph.rules[number].effect
        lost = None if effect == "allow" or not covers else analysis.lost(number, looser=True)
        if lost is None:
            continue
        dead = number in analysis.dead
        never = "never decides" if dead else "decides only where its conditions cannot be judged"
        taking = f"{'takes' if len(covers) == 1 else 'together take'} all {'its' if dead else 'other'} calls"
        shown = "some of them end" if lost.call is None else f"`{lost.call.operation}` ends"
        related = [("takes its calls", Target(("rules", cover, "operation"))) for cover in covers]
        if lost.rule not in covers:
            related.append((f"{rule_named(graph, lost.rule)} decides it", Target(("rules", lost.rule, "effect"))))
        yield Problem(
            "SR202",
            f"this `{effect}` {never}: {rules_named(graph, covers)} {taking}, and {shown} in `{lost.outcome}`",
            Target(("rules", number, "effect")),
            help="move it above them; if it is not meant, remove it",
            related=tuple(related),
            witness=lost.call,
        )
