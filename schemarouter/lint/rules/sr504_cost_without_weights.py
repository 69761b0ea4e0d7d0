"""There is a cost cap, and nothing costs anything.

## What it does
Reports `max_cost_units` in a budget whose `cost_units` are absent or all 0.

## Why it matters
An operation without a weight costs 0. Such a cap is never reached: the limit that the file seems to set does not
exist.

## Example
```yaml
version: 1
budget: {max_tool_calls: 20, max_cost_units: 5}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 20, max_cost_units: 5, cost_units: {"*": 0.25, search.web: 1}}
```

## Limits
Weights that a run's own configuration adds are not seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.limits import largest_weight
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR504", "cost-without-weights", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield one problem, at the cap."""
    budget = policy.graph.budget
    if budget is None or budget.max_cost_units is None:
        return
    heaviest = largest_weight(policy.graph)
    if heaviest is None or heaviest[1] == 0:
        yield Problem(
            "SR504",
            "this cap is never reached, " + ("no operation has a weight" if heaviest is None else "every weight is 0"),
            Target(("budget", "max_cost_units")),
            help='give weights: `cost_units: {"*": 1}` costs 1 for every attempt',
        )
