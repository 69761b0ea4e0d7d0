"""One meaning, one digest (SPEC 10); another meaning, another digest."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal

import pytest
from hypothesis import given, settings

from schemarouter import ExecutionPolicy, PolicyRule
from schemarouter.compiler.compile import compile_policy, decimal_text
from schemarouter.compiler.digest import canonical, digest_of, digest_of_text, semantic
from schemarouter.document.v1 import PolicyDocument
from support.policies import from_artifact, from_text, from_yaml, policies

BASE = """\
version: 1
name: pay
rules:
  - name: refunds
    operation: pay.refund
    effect: allow
    when:
      arguments: {amount: {type: number, maximum: 15}, to: {enum: [a, b]}}
budget: {max_elapsed_seconds: 15, cost_units: {"*": 0.25, pay: 2}}
retry: {max_attempts: 2}
"""
SAME = {
    "comments and space": BASE.replace("name: pay\n", "# by the team\n\nname:   pay   # of ours\n"),
    "key order": """\
retry: {max_attempts: 2}
budget: {cost_units: {pay: 2, "*": 0.25}, max_elapsed_seconds: 15}
rules:
  - when:
      arguments: {to: {enum: [a, b]}, amount: {maximum: 15, type: number}}
    effect: allow
    operation: pay.refund
    name: refunds
name: pay
version: 1
""",
    "numbers": BASE.replace("maximum: 15", "maximum: 15.0").replace("seconds: 15", "seconds: 15.0"),
    "weights": BASE.replace("0.25", "0.250").replace("pay: 2", "pay: 2.0"),
    "a list of one": BASE.replace("operation: pay.refund", "operation: [pay.refund]"),
    "defaults written out": BASE
    + "defaults: {allow_mutations: false, allow_destructive: false}\napproval: {mode: never}\nclassify: []\n"
    + "hooks: {before_call: []}\ninvariants: []\n",
    "null for nothing": BASE.replace("retry: {max_attempts: 2}", "retry: {max_attempts: 2, backoff_multiplier: 2}"),
    "block style": BASE.replace("operation: pay.refund", "operation:\n      - 'pay.refund'"),
}
OTHER = {
    "name": BASE.replace("name: pay", "name: pays"),
    "rule name": BASE.replace("name: refunds", "name: refund"),
    "pattern": BASE.replace("pay.refund", "pay.refunds"),
    "effect": BASE.replace("effect: allow", "effect: deny"),
    "reason": BASE.replace("effect: allow", "effect: allow\n    reason: so"),
    "predicate": BASE.replace("when:\n", "when:\n      remote: true\n"),
    "condition": BASE.replace("maximum: 15", "maximum: 15.5"),
    "weight": BASE.replace("0.25", "0.26"),
    "limit": BASE.replace("seconds: 15", "seconds: 16"),
    "retry": BASE.replace("max_attempts: 2", "max_attempts: 3"),
    "no retry": BASE.replace("retry: {max_attempts: 2}\n", ""),
    "default": BASE + "defaults: {allow_mutations: true}\n",
    "mode": BASE + "approval: {mode: all}\n",
    "callback": BASE + "approval: {callback: ops}\n",
    "classification": BASE + "classify: [{operation: a.b, read_only: true}]\n",
    "hook": BASE + "hooks: {before_call: [audit]}\n",
    "hook slot": BASE + "hooks: {after_call: [audit]}\n",
    "invariant": BASE + 'invariants: [{name: a, never: "destructive remote allow"}]\n',
    "rule order": BASE.replace("rules:\n", "rules:\n  - {name: first, operation: a.b, effect: deny}\n"),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_the_same_meaning_has_the_same_digest(text: str) -> None:
    assert text != BASE
    assert from_yaml(text) == from_yaml(BASE)
    assert from_yaml(text).digest == from_yaml(BASE).digest


def test_another_meaning_has_another_digest() -> None:
    graphs = {name: from_yaml(text) for name, text in OTHER.items()} | {"base": from_yaml(BASE)}
    assert len({graph.digest for graph in graphs.values()}) == len(graphs)


def test_toml_says_the_same() -> None:
    toml = """\
version = 1
name = "pay"
[[rules]]
name = "refunds"
operation = "pay.refund"
effect = "allow"
[rules.when.arguments]
amount = {type = "number", maximum = 15}
to.enum = ["a", "b"]
[budget]
max_elapsed_seconds = 15
cost_units = {"*" = 0.25, pay = 2}
[retry]
max_attempts = 2
"""
    assert from_yaml(toml, "policy.toml", "toml") == from_yaml(BASE)


def test_python_says_the_same() -> None:
    built = ExecutionPolicy(
        rules=[PolicyRule("allow", "a.b", "one", reason="so", arguments={"n": {"maximum": 15.0}}, remote=True)]
    )
    text = "version: 1\nrules: [{name: one, operation: [a.b], effect: allow, reason: so, when: {remote: true, arguments: {n: {maximum: 15}}}}]"
    assert built.graph == from_yaml(text)


def test_examples_are_checked_and_not_part_of_the_policy() -> None:
    assert from_yaml(BASE.replace("effect: allow", "effect: allow\n    examples: {ignores: [a.b]}")) == from_yaml(BASE)


@settings(max_examples=60, deadline=None)
@given(policies())
def test_a_graph_survives_its_artifact_and_its_text(policy: dict[str, object]) -> None:
    graph = from_text(policy)
    assert from_artifact(policy).digest == graph.digest
    text = canonical(semantic(graph.content))
    assert text.isascii()
    assert canonical(json.loads(text)) == text
    assert digest_of(graph.content) == graph.digest
    assert from_text(dict(reversed(policy.items()))) == graph


@pytest.mark.parametrize("size", [0, 1, 1000, 256 * 1024 - 1, 256 * 1024, 300_000])
def test_digests_are_sha_256_whichever_implementation_is_used(size: int) -> None:
    assert digest_of_text("a" * size) == hashlib.sha256(b"a" * size).hexdigest()


def test_the_digest_is_stable_across_releases() -> None:
    """Pinned digests of users break when this one changes: then raise ``digest.FORMAT_VERSION``."""
    assert from_yaml("version: 1").digest == PINNED


PINNED = "6ea7f46a0e5291c54a882a57a1edcb952a2a7a275d1101ea8a2cf39884a1db36"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (0.0, "0"), (Decimal("0.000"), "0"), (-0.0, "0"), (1, "1"), (10, "10"), (100, "100"), (1.50, "1.5"),
        (Decimal("0.250"), "0.25"), (Decimal("1E+2"), "100"), (0.1, "0.1"), (1e-7, "0.0000001"),
        (Decimal("1E+100"), "1E+100"), (Decimal("1.50E-60"), "1.5E-60"),
        (Decimal("0.1234567890123456789012345678901234567"), "0.1234567890123456789012345678901234567"),
    ],
)  # fmt: skip
def test_weights_have_one_text(value: float | Decimal, text: str) -> None:
    assert decimal_text(value) == text
    assert Decimal(text) == Decimal(str(value))


def test_compile_takes_documents_only_and_says_what_to_use() -> None:
    with pytest.raises(TypeError, match="load_policy takes a path or text"):
        compile_policy("policy.yaml")  # type: ignore[arg-type]  # that is what is tested
    assert compile_policy(PolicyDocument(version=1)).digest == PINNED
