"""Rules that match exactly the same calls, as far as the file shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.compiler.graph import EvaluationGraph


def contradicted(graph: EvaluationGraph) -> Mapping[int, int]:
    """The rules whose matcher an earlier rule with another effect has, each with the first rule of that matcher."""
    first: dict[tuple[object, ...], int] = {}
    found: dict[int, int] = {}
    for number, rule in enumerate(graph.rules):
        # Compiled conditions are equal if they say the same, however they are spelled.
        key = (frozenset(rule.patterns), rule.predicates, rule.conditions)
        earlier = first.setdefault(key, number)
        if graph.rules[earlier].effect != rule.effect:
            found[number] = earlier
    return found
