"""Calls as Claude Code hands them to its hooks, and the hook as a process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from schemarouter.compiler.artifact import dump_artifact
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.loading import compile_text
from support.command import SCRIPT, environment

POLICY = """\
version: 1
name: coding
classify:
  - {operation: ["claude.Bash", "claude.Write"], read_only: false, destructive: true}
  - {operation: claude.Task, read_only: false, destructive: false}
rules:
  - {name: look, operation: ["claude.Read", "claude.Grep"], effect: allow, reason: reads}
  - name: touching
    operation: claude.Bash
    effect: allow
    reason: touching files
    when: {arguments: {command: {like: "touch *"}}}
  - {name: outside, operation: claude.WebFetch, effect: require_approval, reason: leaves the machine}
  - {name: issues, operation: "tracker.*", effect: allow, reason: the tracker}
"""


def event(tool: str = "Read", arguments: Any = None, **changes: Any) -> bytes:
    """An event as Claude Code 2.1 writes it; ``None`` leaves a member out."""
    members: dict[str, Any] = {
        "session_id": "session-1",
        "transcript_path": "/nowhere",
        "cwd": "/",
        "permission_mode": "dontAsk",
        "effort": {"level": "medium"},
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": {"file_path": "a"} if arguments is None else arguments,
        "tool_use_id": "toolu_1",
        **changes,
    }
    return json.dumps({name: value for name, value in members.items() if value is not None}).encode()


class Said(NamedTuple):
    """What a hook process answered."""

    code: int
    permission: str
    reason: str
    told: dict[str, Any]
    err: str


def graph(policy: str) -> EvaluationGraph:
    """The policy, compiled: names that an application would resolve are left as they are."""
    found = compile_text(policy, "policy.yaml", "yaml").graph
    assert found is not None
    return found


def artifact(folder: Path, policy: str = POLICY, name: str = "policy.json") -> Path:
    """A compiled policy."""
    path = folder / name
    path.write_bytes(dump_artifact(graph(policy)))
    return path


def read(done: subprocess.CompletedProcess[bytes]) -> Said:
    """The answer of a process that ended; there is one, whatever it was given, and no traceback."""
    err = done.stderr.decode()
    assert "Traceback" not in err
    assert done.returncode in (0, 2)
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "PreToolUse"
    return Said(done.returncode, told["permissionDecision"], told["permissionDecisionReason"], told, err)


def ask(data: bytes, *options: str | Path, **env: str | None) -> Said:
    """Start the hook with ``data`` on its standard input."""
    command = [str(SCRIPT), "hook", "claude-code", *map(str, options)]
    return read(
        subprocess.run(command, input=data, capture_output=True, timeout=60, env=environment(**env), check=False)
    )
