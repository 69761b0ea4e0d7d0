"""Lint on the names of GitHub's REST API and MCP server: what it takes for suspicious there, and what it must not."""

from __future__ import annotations

import json
from pathlib import Path

from support.lint_corpus import check

DATA = Path(__file__).parents[2] / "data"


def rest_operations():
    lines = (DATA / "github-rest-operations.tsv").read_text("utf-8").splitlines()
    return [line.split("\t")[:2] for line in lines if not line.startswith("#")]


def classified(operations, **said):
    """The operations of which lint says that they are not what ``said`` says."""
    entries = [{"operation": f"github.{operation}", **said} for operation in operations]
    text = json.dumps({"version": 1, "classify": entries, "budget": {"max_tool_calls": 2}})
    report = check(text, select=["SR406"])
    return {operations[int(finding.pointer.split("/")[2])] for finding in report.findings}


def test_no_operation_that_reads_is_called_mutating():
    reading = [operation for method, operation in rest_operations() if method == "GET"]
    assert len(reading) > 500
    assert classified(reading, read_only=True, destructive=False) == set()


def test_most_operations_that_change_something_are_known_by_name():
    changing = [operation for method, operation in rest_operations() if method != "GET"]
    assert len(classified(changing, read_only=True)) > 0.8 * len(changing)


def test_most_deletions_are_known_by_name_and_little_else():
    deleting = [operation for method, operation in rest_operations() if method == "DELETE"]
    assert len(classified(deleting, destructive=False)) > 0.8 * len(deleting)
    others = [operation for method, operation in rest_operations() if method not in {"GET", "DELETE"}]
    assert all(
        {"delete", "remove", "revoke"} & set(name.split("/")[1].split("-"))
        for name in classified(others, destructive=False)
    )


def test_real_names_are_not_suspicious_as_patterns():
    names = [f"rest.{operation}" for _, operation in rest_operations()]
    lines = (DATA / "github-mcp-tools.txt").read_text("utf-8").splitlines()
    names += [f"mcp.{line}" for line in lines if not line.startswith("#")]
    harmless = {"read_only": True, "destructive": False}
    rules = [
        {"name": f"rule-{index}", "operation": name, "effect": "allow", "when": harmless}
        for index, name in enumerate(names)
    ]
    text = json.dumps({"version": 1, "rules": rules, "budget": {"max_tool_calls": 2}})
    assert check(text).findings == ()
