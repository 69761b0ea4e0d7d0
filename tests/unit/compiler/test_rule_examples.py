"""Examples of rules are held against the compiled policy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemarouter.compiler.compile import compile_policy
from schemarouter.compiler.examples import failed_examples
from schemarouter.document.v1 import PolicyDocument

CONDITION = {"arguments": {"n": {"type": "number", "maximum": 5}}}


def failures(rules: list[dict[str, Any]], **others: Any) -> list[tuple[str, str]]:
    document = PolicyDocument.model_validate_json(
        json.dumps({"version": 1, "rules": [{"effect": "allow"} | rule for rule in rules], **others})
    )
    problems = failed_examples(document, compile_policy(document))
    assert all(problem.code == "SR109" and problem.help for problem in problems)
    return [(problem.at.pointer, problem.message) for problem in problems]  # type: ignore[union-attr]  # all are targets


def decides(*examples: Any) -> dict[str, Any]:
    return {"examples": {"decides": list(examples)}}


def ignores(*examples: Any) -> dict[str, Any]:
    return {"examples": {"ignores": list(examples)}}


@pytest.mark.parametrize(
    ("rules", "others"),
    [
        ([{"operation": "a.*"} | decides("a.x", "a.y") | {"name": "one"}], {}),
        ([{"operation": "a.*"} | ignores("b.x")], {}),
        # The predicates choose the classes that the example stands for.
        ([{"operation": "a.*", "when": {"remote": True}} | decides("a.x")], {}),
        ([{"operation": "a.*", "when": {"unclassified": True}} | decides({"operation": "a.x", "remote": False})], {}),
        ([{"operation": "a.*", "when": {"remote": True}} | ignores({"operation": "a.x", "remote": False})], {}),
        # An earlier rule takes calls that the rule's own predicates do not accept.
        (
            [
                {"operation": "*", "effect": "deny", "when": {"destructive": True}},
                {"operation": "a.*", "when": {"destructive": False}} | decides("a.x"),
            ],
            {},
        ),
        ([{"operation": "a.x", "when": CONDITION} | decides({"operation": "a.x", "arguments": {"n": 5}})], {}),
        ([{"operation": "a.x", "when": CONDITION} | ignores({"operation": "a.x", "arguments": {"n": 6}})], {}),
        # Not reached, because an earlier rule certainly decides.
        ([{"operation": "a.x"}, {"operation": "a.*"} | ignores("a.x")], {}),
        # Predicates ask for the classified attributes.
        (
            [{"operation": "a.*", "when": {"read_only": True}} | decides("a.x")],
            {"classify": [{"operation": "a.*", "read_only": True}]},
        ),
    ],
)
def test_examples_that_come_true(rules: list[dict[str, Any]], others: dict[str, Any]) -> None:
    assert failures(rules, **others) == []


@pytest.mark.parametrize(
    ("rules", "pointer", "message"),
    [
        ([{"operation": "a.*"} | decides("a.x", "b.x")], "/rules/0/examples/decides/1", "no rule decides this example"),
        (
            [{"operation": "*", "name": "all"}, {"operation": "a.*"} | decides("a.x")],
            "/rules/1/examples/decides/0",
            "this example is decided by rule `all`",
        ),
        (
            [{"operation": "*", "when": {"destructive": True}}, {"operation": "a.*"} | decides("a.x")],
            "/rules/1/examples/decides/0",
            "this example is decided by rule number 1",
        ),
        (
            [{"operation": "a.*", "when": {"remote": True}} | decides({"operation": "a.x", "remote": False})],
            "/rules/0/examples/decides/0",
            "the rule's predicates accept no call of this example",
        ),
        (
            [{"operation": "a.*"} | decides({"operation": "a.x", "read_only": True, "unclassified": True})],
            "/rules/0/examples/decides/0",
            "the rule's predicates accept no call of this example",
        ),
        (
            [{"operation": "a.x", "when": CONDITION} | decides("a.x")],
            "/rules/0/examples/decides/0",
            "the rule's argument conditions cannot tell whether it applies to this example",
        ),
        (
            [{"operation": "a.x", "effect": "deny", "when": CONDITION} | decides({"operation": "a.x", "arguments": {}})],
            "/rules/0/examples/decides/0",
            "the rule's argument conditions cannot tell whether it applies to this example",
        ),
        ([{"operation": "a.*"} | ignores("b.x", "a.x")], "/rules/0/examples/ignores/1", "rule number 1 decides this example"),
        (
            [{"operation": "a.*", "name": "one", "when": {"remote": True}} | ignores("a.x")],
            "/rules/0/examples/ignores/0",
            "rule `one` decides this example",
        ),
        (
            [{"operation": "a.x", "when": CONDITION} | ignores({"operation": "a.x", "arguments": {"n": "6"}})],
            "/rules/0/examples/ignores/0",
            "rule number 1 may apply to this example: its conditions cannot tell",
        ),
    ],
)  # fmt: skip
def test_examples_that_do_not(rules: list[dict[str, Any]], pointer: str, message: str) -> None:
    assert failures(rules) == [(pointer, message)]


def test_an_earlier_doubt_takes_the_decision() -> None:
    found = failures(
        [
            {"operation": "a.x", "name": "doubt", "effect": "deny", "when": CONDITION},
            {"operation": "a.x"} | decides({"operation": "a.x", "arguments": {"n": "1"}}),
            {"operation": "a.x"} | ignores("a.x"),
        ]
    )
    assert found == [("/rules/1/examples/decides/0", "this example is decided by rule `doubt`")]
