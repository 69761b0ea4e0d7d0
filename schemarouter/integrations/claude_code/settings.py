"""The settings of Claude Code that start the hook: *positive authorisation*, so that only what the hook allows runs.

Three locks, each for what the others leave open: in the mode ``dontAsk`` nothing that changes anything runs without an ``allow``; a shell
around the hook turns every end without an answer into a refusal, because what only reads would run; and ``onFailure: block``
refuses the call where the hook hangs or the shell is gone. What stands in the settings already is kept.
"""

from __future__ import annotations

import copy
import json
import math
import shlex
import sys
from pathlib import Path
from typing import Any, NamedTuple

from schemarouter.errors import SchemaRouterError
from schemarouter.integrations.claude_code.options import HookOptions, OptionError, parse, times, write

#: Bytes of a settings file.
LIMIT = 4 * 1024 * 1024
EVENT = "PreToolUse"
#: What stands in the command of our hook, and in no other.
MARK = ("hook", "claude-code")
#: The shell around our command: an end without an answer, which Claude Code takes for no opinion, becomes a refusal (exit code 2).
_BEFORE = "said=$("
_BEHIND = (
    """); status=$?; case "$said" in '{"hookSpecificOutput": {'*'}}') printf '%s\\n' "$said" ;; """
    """*) echo 'the hook of schemarouter gave no answer, so nothing runs' >&2; status=2 ;; esac; [ "$status" = 0 ] || exit 2"""
)
#: Seconds that Claude Code waits beyond the hook's own limit, for the start of the process.
_MARGIN = 7


class SettingsError(SchemaRouterError):
    """Settings that cannot be read, or that say something that must not be changed unasked."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - the name that the rest of the package uses
        super().__init__(message)
        self.help = help


class Configured(NamedTuple):
    """Our hook as settings have it: its place among the groups and the hooks of ``PreToolUse``."""

    group: int
    place: int
    matcher: object
    hook: dict[str, Any]

    @property
    def words(self) -> list[str]:
        """The words of the command; empty where a shell could not split it."""
        return split_command(self.hook.get("command"))

    @property
    def guarded(self) -> bool:
        """Whether the shell around the command refuses where the hook ends without an answer."""
        command = self.hook.get("command")
        return isinstance(command, str) and command.startswith(_BEFORE) and command.endswith(_BEHIND)

    def options(self) -> HookOptions:
        """What the hook is told. Raises ``OptionError``."""
        words = self.words
        return parse(words[_mark(words) + len(MARK) :])


def read_settings(data: bytes) -> dict[str, Any]:
    """The settings in ``data``. Raises :class:`SettingsError`; what is no strict JSON object is never guessed at."""
    if len(data) > LIMIT:
        raise SettingsError(f"the settings have more than {LIMIT} bytes")
    if not data.strip():
        return {}
    try:
        settings = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        raise SettingsError(
            "the settings are no JSON, or a key occurs twice", "comments are not allowed there; mend the file first"
        ) from None
    if not isinstance(settings, dict):
        raise SettingsError("the settings are no JSON object")
    return settings


def dump_settings(settings: dict[str, Any]) -> str:
    """The text of a settings file, with the keys in their order."""
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"


def mode_for(options: HookOptions) -> str:
    """The permission mode that belongs to the hook: ``dontAsk``, or the one that asks a person."""
    return "default" if options.asks_a_person else "dontAsk"


def command_line(options: HookOptions) -> str:
    """The command that starts the hook: this interpreter, isolated from the folder and the environment of the agent."""
    script = Path(sys.executable).with_name("schemarouter")
    if script.is_file() and script.suffix == "":
        start = [sys.executable, "-I", str(script)]
    else:
        start = [sys.executable, "-I", "-m", "schemarouter"]
    return f"{_BEFORE}{shlex.join([*start, *MARK, *write(options)])}{_BEHIND}"


def merged(settings: dict[str, Any], options: HookOptions) -> dict[str, Any]:
    """A copy of ``settings`` with our hook in front of all others, in the place of an earlier one of ours.

    Raises :class:`SettingsError` for settings that are not understood, or that switch hooks off, ``OptionError``.
    """
    result = copy.deepcopy(settings)
    if result.get("disableAllHooks"):
        raise SettingsError("the settings disable all hooks", "remove `disableAllHooks` first")
    permissions = _object(result, "permissions")
    permissions["defaultMode"] = mode_for(options)
    permissions["disableBypassPermissionsMode"] = "disable"
    hooks = _object(result, "hooks")
    groups = hooks.setdefault(EVENT, [])
    if not isinstance(groups, list):
        raise SettingsError(f"`hooks.{EVENT}` of the settings is no list")
    while (found := find_hook(result)) is not None:
        del groups[found.group]["hooks"][found.place]
        if not groups[found.group]["hooks"]:
            del groups[found.group]
    hook = {
        "type": "command",
        "command": command_line(options),
        "timeout": math.ceil(times(options)[1]) + _MARGIN,
        "onFailure": "block",
    }
    groups.insert(0, {"matcher": "*", "hooks": [hook]})
    return result


def find_hook(settings: dict[str, Any]) -> Configured | None:
    """The first hook of ours in the settings."""
    for number, group, place, hook in all_hooks(settings):
        if _mark(split_command(hook.get("command"))) >= 0:
            return Configured(number, place, group.get("matcher"), hook)
    return None


def all_hooks(settings: dict[str, Any]) -> list[tuple[int, dict[str, Any], int, dict[str, Any]]]:
    """Every ``PreToolUse`` hook that can be read, with its places."""
    hooks = settings.get("hooks")
    groups = hooks.get(EVENT) if isinstance(hooks, dict) else None
    return [
        (number, group, place, hook)
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        if isinstance(group, dict)
        for place, hook in enumerate(group["hooks"] if isinstance(group.get("hooks"), list) else [])
        if isinstance(hook, dict)
    ]


def split_command(command: object) -> list[str]:
    """The words of a shell command, without the guard around it; none where it is no such thing."""
    try:
        return shlex.split(command.removeprefix(_BEFORE).removesuffix(_BEHIND)) if isinstance(command, str) else []
    except ValueError:
        return []


def _mark(words: list[str]) -> int:
    for place in range(len(words) - 1):
        if tuple(words[place : place + 2]) == MARK:
            return place
    return -1


def _object(settings: dict[str, Any], name: str) -> dict[str, Any]:
    value = settings.setdefault(name, {})
    if not isinstance(value, dict):
        raise SettingsError(f"`{name}` of the settings is no object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


__all__ = [
    "Configured",
    "OptionError",
    "SettingsError",
    "all_hooks",
    "command_line",
    "dump_settings",
    "find_hook",
    "merged",
    "mode_for",
    "read_settings",
]
