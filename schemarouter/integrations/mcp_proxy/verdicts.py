"""What a policy says of an operation before anybody calls it: whether there are any arguments with which it may run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.compiler.decide import guard_decision, rule_decision

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import PolicyDecision

Verdict = Literal["allow", "approval", "deny", "depends"]


class Attributes(NamedTuple):
    """An operation with the attributes of its contract."""

    operation: str
    remote: bool
    read_only: bool | None
    destructive: bool | None


def always_denied(graph: EvaluationGraph, call: Attributes) -> PolicyDecision | None:
    """The decision that denies ``call`` whatever its arguments are; ``None`` if some might be let through.

    A rule with a condition that does not deny may let some through, so what it is about is not denied always. Where a
    condition denies, what stands below still has to.
    """
    candidates = graph.candidates(*call)
    for index in candidates:
        rule = graph.rules[index]
        if rule.effect != "deny":
            return None
        if rule.conditions is None:
            return rule_decision(rule, index, call.operation)
    decision = guard_decision(graph.defaults, call.operation, *graph.effective(*call))
    return decision if decision.effect == "deny" else None


def verdict(graph: EvaluationGraph, call: Attributes) -> Verdict:
    """What happens to ``call``, or that it depends on the arguments."""
    if always_denied(graph, call) is not None:
        return "deny"
    if graph.settled(*call) is None:
        return "depends"
    return graph.outcome(*call, {})
