"""From a file of tests, and the policy that it is about, to tests that can be run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from schemarouter.document.walk import mapping
from schemarouter.document.words import shown
from schemarouter.model.diagnostic import DocPath, Problem, Target
from schemarouter.testkit.attributes import AttributeClass, Values, exactly, values_of, words
from schemarouter.testkit.contracts import Planned, plan_calls
from schemarouter.testkit.decisions import DecisionTest, labels_of
from schemarouter.testkit.known import Names
from schemarouter.testkit.model import Attributes, Cell, Ending, RunCall, ScriptedRun, Table, TestDocument
from schemarouter.testkit.runs import RunTest, Step, Tally
from schemarouter.testkit.stage import Own

if TYPE_CHECKING:
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source

Test: TypeAlias = DecisionTest | RunTest


def assemble(
    document: TestDocument, source: Source, graph: EvaluationGraph, names: Names
) -> tuple[list[Test], list[Problem]]:
    """The tests of a file, and what is wrong with the contracts of its runs.

    ``names`` knows the rules and the operations; whether what the file names exists is looked at elsewhere.
    """
    work = _Assembling(source, graph, names)
    tests = [*work.cases(document), *work.tables(document), *work.runs(document)]
    return tests, work.problems


def known_operations(data: object, document: TestDocument | None, catalog: Catalog | None) -> dict[str, Values] | None:
    """The operations that a file of tests says there are, with their attributes; ``None`` where it does not say."""
    listed = mapping(data, "operations")
    if catalog is None and not listed:
        return None
    known = {} if catalog is None else {one.operation: exactly(one.attributes) for one in catalog}
    if document is None:  # nothing will be run, and names can be looked up all the same
        return {**dict.fromkeys(listed, Values()), **known}
    return known | {name: values_of(one).over(known.get(name, Values())) for name, one in document.operations.items()}


class _Assembling:
    def __init__(self, source: Source, graph: EvaluationGraph, names: Names) -> None:
        self.names = names
        self.problems: list[Problem] = []
        self._source = source
        self._labels = labels_of(graph)

    def _place(self, path: DocPath) -> tuple[str, int, int]:
        span = self._source.locate(Target(path, "entry"))
        return self._source.path, span.line, span.column

    def cases(self, document: TestDocument) -> Iterator[Test]:
        """One test for each case."""
        for index, case in enumerate(document.cases):
            at: DocPath = ("cases", index)
            rule = self.names.index(case.rule)
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
                for number, (column, cell) in enumerate(zip(table.columns, cells, strict=False)):
                    place = (*here, number) if isinstance(row, list) else here
                    yield self._cell(name, table, operation, column, cell, place)

    def _cell(
        self, name: str, table: Table, operation: str, column: Attributes, cell: str | Cell, at: DocPath
    ) -> DecisionTest:
        outcome, rule = (cell.outcome, cell.rule) if isinstance(cell, Cell) else (cell, None)
        index = self.names.index(rule)
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
            self.problems += problems
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
            self.problems.append(Problem("SR102", message, Target(at, "entry"), "write `read_only`"))
        return (given.remote or (False,))[0], read_only[0], (given.destructive or (None,))[0]

    def _run(self, run: ScriptedRun, at: DocPath, planned: list[Planned]) -> RunTest:
        name = run.name or f"run {int(at[1]) + 1}"
        steps = []
        for number, step in enumerate(run.calls):
            here = (*at, "calls", number)
            ending = step.expect if isinstance(step.expect, Ending) else Ending()
            if planned:
                _, line, column = self._place(here)
                steps.append(
                    Step(
                        f"{name}: call {number + 1}, {step.operation}",
                        line,
                        column,
                        planned[number],
                        self.names.index(ending.rule),
                    )
                )
        tally = None
        if run.counters is not None:
            _, line, column = self._place((*at, "counters"))
            tally = Tally(f"{name}: counters", line, column, run.counters)
        return RunTest(self._source.path, Own(run.budget, run.retry), tuple(steps), tally, self._labels)


def _named(operation: str, attributes: Attributes) -> str:
    said = words(attributes)
    return f"{operation}, {said}" if said else operation
