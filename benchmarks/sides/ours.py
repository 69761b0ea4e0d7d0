"""Our own build, from its wheel: decisions, loading, size. What it shares with 0.17.0 stands in `policies` and `calls`."""

from __future__ import annotations

import tempfile
import tracemalloc
from functools import cache
from itertools import islice, repeat
from pathlib import Path

from benchmarks.sides.baselines import CASES as BASELINES
from benchmarks.sides.calls import CASES as CALLS
from benchmarks.sides.documents import CASES as DOCUMENTS
from benchmarks.sides.documents import VALUES as DOCUMENT_VALUES
from benchmarks.sides.policies import CASES as POLICIES
from benchmarks.sides.policies import VALUES as POLICY_VALUES
from benchmarks.sides.stores import CASES as STORES
from benchmarks.timing import Timed, made, over
from benchmarks.workload import LAST, Rule, fresh, matched, policy, toml_text, yaml_text
from schemarouter import EvaluationGraph, ExecutionPolicy, PolicyRule, compile_policy, load_policy
from schemarouter.compiler.artifact import dump_artifact, load_artifact
from schemarouter.document.reader import read_policy

_FOLDER = tempfile.TemporaryDirectory(prefix="schemarouter-bench-")
#: Patterns that are made to be slow elsewhere: (pattern number -> pattern), and the name that is read, by its length.
#: What each needs does occur in the name, so that no short cut can leave it out.
HOSTILE = {
    "many-star": (lambda n: "*aaaaaaaa" * 3 + f"*b{n}", lambda length: "a" * length),
    "infix": (lambda n: f"*abababab*{n}*", lambda length: "ab" * (length // 2)),
    "question": (lambda n: f"*a?????????b{n}", lambda length: "a" * length),
    "bracket": (lambda n: f"*[a-z]*[!b]*x{n}*", lambda length: "ax" * (length // 2)),
}


@cache
def policy_file(rules: int, kind: str) -> str:
    """The path of a policy file of ``kind`` ``yaml``, ``toml`` or ``json``, a compiled artifact."""
    path = Path(_FOLDER.name, f"{rules}.policy.{kind}")
    if kind == "json":
        path.write_bytes(dump_artifact(load_policy(policy_file(rules, "yaml")).graph))
    else:
        text = yaml_text if kind == "yaml" else toml_text
        path.write_text(text(policy(rules)), encoding="utf-8")
    return str(path)


def graph_of(rules: list[Rule]) -> EvaluationGraph:
    return ExecutionPolicy(
        rules=tuple(PolicyRule(name=rule.name, operation=rule.operation, effect=rule.effect) for rule in rules)
    ).graph


def new(rules: int, mix: str = "typical") -> Timed:
    """Operations that were never seen before, straight on the graph."""
    policy_rules = policy(rules, mix)
    decide = graph_of(policy_rules).decide
    return over(fresh(policy_rules), lambda name: decide(name, False, True, None))


def hostile(family: str, rules: int, length: int) -> Timed:
    """A long name that is too long to be remembered, or is forgotten, read by patterns that are made to be slow."""
    make, name = HOSTILE[family]
    index = graph_of([Rule(f"rule-{n}", make(n), "deny") for n in range(rules)])
    text = name(length)
    return over(repeat(text), index.matching)


def load(rules: int, kind: str) -> Timed:
    """A file to a policy, and its first decision."""
    path = policy_file(rules, kind)

    def load_and_decide() -> object:
        loaded = load_policy(path)
        return loaded, loaded.graph.decide(LAST, False, True, None)

    return made(load_and_decide)


def compile_document(rules: int) -> Timed:
    """A typed document to its graph."""
    document, _, _ = read_policy(yaml_text(policy(rules)), "benchmark.policy.yaml", "yaml")
    assert document is not None
    return made(lambda: compile_policy(document))


def bytes_per_rule(rules: int) -> float:
    """What a graph holds after it has decided 1,000 operations, which are remembered: strings, positions and index included."""
    data = Path(policy_file(rules, "json")).read_bytes()
    names = list(islice(fresh(policy(rules)), 1000))
    load_artifact(data).decide(LAST, False, True, None)  # what is imported on first use is not the graph's
    tracemalloc.start()
    try:
        graph = load_artifact(data)
        for name in names:
            graph.decide(name, False, True, None)
        return tracemalloc.get_traced_memory()[0] / rules
    finally:
        tracemalloc.stop()


def rule_numbers(rules: int, mix: str = "typical") -> list[int]:
    """Which rule decides, for names that the policy is about and for others; -1 where none does."""
    policy_rules = policy(rules, mix)
    graph = graph_of(policy_rules)
    found = []
    for name in (*matched(policy_rules), *islice(fresh(policy_rules), 200)):
        index = graph.decide(name, False, True, None).rule_index
        found.append(-1 if index is None else index)
    return found


CASES = {
    **POLICIES,
    **CALLS,
    **BASELINES,
    **STORES,
    **DOCUMENTS,
    "new": new,
    "hostile": hostile,
    "load": load,
    "compile_document": compile_document,
}
VALUES = {**POLICY_VALUES, **DOCUMENT_VALUES, "bytes_per_rule": bytes_per_rule, "rule_numbers": rule_numbers}
