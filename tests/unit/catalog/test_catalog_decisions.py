"""What a policy decides about a catalog, held to the graph itself on every call that its conditions tell apart."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.decisions import Decider, approval_load, decide_all
from schemarouter.loading import load_policy
from schemarouter.model.tool import EndpointSpec, ToolSpec

NAMES = ("read", "write", "drop")
FLAGS = (None, True, False)
CATALOG = catalog_of(
    ToolSpec(
        name=f"t{number}",
        remote=remote,
        endpoints=[
            EndpointSpec(name=f"{name}{read_only}{destructive}", read_only=read_only, destructive=destructive)
            for name, read_only, destructive in itertools.product(NAMES, FLAGS, FLAGS)
        ],
    )
    for number, remote in enumerate((False, True))
)

_conditions = st.sampled_from([None, {"a": {"const": 1}}, {"a": {"const": 2, "absent": True}}])
_rules = st.lists(
    st.fixed_dictionaries(
        {
            "operation": st.sampled_from(["*", "t0.*", "t1.read*", "*write*", "t1.dropNoneNone"]),
            "effect": st.sampled_from(["allow", "deny", "require_approval"]),
            "when": st.fixed_dictionaries(
                {},
                optional={
                    "read_only": st.booleans(),
                    "destructive": st.booleans(),
                    "arguments": st.sampled_from([{"a": {"const": 1}}, {"a": {"const": 2, "absent": True}}]),
                },
            ),
        }
    ),
    max_size=5,
)
_policies = st.fixed_dictionaries(
    {
        "version": st.just(1),
        "approval": st.fixed_dictionaries({"mode": st.sampled_from(["never", "non_read_only", "all"])}),
        "defaults": st.fixed_dictionaries(
            {"allow_mutations": st.booleans(), "allow_unclassified_remote": st.booleans()}
        ),
        "classify": st.sampled_from([[], [{"operation": "*read*", "read_only": True}]]),
        "rules": _rules,
    }
)


@given(_policies)
def test_the_deciders_are_exactly_who_decides(policy):
    import json

    for number, rule in enumerate(policy["rules"]):
        rule["name"] = f"rule-{number}"
    graph = load_policy(json.dumps(policy)).graph
    for one in decide_all(graph, CATALOG):
        operation = one.operation
        assert one.effective == graph.effective(operation.operation, *operation.attributes)
        possible = {decider.outcome for decider in one.deciders}
        seen = {
            graph.outcome(operation.operation, *operation.attributes, arguments)
            for arguments in ({}, {"a": 1}, {"a": 2}, {"a": 3}, None)
        }
        assert seen <= possible
        if one.verdict != "depends":
            assert seen == {one.verdict}
        for arguments in ({}, {"a": 1}, {"a": 2}, {"a": 3}):
            decision = graph.decide(operation.operation, *operation.attributes, arguments)
            assert (decision.rule_name, decision.rule_index) in {(each.rule, each.rule_index) for each in one.deciders}
    load = approval_load(decide_all(graph, CATALOG))
    assert load.allow + load.approval + load.deny + load.depends == load.operations == len(CATALOG)
    assert load.may_ask <= load.depends


def test_deciders_end_at_the_first_rule_without_conditions():
    graph = load_policy(
        """version: 1
rules:
  - {name: some, operation: t0.*, effect: allow, when: {arguments: {a: {const: 1}}}}
  - {name: none, operation: t0.read*, effect: deny}
  - {name: never, operation: t0.read*, effect: allow}
"""
    ).graph
    decided = {one.operation.operation: one for one in decide_all(graph, CATALOG)}
    assert decided["t0.readTrueFalse"].deciders == (Decider("some", 0, "allow"), Decider("none", 1, "deny"))
    assert decided["t0.readTrueFalse"].verdict == "depends"
    assert decided["t0.writeFalseNone"].deciders == (Decider("some", 0, "allow"), Decider(None, None, "deny"))
    assert decided["t1.writeFalseNone"].deciders == (Decider(None, None, "deny"),)
