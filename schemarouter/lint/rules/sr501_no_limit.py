"""Remote or mutating calls are allowed, and nothing limits their number or their time.

## What it does
Reports a policy that lets remote calls, or calls that are known to change something, run, and whose budget has no
`max_tool_calls`, `max_attempts` or `max_elapsed_seconds`.

## Why it matters
An agent in a loop repeats what it is allowed to do. A limit turns an endless bill, or ten thousand messages, into an
error after the twentieth.

## Example
```yaml
version: 1
rules:
  - name: post
    operation: chat.post
    effect: allow
```

## Instead
```yaml
version: 1
rules:
  - name: post
    operation: chat.post
    effect: allow
budget: {max_tool_calls: 20, max_elapsed_seconds: 60}
```

## Limits
Remote calls that are known to read need no rule and no guard: only a rule that denies everything keeps them from
running, so that most policies need a budget. A cost cap counts as a limit if `"*"` and every other weight is above 0;
`max_remote_attempts` counts for remote calls. A budget that only the application's code sets is not seen.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from schemarouter.lint.predicates import can_match, denies_everything
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.compiler.records import Budget
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.lint.context import LintContext


@rule("SR501", "no-limit", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield one problem, at the budget or else at what allows the calls."""
    budget = policy.graph.budget
    if budget is not None and _limits_all(budget):
        return
    mutating = _allows(policy.document, remote=False)
    remote = _allows(policy.document, remote=True) if budget is None or budget.max_remote_attempts is None else None
    cause = mutating or remote
    if cause is None:
        return
    kind = "mutating calls are allowed" if cause is mutating else "remote calls are allowed"
    yield Problem(
        "SR501",
        f"{kind} and nothing limits their number or their time",
        Target(("budget",), "key") if policy.document.budget is not None else cause,
        help="add `budget: {max_tool_calls: 20, max_elapsed_seconds: 60}`, with numbers of your own",
    )


def _limits_all(budget: Budget) -> bool:
    if (budget.max_tool_calls, budget.max_attempts, budget.max_elapsed_seconds) != (None, None, None):
        return True
    weights = budget.cost_units
    return budget.max_cost_units is not None and "*" in weights and all(Decimal(text) > 0 for text in weights.values())


def _allows(document: PolicyDocument, *, remote: bool) -> Target | None:
    """What lets remote calls run, or else calls that change something: a rule, a guard, or that nothing forbids them."""
    for index, entry in enumerate(document.rules):
        if denies_everything(entry):
            return None
        wanted = can_match(entry.when, remote=True) if remote else can_match(entry.when, read_only=False)
        if entry.effect != "deny" and wanted:
            return Target(("rules", index, "effect"))
    if document.defaults.allow_mutations:
        return Target(("defaults", "allow_mutations"))
    return Target(("version",)) if remote else None
