"""The guides for hosts that need no framework are what happens; the others are run with `make test-integrations`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.command import SCRIPT, environment
from support.guides import follow

HOSTS = Path(__file__).parents[2] / "docs" / "hosts"


@pytest.mark.parametrize(("name", "kinds"), [("python", "text"), ("mcp-proxy", "console"), ("claude-code", "console")])
def test_a_guide_is_what_happens(name: str, kinds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}")
    public = ""

    def run(arguments: list[str]) -> str:
        nonlocal public
        command = [str(SCRIPT), *(public if one == "PUBLIC" else one for one in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=60, check=False)
        if arguments[:2] == ["approvals", "keygen"]:
            public = done.stdout.strip()
            (tmp_path / "approver.pub").write_text(public)
        return done.stdout + done.stderr

    assert follow(HOSTS / f"{name}.md", tmp_path, run).count(kinds) >= 1


def test_every_guide_is_listed() -> None:
    index = (HOSTS / "README.md").read_text("utf-8")
    pages = {page.name for page in HOSTS.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" in index} == pages
