"""The command as users run it: the installed script, in a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from schemarouter_cli.__main__ import run as command_line
from support.command import SCRIPT, SNAPSHOTS, Result, Run, Snapshot, environment


@pytest.fixture
def run(tmp_path: Path, request: pytest.FixtureRequest) -> Run:
    """Run ``schemarouter`` in an empty folder. No run may end in a traceback."""

    def start(
        *arguments: str | bytes,
        cwd: Path = tmp_path,
        stdin: str | bytes = b"",
        env: dict[str, str | None] | None = None,
    ) -> Result:
        done = subprocess.run(
            [SCRIPT, *arguments],
            cwd=cwd,
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            env=environment(**(env or {})),
            capture_output=True,
            timeout=60,
            check=False,
        )
        result = Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
        assert "Traceback" not in result.err + result.out
        assert "internal error" not in result.err, result.err
        return result

    return start


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The same as ``run`` within this process: for tables of cases, where a process each would take minutes."""
    monkeypatch.setattr("schemarouter_cli.__main__._start_quickly", lambda: None)
    for name in ("NO_COLOR", "FORCE_COLOR", "SCHEMAROUTER_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def start(
        *arguments: str, cwd: Path = tmp_path, stdin: str | bytes = b"", env: dict[str, str] | None = None
    ) -> Result:
        monkeypatch.chdir(cwd)
        monkeypatch.setattr(
            "sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin))
        )
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        code = command_line(list(arguments))
        out, err = capsysbinary.readouterr()
        result = Result(code, out.decode("utf-8"), err.decode("utf-8"))
        assert "internal error" not in result.err, result.err
        return result

    return start


@pytest.fixture
def snapshot() -> Snapshot:
    """Compare a whole output with the file of that name; ``UPDATE_SNAPSHOTS=1`` writes it instead."""

    def compare(name: str, text: str) -> None:
        path = SNAPSHOTS / name
        if os.environ.get("UPDATE_SNAPSHOTS") == "1":
            path.write_bytes(text.encode("utf-8"))
        assert path.exists(), f"{name} is missing; write it with UPDATE_SNAPSHOTS=1 and look at it"
        assert text == path.read_bytes().decode("utf-8")

    return compare


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., str]:
    """A repository with one commit, a change that is not staged, and a file that nobody tracks; runs git there."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    git("init", "--quiet")
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "key.pem").write_text("key")
    git("add", "a.txt")
    git("commit", "--quiet", "-m", "first")
    (tmp_path / "a.txt").write_text("two")
    return git
