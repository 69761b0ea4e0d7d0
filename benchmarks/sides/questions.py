"""Our exact analysis: each case on a graph that was just compiled, with nothing remembered from the question before."""

from __future__ import annotations

import time
import tracemalloc
from functools import cache
from typing import Any, NamedTuple

from benchmarks.questions import KINDS, PURGE, edited, hostile
from benchmarks.timing import Timed, asked
from benchmarks.workload import Rule, first_match, yaml_text
from schemarouter import EvaluationGraph, compile_policy
from schemarouter.analysis import implication, words
from schemarouter.analysis.diff import diff_policies
from schemarouter.analysis.query import ask
from schemarouter.analysis.reach import RULE_STEPS, Unreachable, reach
from schemarouter.analysis.redundancy import redundant
from schemarouter.analysis.search import Undecided, Work
from schemarouter.analysis.view import build_views
from schemarouter.document.reader import read_policy
from schemarouter.lint.check import check_policy
from schemarouter.lint.exact import Analysis

_PATH = "benchmark.policy.yaml"


@cache
def _document(rules: tuple[Rule, ...]) -> Any:
    document, _, _ = read_policy(yaml_text(list(rules)), _PATH, "yaml")
    assert document is not None
    return document


def _graph(rules: list[Rule]) -> EvaluationGraph:
    """A new graph, as in a process that was just started: what the analysis remembers beside it is forgotten."""
    for module in (words, implication):
        for thing in vars(module).values():
            if hasattr(thing, "cache_clear"):
                thing.cache_clear()
    return compile_policy(_document(tuple(rules)))


def _pair(rules: int, kind: str, edits: int, other: str) -> tuple[list[Rule], list[Rule]]:
    before = KINDS[kind](rules)
    return before, edited(before, edits) if edits else KINDS[other](rules)


def compiled(rules: int, kind: str) -> Timed:
    """What all others are compared with: a document to its graph."""
    policy = KINDS[kind](rules)
    document = _document(tuple(policy))
    return asked(lambda _: compile_policy(document), lambda: None)


def matched_once(rules: int, kind: str) -> Timed:
    """The least that an answer by trying could cost: the name that each rule stands for, looked up by a loop over `fnmatch`."""
    policy = KINDS[kind](rules)
    names = [rule.operation.replace("*", "x").replace("?", "x") for rule in policy]
    return asked(lambda _: [first_match(policy, name) for name in names], lambda: None)


def unreachable(rules: int, kind: str) -> Timed:
    """Every rule that can decide no call, with the rules that take its calls."""
    policy = KINDS[kind](rules)
    return asked(lambda graph: Analysis(graph).dead, lambda: _graph(policy))


def redundancies(rules: int, kind: str) -> Timed:
    """The same, and every rule that could be left out."""
    policy = KINDS[kind](rules)
    return asked(lambda graph: Analysis(graph).redundant, lambda: _graph(policy))


def whole_check(rules: int, kind: str) -> Timed:
    """Text to findings, all lint rules, the exact ones included."""
    policy = KINDS[kind](rules)
    text = yaml_text(policy)
    return asked(lambda _: check_policy(text, _PATH, "yaml"), lambda: _graph(policy))


def difference(rules: int, kind: str, edits: int = 0, other: str = "unrelated") -> Timed:
    """What changed after so many edits, or to the policy of another kind."""
    before, after = _pair(rules, kind, edits, other)
    return asked(lambda graphs: diff_policies(*graphs), lambda: (_graph(before), _graph(after)))


def question(rules: int, kind: str) -> Timed:
    """A question whose answer is no."""
    policy = KINDS[kind](rules)
    assert ask(_graph(policy), PURGE).answer == "no"
    return asked(lambda graph: ask(graph, PURGE), lambda: _graph(policy))


def undecided(rules: int, kind: str, other: str = "unrelated") -> float:
    """How many questions of all the above stay without an answer."""
    graph = _graph(KINDS[kind](rules))
    analysis = Analysis(graph)
    assert analysis.dead is not None
    assert analysis.redundant is not None
    count = sum(map(len, analysis.gaps.values()))
    count += sum(one.code == "SR903" for one in check_policy(yaml_text(KINDS[kind](rules)), _PATH, "yaml").findings)
    count += sum(len(diff_policies(*map(_graph, _pair(rules, kind, edits, other))).undecided) for edits in (1, 20, 0))
    return float(count + (ask(graph, PURGE).answer == "undecided"))


def peak(rules: int, kind: str, edits: int = 0, other: str = "unrelated") -> float:
    """The most bytes that are allocated at once while two policies are compiled and compared."""
    before, after = _pair(rules, kind, edits, other)
    diff_policies(_graph(before[:2]), _graph(after[:2]))  # what is imported on first use counts for neither
    _document(tuple(before)), _document(tuple(after))
    tracemalloc.start()
    try:
        diff_policies(_graph(before), _graph(after))
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def dead(rules: int, kind: str) -> list[bool]:
    """For each rule whether it can decide no call."""
    found = Analysis(_graph(KINDS[kind](rules)))
    assert not found.gaps
    return [number in found.dead for number in range(rules)]


class _Worst(NamedTuple):
    seconds: float
    steps: int
    undecided: int


@cache
def _worst(name: str, patterns: int) -> _Worst:
    graph = _graph(hostile(name, patterns))
    analysis = Analysis(graph)
    (view,) = build_views(graph)
    gone: set[int] = set()
    worst = _Worst(0.0, 0, 0)
    for rule in range(len(view.rules)):
        work = Work(RULE_STEPS)
        start = time.process_time()
        answer = reach(view, rule, work)
        if isinstance(answer, Unreachable):
            gone.add(rule)
        further = redundant(view, rule, work, gone, analysis.overlaps)
        taken = time.process_time() - start
        open_ = sum(isinstance(one, Undecided) for one in (answer, further))
        worst = _Worst(
            max(worst.seconds, taken), max(worst.steps, RULE_STEPS - max(work.left, 0)), worst.undecided + open_
        )
    return worst


def worst_seconds(name: str, patterns: int) -> float:
    """The time of the slowest rule of a family: whether it can decide, and could be left out."""
    return _worst(name, patterns).seconds


def worst_steps(name: str, patterns: int) -> float:
    """The steps of the rule with the most."""
    return float(_worst(name, patterns).steps)


def worst_undecided(name: str, patterns: int) -> float:
    """Questions about the rules of a family that stay without an answer."""
    return float(_worst(name, patterns).undecided)


CASES = {
    "analysis_compiled": compiled,
    "analysis_matched_once": matched_once,
    "unreachable": unreachable,
    "redundancies": redundancies,
    "whole_check": whole_check,
    "difference": difference,
    "question": question,
}
VALUES = {
    "undecided": undecided,
    "difference_peak": peak,
    "dead": dead,
    "worst_seconds": worst_seconds,
    "worst_steps": worst_steps,
    "worst_undecided": worst_undecided,
}
