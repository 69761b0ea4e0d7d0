"""Cases, cells of tables and examples of rules: calls whose decision is looked up in a graph. Nothing runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from schemarouter.compiler.decide import rule_label
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.model.diagnostic import Call
from schemarouter.testkit.attributes import AttributeClass
from schemarouter.testkit.results import CaseResult

#: The deciding rule of an expectation: its index, -1 for the category guards.
GUARDS = -1


class Subject(NamedTuple):
    """A policy under test. ``origin`` says which rule of the policy that was read each rule of ``graph`` is.

    They differ in mutants only, whose rules are moved or left out.
    """

    graph: EvaluationGraph
    origin: Sequence[int]

    def rule_of(self, index: int | None) -> int:
        """The rule as it was read, :data:`GUARDS` for none."""
        return GUARDS if index is None else self.origin[index]


class Verdict(NamedTuple):
    """What came of one test: its result, and the rules (as they were read) that decided about it."""

    result: CaseResult
    decided: frozenset[int]


class DecisionTest(NamedTuple):
    """A call with its attribute classes, and what must come of each.

    ``outcome``, ``rule`` and ``other_than``, a rule that must not decide, are ``None`` where they are not looked at.
    ``labels`` says how each rule that was read is called.
    """

    name: str
    path: str
    line: int
    column: int
    operation: str
    classes: tuple[AttributeClass, ...]
    arguments: Mapping[str, object] | None
    outcome: str | None
    rule: int | None
    other_than: int | None
    labels: Sequence[str]

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that it is about."""
        return (self.operation,)

    def run(self, subject: Subject) -> list[Verdict]:
        """Decide every class; the first that is decided otherwise is the result."""
        decided: set[int] = set()
        failure: tuple[str, Call] | None = None
        for attributes in self.classes:
            decision, approval = subject.graph.assess(self.operation, *attributes, self.arguments)
            outcome = "deny" if decision.effect == "deny" else "approval" if approval else "allow"
            rule = subject.rule_of(decision.rule_index)
            decided.add(rule)
            if (
                (self.outcome is not None and outcome != self.outcome)
                or (self.rule is not None and rule != self.rule)
                or rule == self.other_than
            ):
                arguments = None if self.arguments is None else dict(self.arguments)
                failure = self._said(outcome, rule), Call(self.operation, *attributes, arguments)
                break
        expected = self._said(self.outcome, self.rule)
        if self.other_than is not None:
            expected = f"not {self._said(None, self.other_than)}"
            decided.clear()
        told = (expected, expected, None) if failure is None else (expected, *failure)
        result = CaseResult(self.name, self.path, self.line, self.column, failure is None, *told)
        return [Verdict(result, frozenset(decided - {GUARDS}))]

    def _said(self, outcome: str | None, rule: int | None) -> str:
        who = None if rule is None else "the category guards" if rule == GUARDS else self.labels[rule]
        if outcome is None:
            return f"decided by {who}"
        return outcome if who is None else f"{outcome} by {who}"


def labels_of(graph: EvaluationGraph) -> tuple[str, ...]:
    """How messages call each rule of ``graph``."""
    return tuple(rule_label(rule.name, index) for index, rule in enumerate(graph.rules))
