"""What ``docs/testing.md`` shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from schemarouter.testkit.model import RunCall, ScriptedRun
from support.command import Run

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "testing.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def shown(containing: str) -> tuple[list[str], str]:
    """The command of a console block, and its output."""
    (block,) = [block for block in blocks("console") if containing in block]
    command, _, output = block.partition("\n")
    return shlex.split(command.removeprefix("$ schemarouter ")), output


POLICY, TESTS, MORE = blocks("yaml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "desk.yaml").write_text(POLICY)
    (tmp_path / "desk.test.yaml").write_text(TESTS)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("containing", ["66.6%)\n13 passed", "survived"])
def test_the_run_and_the_mutants(quick: Run, containing: str) -> None:
    command, output = shown(containing)
    assert quick(*command) == (0, output, "")


def test_the_gate(quick: Run, folder: Path) -> None:
    command, output = shown("--min-coverage")
    assert quick(*command).code == 1
    (folder / "desk.test.yaml").write_text(TESTS.replace("\n\ntables:", f"\n{MORE}\ntables:"))
    assert quick(*command) == (0, output, "")


def test_the_broken_file(quick: Run, folder: Path) -> None:
    command, output = shown("of which nothing was run")
    broken = TESTS.replace("rule: default", "rule: small-refund").replace("approval: refuse", "approval: no")
    (folder / "desk.test.yaml").write_text(broken)
    assert quick(*command) == (2, output, "")


def test_the_pre_commit_hook_runs_the_tests_of_the_project(quick: Run, tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    hook = hooks["schemarouter-test"]
    assert "`schemarouter-test`" in GUIDE
    assert hook["pass_filenames"] is False
    for name, wanted in (("a/policy.yaml", True), ("desk.policy.test.toml", True), ("other.test.yaml", False)):
        assert bool(re.search(hook["files"], name)) is wanted
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "policy.test.yaml").write_text(TESTS)
    result = quick(*shlex.split(hook["entry"])[1:])
    assert result.code == 0
    assert "13 passed, 0 failed" in result.out


def test_every_block_is_looked_at() -> None:
    assert len(blocks("console")) == 4
    assert len(blocks("python")) == 1
    documented = set(re.findall(r"^\| `(\w+)`", GUIDE, re.MULTILINE)) | {"times"}
    assert documented <= set(RunCall.model_fields)
    assert {"budget", "retry", "counters"} <= set(ScriptedRun.model_fields)


def test_the_python_is_a_test_suite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "docs/testing.md", "exec"), names)
    tests = [test for name, test in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()  # type: ignore[operator]  # a function of the guide
