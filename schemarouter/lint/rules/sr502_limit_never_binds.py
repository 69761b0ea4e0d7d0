"""A limit can never be reached, because another one always trips first.

## What it does
Reports, with the arithmetic, limits of the budget that other numbers of the same file make idle:
`max_attempts` at or above `max_tool_calls` times `retry.max_attempts`; `max_remote_attempts` at or above the attempts
that are possible at all; a tool's `per_tool_calls` at or above `max_tool_calls`; `max_cost_units` that all possible
attempts at the largest weight do not exceed.

## Why it matters
Whoever reads such a limit believes in a protection that is not there, or tunes a number that changes nothing.

## Example
```yaml
version: 1
budget: {max_tool_calls: 4, max_attempts: 20}
retry: {max_attempts: 3}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 4, max_attempts: 6}
retry: {max_attempts: 3}
```

## Limits
Without a `retry` block a run may bring retries of its own, so attempts are then not derived from calls. A run's own,
larger weights can make an idle cost cap bind. `max_tool_calls` above `max_attempts` is not reported: a call that a
hook stops is counted without an attempt.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.limits import attempts, attempts_by_calls, largest_weight, plain
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.lint.context import LintContext
    from schemarouter.model.diagnostic import DocPath


@rule("SR502", "limit-never-binds", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the value of every idle limit."""
    budget = policy.graph.budget
    if budget is None:
        return
    by_calls = attempts_by_calls(policy.graph)
    if by_calls is not None and budget.max_attempts is not None and budget.max_attempts >= by_calls.value:
        yield _idle(("max_attempts",), f"{budget.max_attempts} attempts", by_calls.because)
    most = attempts(policy.graph)
    if most is not None and budget.max_remote_attempts is not None and budget.max_remote_attempts >= most.value:
        yield _idle(("max_remote_attempts",), f"{budget.max_remote_attempts} remote attempts", most.because)
    calls = budget.max_tool_calls
    for tool, limit in budget.per_tool_calls.items():
        if calls is not None and limit >= calls:
            yield _idle(("per_tool_calls", tool), f"{limit} calls of {shown(tool)}", f"max_tool_calls {calls}")
    yield from _cost(policy.graph)


def _cost(graph: EvaluationGraph) -> Iterator[Problem]:
    heaviest, most = largest_weight(graph), attempts(graph)
    if graph.budget is None or graph.budget.max_cost_units is None or heaviest is None or most is None:
        return
    key, weight = heaviest
    cap = Decimal(graph.budget.max_cost_units)
    if weight > 0 and weight * most.value <= cap:
        sum_ = f"at most {most.because}, each at most {plain(weight)} ({shown(key)}): {plain(weight * most.value)}"
        yield _idle(("max_cost_units",), f"a cost of {plain(cap)}", sum_)


def _idle(key: DocPath, limit: str, because: str) -> Problem:
    return Problem(
        "SR502",
        f"{limit} can never be exceeded: {because}",
        Target(("budget", *key)),
        help="lower this limit, raise the other, or remove it",
    )
