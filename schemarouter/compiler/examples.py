"""The examples of a rule, held against the graph (SPEC 9): calls that the rule must decide, and must not.

An attribute that an example leaves out stands for each of its values; arguments that it leaves out are unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.compiler.decide import rule_label, tried
from schemarouter.compiler.records import predicate_mask
from schemarouter.document.v1 import ExampleCall
from schemarouter.match.classes import CLASSES, class_index, class_mask
from schemarouter.model.diagnostic import Call, Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.v1 import PolicyDocument


_HELP = "correct the example, the rule, or the order of the rules"


class _Answer(NamedTuple):
    """One call of an example: whether the rule's predicates accept it, what the rule says, and who decides."""

    call: Call
    accepted: bool
    holds: bool | None
    decided_by: int | None


def failed_examples(document: PolicyDocument, graph: EvaluationGraph) -> list[Problem]:
    """A problem (``SR109``) for each example that does not come true; ``graph`` is compiled from ``document``."""
    problems = []
    for index, rule in enumerate(document.rules):
        if rule.examples is None:
            continue
        for kind, examples, check in (
            ("decides", rule.examples.decides, _not_decided),
            ("ignores", rule.examples.ignores, _not_ignored),
        ):
            for number, example in enumerate(examples):
                one = ExampleCall(operation=example) if isinstance(example, str) else example
                failure = check(graph, index, list(_answers(graph, index, one)))
                if failure is not None:
                    message, call = failure
                    at = Target(("rules", index, "examples", kind, number))
                    problems.append(Problem("SR109", message, at, help=_HELP, witness=call, rule=rule.name))
    return problems


def _answers(graph: EvaluationGraph, index: int, example: ExampleCall) -> Iterator[_Answer]:
    asked = class_mask(example.remote, example.read_only, example.destructive, example.unclassified)
    accepted = predicate_mask(graph.rules[index].predicates)
    operation, arguments = example.operation, example.arguments
    for number, attributes in enumerate(CLASSES):
        if asked >> number & 1:
            steps = tried(graph.rules, graph.candidates(operation, *attributes), arguments)
            yield _Answer(
                Call(operation, *attributes, None if arguments is None else dict(arguments)),
                bool(accepted >> class_index(*graph.effective(operation, *attributes)) & 1),
                dict(steps).get(index, False),
                graph.decide(operation, *attributes, arguments).rule_index,
            )


def _not_decided(graph: EvaluationGraph, index: int, answers: list[_Answer]) -> tuple[str, Call | None] | None:
    asked = [answer for answer in answers if answer.accepted]
    if not asked:
        return "the rule's predicates accept no call of this example", answers[0].call if answers else None
    for answer in asked:
        if answer.decided_by == index and answer.holds is True:
            continue
        if answer.holds is None:
            return "the rule's argument conditions cannot tell whether it applies to this example", answer.call
        if answer.decided_by is None:
            return "no rule decides this example", answer.call
        return f"this example is decided by {_label(graph, answer.decided_by)}", answer.call
    return None


def _not_ignored(graph: EvaluationGraph, index: int, answers: list[_Answer]) -> tuple[str, Call | None] | None:
    for answer in answers:
        if answer.holds is True:
            return f"{_label(graph, index)} decides this example", answer.call
        if answer.holds is None:
            return f"{_label(graph, index)} may apply to this example: its conditions cannot tell", answer.call
    return None


def _label(graph: EvaluationGraph, index: int) -> str:
    return rule_label(graph.rules[index].name, index)
