"""``PolicyRule`` and ``ExecutionPolicy``: the policy as Python objects."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from schemarouter import EndpointSpec, ExecutionPolicy, PolicyRule, ToolCall, ToolSpec
from schemarouter.compiler import policy as policy_module
from support.policies import from_yaml

ANY: Any = None


def tool(name: str = "jobs", remote: Any = True, namespace: Any = None) -> Any:
    return ToolSpec.model_construct(name=name, namespace=namespace, remote=remote, endpoints=[])


def endpoint(name: str = "create", read_only: Any = None, destructive: Any = None) -> Any:
    return EndpointSpec.model_construct(name=name, read_only=read_only, destructive=destructive)


def call(**arguments: Any) -> ToolCall:
    return ToolCall(tool="jobs", endpoint="create", arguments=arguments, schema_fingerprint="f")


SEED = ExecutionPolicy(
    rules=(
        PolicyRule(name="allow-job-create", operation="jobs.create", effect="allow"),
        PolicyRule(name="protect-delete", operation="jobs.delete*", effect="deny"),
        PolicyRule(name="review-refunds", operation="payments.refund", effect="require_approval"),
    )
)


@pytest.mark.parametrize(
    ("names", "effect", "source", "rule", "index"),
    [
        (("jobs", "create"), "allow", "rule", "allow-job-create", 0),
        (("jobs", "delete_all"), "deny", "rule", "protect-delete", 1),
        (("payments", "refund"), "require_approval", "rule", "review-refunds", 2),
        (("jobs", "list"), "deny", "default", None, None),
    ],
)
def test_the_seed_policy(names: tuple[str, str], effect: str, source: str, rule: str | None, index: int | None) -> None:
    for _ in range(2):
        decision = SEED.evaluate(tool(names[0]), endpoint(names[1]), call())
        assert decision[:4] == (effect, source, rule, index)
        assert decision.operation == ".".join(names)


def test_rules_take_positions_and_names_alike() -> None:
    by_place = PolicyRule("deny", "a.*", "one", True, None, False, None, {"n": {"maximum": 1}})
    by_name = PolicyRule(
        effect="deny", operation="a.*", name="one", remote=True, destructive=False, arguments={"n": {"maximum": 1}}
    )
    assert by_place == by_name
    assert ExecutionPolicy(True, False, True, "all", [by_name]) == ExecutionPolicy(
        allow_mutations=True, allow_unclassified_remote=True, approval_mode="all", rules=(by_name,)
    )
    with pytest.raises(TypeError, match="more than one value for `effect`"):
        PolicyRule("deny", effect="deny")
    with pytest.raises(TypeError, match="at most 5 values"):
        ExecutionPolicy(True, True, True, "all", (), ANY)  # type: ignore[call-arg]  # that is what is tested


def test_defaults() -> None:
    rule, policy = PolicyRule("allow"), ExecutionPolicy()
    assert rule.model_dump() == dict.fromkeys(PolicyRule.model_fields) | {"effect": "allow", "operation": "*"}
    assert policy.model_dump() == {
        "allow_mutations": False,
        "allow_destructive": False,
        "allow_unclassified_remote": False,
        "approval_mode": "never",
        "rules": (),
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"effect": "permit"}, "allow"),
        ({}, "effect"),
        ({"effect": "deny", "remote": 1}, "boolean"),
        ({"effect": "deny", "read_only": "false"}, "boolean"),
        ({"effect": "deny", "destructive": 0}, "boolean"),
        ({"effect": "deny", "operations": "a.b"}, "operations"),
        ({"effect": "deny", "operation": ""}, "is empty"),
        ({"effect": "deny", "operation": []}, "empty list"),
        ({"effect": "deny", "operation": ["a.b", " c.d"]}, "white space"),
        ({"effect": "deny", "operation": 5}, "string"),
        ({"effect": "deny", "operation": "a\u202e.b"}, r"a\\u202e.b.*U\+202E"),
        ({"effect": "deny", "operation": "a\n.b"}, r"U\+000A"),
        ({"effect": "deny", "name": "e\u0301"}, "NFC"),
        ({"effect": "deny", "name": ""}, "rule name"),
        ({"effect": "deny", "unclassified": True, "read_only": False}, "contradict"),
        ({"effect": "deny", "arguments": {"n": {"pattern": "x"}}}, "pattern"),
        ({"effect": "deny", "arguments": {"n": 5}}, "n"),
        ({"effect": "allow", "arguments": {}}, "no argument is named"),
        ({"effect": "deny", "arguments": {"n": {"maximum": float("nan")}}}, "finite"),
    ],
)
def test_what_is_no_rule_is_refused_when_it_is_built(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PolicyRule(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"allow_mutations": "false"},
        {"allow_destructive": 0},
        {"allow_unclassified_remote": None},
        {"approval_mode": "sometimes"},
        {"rules": [5]},
        {"rules": {PolicyRule("allow").effect}},
        {"rules": None},
        {"rule": ()},
    ],
)
def test_what_is_no_policy_is_refused_when_it_is_built(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        ExecutionPolicy(**fields)


def test_nothing_can_be_assigned() -> None:
    for name in ("rules", "approval_mode"):
        with pytest.raises(ValueError, match="frozen"):
            setattr(SEED, name, ())
    with pytest.raises(ValueError, match="frozen"):
        SEED.rules[0].effect = "allow"  # type: ignore[misc]  # that is what is tested
    for name in ("graph", "evaluate", "_graph", "other", "requires_approval"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(SEED, name, ())
        with pytest.raises(AttributeError, match="immutable"):
            delattr(SEED, name)


def test_what_the_caller_keeps_cannot_change_the_policy() -> None:
    rules = [PolicyRule("deny", "a.b")]
    arguments: dict[str, Any] = {"n": {"maximum": 5}}
    patterns = ["a.c"]
    rules.append(PolicyRule("allow", patterns, arguments=arguments))
    policy = ExecutionPolicy(rules=rules)
    digest = policy.graph.digest
    rules.clear()
    patterns.append("*")
    arguments["n"]["maximum"] = 10**9
    assert len(policy.rules) == 2
    assert policy.graph.digest == digest
    assert copy.deepcopy(policy).graph.digest == digest
    assert policy.rules[1].arguments == {"n": {"maximum": 5}}
    assert policy.evaluate(tool("a"), endpoint("c"), call(n=6)).effect == "deny"


def test_copies_pickles_and_values() -> None:
    SEED.evaluate(tool(), endpoint(), call())
    for other in (copy.copy(SEED), copy.deepcopy(SEED), SEED.model_copy(), pickle.loads(pickle.dumps(SEED))):
        assert other == SEED
        assert other.graph == SEED.graph
        assert other.evaluate(tool(), endpoint(), call()).rule_name == "allow-job-create"
        assert other.evaluate(tool(), endpoint(), call()).rule_name == "allow-job-create"
    again = ExecutionPolicy.model_validate(SEED.model_dump())
    assert again == SEED
    assert ExecutionPolicy() != SEED
    wide = SEED.model_copy(update={"allow_unclassified_remote": True, "rules": ()})
    assert wide.evaluate(tool(), endpoint("list"), call()).effect == "allow"
    assert wide.graph != SEED.graph
    assert SEED.rules[0].model_copy(update={"operation": "b.*"}) == PolicyRule("allow", "b.*", "allow-job-create")
    with pytest.raises(ValueError, match="boolean"):
        SEED.model_copy(update={"allow_mutations": "false"})


def test_a_file_says_the_same() -> None:
    text = (
        "version: 1\napproval: {mode: all}\nrules: [{operation: [a.b, c.*], effect: deny, when: {unclassified: true}}]"
    )
    assert ExecutionPolicy(
        approval_mode="all", rules=[PolicyRule("deny", ["a.b", "c.*"], unclassified=True)]
    ).graph == from_yaml(text)


def test_arguments_are_those_of_the_call() -> None:
    policy = ExecutionPolicy(
        rules=[PolicyRule("allow", "jobs.*", "small", arguments={"n": {"type": "integer", "maximum": 5}})]
    )
    for _ in range(2):
        assert policy.evaluate(tool(), endpoint(), call(n=5)).rule_name == "small"
        assert policy.evaluate(tool(), endpoint(), call(n=6)).source == "default"
        assert policy.evaluate(tool(), endpoint(), call(n="5")).effect == "deny"
        assert policy.evaluate(tool(), endpoint(), None).effect == "deny"


def test_namespaces_are_part_of_the_operation() -> None:
    policy = ExecutionPolicy(rules=[PolicyRule("allow", "corp.jobs.create")])
    assert policy.evaluate(tool(namespace="corp"), endpoint(), call()).effect == "allow"
    assert policy.evaluate(tool(), endpoint(), call()).effect == "deny"
    assert policy.evaluate(tool("corp.jobs"), endpoint(), call()).operation == "corp.jobs.create"


@pytest.mark.parametrize(
    ("given_tool", "given_endpoint"),
    [
        (tool(remote=1), endpoint()),
        (tool(remote=None), endpoint()),
        (tool(remote="true"), endpoint()),
        (tool(), endpoint(read_only=1)),
        (tool(), endpoint(read_only="yes")),
        (tool(), endpoint(destructive=0)),
        (tool(), endpoint(destructive=[])),
        (tool(name=5), endpoint()),
        (tool(namespace=5), endpoint()),
        (tool(), endpoint(name=None)),
        (tool(name=["jobs"]), endpoint()),
        (SimpleNamespace(), endpoint()),
        (None, None),
    ],
)
def test_attributes_of_a_wrong_type_are_a_deny_before_and_after_the_right_ones(
    given_tool: Any, given_endpoint: Any
) -> None:
    policy = ExecutionPolicy(True, True, True, rules=[PolicyRule("allow", "*")])
    for _ in range(2):
        decision = policy.evaluate(given_tool, given_endpoint, call())
        assert (decision.effect, decision.source) == ("deny", "default")
        assert policy.requires_approval(given_endpoint, tool=given_tool, call=call()) is True
        for read_only in (True, False, None):
            assert policy.evaluate(tool(), endpoint(read_only=read_only), call()).effect == "allow"
            assert policy.evaluate(tool(), endpoint(destructive=read_only), call()).effect == "allow"


class Chameleon(str):
    """Text that says it equals something else, and so finds its place in a dictionary."""

    pretends: str

    def __new__(cls, text: str, pretends: str) -> Chameleon:
        made = super().__new__(cls, text)
        made.pretends = pretends
        return made

    def __eq__(self, other: object) -> bool:
        return self.pretends == other

    def __hash__(self) -> int:
        return hash(self.pretends)


def test_text_that_lies_about_what_it_equals_is_a_deny_and_spoils_nothing() -> None:
    policy = ExecutionPolicy(True, rules=[PolicyRule("deny", "jobs.drop"), PolicyRule("allow", "jobs.list")])
    lie = Chameleon("list", "drop")
    assert policy.evaluate(tool(), endpoint(lie), call()).effect == "deny"
    assert policy.graph.decide(Chameleon("jobs.list", "jobs.drop"), True, None, None).effect == "deny"
    assert policy.evaluate(tool(), endpoint("drop"), call()).rule_index == 0
    assert policy.evaluate(tool(), endpoint("list"), call()).effect == "allow"


def test_objects_that_skipped_validation_do_not_widen() -> None:
    unknown = PolicyRule.model_construct(effect="permit")
    for _ in range(2):
        with pytest.raises(ValueError, match="effect is unknown"):
            ExecutionPolicy(rules=(unknown,))
    loose = ExecutionPolicy.model_construct(allow_mutations="false", allow_destructive=1, approval_mode="sometimes")
    assert loose.evaluate(tool(), endpoint(read_only=False), call()).effect == "deny"
    assert loose.evaluate(tool(), endpoint(destructive=True), call()).effect == "deny"
    assert loose.requires_approval(endpoint(read_only=True)) is True


@pytest.mark.parametrize(
    ("mode", "read_only", "needed"),
    [
        ("never", None, False),
        ("never", False, False),
        ("non_read_only", None, True),
        ("non_read_only", False, True),
        ("non_read_only", True, False),
        ("all", True, True),
        ("all", None, True),
    ],
)
def test_approval_by_mode(mode: Any, read_only: bool | None, needed: bool) -> None:
    policy = ExecutionPolicy(True, True, True, approval_mode=mode)
    one = endpoint(read_only=read_only)
    assert policy.requires_approval(one) is needed
    assert policy.requires_approval(one, tool=tool(), call=call()) is needed


def test_approval_by_rule_and_of_what_is_denied() -> None:
    assert SEED.requires_approval(endpoint("refund"), tool=tool("payments"), call=call()) is True
    assert SEED.requires_approval(endpoint("refund")) is False, "without a tool only the mode is known"
    strict = SEED.model_copy(update={"approval_mode": "all"})
    assert strict.requires_approval(endpoint("delete"), tool=tool(), call=call()) is False, "denied anyway"


def test_the_memory_of_a_policy_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schemarouter.compiler.graph.CACHE_LIMIT", 8)
    policy = ExecutionPolicy()
    seen = next(
        cell.cell_contents for cell in policy.__dict__["evaluate"].__closure__ if isinstance(cell.cell_contents, dict)
    )
    for number in range(100):
        policy.evaluate(tool(f"t{number}"), endpoint(), call())
        assert 0 < len(seen) <= 8
    assert policy_module.remember.__module__ == "schemarouter.compiler.graph"
