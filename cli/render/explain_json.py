"""Explanations as JSON (SPEC 12.1), with the effective attributes and the place of the deciding rule added."""

from __future__ import annotations

from collections.abc import Sequence

from schemarouter.compiler.explain import Explanation
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter_cli.render.plain import dump


def render_json(graph: EvaluationGraph, explanations: Sequence[Explanation]) -> str:
    """The document that ``schemas/explain.v1.schema.json`` describes."""
    results = [_record(graph, one) for one in explanations]
    return dump({"version": 1, "digest": graph.digest, "results": results}, indent=2) + "\n"


def _record(graph: EvaluationGraph, explanation: Explanation) -> dict[str, object]:
    index = explanation.decision.rule_index
    location = graph.rules[index].location if index is not None else None
    remote, read_only, destructive = explanation.effective
    return {
        **explanation.record(),
        "effective": {"remote": remote, "read_only": read_only, "destructive": destructive},
        "location": location._asdict() if location is not None else None,
    }
