"""A policy with all its tests: run on the policy itself, and on mutants of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.testkit.decisions import Subject, Verdict, labels_of
from schemarouter.testkit.results import Coverage, RuleCoverage
from schemarouter.testkit.runs import RunTest

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.testkit.assemble import Test


class Ran(NamedTuple):
    """What running all tests on the policy gave: for each test its verdicts."""

    verdicts: tuple[tuple[Verdict, ...], ...]
    coverage: Coverage


class Suite:
    """The tests of one policy, from all files that are about it, and from the examples of its rules."""

    def __init__(self, path: str, graph: EvaluationGraph, tests: Iterable[Test]) -> None:
        self.path = path
        self.graph = graph
        self.tests = tuple(tests)

    @property
    def work(self) -> int:
        """How much it is to run all runs, in rules that are indexed."""
        return sum(test.work for test in self.tests if isinstance(test, RunTest))

    def run(self) -> Ran:
        """Run every test on the policy."""
        subject = Subject(self.graph, range(len(self.graph.rules)))
        verdicts = tuple(tuple(test.run(subject)) for test in self.tests)
        covered = {rule for several in verdicts for verdict in several for rule in verdict.decided}
        return Ran(verdicts, self._coverage(covered))

    def _coverage(self, covered: set[int]) -> Coverage:
        rows = []
        for number, (rule, label) in enumerate(zip(self.graph.rules, labels_of(self.graph), strict=True)):
            place = rule.location
            line, column = (1, 1) if place is None else (place.line, place.column)
            name = rule.name if rule.name is not None else label
            rows.append(RuleCoverage(name, number, self.path, line, column, number in covered))
        return Coverage(tuple(rows))
