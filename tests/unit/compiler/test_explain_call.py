"""Explanations: every rule that was tried, why it did not match, and what each stage does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from schemarouter.compiler.explain import Explanation, explain, explain_open
from schemarouter.match.classes import CLASSES
from schemarouter_cli.render.explain_json import render_json
from support.policies import CALLS, from_text, from_yaml, policies

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "explain.v1.schema.json").read_text())
TEXT = """\
version: 1
classify: [{operation: "books.*", read_only: true}]
approval: {mode: non_read_only, callback: ops}
rules:
  - {name: local, operation: "pay.*", effect: allow, when: {remote: false}}
  - {name: reads, operation: ["pay.*", "books.*"], effect: allow, when: {read_only: true}}
  - {name: harmless, operation: "*", effect: allow, when: {destructive: false}}
  - {name: known, operation: "*", effect: allow, when: {unclassified: false}}
  - {name: small, operation: pay.refund, effect: require_approval, when: {arguments: {amount: {type: number, maximum: 500}}}}
  - {operation: [pay.refund, pay.return], effect: deny, reason: too much}
budget: {max_tool_calls: 4, max_attempts: 9, max_remote_attempts: 5, max_cost_units: 7, max_elapsed_seconds: 15, cost_units: {"*": 0.25, pay: 2, pay.refund: 3}, per_tool_calls: {pay: 2}}
retry: {max_attempts: 3}
hooks: {before_call: [audit, limits]}
"""
GRAPH = from_yaml(TEXT)


def stages(explanation: Explanation) -> dict[str, str]:
    return {note.stage: note.does for note in explanation.stages}


def test_every_rule_up_to_the_decider_says_why_not() -> None:
    found = explain(GRAPH, "pay.refund", True, None, None, {"amount": 501})
    assert [(one.rule, one.matched, one.why_not) for one in found.considered] == [
        ("local", False, "the predicate `remote: false` fails: the call is remote"),
        ("reads", False, "the predicate `read_only: true` fails: the call is unclassified"),
        ("harmless", False, "the predicate `destructive: false` fails: the call is not known to be destructive or not"),
        ("known", False, "the predicate `unclassified: false` fails: the call is unclassified"),
        ("small", False, "the argument `amount` fails `maximum: 500`"),
        (None, True, None),
    ]
    assert (found.outcome, found.decision.rule_index, found.approval_required) == ("deny", 5, False)
    assert "501" not in str(found.record()["considered"])
    assert set(list(stages(found).values())[2:]) == {"not reached"}
    assert stages(found)["validate"].startswith("policy says deny: rule number 6 denies `pay.refund`: too much")


def test_the_considered_rules_end_with_the_decider() -> None:
    found = explain(GRAPH, "pay.x", False, None, None)
    assert [one.rule for one in found.considered] == ["local"]
    found = explain(GRAPH, "other.x", True, None, None)
    assert len(found.considered) == len(GRAPH.rules)
    assert found.considered[1].why_not == "none of its 2 patterns matches"
    assert found.considered[0].why_not == "the pattern `pay.*` does not match"
    assert found.decision.source == "default"


def test_doubt_is_shown_and_does_not_quote_the_argument() -> None:
    found = explain(GRAPH, "pay.refund", True, None, None, {"amount": "secret"})
    doubt = found.considered[4]
    assert (doubt.matched, found.decision.rule_index) == ("indeterminate", 5)
    assert doubt.why_not == "the argument `amount` is a string, of which `type: number` cannot tell"
    assert "secret" not in json.dumps(found.record()["considered"])
    unknown = explain(GRAPH, "pay.refund", True, None, None)
    assert unknown.considered[4].why_not == "the argument `amount` is not known"


def test_contract_and_effective_attributes_are_both_there() -> None:
    found = explain(GRAPH, "books.read", True, None, True)
    assert (found.call.read_only, found.effective, found.classified_by) == (None, (True, True, True), 0)
    assert found.decision.rule_name == "reads"
    assert (found.outcome, found.approval_because) == ("allow", None)
    assert stages(found)["attempts"].startswith("up to 3 attempts, if the errors are transient")
    assert explain(GRAPH, "pay.x", True, None, None).classified_by is None


def test_approval_and_stages_of_a_call_that_runs() -> None:
    by_rule = explain(GRAPH, "pay.refund", True, None, None, {"amount": 5})
    assert (by_rule.outcome, by_rule.approval_because) == ("approval", "rule")
    said = stages(by_rule)
    assert said["approval"] == "`ops` is asked, because the rule asks for it"
    assert said["clock"] == "the run may take 15 seconds"
    assert said["budget"] == "one call is counted; at most 4 in a run and 2 of `pay`"
    assert said["before-hooks"] == "`audit`, then `limits`"
    assert said["after-hooks"] == "none are named"
    assert said["attempts"] == (
        "one attempt: only read-only calls are repeated; each costs 3 of 7 in a run; at most 9 in a run; "
        "at most 5 remote ones"
    )
    by_mode = explain(GRAPH, "pay.x", False, False, None)
    assert (by_mode.outcome, by_mode.approval_because) == ("approval", "mode")
    assert stages(by_mode)["approval"] == "`ops` is asked, because the mode is `non_read_only`"
    assert "each costs 2 of 7" in stages(by_mode)["attempts"]
    assert "remote" not in stages(by_mode)["attempts"]
    assert "each costs 0.25" in stages(explain(GRAPH, "books.x", True, None, None))["attempts"]


def test_without_limits_and_callback() -> None:
    bare = from_yaml("version: 1\nrules: [{operation: '*', effect: require_approval}]")
    said = stages(explain(bare, "a.b", True, None, None))
    assert said["clock"] == "no time limit"
    assert said["budget"] == "one call is counted; no limit"
    assert said["attempts"] == "one attempt"
    assert "the application has to give one" in said["approval"]


@pytest.mark.parametrize(
    ("fixed", "count"),
    [
        ({}, 18),
        ({"remote": True}, 9),
        ({"remote": True, "unclassified": True}, 3),
        ({"read_only": False, "destructive": True}, 2),
        ({"remote": False, "read_only": True, "destructive": False}, 1),
        ({"read_only": True, "unclassified": True}, 0),
    ],
)
def test_every_class_that_is_left_open(fixed: dict[str, Any], count: int) -> None:
    found = explain_open(GRAPH, "pay.refund", **fixed)
    assert len({(one.call.remote, one.call.read_only, one.call.destructive) for one in found}) == count
    assert found == [explain(GRAPH, "pay.refund", *one.effective) for one in found]


def test_wrong_attributes_are_refused() -> None:
    with pytest.raises(TypeError):
        explain(GRAPH, "a.b", 1, None, None)  # type: ignore[arg-type]  # that is what is tested


@settings(max_examples=60, deadline=None)
@given(policies(), CALLS)
def test_an_explanation_agrees_with_the_graph_and_its_schema(policy: dict[str, Any], call: dict[str, Any]) -> None:
    graph = from_text(policy)
    found = explain(graph, **call)
    assert found.decision == graph.decide(**call)
    assert found.outcome == graph.outcome(**call)
    assert found.approval_required is graph.requires_approval(**call)
    assert found.effective == graph.effective(call["operation"], call["remote"], call["read_only"], call["destructive"])
    assert [one.rule_index for one in found.considered] == list(range(len(found.considered)))
    assert all((one.why_not is None) is (one.matched is True) for one in found.considered)
    assert [one.matched for one in found.considered].count(True) <= 1
    if found.decision.source == "rule":
        assert found.considered[found.decision.rule_index].matched is not False  # type: ignore[index]  # a rule has one
    everything = explain_open(graph, call["operation"], arguments=call["arguments"])
    assert len(everything) == len(CLASSES)
    assert found in everything


def test_the_record_is_what_the_schema_describes() -> None:
    explanations = explain_open(GRAPH, "pay.refund", arguments={"amount": "5"})
    document = json.loads(render_json(GRAPH, explanations))
    Draft202012Validator(SCHEMA).validate(document)
    assert document["results"][0] | explanations[0].record() == document["results"][0]


def test_ten_thousand_rules_are_listed() -> None:
    rules = [{"operation": f"tool{number}.x", "effect": "allow"} for number in range(10_000)]
    found = explain_open(from_text({"version": 1, "rules": rules}), "other.x")
    assert len(found) == 18
    assert {len(one.considered) for one in found} == {10_000}
    assert found[0].considered[7] is found[17].considered[7], "written once"
