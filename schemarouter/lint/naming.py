"""What messages call the rules of a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.compiler.decide import rule_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemarouter.compiler.graph import EvaluationGraph

#: Rules that a message names; more are counted.
MOST_NAMED = 4


def rule_named(graph: EvaluationGraph, rule: int | None) -> str:
    """``rule `x```, ``rule number 3``, or the category guards for ``None``."""
    return "the category guards" if rule is None else rule_label(graph.rules[rule].name, rule)


def rules_named(graph: EvaluationGraph, rules: Sequence[int]) -> str:
    """``rules `a`, `b` and 3 more``; one alone as :func:`rule_named` has it."""
    if len(rules) == 1:
        return rule_named(graph, rules[0])
    labels = [rule_named(graph, rule).removeprefix("rule ") for rule in rules]
    if len(labels) > MOST_NAMED + 1:
        labels[MOST_NAMED:] = [f"{len(labels) - MOST_NAMED} more"]
    return f"rules {', '.join(labels[:-1])} and {labels[-1]}"
