"""A rule never decides: earlier rules take all its calls.

## What it does
Reports every rule that no call reaches, over all operations, attributes and `classify`, and names a set of earlier
rules that take its calls together, of which none can be left out. Where an earlier rule decides otherwise, it shows one
call. A `deny` or `require_approval` whose calls a looser rule decides is SR202.

## Why it matters
The first rule that matches decides. A rule that is never reached says something that is not so, and whoever edits it
believes in a change that has no effect.

## Example
```yaml
version: 1
rules:
  - name: read-jobs
    operation: "jobs.[a-m]*"
    effect: deny
    reason: these jobs are private
  - name: other-jobs
    operation: "jobs.[!a-m]*"
    effect: deny
    reason: so are these
  - name: list-jobs
    operation: jobs.list
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: list-jobs
    operation: jobs.list
    effect: allow
    when: {read_only: true, destructive: false}
  - name: other-jobs
    operation: "jobs.*"
    effect: deny
    reason: jobs are private
budget: {max_tool_calls: 20}
```

## Limits
Exact but for argument conditions. Where one plainly implies another (a lower maximum, fewer values, a folder in a
folder) that is known; else each is taken to hold or fail whatever the others do. Rules with the very matcher of an
earlier one and another effect are SR207, patterns that lack the endpoint's part SR304. Past the bound on work, SR903
says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.matchers import contradicted
from schemarouter.lint.naming import rule_named, rules_named
from schemarouter.lint.patterns import names_no_operation
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.analysis.reach import Unreachable
    from schemarouter.lint.context import LintContext


@rule("SR201", "unreachable-rule", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the operation of every rule that cannot decide, unless another code says it better."""
    analysis = policy.analysis
    same = contradicted(policy.graph)
    for number, answer in analysis.dead.items():
        if number in same:
            continue
        if answer.covers:
            stricter = policy.graph.rules[number].effect != "allow"
            if not (stricter and analysis.lost(number, looser=True)):
                yield _covered(policy, number, answer)
        elif answer.no_operation:
            patterns = policy.graph.rules[number].patterns
            if not all(map(names_no_operation, patterns)):
                what = f"`{patterns[0]}`" if len(patterns) == 1 else "any of its patterns"
                yield Problem(
                    "SR201",
                    f"this rule never decides: no operation can match {what}",
                    Target(("rules", number, "operation")),
                    help="an operation is `tool.endpoint`: a key, a dot, and a name that is not empty",
                )


def _covered(policy: LintContext, number: int, answer: Unreachable) -> Problem:
    takers = rules_named(policy.graph, answer.covers)
    message = f"this rule never decides: {takers} " + (
        "takes all its calls" if len(answer.covers) == 1 else "together take all its calls"
    )
    lost = policy.analysis.lost(number)
    related = [("takes its calls", Target(("rules", cover, "operation"))) for cover in answer.covers]
    if lost is not None:
        shown = "some of them end" if lost.call is None else f"`{lost.call.operation}` ends"
        message += f"; {shown} in `{lost.outcome}`, where this says `{lost.wanted}`"
        if lost.rule not in answer.covers:
            related.append(
                (f"{rule_named(policy.graph, lost.rule)} decides it", Target(("rules", lost.rule, "effect")))
            )
    return Problem(
        "SR201",
        message,
        Target(("rules", number, "operation")),
        help="remove it" if lost is None else "move it above them, or remove it",
        related=tuple(related),
        witness=None if lost is None else lost.call,
        fix=policy.removal(number) if lost is None else None,
    )
