"""What ``docs/diff.md`` shows is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from ruamel.yaml import YAML

from support.command import Run

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "diff.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_examples_are_what_happens(quick: Run, tmp_path: Path) -> None:
    old = blocks("yaml")[0]
    (tmp_path / "old.policy.yaml").write_text(old)
    (tmp_path / "new.policy.yaml").write_text(old.replace("delete*", "delete_*").replace("calls: 4", "calls: 20"))
    shown = blocks("console")
    assert len(shown) == 2
    for block in shown:
        command, _, output = block.partition("\n")
        result = quick(*shlex.split(command.removeprefix("$ schemarouter ")))
        assert (result.code, result.out) == (1, output)


def test_the_pre_commit_hook_shows_and_lets_pass(quick: Run, tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    hook = hooks["schemarouter-diff"]
    assert hook["pass_filenames"] is False
    words = shlex.split(hook["entry"])[1:]
    (tmp_path / "old.policy.yaml").write_text(blocks("yaml")[0])
    for arguments in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)
    result = quick(*words)
    assert result.code == 0
    assert "old.policy.yaml: widened (new file)" in result.out
