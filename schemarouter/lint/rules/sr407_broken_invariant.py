"""An invariant does not hold, or its question cannot be read.

## What it does
Asks the question of every invariant about the policy, exactly, over all operations and attributes. Reports an invariant
whose question is answered with yes, with a call that shows it, and a question that has no meaning.

## Why it matters
An invariant says what must never happen, whatever else is edited. A rule that breaks it was perhaps meant, but not by
whoever wrote the invariant down.

## Example
```yaml
version: 1
rules:
  - name: jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false}
invariants:
  - name: destructive-calls-are-asked-about
    never: destructive and remote and not approval
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: destructive-jobs
    operation: "jobs.*"
    effect: deny
    reason: done by people
    when: {destructive: true}
  - name: jobs
    operation: "jobs.*"
    effect: allow
    when: {read_only: false, destructive: false}
invariants:
  - name: destructive-calls-are-asked-about
    never: destructive and remote and not approval
budget: {max_tool_calls: 20}
```

## Limits
The words of a question are `remote`, `local`, `read-only`, `mutating`, `unclassified`, `destructive`, `allow`,
`approval`, `deny` and `operation:PATTERN`, joined by `and`, each with or without `not` before it. A question that could
not be answered within the bound on work counts as broken. Loading a policy asks no questions unless it is told to
(`check="full"`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.document.v1 import Invariant
    from schemarouter.lint.context import LintContext


@rule("SR407", "broken-invariant", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the question of every invariant that does not hold."""
    for index, invariant in enumerate(policy.document.invariants):
        problem = _problem(policy, invariant, Target(("invariants", index, "never")))
        if problem is not None:
            yield problem


def _problem(policy: LintContext, invariant: Invariant, at: Target) -> Problem | None:
    from schemarouter.analysis.query import QuestionError, ask  # where there are no invariants, nobody pays for it

    try:
        answer = ask(policy.graph, invariant.never)
    except QuestionError as error:
        return Problem("SR407", str(error), at, help=error.help, rule=invariant.name)
    if answer.answer == "no":
        return None
    if answer.answer == "undecided":
        message = f"whether the invariant `{invariant.name}` holds could not be decided: {answer.reason}"
        return Problem("SR407", message, at, help="simplify the rules that it is about", rule=invariant.name)
    if answer.rule is None:
        who, where = "the category guards decide", Target(("defaults",))
    else:
        name = policy.document.rules[answer.rule].name
        who = f"rule number {answer.rule + 1} decides" if name is None else f"rule `{name}` decides"
        where = Target(("rules", answer.rule, "effect"))
    shown = f" for `{answer.witness.operation}`" if answer.witness is not None else ""
    return Problem(
        "SR407",
        f"the invariant `{invariant.name}` does not hold: {who}{shown}",
        at,
        help="narrow that rule, or put a stricter one before it",
        related=((f"{who}{shown}", where),),
        witness=answer.witness,
        rule=invariant.name,
    )
