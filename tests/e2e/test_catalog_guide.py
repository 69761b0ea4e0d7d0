"""What ``docs/catalog.md`` shows is what happens, block by block, in one folder."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from support.command import Run

GUIDE = (Path(__file__).parents[2] / "docs" / "catalog.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_the_guide_shows_every_kind_of_block() -> None:
    kinds = [kind for kind, _, _ in BLOCKS]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "json": 2,
        "yaml": 1,
        "console": 7,
        "python": 3,
        "text": 2,
    }


def test_the_guide_is_what_happens(quick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, object] = {}
    printed = ""
    for kind, name, text in BLOCKS:
        if name:
            (tmp_path / name).write_text(text, "utf-8")
        elif kind == "console":
            assert replayed(quick, tmp_path, text) == text
        elif kind == "python":
            monkeypatch.chdir(tmp_path)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(text, "docs/catalog.md", "exec"), names)
            printed = out.getvalue()
        else:
            assert printed == text


def replayed(quick: Run, folder: Path, text: str) -> str:
    """What a console shows if the commands of ``text`` are typed: each command with what it writes."""
    shown = ""
    for line in text.splitlines():
        if not line.startswith("$ "):
            continue
        shown += line + "\n"
        words = shlex.split(line[2:])
        if words[0] == "schemarouter":
            result = quick(*words[1:], cwd=folder)
            shown += result.err + result.out
        else:
            subprocess.run(words, cwd=folder, check=True)
    return shown
