"""The examples of a policy's own rules, as tests: they name the rule that decides, and say nothing of its outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from schemarouter.compiler.records import predicate_mask
from schemarouter.document.v1 import ExampleCall
from schemarouter.match.classes import CLASSES, class_index, class_mask
from schemarouter.model.diagnostic import Target
from schemarouter.testkit.decisions import DecisionTest, labels_of

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source
    from schemarouter.document.v1 import PolicyDocument


def example_tests(document: PolicyDocument, source: Source, graph: EvaluationGraph) -> Iterator[DecisionTest]:
    """A test for each example; on the policy itself they pass, because it would not have compiled otherwise."""
    labels = labels_of(graph)
    for index, rule in enumerate(document.rules):
        if rule.examples is None:
            continue
        accepted = predicate_mask(graph.rules[index].predicates)
        for kind, given in (("decides", rule.examples.decides), ("ignores", rule.examples.ignores)):
            for number, one in enumerate(given):
                example = ExampleCall(operation=one) if isinstance(one, str) else one
                asked = class_mask(example.remote, example.read_only, example.destructive, example.unclassified)
                decides = kind == "decides"
                classes = tuple(
                    attributes
                    for position, attributes in enumerate(CLASSES)
                    if asked >> position & 1
                    and (not decides or accepted >> class_index(*graph.effective(example.operation, *attributes)) & 1)
                )
                span = source.locate(Target(("rules", index, "examples", kind, number)))
                yield DecisionTest(
                    f"example of {labels[index]}: {example.operation}",
                    source.path,
                    span.line,
                    span.column,
                    example.operation,
                    classes,
                    example.arguments,
                    None,
                    index if decides else None,
                    None if decides else index,
                    labels,
                )
