"""The laws of a decision, and that every way to a graph decides as the definition does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.decision import STRICTNESS, decide
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.match.classes import CLASSES
from support.policies import CALLS, from_artifact, from_python, from_text, policies, predicates

FEW = settings(max_examples=120, deadline=None)


def answer(graph: EvaluationGraph, call: dict[str, Any]) -> tuple[str, int | None]:
    decision = graph.decide(**call)
    assert decision.operation == call["operation"]
    assert "\n" not in decision.reason
    assert (decision.source == "default") is (decision.rule_index is None)
    return graph.outcome(**call), decision.rule_index


def as_objects(call: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Tool, endpoint and call, cut at the last dot."""
    key, _, name = call["operation"].rpartition(".")
    return (
        SimpleNamespace(namespace=None, name=key, remote=call["remote"]),
        SimpleNamespace(name=name, read_only=call["read_only"], destructive=call["destructive"]),
        SimpleNamespace(arguments=call["arguments"]),
    )


@FEW
@given(policies(), st.lists(CALLS, min_size=1, max_size=12))
def test_every_graph_decides_as_the_definition_does(policy: dict[str, Any], calls: list[dict[str, Any]]) -> None:
    graph, loaded = from_text(policy), from_artifact(policy)
    assert graph == loaded
    for call in calls + calls:  # again, from the cache
        outcome, index, flag = decide(policy, call)
        assert answer(graph, call) == (outcome, index)
        assert graph.decide(**call) == loaded.decide(**call)
        assert graph.requires_approval(**call) is (outcome == "approval")
        if flag is not None:
            assert flag in graph.decide(**call).reason


@FEW
@given(policies(classify=False), st.lists(CALLS, min_size=1, max_size=12))
def test_python_objects_decide_as_the_file_does(policy: dict[str, Any], calls: list[dict[str, Any]]) -> None:
    graph, built = from_text(policy), from_python(policy)
    assert built.graph == graph
    assert built.graph.digest == graph.digest
    for call in calls + calls:
        tool, endpoint, made = as_objects(call)
        assert built.evaluate(tool, endpoint, made) == graph.decide(**call)
        assert built.requires_approval(endpoint, tool=tool, call=made) is graph.requires_approval(**call)


@FEW
@given(policies(), CALLS, predicates())
def test_extending_never_widens(policy: dict[str, Any], call: dict[str, Any], when: dict[str, Any]) -> None:
    """One more deny, wherever it stands and whatever it asks, takes authority away or changes nothing."""
    before = from_text(policy).outcome(**call)
    extra = {"operation": [call["operation"], "nothing.else"], "effect": "deny", **({"when": when} if when else {})}
    for place in range(len(policy["rules"]) + 1):
        rules = [*policy["rules"][:place], extra, *policy["rules"][place:]]
        after = from_text({**policy, "rules": rules}).outcome(**call)
        assert STRICTNESS[after] >= STRICTNESS[before]


@FEW
@given(policies(), CALLS, st.sampled_from(["allow", "deny", "require_approval"]))
def test_a_rule_at_the_end_changes_only_what_fell_to_the_default(
    policy: dict[str, Any], call: dict[str, Any], effect: str
) -> None:
    certain = [rule for rule in policy["rules"] if "arguments" not in rule.get("when", {})]
    policy = {**policy, "rules": certain}
    before = from_text(policy).decide(**call)
    after = from_text({**policy, "rules": [*certain, {"operation": "*", "effect": effect}]}).decide(**call)
    assert after == before if before.source == "rule" else after.rule_index == len(certain)


@FEW
@given(policies(), CALLS)
def test_doubt_never_widens(policy: dict[str, Any], call: dict[str, Any]) -> None:
    """Unknown arguments are at least as strict as some arguments that they may turn out to be are lax."""
    graph = from_text(policy)
    unknown = graph.outcome(**{**call, "arguments": None})
    assert STRICTNESS[unknown] >= STRICTNESS[graph.outcome(**call)]


@FEW
@given(policies())
def test_default_deny_of_what_nobody_classified(policy: dict[str, Any]) -> None:
    """No rule, no flag: what is remote and unclassified, mutating or destructive does not run."""
    graph = from_text({"version": 1, "approval": policy["approval"]})
    for remote, read_only, destructive in CLASSES:
        harmless = destructive is not True and (read_only is True or (read_only is None and not remote))
        assert (graph.outcome("a.x", remote, read_only, destructive) == "deny") is not harmless


@FEW
@given(policies(), CALLS)
def test_first_match_wins(policy: dict[str, Any], call: dict[str, Any]) -> None:
    """Whatever certainly decides still decides when every later rule is taken away."""
    graph = from_text(policy)
    index = graph.decide(**call).rule_index
    if index is None or any("arguments" in rule.get("when", {}) for rule in policy["rules"]):
        return
    cut = from_text({**policy, "rules": policy["rules"][: index + 1]})
    assert cut.decide(**call) == graph.decide(**call)


def test_a_call_is_decided_alike_whatever_was_decided_before() -> None:
    """``1 == True``: a cache by equality must not let a number pass for a boolean, in either order."""
    policy = {"version": 1, "rules": [{"operation": "*", "effect": "allow"}]}
    for order in ((True, 1), (1, True)):
        graph = from_text(policy)
        got = {type(value): graph.outcome("a.x", value, None, None) for value in order}
        assert got == {bool: "allow", int: "deny"}
        got = {type(value): graph.outcome("a.x", True, value, None) for value in order}
        assert got == {bool: "allow", int: "deny"}
        got = {type(value): graph.outcome("a.x", True, None, value) for value in order}
        assert got == {bool: "allow", int: "deny"}
