"""What is denied always is denied for every argument: held against the graph itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter import load_policy
from schemarouter.integrations.mcp_proxy.verdicts import Attributes, always_denied, verdict

CONDITIONS = st.sampled_from(
    [
        None,
        {"x": {"type": "integer", "maximum": 3}},
        {"x": {"const": 1}},
        {"x": {"type": "string"}},
        {"y": {"enum": ["a"]}},
        {"x": {"type": "integer", "minimum": 2}},
    ]
)
EFFECTS = st.sampled_from(["allow", "deny", "require_approval"])
RULES = st.lists(st.tuples(EFFECTS, st.sampled_from(["s.t", "s.*", "s.u"]), CONDITIONS), max_size=4)
ARGUMENTS: list[dict[str, Any]] = [
    {},
    *({"x": value} for value in (1, 2, 3, 4, "a", None, 1.5, [1])),
    *({"x": 1, "y": value} for value in ("a", "b", 3)),
]


@given(RULES, st.booleans(), st.sampled_from([None, True, False]), st.sampled_from([None, True, False]))
def test_always_denied_is_denied_for_all(rules: Any, opened: bool, reads: bool | None, destroys: bool | None) -> None:
    written = [
        {"effect": effect, "operation": operation, **({} if when is None else {"when": {"arguments": when}})}
        for effect, operation, when in rules
    ]
    import json

    graph = load_policy(
        json.dumps({"version": 1, "defaults": {"allow_unclassified_remote": opened}, "rules": written})
    ).graph
    call = Attributes("s.t", True, reads, destroys)
    outcomes = {graph.outcome(*call, arguments) for arguments in ARGUMENTS}
    denied = always_denied(graph, call)
    if denied is not None:
        assert outcomes == {"deny"}
        assert denied.reason
    elif all(when is None for _, _, when in rules):
        assert outcomes != {"deny"}  # where nothing is conditional, it is exact
    found = verdict(graph, call)
    assert found == "depends" or outcomes == {found}
    assert (found == "deny") == (denied is not None)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("", "deny"),
        ("{operation: s.t, effect: allow}", "allow"),
        ("{operation: s.t, effect: require_approval}", "approval"),
        ("{operation: s.t, effect: allow, when: {arguments: {x: {const: 1}}}}", "depends"),
        ("{operation: s.t, effect: deny, when: {arguments: {x: {const: 1}}}}", "deny"),
        (
            "{operation: s.t, effect: deny, when: {arguments: {x: {const: 1}}}}, {operation: s.t, effect: allow}",
            "depends",
        ),
        ("{operation: s.t, effect: deny, when: {arguments: {x: {const: 1}}}}, {operation: s.*, effect: deny}", "deny"),
    ],
)
def test_verdicts(rules: str, expected: str) -> None:
    graph = load_policy(f"version: 1\nrules: [{rules}]\n").graph
    assert verdict(graph, Attributes("s.t", True, None, None)) == expected
