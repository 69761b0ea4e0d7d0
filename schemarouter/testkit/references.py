"""What a file of tests refers to in its policy, looked up in the plain data: an error of shape hides none of this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from schemarouter.document.walk import entries, items, mapping
from schemarouter.model.names import name_problem, split_operation
from schemarouter.testkit.known import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.model.diagnostic import DocPath, Part


def check_references(data: object, names: Names) -> None:
    """Look at every rule, operation, hook and tool that is named; what refers to nothing goes into ``names.problems``."""
    for index, case in entries(data, "cases"):
        _call(case, ("cases", index), case, names)
    for index, table in entries(data, "tables"):
        for operation, row in mapping(table, "rows").items():
            _row(operation, row, ("tables", index, "rows", operation), names)
    for index, run in entries(data, "runs"):
        _run(run, ("runs", index), names)


def _call(call: Mapping[str, Any], at: DocPath, ending: object, names: Names) -> None:
    """A case or a call of a run; ``ending`` is where the rule is named."""
    rule = ending.get("rule") if isinstance(ending, dict) else None
    where: DocPath = (*at, "rule") if ending is call else (*at, "expect", "rule")
    if isinstance(rule, str):
        names.rule(rule, where)
    _operation(call.get("operation"), (*at, "operation"), names, by_rule=isinstance(rule, str))


def _operation(operation: object, path: DocPath, names: Names, *, by_rule: bool, part: Part = "value") -> None:
    if not isinstance(operation, str) or name_problem(operation) is not None or not split_operation(operation):
        return  # no operation at all: that was said where the shape was looked at
    if "*" not in operation:
        names.operation(operation, path, by_rule=by_rule, part=part)


def _row(operation: str, row: object, at: DocPath, names: Names) -> None:
    cells = list(_cells(row, at))
    for path, cell in cells:
        if isinstance(cell, dict) and isinstance(cell.get("rule"), str):
            names.rule(cell["rule"], (*path, "rule"))
    by_rule = bool(cells) and all(isinstance(cell, dict) and "rule" in cell for _, cell in cells)
    _operation(operation, at, names, by_rule=by_rule, part="key")


def _cells(row: object, at: DocPath) -> Iterator[tuple[DocPath, object]]:
    if isinstance(row, list):
        yield from (((*at, number), cell) for number, cell in enumerate(row))
    else:
        yield at, row


def _run(run: Mapping[str, Any], at: DocPath, names: Names) -> None:
    tools: set[str] = set()
    for index, call in entries(run, "calls"):
        here: DocPath = (*at, "calls", index)
        _call(call, here, call.get("expect"), names)
        for hook in mapping(call, "hooks"):
            names.hook(hook, (*here, "hooks", hook))
        tool, operation = call.get("tool"), call.get("operation")
        if isinstance(tool, str):
            tools.add(tool)
        elif isinstance(operation, str):
            tools.add(operation.rpartition(".")[0])
    if items(run, "calls"):
        for key in mapping(mapping(run, "counters"), "per_tool_calls"):
            names.tool(key, tools, (*at, "counters", "per_tool_calls", key))
