"""Is the hook whole? The settings are read, and the configured command is run for real with a canary call.

A denial by policy and a hook that cannot do its work look alike to whoever uses Claude Code: nothing runs. Here they are told apart.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import uuid
from pathlib import Path
from typing import Any, Literal, NamedTuple

from schemarouter.integrations.claude_code.hook import BROKEN, CANARY, CANARY_REACHED, DENIED
from schemarouter.integrations.claude_code.options import HookOptions, OptionError, times
from schemarouter.integrations.claude_code.settings import (
    Configured,
    SettingsError,
    all_hooks,
    find_hook,
    mode_for,
    read_settings,
)
from schemarouter.reading import read_bounded

State = Literal["ok", "note", "broken"]
_LIMIT = 4 * 1024 * 1024
_OUTPUT = 1024 * 1024


class Check(NamedTuple):
    """One thing that was looked at: ``broken`` is what lets the hook not do its work."""

    state: State
    what: str
    help: str | None = None


class Answer(NamedTuple):
    """What the hook said to one event. ``denied`` is the policy's word, ``broken`` the hook's trouble."""

    kind: Literal["allow", "ask", "denied", "broken"]
    text: str


def settings_files(project: Path, user: Path) -> list[Path]:
    """Where Claude Code looks for settings, the strongest first."""
    return [project / ".claude" / "settings.local.json", project / ".claude" / "settings.json", user / "settings.json"]


def examine(files: list[Path], project: Path) -> list[Check]:
    """Look at everything. Raises :class:`SettingsError` where no settings are there to look at."""
    checks: list[Check] = []
    found: list[tuple[Path, dict[str, Any]]] = []
    for path in files:
        try:
            found.append((path, read_settings(read_bounded(path, _LIMIT + 1))))
        except FileNotFoundError:
            continue
        except (SettingsError, OSError, ValueError) as error:
            checks.append(
                Check("broken", f"{path}: {_text(error)}", "Claude Code ignores settings that it cannot read")
            )
    if not found and not checks:
        raise SettingsError("there are no settings of Claude Code here", "write them: `schemarouter init claude-code`")
    ours = [(path, hook) for path, settings in found if (hook := find_hook(settings)) is not None]
    if not ours:
        checks.append(Check("broken", "no hook of ours is configured", "write it: `schemarouter init claude-code`"))
        return checks
    path, configured = ours[0]
    checks.append(Check("ok", f"{path} names the hook"))
    if len(ours) > 1:
        checks.append(
            Check("broken", "the hook is named in several settings, so each call is counted twice", "keep one")
        )
    checks += _around(found, configured, path)
    try:
        options = configured.options()
        limit = times(options)[1]
    except OptionError as error:
        checks.append(Check("broken", f"the options of the hook cannot be used: {error}"))
        return checks
    checks += _mode(found, options)
    checks += _hook(configured, options, limit)
    checks.append(_canary(configured, project))
    return checks


def configured_in(files: list[Path]) -> Configured | None:
    """The hook that the first of these settings names."""
    for path in files:
        with contextlib.suppress(SettingsError, OSError, ValueError):
            configured = find_hook(read_settings(read_bounded(path, _LIMIT + 1)))
            if configured is not None:
                return configured
    return None


def _around(found: list[tuple[Path, dict[str, Any]]], configured: Configured, ours: Path) -> list[Check]:
    checks: list[Check] = []
    for path, settings in found:
        if settings.get("disableAllHooks"):
            checks.append(Check("broken", f"{path} disables all hooks", "remove `disableAllHooks`"))
        hooks = all_hooks(settings)
        others = [hook for _, _, _, hook in hooks if hook is not configured.hook and find_hook(_only(hook)) is None]
        if others:
            checks.append(
                Check(
                    "note",
                    f"{path} has {len(others)} other `PreToolUse` hooks: they run at the same time, and one can change a call "
                    "after it was decided about",
                    "let no other hook print `updatedInput`",
                )
            )
        answering = settings.get("hooks")
        if isinstance(answering, dict) and answering.get("PermissionRequest"):
            checks.append(
                Check(
                    "note",
                    f"{path} has `PermissionRequest` hooks: they can answer in the place of the person who is asked",
                )
            )
        if path == ours and (configured.group, configured.place) != (0, 0):
            checks.append(
                Check("note", f"the hook is not the first in {path}", "`schemarouter init claude-code` puts it first")
            )
        permissions = settings.get("permissions")
        allowed = permissions.get("allow") if isinstance(permissions, dict) else None
        if allowed:
            checks.append(
                Check(
                    "note",
                    f"{path} allows tools by `permissions.allow`: a Claude Code that does not know `onFailure` runs them "
                    "where the hook is broken",
                    "leave permissions to the policy",
                )
            )
        asked = permissions.get("ask") if isinstance(permissions, dict) else None
        if asked:
            checks.append(
                Check(
                    "note",
                    f"{path} has `permissions.ask`: what it names is asked about or denied, whatever the policy allows",
                )
            )
    return checks


def _only(hook: dict[str, Any]) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}


def _mode(found: list[tuple[Path, dict[str, Any]]], options: HookOptions) -> list[Check]:
    wanted = mode_for(options)
    for path, settings in found:
        permissions = settings.get("permissions")
        mode = permissions.get("defaultMode") if isinstance(permissions, dict) else None
        if mode is not None:
            if mode == wanted:
                return [Check("ok", f"the permission mode is `{wanted}`")]
            return [
                Check("broken", f"{path} sets another permission mode than `{wanted}`", "set `permissions.defaultMode`")
            ]
    if wanted == "default":
        return [Check("ok", "the permission mode is `default`")]
    return [Check("broken", f"no settings set the permission mode `{wanted}`", "set `permissions.defaultMode`")]


def _hook(configured: Configured, options: HookOptions, limit: float) -> list[Check]:
    checks: list[Check] = []
    hook = configured.hook
    if configured.matcher not in (None, "", "*"):
        checks.append(Check("broken", "the hook has a matcher, so other tools run without it", 'set `"matcher": "*"`'))
    if hook.get("type") != "command":
        checks.append(Check("broken", "the hook is no command", 'set `"type": "command"`'))
    if hook.get("onFailure") != "block":
        checks.append(
            Check(
                "broken",
                "where the hook fails, tools that only read run",
                'set `"onFailure": "block"` beside the command',
            )
        )
    if not configured.guarded:
        checks.append(
            Check(
                "broken",
                "where the hook ends without an answer, tools that only read run",
                "run `schemarouter init claude-code` again",
            )
        )
    timeout = hook.get("timeout", 60)
    if type(timeout) not in (int, float) or timeout <= limit:
        checks.append(Check("broken", f"`timeout` is not above the {limit:g} s after which the hook denies by itself"))
    if options.any_mode:
        checks.append(Check("note", "the hook decides in every permission mode", "leave `--any-mode` out"))
    if options.digest is None:
        checks.append(
            Check("note", "no digest is pinned: whoever writes the artifact writes the policy", "give `--digest`")
        )
    words = configured.words
    if words and os.path.isabs(words[0]) and not os.path.exists(words[0]):
        checks.append(
            Check(
                "broken",
                f"the interpreter of the hook is gone: `{words[0]}`",
                "run `schemarouter init claude-code` again",
            )
        )
    return checks


def _canary(configured: Configured, project: Path) -> Check:
    name = f"{CANARY}{uuid.uuid4().hex}"
    answer = call(configured, name, {}, project)
    if answer.kind == "denied" and answer.text.startswith(f"{CANARY_REACHED}: {name} "):
        return Check(
            "ok", f"a canary call reached the hook; the policy has the digest {answer.text.rpartition(' ')[2]}"
        )
    if answer.kind == "broken":
        return Check("broken", answer.text)
    return Check("broken", "a canary call was answered by something that is not our hook")


def call(configured: Configured, tool: str, arguments: dict[str, Any], project: Path) -> Answer:
    """Run the configured command as Claude Code does, for a call of ``tool`` in a session of its own."""
    event = {
        "session_id": f"schemarouter-doctor-{uuid.uuid4().hex}",
        "transcript_path": "",
        "cwd": str(project),
        "permission_mode": _mode_of(configured),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        "tool_use_id": f"toolu_{uuid.uuid4().hex}",
    }
    timeout = configured.hook.get("timeout", 60)
    seconds = float(timeout) if type(timeout) in (int, float) and 0 < timeout <= 600 else 60.0
    try:
        process = subprocess.Popen(  # noqa: S602 - as Claude Code runs it, whose settings run commands anyway
            str(configured.hook.get("command")),
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=project,
            env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Answer("broken", f"the hook cannot be started ({type(error).__name__})")
    with process:
        try:
            output, _ = process.communicate(json.dumps(event).encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # the shell, and the hook that it waits for
            return Answer("broken", f"the hook did not answer within {seconds:g} s")
    return _read(process.returncode, output[:_OUTPUT])


def _mode_of(configured: Configured) -> str:
    try:
        return mode_for(configured.options())
    except OptionError:
        return "dontAsk"


def _read(code: int, output: bytes) -> Answer:
    try:
        told = json.loads(output)["hookSpecificOutput"]
        permission, reason = told["permissionDecision"], told.get("permissionDecisionReason", "")
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
        if code in (126, 127):
            return Answer("broken", f"the command of the hook cannot be run (exit code {code}): its program is missing")
        if code == 0:
            return Answer("broken", "the hook printed nothing that Claude Code understands")
        return Answer("broken", f"the hook ended with exit code {code} and no answer")
    if not isinstance(reason, str):
        return Answer("broken", "the hook printed nothing that Claude Code understands")
    if code != 0 or reason.startswith(BROKEN):
        return Answer("broken", reason.removeprefix(f"{BROKEN}: ") or f"the hook ended with exit code {code}")
    if permission == "deny":
        return Answer("denied", reason.removeprefix(f"{DENIED}: "))
    if permission in ("allow", "ask"):
        return Answer(permission, reason)
    return Answer("broken", "the hook printed nothing that Claude Code understands")


def _text(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return str(error)
