"""What is wrong with a file of tests beside its types, as far as that can be said without the policy.

Looks at whatever has the right type, so that an error in one place hides none in another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemarouter.document.namespass import illegible
from schemarouter.document.references import contradiction
from schemarouter.document.walk import entries, items, mapping, strings
from schemarouter.document.words import listed, shown
from schemarouter.model.diagnostic import Problem, Target
from schemarouter.model.names import name_problem, split_operation
from schemarouter.testkit.model import MAX_CELLS, MAX_RUN_CALLS, MAX_TIMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath, Part

_ENDS = ("result", "error", "limit")
_SECTIONS = ("cases", "tables", "runs")


def shape_problems(source: Source) -> Iterator[Problem]:
    """Names and operations that are none, contradictions, and expectations that expect nothing."""
    data = source.data
    if not isinstance(data, dict):
        return
    for section in ("policy", "catalog"):
        for path, text in strings(data, section):
            yield from illegible(path, text)
    yield from _operation_keys(mapping(data, "operations"), ("operations",))
    for key, attributes in mapping(data, "operations").items():
        yield from contradiction(attributes, ("operations", key))
    for index, case in entries(data, "cases"):
        yield from _call(case, ("cases", index))
    for index, table in entries(data, "tables"):
        yield from _table(table, ("tables", index))
    for index, run in entries(data, "runs"):
        yield from _run(run, ("runs", index))
    yield from _too_much(data)
    if not any(data.get(section) for section in _SECTIONS) and data.keys() <= {
        "version",
        "policy",
        "operations",
        "catalog",
        *_SECTIONS,
    }:
        yield Problem(
            "SR102", "nothing is tested in this file", Target(()), f"write {listed(_SECTIONS)} with what is expected"
        )


def _too_much(data: object) -> Iterator[Problem]:
    """More than a run of tests can be expected to get through, hidden in few lines."""
    cells = sum(
        len(mapping(table, "rows")) * max(1, len(items(table, "columns"))) for _, table in entries(data, "tables")
    )
    calls = sum(_times(call) for _, run in entries(data, "runs") for _, call in entries(run, "calls"))
    for section, found, most, noun in (("tables", cells, MAX_CELLS, "cells"), ("runs", calls, MAX_RUN_CALLS, "calls")):
        if found > most:
            message = f"`{section}` come to {found:,} {noun}, and at most {most:,} are run"
            yield Problem("SR010", message, Target((section,), "key"), "split the file, or test fewer of them")


def _times(call: Mapping[str, Any]) -> int:
    times = call.get("times", 1)
    return times if type(times) is int and 0 < times <= MAX_TIMES else 1


def _names(entry: Mapping[str, Any], at: DocPath, *keys: str) -> Iterator[Problem]:
    for key in keys:
        for path, text in strings(entry, key):
            yield from illegible((*at, *path), text)


def _call(call: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    yield from _names(call, at, "name", "rule", "tool")
    operation = call.get("operation")
    if isinstance(operation, str):
        yield from _operation(operation, (*at, "operation"))
    yield from contradiction(call, at)


def _operation(text: str, path: DocPath, part: Part = "value") -> Iterator[Problem]:
    if name_problem(text) is not None:
        if text:
            yield from illegible(path, text, part)
        elif part == "key":
            yield Problem("SR110", "an operation is empty", Target(path, part), "write `tool.endpoint`")
    elif not split_operation(text):
        help_ = "an operation is `tool.endpoint`, with a dot inside"
        yield Problem("SR110", f"{shown(text)} is no operation", Target(path, part), help_)
    elif "*" in text:
        help_ = "name one of the operations that it matches, or write a case for each of them"
        yield Problem("SR110", f"{shown(text)} is a pattern, and a test is about one call", Target(path, part), help_)


def _operation_keys(found: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    for key in found:
        yield from _operation(key, (*at, key), "key")


def _table(table: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    yield from _names(table, at, "name")
    columns = items(table, "columns")
    for number, column in enumerate(columns):
        yield from contradiction(column, (*at, "columns", number))
    width = len(columns) if "columns" in table else 1
    rows = mapping(table, "rows")
    yield from _operation_keys(rows, (*at, "rows"))
    for key, row in rows.items():
        cells = row if isinstance(row, list) else [row]
        for number, cell in enumerate(cells):
            if isinstance(cell, dict):
                yield from _names(cell, (*at, "rows", key, *((number,) if cells is row else ())), "rule")
        if isinstance(row, list) and width and len(row) != width:
            yield Problem(
                "SR102" if len(row) < len(columns) else "SR110",
                f"{shown(key)} has {_count(len(row), 'outcome')} for {_count(width, 'column')}",
                Target((*at, "rows", key), "key"),
                "write an outcome for each column, or a single one for all of them",
            )


def _run(run: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    yield from _names(run, at, "name")
    for index, call in entries(run, "calls"):
        here = (*at, "calls", index)
        yield from _call(call, here)
        yield from _tool(call, here)
        for name in mapping(call, "hooks"):
            yield from illegible((*here, "hooks", name), name, "key")
        if isinstance(call.get("expect"), dict):
            yield from _ending(call["expect"], (*here, "expect"))
    counters = run.get("counters")
    if isinstance(counters, dict) and not any(value != {} for value in counters.values()):
        help_ = "write what was used, such as `tool_calls: 3`, or leave it out"
        yield Problem("SR102", "`counters` expects nothing", Target((*at, "counters"), "key"), help_)
    for key in mapping(counters, "per_tool_calls"):
        yield from illegible((*at, "counters", "per_tool_calls", key), key, "key")


def _tool(call: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    tool, operation = call.get("tool"), call.get("operation")
    if not isinstance(tool, str) or not isinstance(operation, str) or not tool:
        return
    if not operation.startswith(tool + ".") or len(operation) == len(tool) + 1:
        help_ = "an operation is the key of its tool, a dot, and the name of the endpoint"
        message = f"{shown(operation)} is no operation of the tool {shown(tool)}"
        yield Problem("SR110", message, Target((*at, "tool")), help_)


def _ending(ending: Mapping[str, Any], at: DocPath) -> Iterator[Problem]:
    yield from _names(ending, at, "rule")
    given = [key for key in _ENDS if ending.get(key) is not None]
    if not given and ending.keys() <= {*_ENDS, "rule", "attempts"}:
        help_ = f"write one of {listed(_ENDS)}"
        yield Problem("SR102", "`expect` does not say how the call ends", Target(at, "key"), help_)
    if len(given) > 1:
        yield Problem(
            "SR110",
            f"{listed(given, 'and')} are two endings, and a call has one",
            Target((*at, given[1]), "key"),
            "keep one of them; a `limit` ends in `ExecutionBudgetExceededError` anyway",
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
