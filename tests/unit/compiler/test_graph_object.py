"""The evaluation graph as an object: immutable, comparable, picklable, bounded, safe from several threads."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import pytest

from schemarouter.compiler import graph as graph_module
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.match.classes import CLASSES
from support.policies import from_yaml

TEXT = """\
version: 1
name: pay
classify:
  - {operation: "books.*", read_only: true, destructive: false}
  - {operation: "books.burn", destructive: true}
approval: {mode: non_read_only, callback: ops}
rules:
  - {name: jobs, operation: jobs.create, effect: allow, reason: may be repeated}
  - name: refunds
    operation: [pay.refund, pay.return]
    effect: require_approval
    when: {remote: true, arguments: {amount: {type: number, maximum: 500}}}
  - {name: rest, operation: "pay.*", effect: deny}
budget: {max_tool_calls: 4, cost_units: {"*": 0.25, pay.refund: 1}, per_tool_calls: {pay: 2}}
retry: {max_attempts: 3}
hooks: {before_call: [audit, limits], after_call: [audit]}
invariants: [{name: no-deletes, never: "destructive remote allow"}]
"""


@pytest.fixture
def graph() -> EvaluationGraph:
    return from_yaml(TEXT)


def everything(value: Any) -> list[Any]:
    """``value`` and all that can be reached from it through attributes of records, tuples and mappings."""
    found = [value]
    for one in found:
        if isinstance(one, EvaluationGraph):
            found += [one.content, one.stages]
        elif isinstance(one, tuple):
            found += one
        elif hasattr(one, "items"):
            found += one.values()
    return found


def test_nothing_in_a_graph_can_be_set(graph: EvaluationGraph) -> None:
    reached = everything(graph)
    assert len(reached) > 80
    for value in reached:
        if value is None or isinstance(value, str | int | float | bool):
            continue
        assert not isinstance(value, list | set | dict | bytearray)
        for name in ("name", "rules", "_content", "_items", "anything"):
            with pytest.raises(AttributeError):
                setattr(value, name, 1)
            with pytest.raises(AttributeError):
                delattr(value, name)
        with pytest.raises(TypeError):
            value[0] = 1
        with pytest.raises(TypeError):
            del value[0]


def test_what_the_policy_says(graph: EvaluationGraph) -> None:
    assert graph.name == "pay"
    assert graph.named_callables == ("ops", "audit", "limits")
    assert graph.hooks.before_call == ("audit", "limits")
    assert graph.approval == ("non_read_only", "ops")
    assert graph.defaults == (False, False, False)
    assert graph.budget is not None
    assert graph.budget.cost_units == {"*": "0.25", "pay.refund": "1"}
    assert graph.budget.per_tool_calls == {"pay": 2}
    assert graph.retry is not None
    assert graph.retry.max_attempts == 3
    assert [rule.name for rule in graph.rules] == ["jobs", "refunds", "rest"]
    assert [tuple(rule.location or ()) for rule in graph.rules] == [
        ("policy.yaml", 8, 5),
        ("policy.yaml", 9, 5),
        ("policy.yaml", 13, 5),
    ]
    assert graph.invariants[0].name == "no-deletes"


def test_the_stages_carry_their_parameters(graph: EvaluationGraph) -> None:
    stages = {stage.name: stage.parameters for stage in graph.stages}
    assert list(stages) == [
        "plan", "validate", "clock", "approval", "revalidate-approved", "budget", "before-hooks", "revalidate-attempt",
        "attempts", "output", "project", "after-hooks", "result",
    ]  # fmt: skip
    assert stages["validate"] == {"rules": 3, "classify": 2, "defaults": (False, False, False)}
    assert stages["approval"] == {"mode": "non_read_only", "callback": "ops"}
    assert stages["budget"] == {"max_tool_calls": 4, "per_tool_calls": {"pay": 2}}
    assert stages["before-hooks"] == {"hooks": ("audit", "limits")}
    assert stages["after-hooks"] == {"hooks": ("audit",)}
    assert stages["attempts"]["retry"] == graph.retry
    assert stages["clock"] == {"max_elapsed_seconds": None}


def test_classification_is_what_policy_goes_by(graph: EvaluationGraph) -> None:
    assert graph.effective("books.burn", True, None, None) == (True, True, False)
    assert graph.classification("books.burn") == 0, "the first entry that matches decides, all alone"
    assert graph.effective("other.x", True, None, True) == (True, None, True)
    assert graph.outcome("books.read", True, None, None) == "allow", "read-only: no guard, and no approval by the mode"
    assert graph.outcome("books.read", True, False, True) == "allow"
    with pytest.raises(TypeError):
        graph.effective("books.read", 1, None, None)  # type: ignore[arg-type]  # that is what is tested


def test_one_attribute_of_an_entry_leaves_the_other() -> None:
    graph = from_yaml('version: 1\nclassify: [{operation: "a.*", destructive: false}]')
    assert graph.effective("a.x", True, False, True) == (True, False, False)
    assert graph.effective("a.x", False, None, None) == (False, None, False)


@pytest.mark.parametrize(
    ("call", "outcome", "rule", "words"),
    [
        (("pay.refund", True, None, None, {"amount": 5}), "approval", "refunds", "requires approval for"),
        (("pay.refund", True, None, None, {"amount": 501}), "deny", "rest", "denies"),
        (("pay.refund", True, None, None, {"amount": "5"}), "deny", "rest", "denies"),
        (("pay.refund", True, None, None, {}), "deny", "rest", "denies"),
        (("pay.refund", True, None, None, None), "deny", "rest", "denies"),
        (("pay.refund", False, None, None, {"amount": 5}), "deny", "rest", "denies"),
        (("jobs.create", True, None, None), "approval", "jobs", "may be repeated"),
        (("jobs.create", True, True, True), "allow", "jobs", "rule `jobs` allows `jobs.create`"),
        (("x.y", True, None, True), "deny", None, "`allow_destructive` is false"),
        (("x.y", True, False, None), "deny", None, "`allow_mutations` is false"),
        (("x.y", True, None, None), "deny", None, "`allow_unclassified_remote` is false"),
        (("x.y", False, None, None), "approval", None, "no rule matches"),
    ],
)
def test_decisions(graph: EvaluationGraph, call: Any, outcome: str, rule: str | None, words: str) -> None:
    decision = graph.decide(*call)
    assert graph.outcome(*call) == outcome
    assert decision.rule_name == rule
    assert words in decision.reason


def test_doubt_names_the_uncertain_rule_only_where_it_is_stricter() -> None:
    head = "version: 1\nrules:\n  - {name: sure, operation: a.x, effect: %s, when: {arguments: {n: {type: number, maximum: 5}}}}\n"
    tail = "  - {name: rest, operation: a.x, effect: %s}\n"
    for own, rest, outcome, named in [
        ("deny", "allow", "deny", "sure"),
        ("allow", "deny", "deny", "rest"),
        ("require_approval", "allow", "approval", "sure"),
        ("allow", "require_approval", "approval", "rest"),
        ("deny", "deny", "deny", "rest"),
        ("allow", "allow", "allow", "rest"),
    ]:
        graph = from_yaml(head % own + tail % rest)
        decision = graph.decide("a.x", True, None, None, {"n": "1"})
        assert (graph.outcome("a.x", True, None, None, {"n": "1"}), decision.rule_name) == (outcome, named)


@pytest.mark.parametrize(
    "call",
    [
        ("jobs.create", 1, None, None),
        ("jobs.create", "true", None, None),
        ("jobs.create", None, None, None),
        ("jobs.create", True, 0, None),
        ("jobs.create", True, [], None),
        ("jobs.create", True, None, "no"),
        (b"jobs.create", True, None, None),
        (None, True, None, None),
        (7, True, None, None),
        ("pay.refund", True, None, None, 7),
        ("pay.refund", True, None, None, "amount"),
        ("pay.refund", True, None, None, [("amount", 1)]),
    ],
)
def test_what_cannot_be_decided_is_denied(graph: EvaluationGraph, call: Any) -> None:
    for _ in range(2):
        decision = graph.decide(*call)
        assert (decision.effect, decision.source) == ("deny", "default")
        assert "no decision could be made" in decision.reason
        assert graph.outcome(*call) == "deny"
        assert graph.requires_approval(*call) is True


def test_an_error_of_a_condition_is_a_deny_and_says_nothing_of_the_arguments(
    graph: EvaluationGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, arguments: object) -> bool:
        raise RuntimeError(f"secret {arguments}")

    monkeypatch.setattr("schemarouter.match.conditions.Conditions.evaluate", fail)
    decision = graph.decide("pay.refund", True, None, None, {"amount": 5})
    assert decision.effect == "deny"
    assert "RuntimeError" in decision.reason
    assert "secret" not in decision.reason


def test_settled_is_what_no_argument_changes(graph: EvaluationGraph) -> None:
    assert graph.settled("jobs.create", True, None, None) == graph.decide("jobs.create", True, None, None)
    assert graph.settled("pay.refund", True, None, None) is None
    assert graph.settled("pay.refund", False, None, None) is not None
    assert graph.settled("jobs.create", 1, None, None) is None  # type: ignore[arg-type]  # that is what is tested


def test_candidates_stop_at_the_first_rule_without_conditions(graph: EvaluationGraph) -> None:
    assert graph.candidates("pay.refund", True, None, None) == (1, 2)
    assert graph.candidates("pay.refund", False, None, None) == (2,)
    assert graph.matching("pay.refund") == [1, 2]
    assert graph.candidates("x.y", True, None, None) == ()


def test_equal_hash_repr_copy_and_pickle(graph: EvaluationGraph) -> None:
    other = from_yaml(TEXT.replace("version: 1\n", "# comment\n\n\nversion: 1\n"), "elsewhere.yaml")
    assert graph == other
    assert hash(graph) == hash(other)
    assert graph.rules != other.rules, "positions differ, and are not part of equality"
    assert graph != from_yaml(TEXT.replace("maximum: 500", "maximum: 501"))
    assert graph != "graph"
    assert copy.copy(graph) is graph
    assert copy.deepcopy(graph) is graph
    graph.decide("jobs.create", True, None, None)
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    assert again.rules == graph.rules
    assert again.stages == graph.stages
    assert again.decide("pay.refund", True, None, None, {"amount": 5}) == graph.decide(
        "pay.refund", True, None, None, {"amount": 5}
    )
    assert len(repr(graph)) < 80
    assert graph.digest[:12] in repr(graph)


def test_the_pickle_holds_no_cache(graph: EvaluationGraph) -> None:
    before = len(pickle.dumps(graph))
    graph.warm((f"jobs.create{number}", *attributes) for number in range(50) for attributes in CLASSES)
    assert len(pickle.dumps(graph)) == before


def test_the_caches_are_bounded(graph: EvaluationGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "CACHE_LIMIT", 10)
    for number in range(200):
        assert graph.outcome(f"x.{number}", True, True, None) == "allow"
        assert len(graph._decided) <= 10
        assert len(graph._rows) <= 10
    graph.decide("x." + "y" * graph_module.REMEMBERED_LENGTH, True, True, None)
    assert max(len(key) for key in graph._rows) <= graph_module.REMEMBERED_LENGTH


def test_threads_agree(graph: EvaluationGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "CACHE_LIMIT", 7)  # evictions all the time
    fresh = from_yaml(TEXT)
    calls = [
        (operation, *attributes, {"amount": 5})
        for operation in ("pay.refund", "jobs.create", "books.burn", "x.y", "pay.z")
        for attributes in CLASSES
    ]
    expected = [graph.assess(*call) for call in calls]
    digests, wrong = set(), []

    def work() -> None:
        for _ in range(15):
            digests.add(fresh.digest)
            wrong.extend(call for call, right in zip(calls, expected, strict=True) if fresh.assess(*call) != right)
            assert len(fresh.stages) == 13

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert digests == {graph.digest}
