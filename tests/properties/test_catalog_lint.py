"""What lint says of a policy and a catalog, held to plain loops over ``fnmatchcase`` and the graph itself."""

from __future__ import annotations

import itertools
import json
import re
from datetime import date
from fnmatch import fnmatchcase, translate
from typing import Any

import pytest

from schemarouter.catalog.building import catalog_of, merged
from schemarouter.catalog.lock import make_lock
from schemarouter.catalog.records import Catalog
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.errors import CatalogError
from schemarouter.lint.check import check_policy
from schemarouter.loading import load_policy
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec
from support.random_policies import edited, policy, words

FLAGS = (None, True, False)
SEEDS = range(150)


def catalog(seed: int) -> Catalog:
    """Some of the operations over a small alphabet, with attributes in turn."""
    flags = itertools.cycle(itertools.product((True, False), FLAGS, FLAGS))
    chosen: Catalog = catalog_of([])
    for number, word in enumerate(words(4)):
        if (number * 7 + seed) % 11:
            continue
        key, _, name = word.partition(".") if word[0] != "." else (word[:2], "", word[3:])
        remote, read_only, destructive = next(flags)
        endpoint = EndpointSpec(
            name=name, read_only=read_only, destructive=destructive, parameters=[ParameterSpec(name="x", required=True)]
        )
        try:
            chosen = merged([chosen, catalog_of([ToolSpec(name=key, remote=remote, endpoints=[endpoint])])])
        except CatalogError:  # it runs into another, or has an illegal name
            continue
    return chosen


def found(text: str, code: str, **around: Any) -> list[str]:
    report = check_policy(text, "p", "yaml", select=[code], pedantic=True, today=date(2026, 12, 1), **around)
    return [finding.pointer for finding in report.findings if finding.code == code]


def literal(pattern: str) -> bool:
    """A pattern without wildcards: as a regular expression it is nothing but itself."""
    return re.escape(pattern) in translate(pattern)


@pytest.mark.parametrize("seed", SEEDS)
def test_patterns_that_match_nothing_are_exactly_those_reported(seed: int) -> None:
    document, tools = policy(seed, conditions=True), catalog(seed)
    text = json.dumps(document)
    idle = {
        f"/{section}/{number}/operation" + (f"/{position}" if isinstance(entry["operation"], list) else "")
        for section in ("classify", "rules")
        for number, entry in enumerate(document[section])
        for position, pattern in enumerate(
            entry["operation"] if isinstance(entry["operation"], list) else [entry["operation"]]
        )
        if not any(fnmatchcase(operation.operation, pattern) for operation in tools)
    }
    unknown = set(found(text, "SR309", catalog=tools))
    nothing = {pointer for pointer in found(text, "SR308", catalog=tools) if not pointer.endswith("/when")}
    assert unknown | nothing == idle
    assert not unknown & nothing
    for pointer in idle:
        _, section, number, _, *position = pointer.split("/")
        operation = document[section][int(number)]["operation"]
        pattern = operation[int(position[0])] if position else operation
        assert (pointer in unknown) is literal(pattern), pattern


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_whose_predicates_leave_nothing(seed: int) -> None:
    document, tools = policy(seed), catalog(seed)
    text = json.dumps(document)
    graph = load_policy(text, callbacks={"x": print}).graph
    wanted = set()
    for number, rule in enumerate(document["rules"]):
        matching = [each for each in tools if any(fnmatchcase(each.operation, one) for one in rule["operation"])]
        if matching and rule["effect"] != "deny" and not any(_applies(graph, rule, each) for each in matching):
            wanted.add(f"/rules/{number}/when")
    reported = {pointer for pointer in found(text, "SR308", catalog=tools) if pointer.endswith("/when")}
    assert reported == wanted


def _applies(graph: EvaluationGraph, rule: dict[str, Any], operation: Any) -> bool:
    remote, read_only, destructive = graph.effective(operation.operation, *operation.attributes)
    actual = {"remote": remote, "read_only": read_only, "destructive": destructive, "unclassified": read_only is None}
    return all(actual[name] is value for name, value in rule.get("when", {}).items())


@pytest.mark.parametrize("seed", SEEDS)
def test_operations_that_fall_to_the_default(seed: int) -> None:
    document, tools = policy(seed, conditions=True), catalog(seed)
    text = json.dumps(document)
    graph = load_policy(text, callbacks={"x": print}).graph
    left = {
        graph.outcome(each.operation, *each.attributes)
        for each in tools
        if not graph.candidates(each.operation, *each.attributes)
    }
    assert len(found(text, "SR405", catalog=tools)) == len(left)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_rule_of_lint_bears_every_policy(seed: int) -> None:
    """With a catalog and a lock of another version: nothing fails, and a lock of this version is silent."""
    document, tools = policy(seed, conditions=True), catalog(seed)
    old = load_policy(json.dumps(document), callbacks={"x": print}).graph
    lock = make_lock(old, tools)
    new = edited(seed, document, conditions=True)
    graph = load_policy(json.dumps(new), callbacks={"x": print}).graph
    report = check_policy(json.dumps(new), "p", "yaml", pedantic=True, catalog=tools, lock=lock)
    moved = {finding.witness.operation for finding in report.findings if finding.code == "SR412" and finding.witness}
    for each in tools:
        outcomes = [
            [one.outcome for one in make_lock(policy_graph, tools).operations[each.operation].deciders]
            for policy_graph in (old, graph)
        ]
        same = old.effective(each.operation, *each.attributes) == graph.effective(each.operation, *each.attributes)
        if old.digest == graph.digest:
            assert moved == set()
        else:
            assert (each.operation in moved) is not (same and outcomes[0] == outcomes[1])
    stale = any(finding.code == "SR414" for finding in report.findings)
    assert stale is (old.digest != graph.digest)
    assert found(json.dumps(new), "SR411", catalog=tools, lock=make_lock(graph, tools)) == []
