"""``schemarouter check`` with ``--fix``, ``--unsafe-fixes`` and ``--diff``."""

from __future__ import annotations

import os
import subprocess
from datetime import date
from pathlib import Path

import pytest

from schemarouter.lint.check import check_policy
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.fixing import Fixer
from support.command import SCRIPT, Run, Snapshot, environment

TODAY = date(2026, 12, 1)
IDLE = """\
version: 1
budget: {max_tool_calls: 3}
rules:
  # what follows has a reason
  - {name: a, operation: notes.read, effect: allow}  # schemarouter: ignore[SR306] not needed
  - name: b   # stays
    operation:   *.draft
    effect: deny
classify: [{operation: notes.read, read_only: true, destructive: false}]
"""
FIXED = IDLE.replace("  # schemarouter: ignore[SR306] not needed", "").replace("*.draft", '"*.draft"')
GUESS = "version = 1\nbudget.max_tool_calls = 3\n[[rules]]\nname = 'a'\noperation = 'jobs.[^x]'  # a guess\neffect = 'deny'\n"


def test_fix_writes_and_reports_what_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(IDLE)
    (tmp_path / "other.policy.toml").write_text(GUESS)
    result = run("check", "--fix", "--output-format", "concise")
    assert result.code == 1
    assert [line.split(": ")[1][:5] for line in result.out.splitlines()] == ["SR301"]
    assert result.err == "fixed 2 findings in 1 file\n"
    assert (tmp_path / "policy.yaml").read_text() == FIXED
    assert (tmp_path / "other.policy.toml").read_text() == GUESS
    assert run("check", "--unsafe-fixes") == (0, "no findings in 2 files\n", "fixed 1 finding in 1 file\n")
    assert '"jobs.[!x]"  # a guess' in (tmp_path / "other.policy.toml").read_text()
    assert sorted(os.listdir(tmp_path)) == ["other.policy.toml", "policy.yaml"]


def test_diff_writes_nothing(run: Run, snapshot: Snapshot, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(IDLE)
    (tmp_path / "other.policy.toml").write_text(GUESS)
    result = run("check", "--diff", "--unsafe-fixes")
    assert (result.code, result.err) == (1, "would fix 3 findings in 2 files\n")
    snapshot("check-diff.txt", result.out)
    assert (tmp_path / "policy.yaml").read_text() == IDLE
    assert run("check", "--diff", "-o", "out.patch").code == 1
    patched = subprocess.run(["git", "apply", "-p0", "out.patch"], cwd=tmp_path, capture_output=True, check=False)
    assert patched.returncode == 0, patched.stderr
    assert (tmp_path / "policy.yaml").read_text() == FIXED
    assert run("check", "--diff") == (0, "", "")


def test_a_diff_of_a_text_without_a_last_line_end_can_be_applied(run: Run, tmp_path: Path) -> None:
    text = "version: 1\r\nrules: [{name: a, operation: *.x, effect: deny}]"
    (tmp_path / "policy.yaml").write_bytes(text.encode())
    assert run("check", "--diff", "-o", "out.patch").code == 1
    subprocess.run(["git", "apply", "-p0", "out.patch"], cwd=tmp_path, capture_output=True, check=True)
    assert (tmp_path / "policy.yaml").read_bytes() == text.replace("*.x", '"*.x"').encode()


def test_a_diff_shows_no_control_characters(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(IDLE + "# \x1b[31m \u202e\n")
    result = quick("check", "--diff", "--unsafe-fixes")
    assert result.code == 1
    assert "<U+001B>[31m <U+202E>" in result.out
    assert "\x1b" not in result.out


def test_standard_input_is_printed_fixed(run: Run) -> None:
    result = run("check", "--fix", "-", stdin=IDLE)
    assert (result.code, result.out) == (0, FIXED)
    assert result.err.splitlines() == ["fixed 2 findings in 1 file", "no findings in 1 file"]
    result = run("check", "--fix", "-", stdin=GUESS)
    assert (result.code, result.out) == (1, GUESS)
    assert "SR301" in result.err
    assert run("check", "--diff", "-", stdin=GUESS) == (0, "", "")


@pytest.mark.parametrize("raw", [b"\xff", b"version: 1\n\xe9: 1\n"])
def test_bytes_that_are_no_text_are_printed_as_they_are(raw: bytes) -> None:
    done = subprocess.run(
        [SCRIPT, "check", "--fix", "-"], input=raw, env=environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, raw)


def test_links_and_permissions_stay(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    target = tmp_path / "shared" / "real.yaml"
    target.write_text(IDLE)
    target.chmod(0o640)
    (tmp_path / "policy.yaml").symlink_to("shared/real.yaml")
    assert run("check", "--fix").code == 0
    assert (tmp_path / "policy.yaml").is_symlink()
    assert target.read_text() == FIXED
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_clean_file_is_not_touched(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(FIXED)
    before = path.stat()
    assert run("check", "--fix") == (0, "no findings in 1 file\n", "")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_diff_has_one_format(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(IDLE)
    result = quick("check", "--diff", "--output-format", "json")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: --diff shows a diff")
    assert quick("check", "--diff", "missing.yaml", "policy.yaml").code == 2


def test_what_somebody_else_changed_meanwhile_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(IDLE + "# more\n")
    fixer = Fixer(unsafe=False, diff=False)
    with pytest.raises(CannotRun, match="changed while it was checked"):
        fixer.fix(
            str(path), "policy.yaml", IDLE.encode(), lambda raw: check_policy(raw, "policy.yaml", "yaml", today=TODAY)
        )
    assert path.read_text() == IDLE + "# more\n"
