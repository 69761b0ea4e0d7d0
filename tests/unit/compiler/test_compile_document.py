"""Compiling a document that was built in Python: the same checks as for one that was read."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from schemarouter import PolicyError, compile_policy
from schemarouter.compiler.compile import PASSES
from schemarouter.compiler.records import Locations
from schemarouter.document.v1 import PolicyDocument, Rule, When


def document(**fields: Any) -> PolicyDocument:
    return PolicyDocument(version=1, **fields)


def test_every_pass_says_why_it_stands_where_it_does() -> None:
    assert [one.name for one in PASSES] == ["settings", "classify", "rules", "limits", "hooks", "invariants"]
    assert all(len(one.because) > 20 for one in PASSES)
    assert len({one.because for one in PASSES}) == len(PASSES)


def test_everything_wrong_is_in_one_error() -> None:
    rules = [
        Rule(operation="a.b", effect="deny", name="one"),
        Rule(operation=[" a.b", "a\u202e.b"], effect="deny", name="one"),
        Rule(operation="a.b", effect="deny", when=When(unclassified=True, read_only=True)),
        Rule(operation="a.b", effect="deny", when=When(arguments={"n": {"pattern": "x"}, "m": {"minimum": "1"}})),
    ]
    with pytest.raises(PolicyError) as caught:
        compile_policy(document(rules=rules))
    found = [(finding.code, finding.pointer) for finding in caught.value.diagnostics]
    assert sorted(found) == sorted(
        [
            ("SR106", "/rules/1/name"),
            ("SR110", "/rules/1/operation"),
            ("SR009", "/rules/1/operation"),
            ("SR205", "/rules/2/when"),
            ("SR110", "/rules/3/when/arguments/n/pattern"),
            ("SR110", "/rules/3/when/arguments/m/minimum"),
        ]
    )
    assert str(caught.value).startswith("the policy cannot be compiled: ")
    assert str(caught.value).endswith("(and 5 more)")
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics


def test_problems_stand_where_the_rule_stands() -> None:
    rules = [Rule(operation="a.b", effect="deny"), Rule(operation=" ", effect="deny")]
    with pytest.raises(PolicyError) as caught:
        compile_policy(document(rules=rules), locations=Locations("p.yaml", ((3, 5), (9, 7))))
    (finding,) = caught.value.diagnostics
    assert (finding.path, finding.span.line, finding.span.column) == ("p.yaml", 9, 7)


def test_names_that_nobody_can_read_are_refused_wherever_they_stand() -> None:
    with pytest.raises(PolicyError) as caught:
        compile_policy(
            document(
                name="a\u200b",
                approval={"callback": " ops"},
                hooks={"before_call": ["audit", "a\u202e"]},
                budget={"per_tool_calls": {"a\x1b": 1}},
                invariants=[{"name": "e\u0301", "never": "x"}],
            )
        )
    assert sorted((finding.code, finding.pointer) for finding in caught.value.diagnostics) == [
        ("SR009", "/budget/per_tool_calls/a\x1b"),
        ("SR009", "/hooks/before_call/1"),
        ("SR009", "/name"),
        ("SR110", "/approval/callback"),
        ("SR110", "/invariants/0/name"),
    ]


def test_objects_that_skipped_validation_compile_to_nothing() -> None:
    loose = Rule.model_construct(
        name=None, operation="*", effect="allow", reason=None, when=When.model_construct(
            remote=1, read_only=None, destructive=None, unclassified=None, arguments=None
        ), examples=None,
    )  # fmt: skip
    unknown = Rule.model_construct(name=None, operation="*", effect="permit", reason=None, when=None, examples=None)
    for rules, code in (([loose], "SR103"), ([unknown], "SR105")):
        for _ in range(2):
            with pytest.raises(PolicyError) as caught:
                compile_policy(PolicyDocument.model_construct(**{**dict(document()), "rules": rules}))
            assert [finding.code for finding in caught.value.diagnostics] == [code]


def test_a_budget_that_limits_nothing_is_none() -> None:
    from schemarouter import ExecutionBudget

    assert compile_policy(document(budget=ExecutionBudget())).budget is None
    assert compile_policy(document(budget=ExecutionBudget(max_tool_calls=0))).budget is not None
    assert compile_policy(document(budget=ExecutionBudget(cost_units={"*": 0.5}))).budget is not None


def test_compiling_is_pure() -> None:
    policy = document(rules=[Rule(operation="a.*", effect="deny")], name="x")
    before = policy.model_dump()
    assert compile_policy(policy) == compile_policy(policy)
    assert policy.model_dump() == before
