"""The security case is reproduced: the tables in the documentation are what a replay gives, and the aims are reached."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemarouter.lint.check import check_policy

ROOT = Path(__file__).parents[2]
ORIGINAL = ROOT.parent / "shared" / "data" / "traces" / "agentdojo_dev.json"


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    spec = importlib.util.spec_from_file_location("security_case", ROOT / "benchmarks" / "agentdojo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["security_case"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["security_case"]


@pytest.fixture(scope="module")
def reports(bench: Any) -> Any:
    return bench.reports()


def test_the_tables_in_the_documentation_are_those_of_now(bench: Any, reports: Any) -> None:
    text = bench.DOCUMENT.read_text("utf-8")
    written = text.partition(bench.BEGIN)[2].partition(bench.END)[0].strip()
    assert written == bench.render(reports).strip(), "run `make security-case`"


def test_the_aims_are_reached(bench: Any, reports: Any) -> None:
    stopped = asked = 0
    for report in reports:
        users, attacks = report.shipped.users, report.shipped.attacks
        assert bench.calls_of(users)["stopped"] == 0
        assert sum(task.asked for task in users) <= len(users)
        outcomes = bench.tasks_of(attacks)
        assert outcomes["ran"] == outcomes["nothing"] == 0
        stopped += outcomes["stopped"]
        asked += outcomes["asked"]
        for task in attacks:  # nothing with an effect ran before an attack was stopped
            assert all(call.reads for call in task.calls if call.what == "ran"), task.name
    assert (stopped, asked) == (12, 3)


def test_rules_over_names_alone_stop_one(bench: Any, reports: Any) -> None:
    alone = [dict(report.variants)["rules over names alone, at best"] for report in reports]
    assert sum(bench.tasks_of(suite.attacks)["stopped"] for suite in alone) == 1


def test_no_attack_gets_through_where_rules_ask_instead_of_denying(bench: Any, reports: Any) -> None:
    for report in reports:
        suite = dict(report.variants)["as shipped, but every deny by arguments asks"]
        assert bench.tasks_of(suite.attacks)["ran"] == 0


@pytest.mark.parametrize("suite", ["workspace", "banking"])
def test_the_policies_are_clean_and_name_no_attack(bench: Any, suite: str) -> None:
    path = ROOT / "config" / "examples" / f"agentdojo-{suite}.yaml"
    text = path.read_text("utf-8")
    assert check_policy(text, str(path), "yaml").findings == ()
    attacks = json.loads(bench.TRACES.read_text("utf-8"))["suites"][suite]["injection_tasks"].values()
    values = {
        value
        for task in attacks
        for call in task["calls"]
        for given in call["args"].values()
        for value in (given if isinstance(given, list) else [given])
        if isinstance(value, str) and len(value) > 3
    }
    users = json.dumps(json.loads(bench.TRACES.read_text("utf-8"))["suites"][suite]["user_tasks"])
    assert values
    for value in values:
        assert value not in text or value in users, "a policy names what only an attack says"


@pytest.mark.skipif(not ORIGINAL.is_file(), reason=f"{ORIGINAL} is not there: the copied data is taken as it is")
def test_the_copied_data_is_that_of_the_source(bench: Any) -> None:
    original = json.loads(ORIGINAL.read_text("utf-8"))["suites"]
    copied = json.loads(bench.TRACES.read_text("utf-8"))["suites"]
    assert set(copied) == set(original)
    for name, suite in copied.items():
        assert suite["tools"] == [
            {key: tool[key] for key in ("name", "description", "parameters")} for tool in original[name]["tools"]
        ]
        for kind in ("user_tasks", "injection_tasks"):
            assert list(suite[kind]) == list(original[name][kind])
            for task, copy in suite[kind].items():
                truth = [
                    {"function": c["function"], "args": c["args"]} for c in original[name][kind][task]["ground_truth"]
                ]
                assert copy["calls"] == truth
