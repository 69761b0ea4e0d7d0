"""Every benchmark case that needs no other tool runs once, small; the plan is whole; times become the right words."""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
SMALL = {"rules": 10, "length": 16, "endpoints": 2, "processes": 4, "operations": 5, "patterns": 3, "edits": 3}


@pytest.fixture(scope="module")
def benchmarks() -> Iterator[Any]:
    """The folder as the package that it is in a worker, without what lies beside it."""
    spec = importlib.util.spec_from_file_location("bench_worker", FOLDER / "worker.py")
    assert spec is not None
    assert spec.loader is not None
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    before = set(sys.modules)
    worker.load_package()
    yield worker
    for name in set(sys.modules) - before:
        if name.split(".")[0] == "benchmarks":
            del sys.modules[name]


def module(name: str) -> Any:
    return importlib.import_module(f"benchmarks.{name}")


def small(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: min(value, SMALL[name]) if name in SMALL else value for name, value in arguments.items()}


def test_every_case_of_the_plan_exists_and_runs(benchmarks: Any) -> None:
    cases, values = module("sides.ours").CASES, module("sides.ours").VALUES
    asked: dict[str, Any] = {}
    for group in module("plan").groups():
        for entrant in (*group.entrants.values(), *group.agree, *group.values.values()):
            # What 0.17.0 is asked, through names that both have, runs here as well.
            if entrant.side in ("ours", "0.17.0"):
                asked[repr((entrant.case, small(entrant.arguments)))] = entrant
    assert len(asked) > 20
    used = set()
    for entrant in asked.values():
        used.add(entrant.case)
        arguments = small(entrant.arguments)
        if entrant.case in cases:
            timed = cases[entrant.case](**arguments)
            assert timed(1) > 0
            assert timed(2) > 0  # a case can be run again
        else:
            assert values[entrant.case](**arguments)
    assert used == set(cases) | set(values)


def test_every_question_to_the_analysis_exists_and_is_answered(benchmarks: Any) -> None:
    side = module("sides.questions")
    asked: dict[str, Any] = {}
    for group in module("plan").groups():
        for entrant in (*group.entrants.values(), *group.agree, *group.values.values()):
            if entrant.side == "analysis":
                asked[repr((entrant.case, small(entrant.arguments)))] = entrant
    for entrant in asked.values():
        arguments = small(entrant.arguments)
        if entrant.case in side.CASES:
            assert side.CASES[entrant.case](**arguments)(1) > 0
        else:
            side.VALUES[entrant.case](**arguments)
    assert {entrant.case for entrant in asked.values()} == set(side.CASES) | set(side.VALUES)


def test_the_questions_are_as_described(benchmarks: Any) -> None:
    questions = module("questions")
    dead = module("sides.questions").dead(200, "covered")
    assert 5 <= sum(dead) <= 19  # nearly each tenth, but for those whose calls another one took before
    assert len(questions.edited(questions.KINDS["typical"](100), 20)) >= 90
    for kind in ("mcp", "rest"):
        rules = questions.KINDS[kind](400)
        assert len({rule.operation for rule in rules}) == len(rules)
        assert rules == questions.KINDS[kind](400)


def test_sides_that_are_compared_decide_alike(benchmarks: Any) -> None:
    workload, ours = module("workload"), module("sides.ours")
    for mix in workload.MIXES:
        for size in (10, 90):
            rules = workload.policy(size, mix)
            names = [*workload.matched(rules), *islice(workload.fresh(rules), 200)]
            expected = [workload.first_match(rules, name) for name in names]
            assert ours.rule_numbers(size, mix) == [-1 if rule is None else rules.index(rule) for rule in expected]
            assert all(expected[: len(workload.matched(rules))]), "every one of these names has a rule"


def test_the_workload_is_the_same_everywhere_and_as_described(benchmarks: Any) -> None:
    workload = module("workload")
    rules = workload.policy(1_001)
    assert rules == workload.policy(1_001)
    shapes = [
        "exact" if "*" not in rule.operation else "infix" if re.fullmatch(r"\*.*\*", rule.operation) else
        "suffix" if rule.operation.startswith("*") else "prefix"
        for rule in rules[:-1]
    ]  # fmt: skip
    assert {shape: shapes.count(shape) for shape in set(shapes)} == {
        "exact": 600,
        "prefix": 300,
        "suffix": 50,
        "infix": 50,
    }
    assert len({rule.operation for rule in rules}) == len(rules)
    assert [rule for rule in rules if workload.first_match([rule], workload.LAST)] == [rules[-1]]
    names = [*islice(workload.fresh(rules), 20_000), *islice(workload.fresh(rules, seed=1), 20_000)]
    assert len(set(names)) == len(names)
    assert sum(workload.first_match(rules, name) is not None for name in names[:400]) >= 200


def test_results_say_what_was_measured(benchmarks: Any, tmp_path: Path) -> None:
    plan, report = module("parts"), module("report")
    group = plan.Group(
        "Section",
        "title",
        {},
        (
            plan.Ratio("twice", "slow", "fast", at_most=1.5),
            plan.Ratio("faster", "slow", "fast", at_least=2.0),
            plan.Ratio("no aim", "fast", "slow"),
            plan.Amount("each", "fast", 1e3, "ms", 5),
            plan.Amount("size", "memory", 1, "bytes", 100),
            plan.Growth("doubling", ("fast", "slow"), 2.2),
        ),
    )
    # One disturbed round, which a median does not see.
    times = {"slow": [0.002, 0.004, 0.9], "fast": [0.001, 0.002, 0.001]}
    rows = report.rows_of(group, times, {"memory": 120.0})
    assert [row.value for row in rows[:3]] == [2, 2, 0.5]
    assert [row.reached for row in rows] == [False, True, None, True, False, False]
    assert math.isclose(rows[5].value, 4)  # 4 ms to 1 ms in one step
    text = report.markdown(rows, {"Machine": "a test"})
    assert "| twice | 4 ms : 1 ms | 2 |" in text
    assert "| <= 1.5 | **no** |" in text
    assert "| size | 120 bytes | 120 bytes |" in text
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
    report.put_into(page, text)
    assert page.read_text(encoding="utf-8") == f"before\n{report.BEGIN}\n{text}{report.END}\nafter\n"
    page.write_text("no markers", encoding="utf-8")
    with pytest.raises(ValueError, match="no place"):
        report.put_into(page, text)


def test_a_worker_answers_requests(benchmarks: Any) -> None:
    worker = benchmarks.Worker("ours")
    answer = worker.answer({"do": "prepare", "id": "a", "case": "seen", "arguments": {"rules": 10}, "seconds": 0.0001})
    assert answer["loops"] >= 1
    assert worker.answer({"do": "round", "id": "a"})["seconds"] > 0
    assert worker.answer({"do": "value", "case": "rule_numbers", "arguments": {"rules": 10}})["value"]
    with pytest.raises(ValueError, match="unknown request"):
        worker.answer({"do": "guess"})


def test_versions_of_other_tools_are_pinned_with_hashes(benchmarks: Any) -> None:
    for name in module("environments").PEERS:
        text = (FOLDER / "locks" / f"{name}.txt").read_text(encoding="utf-8")
        entries = re.split(r"\n(?=\S)", text.strip())
        assert entries
        assert all(re.match(r"[\w.-]+==[\w.]+ ", entry) and "--hash=sha256:" in entry for entry in entries)
