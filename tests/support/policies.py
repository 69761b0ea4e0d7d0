"""Random policies and calls for property tests, and the same policy through every front end."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from schemarouter import ExecutionPolicy, PolicyRule
from schemarouter.compiler.artifact import dump_artifact, load_artifact
from schemarouter.compiler.compile import compile_policy, locations_of
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.document.reader import read_policy

OPERATIONS = ("a.x", "a.y", "b.x", "ab.x", "b.x.y")
PATTERNS = (*OPERATIONS, "a.*", "*.x", "*", "?.x", "[ab].x", "[!a].*", "*.[x-y]", "a*")
BOOLEANS = st.booleans()
SWITCH = st.none() | BOOLEANS
OPERATION = st.sampled_from(PATTERNS) | st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=2)

CONDITIONS: tuple[dict[str, Any], ...] = (
    {"n": {"type": "number", "maximum": 5}},
    {"n": {"minimum": 3}},
    {"n": {"enum": [1, "1"]}, "s": {"type": "string", "like": ["x*"]}},
    {"s": {"const": "x", "absent": False}},
    {"s": {"maxLength": 2, "absent": True}},
    {"/deep/n": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 2}]}},
)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "n": st.sampled_from([1, 4, 9, "1", None, 1.5, True]),
        "s": st.sampled_from(["x", "xyz", "", 3]),
        "deep": st.sampled_from([{}, {"n": None}, {"n": 2}, {"n": 1.5}, 7]),
    },
)


@st.composite
def predicates(draw: st.DrawFn) -> dict[str, Any]:
    """Predicates that do not contradict each other, and conditions now and then."""
    when: dict[str, Any] = {"remote": draw(SWITCH), "destructive": draw(SWITCH)}
    if draw(BOOLEANS):
        when["read_only"] = draw(SWITCH)
    else:
        when["unclassified"] = draw(SWITCH)
    when = {name: value for name, value in when.items() if value is not None}
    if draw(st.integers(0, 2)) == 0:
        when["arguments"] = draw(st.sampled_from(CONDITIONS))
    return when


@st.composite
def rules(draw: st.DrawFn) -> list[dict[str, Any]]:
    made = []
    for number in range(draw(st.integers(0, 6))):
        rule = {"operation": draw(OPERATION), "effect": draw(st.sampled_from(["allow", "deny", "require_approval"]))}
        if draw(BOOLEANS):
            rule["name"] = f"rule-{number}"
        if draw(st.integers(0, 3)) == 0:
            rule["reason"] = "because so"
        when = draw(predicates())
        made.append(rule | {"when": when} if when else rule)
    return made


@st.composite
def policies(draw: st.DrawFn, *, classify: bool = True) -> dict[str, Any]:
    """A policy as the data of a policy file."""
    policy: dict[str, Any] = {"version": 1, "rules": draw(rules())}
    policy["defaults"] = draw(
        st.fixed_dictionaries(
            {}, optional=dict.fromkeys(("allow_mutations", "allow_destructive", "allow_unclassified_remote"), BOOLEANS)
        )
    )
    policy["approval"] = {"mode": draw(st.sampled_from(["never", "non_read_only", "all"]))}
    if classify:
        entry = st.fixed_dictionaries(
            {"operation": OPERATION}, optional={"read_only": BOOLEANS, "destructive": BOOLEANS}
        ).filter(lambda one: len(one) > 1)
        policy["classify"] = draw(st.lists(entry, max_size=2))
    return policy


CALLS = st.fixed_dictionaries(
    {
        "operation": st.sampled_from(OPERATIONS),
        "remote": BOOLEANS,
        "read_only": SWITCH,
        "destructive": SWITCH,
        "arguments": ARGUMENTS,
    }
)


def from_text(policy: dict[str, Any], path: str = "policy.yaml") -> EvaluationGraph:
    """The graph of a policy that is written down (JSON is YAML) and read."""
    return from_yaml(json.dumps(policy, indent=1), path)


def from_yaml(text: str, path: str = "policy.yaml", text_format: Any = "yaml") -> EvaluationGraph:
    result = read_policy(text, path, text_format)
    assert result.document is not None, result.findings
    assert result.source is not None
    return compile_policy(result.document, locations=locations_of(result.document, result.source))


def from_artifact(policy: dict[str, Any]) -> EvaluationGraph:
    return load_artifact(dump_artifact(from_text(policy)))


def from_python(policy: dict[str, Any]) -> ExecutionPolicy:
    """The same policy, built from objects; without ``classify``, which only files have."""
    return ExecutionPolicy(
        **policy["defaults"],
        approval_mode=policy["approval"]["mode"],
        rules=[
            PolicyRule(
                effect=rule["effect"],
                operation=rule["operation"],
                name=rule.get("name"),
                reason=rule.get("reason"),
                **rule.get("when", {}),
            )
            for rule in policy["rules"]
        ],
    )
