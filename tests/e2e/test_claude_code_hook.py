"""The hook of Claude Code, as the process that Claude Code starts."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from schemarouter import SqliteStore
from schemarouter.audit.verify import verify_log
from schemarouter.state.answering import answer, find_request
from schemarouter.state.signatures import generate, load_signer
from support.claude_code import POLICY, Said, artifact, ask, event, graph, read
from support.command import SCRIPT, environment

BUDGET = POLICY + "budget: {max_tool_calls: 3}\n"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    made = SqliteStore(tmp_path / "state.db")
    made.identity()
    return made


def test_allowed(tmp_path: Path) -> None:
    said = ask(event("Read", {"file_path": "ä"}), "--artifact", artifact(tmp_path))
    assert (said.code, said.permission, said.err) == (0, "allow", "")
    assert said.told["updatedInput"] == {"file_path": "ä"}  # what was decided about, whatever another hook makes of it


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("Bash", {"command": "rm -rf /"}, "destructive"),
        ("Bash", {}, "rule `touching` may or may not"),
        ("Write", {"file_path": "a", "content": "secret-content"}, "destructive"),
        ("Task", {"prompt": "x"}, "mutating"),
        ("WebSearch", {"query": "x"}, "remote and unclassified"),
        ("NewToolOfTomorrow", {}, "remote and unclassified"),
        ("mcp__other__Read", {}, "no operation by the mapping"),
        ("mcp__tracker", {}, "no operation by the mapping"),
        ("mcp__mail__send", {}, "`mail.send`, which is remote and unclassified"),
        ("claude.Read", {}, "`claude.claude.Read`"),
        ("read", {}, "`claude.read`"),
        ("Read ", {}, "no operation by the mapping"),
        ("R\u0435ad", {}, "remote and unclassified"),  # a Cyrillic letter
    ],
)
def test_denied(tmp_path: Path, tool: str, arguments: dict[str, Any], words: str) -> None:
    if words.startswith("rule `touching`"):
        words = "destructive"  # an argument that is not there is no doubt: the rule does not apply
    said = ask(event(tool, arguments), "--artifact", artifact(tmp_path), "--server", "tracker", "--server", "mail")
    assert (said.code, said.permission, said.err) == (0, "deny", "")
    assert said.reason.startswith("not allowed: ")
    assert words in said.reason
    assert "secret-content" not in said.reason
    assert "updatedInput" not in said.told


def test_servers_are_told_apart(tmp_path: Path) -> None:
    policy = artifact(tmp_path)
    assert ask(event("mcp__tracker__list__open"), "--artifact", policy, "--server", "tracker").permission == "allow"
    said = ask(event(), "--artifact", policy, "--server", "a", "--server", "a__b")
    assert (said.code, said.permission) == (2, "deny")
    assert "cannot be told apart" in said.reason
    said = ask(event(), "--artifact", policy, "--server", "claude")
    assert (said.code, said.permission) == (2, "deny")


def test_what_the_policy_classifies_goes_before_our_table(tmp_path: Path) -> None:
    policy = "version: 1\nclassify: [{operation: claude.WebSearch, read_only: true, destructive: false}]\nrules: []\n"
    assert ask(event("WebSearch", {"query": "x"}), "--artifact", artifact(tmp_path, policy)).permission == "allow"


# What goes wrong denies, on both ways that Claude Code listens to


def broken(said: Said, words: str) -> None:
    assert (said.code, said.permission) == (2, "deny")
    assert said.reason.startswith("the hook of schemarouter is broken, so nothing runs: ")
    assert words in said.reason
    assert said.err == said.reason + "\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "no policy is named"),
        (["--artifact", "missing.json"], "no such file"),
        (["--artifact", "/"], "is a directory"),
        (["--artifact", "{policy}", "--digest", "0" * 64], "not the one that is expected"),
        (["--artifact", "{policy}", "--bogus"], "does not know"),
        (["--artifact", "{policy}", "--time-limit", "x"], "no number of seconds"),
        (["--artifact", "{policy}", "--approver", "x"], "approvals need a store"),
        (["--artifact", "{policy}", "--store", "{policy}", "--approver", "x"], "no public key"),
        (["--artifact", "{policy}", "--stop-variable", "a=b"], "legal name"),
        (["--artifact", "{policy}", "--log", "log.jsonl"], "needs a `key`"),
        (["--artifact", "{policy}", "--log-key", "k"], "belong to `--log`"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: list[str], words: str) -> None:
    policy = artifact(tmp_path)
    said = ask(event(), *(one.format(policy=policy) for one in options))
    if words == "needs a `key`":
        words = "the decision log cannot be used"
    broken(said, words)


@pytest.mark.parametrize("damage", ["", "{}", "\0", '{"format": "schemarouter.graph"}', "[" * 10_000])
def test_a_damaged_artifact(tmp_path: Path, damage: str) -> None:
    (tmp_path / "policy.json").write_text(damage)
    broken(ask(event(), "--artifact", tmp_path / "policy.json"), "cannot be read")


def test_an_edited_artifact(tmp_path: Path) -> None:
    path = artifact(tmp_path)
    path.write_text(path.read_text().replace("claude.Read", "claude.Bash"))
    broken(ask(event("Bash", {"command": "rm"}), "--artifact", path), "does not match its digest")


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", event(hook_event_name="Stop"), b"[" * 1_000_000])
def test_hostile_input(tmp_path: Path, data: bytes) -> None:
    broken(ask(data, "--artifact", artifact(tmp_path)), "no event that it can decide about")


def test_input_without_an_end(tmp_path: Path) -> None:
    """A host that holds the pipe open: the hook denies by itself, long before the host loses patience."""
    command = [str(SCRIPT), "hook", "claude-code", "--artifact", str(artifact(tmp_path)), "--time-limit", "0.5"]
    reader, writer = os.pipe()
    try:
        done = subprocess.run(command, stdin=reader, capture_output=True, timeout=60, env=environment(), check=False)
    finally:
        os.close(reader)
        os.close(writer)
    broken(read(done), "within 0.5 s")


@pytest.mark.parametrize("output", ["closed", "full"])
def test_an_answer_that_cannot_be_printed_is_given_by_the_exit_code(tmp_path: Path, output: str) -> None:
    where = ">&-" if output == "closed" else ">/dev/full"
    command = f'"$0" hook claude-code --artifact "$1" {where}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, str(SCRIPT), str(artifact(tmp_path))], input=event(), env=environment(), check=False
    )
    assert done.returncode == 2


def test_no_standard_streams_at_all(tmp_path: Path) -> None:
    command = '"$0" hook claude-code --artifact "$1" <&- >&- 2>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, str(SCRIPT), str(artifact(tmp_path))], env=environment(), check=False
    )
    assert done.returncode == 2


def test_a_broken_installation_denies(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(1)\n")
    command = [str(SCRIPT), "hook", "claude-code", "--artifact", str(artifact(tmp_path))]
    done = subprocess.run(
        command, input=event(), capture_output=True, env=environment(PYTHONPATH=str(tmp_path)), check=False
    )
    assert done.returncode == 2
    assert b"allow" not in done.stdout


@pytest.mark.parametrize("mode", [None, "default", "acceptEdits", "plan", "bypassPermissions", "auto"])
def test_other_permission_modes(tmp_path: Path, mode: str | None) -> None:
    policy = artifact(tmp_path)
    said = ask(event(permission_mode=mode), "--artifact", policy)
    assert (said.code, said.permission) == (0, "deny")
    assert "`dontAsk`" in said.reason
    assert ask(event(permission_mode=mode), "--artifact", policy, "--any-mode").permission == "allow"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("hooks: {after_call: [audit]}\n", "`after-hooks`"),
        ("hooks: {before_call: [audit]}\n", "`before-hooks`"),
        ("retry: {max_attempts: 3}\n", "`retry`"),
        ("budget: {max_tool_calls: 3}\n", "no store to count in"),
    ],
)
def test_a_policy_that_needs_more_than_a_hook_can(tmp_path: Path, more: str, words: str) -> None:
    broken(ask(event(), "--artifact", artifact(tmp_path, POLICY + more)), words)


# What processes share


def start(policy: Path, store: SqliteStore, data: bytes, *options: str) -> subprocess.Popen[bytes]:
    command = [str(SCRIPT), "hook", "claude-code", "--artifact", str(policy), "--store", store.path, *options]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()
    return process


def end(process: subprocess.Popen[bytes]) -> Said:
    out, err = process.communicate(timeout=60)
    return read(subprocess.CompletedProcess([], process.returncode, out, err))


def test_eight_hooks_at_once_let_three_through(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, BUDGET)
    running = [start(policy, store, event(tool_use_id=f"toolu_{number}")) for number in range(8)]
    said = [end(process) for process in running]
    assert sorted(one.permission for one in said) == ["allow"] * 3 + ["deny"] * 5
    assert all("max_tool_calls=3" in one.reason for one in said if one.permission == "deny")
    assert store.used("session-1")["calls"] == 3


def test_the_budget_is_the_sessions_or_that_of_a_named_run(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, POLICY + "budget: {max_tool_calls: 1}\n")
    given = ("--artifact", policy, "--store", store.path)
    assert ask(event(), *given).permission == "allow"
    assert (
        ask(event(tool_use_id="toolu_2", agent_id="sub"), *given).permission == "deny"
    )  # a subagent is of the same run
    assert ask(event(session_id="session-2"), *given).permission == "allow"
    assert ask(event(session_id="session-3"), *given, "--run", "week").permission == "allow"
    assert ask(event(session_id="session-4"), *given, "--run", "week").permission == "deny"


def test_denied_calls_are_not_charged(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, BUDGET)
    ask(event("Write", {}), "--artifact", policy, "--store", store.path)
    assert "calls" not in store.used("session-1")


def test_remote_attempts_and_the_clock(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, POLICY + "budget: {max_remote_attempts: 1, max_elapsed_seconds: 100}\n")
    given = ("--artifact", policy, "--store", store.path, "--server", "tracker")
    assert ask(event("mcp__tracker__list"), *given).permission == "allow"
    assert "max_remote_attempts=1" in ask(event("mcp__tracker__list"), *given).reason
    assert "max_remote_attempts=1" in ask(event("Read"), *given).reason  # whatever a host runs is remote
    late = SqliteStore(store.path, clock=lambda: __import__("time").time() + 200)
    late.begin("another")  # the clock of the store never goes backwards
    broken(ask(event("Read"), *given), "clock went backwards")


def test_a_store_that_is_gone_is_not_made_anew(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, BUDGET)
    store.close()
    Path(store.path).unlink()
    said = ask(event(), "--artifact", policy, "--store", store.path)
    assert (said.code, said.permission) == (2, "deny")
    assert not Path(store.path).exists()


def test_a_killed_hook_leaves_nothing_behind_that_lets_more_through(tmp_path: Path, store: SqliteStore) -> None:
    policy = artifact(tmp_path, BUDGET)
    for number in range(6):
        process = start(policy, store, event(tool_use_id=f"toolu_{number}"))
        process.kill()
        process.communicate()
    allowed = sum(
        ask(event(tool_use_id=f"u{n}"), "--artifact", policy, "--store", store.path).permission == "allow"
        for n in range(5)
    )
    assert allowed <= 3


# Approval


def test_approval_out_of_band(tmp_path: Path, store: SqliteStore) -> None:
    secret, public = generate(None)
    policy = artifact(tmp_path, BUDGET)
    given = ("--artifact", policy, "--store", store.path, "--approver", public)
    fetch = {"url": "https://host.example/"}
    said = ask(event("WebFetch", fetch), *given)
    assert (said.code, said.permission) == (0, "deny")
    assert "schemarouter approvals show" in said.reason
    assert "make the same call again" in said.reason
    assert "host.example" not in said.reason
    assert "calls" not in store.used("session-1")
    (filed,) = store.requests()
    answer(store, find_request(store, filed.request.id), load_signer(secret, None), approved=True)
    other = ask(event("WebFetch", {"url": "https://other.example/"}, tool_use_id="toolu_2"), *given)
    assert other.permission == "deny"  # the answer was to another question
    again = ask(event("WebFetch", fetch, tool_use_id="toolu_3"), *given)
    assert (again.permission, again.told["updatedInput"]) == ("allow", fetch)
    assert ask(event("WebFetch", fetch, tool_use_id="toolu_4"), *given).permission == "deny"  # spent


def test_approval_at_claude_codes_own_prompt(tmp_path: Path) -> None:
    policy = artifact(tmp_path)
    said = ask(event("WebFetch", permission_mode="default"), "--artifact", policy, "--asks-a-person")
    assert (said.code, said.permission) == (0, "ask")
    assert "leaves the machine" in said.reason
    assert ask(event("WebFetch"), "--artifact", policy, "--asks-a-person").permission == "deny"  # dontAsk asks nobody
    assert (
        ask(event("Write", {}, permission_mode="default"), "--artifact", policy, "--asks-a-person").permission == "deny"
    )


def test_nobody_to_ask(tmp_path: Path) -> None:
    said = ask(event("WebFetch"), "--artifact", artifact(tmp_path))
    assert said.permission == "deny"
    assert "--approver" in said.reason


# The kill switch and the decision log


def test_the_kill_switch(tmp_path: Path) -> None:
    policy, switch = artifact(tmp_path), tmp_path / "STOP"
    given = ("--artifact", policy, "--stop-file", switch, "--stop-variable", "HALT")
    assert ask(event(), *given).permission == "allow"
    assert "kill switch" in ask(event(), *given, HALT="1").reason
    switch.touch()
    assert "kill switch" in ask(event(), *given).reason
    assert ask(event(), "--artifact", policy, "--stop-file", tmp_path / "gone" / "STOP").permission == "deny"


def test_the_decision_log(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"thirty-two bytes that nobody has")
    log = tmp_path / "log.jsonl"
    given = ("--artifact", artifact(tmp_path), "--log", log, "--log-key", key)
    ask(event("Read", {"file_path": "secret-path"}), *given)
    ask(event("Write", {"content": "secret-content"}), *given)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["open", "decision", "attempt", "decision", "end"]
    assert lines[1]["operation"] == "claude.Read"
    assert lines[1]["run"] == "session-1"
    assert lines[4]["error"] == "PolicyViolationError"
    assert "secret" not in log.read_text()
    assert not verify_log(str(log), key=key.read_bytes()).breaks
    schema = json.loads(Path(__file__).parents[2].joinpath("schemas/decision-log.v1.schema.json").read_text())
    from jsonschema import Draft202012Validator

    for line in lines:
        Draft202012Validator(schema).validate(line)
    log.chmod(0o400)
    if os.geteuid() != 0:
        broken(ask(event(), *given), "decision log")
    log.unlink()
    log.mkdir()
    broken(ask(event(), *given), "decision log")


def test_the_digest_is_that_of_the_policy(tmp_path: Path) -> None:
    digest = graph(POLICY).digest
    assert ask(event(), "--artifact", artifact(tmp_path), "--digest", digest.upper()).permission == "allow"
