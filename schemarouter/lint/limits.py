"""How far a policy's own limits let a run go: arithmetic that several rules need. Exact: integers and decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph


class Bound(NamedTuple):
    """The most that can happen in one run, and the arithmetic behind it, in the words of the file."""

    value: int
    because: str


def attempts_by_calls(graph: EvaluationGraph) -> Bound | None:
    """How many attempts the limit of calls leaves room for.

    ``None`` without that limit, and without a ``retry`` block: a run may then bring retries of its own.
    """
    budget, retry = graph.budget, graph.retry
    if budget is None or budget.max_tool_calls is None or retry is None:
        return None
    calls, each = budget.max_tool_calls, retry.max_attempts
    return Bound(calls * each, f"max_tool_calls {calls} x retry.max_attempts {each} = {calls * each}")


def attempts(graph: EvaluationGraph) -> Bound | None:
    """The most attempts of one run, by whichever limit is the smaller; ``None`` if nothing limits them."""
    bounds = []
    if graph.budget is not None and graph.budget.max_attempts is not None:
        bounds.append(Bound(graph.budget.max_attempts, f"max_attempts {graph.budget.max_attempts}"))
    by_calls = attempts_by_calls(graph)
    if by_calls is not None:
        bounds.append(by_calls)
    return min(bounds, key=lambda bound: bound.value, default=None)


def largest_weight(graph: EvaluationGraph) -> tuple[str, Decimal] | None:
    """The key of the largest cost weight and the weight, or ``None`` if there are no weights."""
    if graph.budget is None or not graph.budget.cost_units:
        return None
    weights = {key: Decimal(text) for key, text in graph.budget.cost_units.items()}
    key = max(weights, key=weights.__getitem__)
    return key, weights[key]


def plain(number: Decimal) -> str:
    """``number`` without an exponent and without trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
