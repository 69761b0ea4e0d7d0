"""Mutants of policies: which there are, which tests notice, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemarouter.analysis.diff import diff_policies
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.loading import compile_text
from schemarouter.testkit import run_tests
from schemarouter.testkit.mutants import OPERATORS, mutants, widened
from schemarouter.testkit.mutation import mutate
from schemarouter.testkit.suite import Suite

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "tests" / "corpus" / "testkit"
POLICY = """\
version: 1
approval: {mode: all, callback: ops}
classify: [{operation: "notes.*", read_only: true}]
rules:
  - {name: reads, operation: [jobs.get, "jobs.list_*"], effect: allow, when: {read_only: true}}
  - {name: drops, operation: jobs.drop, effect: deny}
  - {name: asks, operation: "jobs.*", effect: require_approval, when: {arguments: {n: {type: integer}}}}
budget: {max_tool_calls: 3, max_cost_units: 1.5, per_tool_calls: {jobs: 2}}
retry: {max_attempts: 2}
hooks: {before_call: [audit]}
"""


def graph_of(text: str) -> EvaluationGraph:
    graph = compile_text(text, "policy.yaml", "yaml").graph
    assert graph is not None
    return graph


def test_every_mutant_of_a_policy() -> None:
    found = [(mutant.kind, mutant.change) for mutant in mutants(graph_of(POLICY))]
    assert found == [
        ("flip-effect", "rule `reads`: `allow` becomes `deny`"),
        ("flip-effect", "rule `drops`: `deny` becomes `allow`"),
        ("flip-effect", "rule `asks`: `require_approval` becomes `allow`"),
        ("drop-rule", "rule `reads` is left out"),
        ("drop-rule", "rule `drops` is left out"),
        ("drop-rule", "rule `asks` is left out"),
        ("swap-rules", "rule `reads` and rule `drops` change places"),
        ("swap-rules", "rule `drops` and rule `asks` change places"),
        ("widen-pattern", "rule `reads`: `jobs.get` becomes `jobs.*`"),
        ("widen-pattern", "rule `reads`: `jobs.list_*` becomes `jobs.*`"),
        ("widen-pattern", "rule `drops`: `jobs.drop` becomes `jobs.*`"),
        ("widen-pattern", "rule `asks`: `jobs.*` becomes `*`"),
        ("drop-predicate", "rule `reads`: the predicate `read_only` is left out"),
        ("drop-conditions", "rule `asks`: the argument conditions are left out"),
        ("drop-classification", "`classify` entry 1 is left out"),
        ("lift-guard", "`allow_mutations` becomes true"),
        ("lift-guard", "`allow_destructive` becomes true"),
        ("lift-guard", "`allow_unclassified_remote` becomes true"),
        ("weaken-mode", "the approval mode `all` becomes `non_read_only`"),
        ("raise-limit", "`max_tool_calls` becomes 4"),
        ("raise-limit", "`max_cost_units` becomes 2.5"),
        ("raise-limit", "`per_tool_calls` of `jobs` becomes 3"),
        ("raise-limit", "`max_attempts` of `retry` becomes 3"),
        ("raise-limit", "`retry_non_read_only` becomes true"),
        ("drop-hook", "the hook `audit` of `before_call` is left out"),
    ]
    assert {kind for kind, _ in found} == {operator.kind for operator in OPERATORS}


def test_a_mutant_says_which_rule_is_which() -> None:
    graph = graph_of(POLICY)
    for mutant in mutants(graph):
        content, order = mutant.make()
        origin = order if order is not None else tuple(range(len(graph.rules)))
        assert len(origin) == len(content.rules)
        for rule, number in zip(content.rules, origin, strict=True):
            assert rule.name == graph.rules[number].name


@pytest.mark.parametrize(
    ("pattern", "wider"),
    [
        ("jobs.get", "jobs.*"),
        ("jobs.delete_draft*", "jobs.delete_*"),
        ("jobs.delete_*", "jobs.*"),
        ("jobs.*", "*"),
        ("*", None),
        ("**", None),
        ("jobs", "*"),
        ("a.b/c-d", "a.b/c-*"),
        ("*.delete", "*"),
        ("jobs.[gs]et", "*"),
    ],
)
def test_a_wider_pattern(pattern: str, wider: str | None) -> None:
    assert widened(pattern) == wider


def test_without_tests_nothing_is_noticed_and_equivalent_mutants_do_not_count() -> None:
    graph = graph_of(POLICY)
    suite = Suite("policy.yaml", graph, ())
    report = mutate(suite, None)
    every = list(mutants(graph))
    equal = [one for one in every if not diff_policies(graph, EvaluationGraph(one.make().content)).changes]
    assert (report.total, report.killed, report.skipped) == (len(every), 0, 0)
    assert report.equivalent == len(equal)
    assert len(report.unnoticed) == len(every) - len(equal) == report.counted


def test_a_mutant_that_is_shown_decides_its_call_otherwise() -> None:
    graph = graph_of(POLICY)
    suite = Suite("policy.yaml", graph, ())
    by_change = {mutant.change: mutant for mutant in mutants(graph)}
    shown = 0
    for one in mutate(suite, None).unnoticed:
        assert one.change is not None
        call = one.change.witness
        if call is None or one.change.kind != "decision":
            continue
        shown += 1
        attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
        other = EvaluationGraph(by_change[one.description].make().content)
        assert graph.outcome(*attributes) == one.change.before
        assert other.outcome(*attributes) == one.change.after
        assert one.change.before != one.change.after
    assert shown > 8


def test_of_too_many_mutants_some_are_tried_and_it_is_said() -> None:
    suite = Suite("policy.yaml", graph_of(POLICY), ())
    report = mutate(suite, None, most=5)
    assert (report.total, report.skipped) == (25, 20)
    assert report.equivalent + len(report.unnoticed) == 5


def test_what_is_undecided_is_listed() -> None:
    suite = Suite("policy.yaml", graph_of(POLICY), ())
    stopped = mutate(suite, None, cancelled=lambda: True)
    assert stopped.skipped == stopped.total


def test_undecided_mutants_count_as_not_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schemarouter.testkit.mutation._STEPS", 1)
    suite = Suite("policy.yaml", graph_of(POLICY), ())
    report = mutate(suite, None)
    undecided = [one for one in report.unnoticed if one.fate == "undecided"]
    assert undecided
    assert all(one.reason and one.change is None for one in undecided)
    assert report.counted == len(report.unnoticed)


def test_what_fails_is_not_mutated() -> None:
    report = run_tests(CORPUS / "run" / "failing.test.yaml", mutate=True)
    assert report.failed
    assert report.policies[0].mutation is None


def test_the_place_of_a_mutant() -> None:
    report = run_tests(CORPUS / "run" / "passing.test.yaml", mutate=True)
    mutation = report.policies[0].mutation
    assert mutation is not None
    text = (CORPUS / "policy.yaml").read_text("utf-8").splitlines()
    for one in mutation.unnoticed:
        line = text[one.span.line - 1]
        if one.kind == "widen-pattern":
            assert one.description.split("`")[3] in line
        assert line.strip()
