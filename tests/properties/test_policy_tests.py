"""Policy tests against the definition: what the oracle says passes, anything else fails, and mutants are what they seem."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from oracle.decision import decide
from schemarouter.analysis.diff import diff_policies
from schemarouter.compiler.content import read_content
from schemarouter.compiler.digest import canonical, semantic
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.match.classes import CLASSES
from schemarouter.testkit import run_tests
from schemarouter.testkit.decisions import DecisionTest, Subject, labels_of
from schemarouter.testkit.mutants import mutants
from schemarouter.testkit.mutation import mutate
from schemarouter.testkit.suite import Suite
from support.random_policies import ANSWERS, graph, policy, words

WORDS = tuple(words(4))
OTHER = {"allow": "deny", "approval": "allow", "deny": "approval"}


def case(document: dict, choose: random.Random) -> dict:
    """A case that the definition says is true: sometimes with the rule, sometimes with arguments."""
    remote, read_only, destructive = choose.choice([one for one in CLASSES if one[2] is not None])
    arguments = choose.choice([None, {}, {"x": choose.choice(ANSWERS), "y": choose.choice(ANSWERS)}])
    call = {
        "operation": choose.choice(WORDS),
        "remote": remote,
        "read_only": read_only,
        "destructive": destructive,
        "arguments": arguments,
    }
    outcome, index, _ = decide(document, call)
    made = {key: value for key, value in call.items() if value is not None}
    if read_only is None:
        made["unclassified"] = True
    rule = "default" if index is None else document["rules"][index]["name"]
    return {**made, "outcome": outcome, "rule": rule, "name": f"{index}"}


def write(folder: Path, document: dict, cases: list[dict]) -> Path:
    (folder / "policy.yaml").write_text(json.dumps(document), "utf-8")
    path = folder / "policy.test.yaml"
    path.write_text(json.dumps({"version": 1, "cases": cases}), "utf-8")
    return path


@pytest.mark.parametrize("block", range(6))
def test_what_the_definition_says_passes_and_nothing_else(block: int, tmp_path: Path) -> None:
    for seed in range(block * 25, block * 25 + 25):
        choose = random.Random(seed)
        document = policy(seed, conditions=bool(seed % 2))
        cases = [case(document, choose) for _ in range(12)]
        path = write(tmp_path, document, cases)
        report = run_tests(path)
        assert report.ok, (seed, str(report))
        named = {int(one["name"]) for one in cases if one["name"] != "None"}
        assert {row.number for row in report.policies[0].coverage.rules if row.covered} == named
        wrong = choose.randrange(len(cases))
        changed = [dict(one) for one in cases]
        if choose.random() < 0.5:
            changed[wrong]["outcome"] = OTHER[changed[wrong]["outcome"]]
        else:
            names = ["default", *(rule["name"] for rule in document["rules"])]
            changed[wrong]["rule"] = choose.choice([name for name in names if name != changed[wrong]["rule"]])
        results = run_tests(write(tmp_path, document, changed)).results
        assert [number for number, result in enumerate(results) if not result.ok] == [wrong], seed


def exhaustive(compiled: EvaluationGraph) -> list[DecisionTest]:
    """A test of the outcome, and of nothing else, of every call over a small alphabet, by the definition's own words."""
    labels = labels_of(compiled)
    return [
        DecisionTest(
            word, "x", 1, 1, word, (attributes,), {}, compiled.outcome(word, *attributes, {}), None, None, labels
        )
        for word in WORDS[::3]
        for attributes in CLASSES[::2]
    ]


@pytest.mark.parametrize("block", range(6))
def test_mutants_are_noticed_exactly_if_they_decide_otherwise(block: int) -> None:
    for seed in range(block * 6, block * 6 + 6):
        compiled = graph(policy(seed, conditions=bool(seed % 2)))
        tests = exhaustive(compiled)
        killed = 0
        for mutant in mutants(compiled):
            content, order = mutant.make()
            other = EvaluationGraph(content)
            again = read_content(json.loads(canonical(semantic(content))), None)
            assert EvaluationGraph(again) == other, "a mutant is a policy that could have been written"
            origin = order if order is not None else range(len(compiled.rules))
            noticed = any(not v.result.ok for test in tests for v in test.run(Subject(other, origin)))
            killed += noticed
            found = diff_policies(compiled, other)
            if noticed:
                assert any(change.kind == "decision" for change in found.changes), (seed, mutant.change)
        report = mutate(Suite("x", compiled, tests), None)
        assert report.killed == killed, "of the tests, only those are left out that cannot come out otherwise"
        assert report.killed + report.equivalent + len(report.unnoticed) == report.total
        for one in report.unnoticed:
            call = one.change.witness if one.change is not None and one.change.kind == "decision" else None
            if call is not None and call.arguments is None:
                tested = {(test.operation, test.classes[0]) for test in tests}
                assert (call.operation, (call.remote, call.read_only, call.destructive)) not in tested
