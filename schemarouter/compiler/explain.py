"""Why a call is decided as it is (SPEC 12.1): the rules that were tried, approval, and what each stage does.

Nothing here quotes the value of an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.compiler.decide import tried
from schemarouter.compiler.explain_stages import StageNote, stage_notes
from schemarouter.match.classes import CLASSES, class_mask
from schemarouter.model.diagnostic import Call

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.compiler.records import GraphRule
    from schemarouter.model.decision import Outcome, PolicyDecision

    Attributes = tuple[bool, bool | None, bool | None]


class Considered(NamedTuple):
    """A rule that was tried: whether it matched, and if not (or if nobody can tell) why."""

    rule: str | None
    rule_index: int
    matched: bool | Literal["indeterminate"]
    why_not: str | None

    def record(self) -> dict[str, object]:
        """One of ``considered`` in the JSON of ``explain``."""
        return {"rule": self.rule, "index": self.rule_index, "matched": self.matched, "why_not": self.why_not}


class Explanation(NamedTuple):
    """All about one call. ``call`` has the contract's attributes, ``effective`` those that policy goes by.

    ``considered`` are all rules up to the first that certainly applies: the decider, unless an uncertain rule before
    it is stricter. ``classified_by`` is the index of the ``classify`` entry that speaks for the operation.
    """

    call: Call
    effective: Attributes
    classified_by: int | None
    outcome: Outcome
    decision: PolicyDecision
    approval_required: bool
    approval_because: Literal["rule", "mode"] | None
    considered: tuple[Considered, ...]
    stages: tuple[StageNote, ...]

    def record(self) -> dict[str, object]:
        """One of ``results`` in the JSON of ``explain``."""
        call, decision = self.call, self.decision
        return {
            "call": {
                "operation": call.operation,
                "remote": call.remote,
                "read_only": call.read_only,
                "destructive": call.destructive,
                "arguments": call.arguments,
            },
            "outcome": self.outcome,
            "effect": decision.effect,
            "source": decision.source,
            "rule": decision.rule_name,
            "rule_index": decision.rule_index,
            "reason": decision.reason,
            "approval": {"required": self.approval_required, "because": self.approval_because},
            "considered": [one.record() for one in self.considered],
            "stages": [note._asdict() for note in self.stages],
        }


def explain(
    graph: EvaluationGraph,
    operation: str,
    remote: bool,
    read_only: bool | None,
    destructive: bool | None,
    arguments: Mapping[str, object] | None = None,
) -> Explanation:
    """Explain one call by its contract attributes; ``arguments=None`` means that they are not known.

    Raises ``TypeError`` for attributes of a wrong type.
    """
    return _explain(graph, _Patterns(graph, operation), (remote, read_only, destructive), arguments)


def explain_open(
    graph: EvaluationGraph,
    operation: str,
    *,
    remote: bool | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    unclassified: bool | None = None,
    arguments: Mapping[str, object] | None = None,
) -> list[Explanation]:
    """Explain a call for each attribute class that is left open; ``None`` leaves an attribute open, as in a rule.

    ``unclassified=True`` is ``read_only is None``. Contradictory attributes leave no class, and an empty list.
    """
    mask = class_mask(remote, read_only, destructive, unclassified)
    patterns = _Patterns(graph, operation)
    return [
        _explain(graph, patterns, attributes, arguments)
        for number, attributes in enumerate(CLASSES)
        if mask >> number & 1
    ]


class _Patterns:
    """What the patterns say of an operation: the same for every class, so that ten thousand rules are written once."""

    def __init__(self, graph: EvaluationGraph, operation: str) -> None:
        self.operation = operation
        self.matching = frozenset(graph.matching(operation))
        self.records = tuple(
            Considered(rule.name, index, True, None)
            if index in self.matching
            else Considered(rule.name, index, False, _no_pattern(rule))
            for index, rule in enumerate(graph.rules)
        )


def _explain(
    graph: EvaluationGraph, patterns: _Patterns, attributes: Attributes, arguments: Mapping[str, object] | None
) -> Explanation:
    operation = patterns.operation
    effective = graph.effective(operation, *attributes)
    decision, approval = graph.assess(operation, *attributes, arguments)
    steps = dict(tried(graph.rules, graph.candidates(operation, *attributes), arguments))
    last = next((index for index, holds in steps.items() if holds is True), len(graph.rules) - 1)
    considered = list(patterns.records[: last + 1])
    for index in patterns.matching:
        if index <= last:
            considered[index] = _considered(graph.rules[index], index, effective, steps, arguments)
    because: Literal["rule", "mode"] | None = None
    if approval:
        because = "rule" if decision.effect == "require_approval" else "mode"
    outcome: Outcome = "deny" if decision.effect == "deny" else "approval" if approval else "allow"
    return Explanation(
        Call(operation, *attributes, None if arguments is None else dict(arguments)),
        effective,
        graph.classification(operation),
        outcome,
        decision,
        approval,
        because,
        tuple(considered),
        stage_notes(graph, operation, effective, decision, because),
    )


def _considered(
    rule: GraphRule,
    index: int,
    effective: Attributes,
    steps: Mapping[int, bool | None],
    arguments: Mapping[str, object] | None,
) -> Considered:
    """A rule whose pattern matches: a rule that was not even tried has a predicate that does not."""
    if index not in steps:
        return Considered(rule.name, index, False, _failed_predicate(rule, effective))
    holds = steps[index]
    if holds is True:
        return Considered(rule.name, index, True, None)
    why = "" if rule.conditions is None else _condition(rule.conditions.why(arguments), holds)
    return Considered(rule.name, index, "indeterminate" if holds is None else False, why)


def _no_pattern(rule: GraphRule) -> str:
    if len(rule.patterns) == 1:
        return f"the pattern `{rule.patterns[0]}` does not match"
    return f"none of its {len(rule.patterns)} patterns matches"


def _failed_predicate(rule: GraphRule, effective: Attributes) -> str:
    remote, read_only, destructive = effective
    asks = rule.predicates
    classified = {None: "unclassified", True: "read-only", False: "mutating"}[read_only]
    harm = {None: "not known to be destructive or not", True: "destructive", False: "not destructive"}[destructive]
    for name, asked, actual, words in (
        ("remote", asks.remote, remote, "remote" if remote else "local"),
        ("read_only", asks.read_only, read_only, classified),
        ("destructive", asks.destructive, destructive, harm),
        ("unclassified", asks.unclassified, read_only is None, classified),
    ):
        if asked is not None and asked is not actual:
            return f"the predicate `{name}: {str(asked).lower()}` fails: the call is {words}"
    raise AssertionError("a rule that matches by pattern and predicates is tried")


def _condition(answers: list[tuple[str, bool | None, str]], holds: bool | None) -> str:
    """The first condition that fails; of an indeterminate rule, the first that cannot be told."""
    name, _, reason = next(answer for answer in answers if answer[1] is holds)
    return f"the argument `{name}` {reason}"
