"""What ``make demo`` shows, run as it runs it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def demo(script, *options):
    return subprocess.run(
        [sys.executable, str(ROOT / "demo" / script), *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
        cwd=ROOT,
        timeout=60,
    )


def test_the_main_job():
    done = demo("run.py")
    assert (done.returncode, done.stderr) == (0, "")
    for text in ("no findings in 2 files", "7 errors in 1 file", "rule `no-repository-removal` denies", "took"):
        assert text in done.stdout


def test_four_calls_through_the_stages():
    done = demo("calls.py", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "ran: 'the desk is open from 9 to 17'",
        "PolicyViolationError: rule `never-delete-files` denies `files.delete`",
        "ran: '1 ticket closed'",
        "ExecutionBudgetExceededError: a call of `tickets.list` would exceed per_tool_calls=3",
        "revalidate-approved",
    ):
        assert text in done.stdout


def test_a_shadow_run_and_its_log():
    done = demo("operations.py")
    assert (done.returncode, done.stderr) == (0, "")
    for text in (
        "NOT ENFORCED until",
        "shadow run: 6 denied, 8 asked about, 80 run",
        "4 would be denied by rule `no-mail-to-strangers`: `workspace.send_email`",
        "OK: 284 records in 1 file, 0 to 283",
        "NOT WHOLE: 1 break",
    ):
        assert text in done.stdout


def test_one_budget_for_two_processes_and_an_answer_from_another_terminal():
    done = demo("together.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("a call ran") == 3
    for text in ("max_tool_calls=3 (used 3, needs 1)", "approvals approve", "the call went on: refund ran"):
        assert text in done.stdout
