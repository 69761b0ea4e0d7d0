"""From a file of tests, and the policy that it is about, to tests that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from schemarouter.document.words import shown
from schemarouter.model.diagnostic import DocPath, Problem, Target
from schemarouter.testkit.attributes import AttributeClass, Values, exactly, values_of, words
from schemarouter.testkit.contracts import Planned, plan_calls, split
from schemarouter.testkit.decisions import DecisionTest, labels_of
from schemarouter.testkit.known import Names
from schemarouter.testkit.model import Attributes, Cell, Ending, RunCall, ScriptedRun, Table, TestDocument
from schemarouter.testkit.runs import Own, RunTest, Step, Tally

if TYPE_CHECKING:
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source

Test: TypeAlias = DecisionTest | RunTest


def assemble(
    document: TestDocument, source: Source, graph: EvaluationGraph, catalog: Catalog | None
) -> tuple[list[Test], list[Problem]]:
    """The tests of a file, and a problem for each name in it that refers to nothing; with problems nothing may be run."""
    work = _Assembling(source, graph, Names(graph, _operations(document, catalog)))
    tests = [*work.cases(document), *work.tables(document), *work.runs(document)]
    return tests, work.names.problems


def _operations(document: TestDocument, catalog: Catalog | None) -> dict[str, Values] | None:
    if catalog is None and not document.operations:
        return None
    known = {} if catalog is None else {one.operation: exactly(one.attributes) for one in catalog}
    return known | {name: values_of(one).over(known.get(name, Values())) for name, one in document.operations.items()}


class _Assembling:
    def __init__(self, source: Source, graph: EvaluationGraph, names: Names) -> None:
        self.names = names
        self._source = source
        self._labels = labels_of(graph)

    def _place(self, path: DocPath) -> tuple[str, int, int]:
        span = self._source.locate(Target(path, "entry"))
        return self._source.path, span.line, span.column

    def cases(self, document: TestDocument) -> Iterator[Test]:
        """One test for each case."""
        for index, case in enumerate(document.cases):
            at: DocPath = ("cases", index)
            rule = self.names.rule(case.rule, (*at, "rule"))
            self.names.operation(case.operation, (*at, "operation"), by_rule=case.rule is not None)
            name = case.name or _named(case.operation, case)
            yield self._decision(name, at, case.operation, case, case.arguments, case.outcome, rule)

    def tables(self, document: TestDocument) -> Iterator[Test]:
        """One test for each cell of each table."""
        for index, table in enumerate(document.tables):
            at: DocPath = ("tables", index)
            name = table.name or f"table {index + 1}"
            for operation, row in table.rows.items():
                here = (*at, "rows", operation)
                cells = row if isinstance(row, list) else [row] * len(table.columns)
                by_rule = all(isinstance(cell, Cell) and cell.rule is not None for cell in cells)
                self.names.operation(operation, here, by_rule=by_rule, part="key")
                for number, (column, cell) in enumerate(zip(table.columns, cells, strict=True)):
                    place = (*here, number) if isinstance(row, list) else here
                    yield self._cell(name, table, operation, column, cell, place)

    def _cell(
        self, name: str, table: Table, operation: str, column: Attributes, cell: str | Cell, at: DocPath
    ) -> DecisionTest:
        outcome, rule = (cell.outcome, cell.rule) if isinstance(cell, Cell) else (cell, None)
        index = self.names.rule(rule, (*at, "rule"))
        full = f"{name}: {_named(operation, column)}"
        return self._decision(full, at, operation, column, table.arguments, outcome, index)

    def _decision(
        self,
        name: str,
        at: DocPath,
        operation: str,
        attributes: Attributes,
        arguments: Mapping[str, object] | None,
        outcome: str,
        rule: int | None,
    ) -> DecisionTest:
        classes = tuple(values_of(attributes).over(self.names.values(operation)).classes())
        return DecisionTest(name, *self._place(at), operation, classes, arguments, outcome, rule, None, self._labels)

    def runs(self, document: TestDocument) -> Iterator[Test]:
        """One test for each run."""
        for index, run in enumerate(document.runs):
            at: DocPath = ("runs", index)
            steps = [(step, self._attributes(step, (*at, "calls", number))) for number, step in enumerate(run.calls)]
            planned, problems = plan_calls(steps, (*at, "calls"))
            self.names.problems += problems
            yield self._run(run, at, planned)

    def _attributes(self, step: RunCall, at: DocPath) -> AttributeClass:
        """The contract of a call: what is said, and else what a contract says that leaves it out."""
        given = Values(
            None if step.remote is None else (step.remote,),
            None if step.read_only is None else (step.read_only,),
            None if step.destructive is None else (step.destructive,),
        ).over(self.names.values(step.operation))
        read_only = given.read_only or (None,)
        if len(read_only) > 1:
            message = f"nothing says whether {shown(step.operation)} is read-only, but that somebody has said"
            self.names.problems.append(Problem("SR102", message, Target(at, "entry"), "write `read_only`"))
        return (given.remote or (False,))[0], read_only[0], (given.destructive or (None,))[0]

    def _run(self, run: ScriptedRun, at: DocPath, planned: list[Planned]) -> RunTest:
        name = run.name or f"run {int(at[1]) + 1}"
        steps = []
        for number, step in enumerate(run.calls):
            here = (*at, "calls", number)
            ending = step.expect if isinstance(step.expect, Ending) else Ending()
            rule = self.names.rule(ending.rule, (*here, "expect", "rule"))
            self.names.operation(step.operation, (*here, "operation"), by_rule=ending.rule is not None)
            for hook in step.hooks:
                self.names.hook(hook, (*here, "hooks", hook))
            if planned:
                _, line, column = self._place(here)
                steps.append(Step(f"{name}: call {number + 1}, {step.operation}", line, column, planned[number], rule))
        tally = None
        if run.counters is not None:
            _, line, column = self._place((*at, "counters"))
            tally = Tally(f"{name}: counters", line, column, run.counters)
            tools = {split(step)[0] for step in run.calls}
            for key in run.counters.per_tool_calls:
                if key not in tools:
                    target = Target((*at, "counters", "per_tool_calls", key), "key")
                    message = f"no call of this run is one of the tool {shown(key)}"
                    self.names.problems.append(Problem("SR105", message, target, "name the tool of one of its calls"))
        return RunTest(self._source.path, Own(run.budget, run.retry), tuple(steps), tally, self._labels)


def _named(operation: str, attributes: Attributes) -> str:
    said = words(attributes)
    return f"{operation}, {said}" if said else operation
