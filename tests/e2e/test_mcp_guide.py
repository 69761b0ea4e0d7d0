"""What ``docs/mcp-source.md`` shows is what happens, with the real git server, in one folder."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from schemarouter.sources.mcp import McpLimits

GUIDE = (Path(__file__).parents[2] / "docs" / "mcp-source.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_shows_every_kind_of_block() -> None:
    assert [kind for kind, _, _ in BLOCKS] == ["yaml", "python", "text", "python", "text"]


def test_the_guide_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main"], check=True)
    (tmp_path / "key.pem").write_text("key")
    names: dict[str, object] = {}
    printed = ""
    for kind, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, "utf-8")
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "docs/mcp-source.md", "exec", dont_inherit=True), names)
            printed = out.getvalue()
        else:
            assert printed == text
    staged = subprocess.run(["git", "diff", "--cached", "--name-only"], capture_output=True, check=True)
    assert staged.stdout == b""  # nothing was ever staged


def test_the_guide_tells_the_limits_of_now() -> None:
    limits = McpLimits()
    row = re.findall(r"^\| (.*?) \| (.*?) \|$", GUIDE, re.MULTILINE)[1:]
    assert [numbers for _, numbers in row] == [
        f"{limits.connect_seconds:g} s, {limits.list_seconds:g} s, {limits.call_seconds:g} s",
        f"{limits.max_message_bytes // 1_000_000} MB, {limits.max_listing_bytes // 1_000_000} MB",
        f"{limits.max_pages}, {limits.max_tools:,}",
        f"{limits.max_messages_per_second:,}",
        f"{limits.close_seconds:g} s, {limits.close_seconds:g} s, then it is killed with its children",
    ]
