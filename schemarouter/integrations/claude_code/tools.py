"""What Claude Code's own tools are, as we declare it: nobody else does. Standard library only.

A policy's ``classify`` overrides ``read_only`` and ``destructive``. What is not listed, and every tool of an MCP server, is
remote and unclassified, so that it is denied until a rule or a classification says otherwise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    #: remote, read_only, destructive
    Attributes: TypeAlias = tuple[bool, bool | None, bool | None]

#: The key under which Claude Code's own tools stand: ``Bash`` is the operation ``claude.Bash``.
TOOL_KEY = "claude"

# What is remote is the tool and not one endpoint of it (SPEC 1), and some of Claude Code reaches anything: so all of it is.
_READS: Attributes = (True, True, False)
_CHANGES: Attributes = (True, False, False)
_DESTROYS: Attributes = (True, False, True)
UNKNOWN: Attributes = (True, None, None)

#: Tools of Claude Code 2.1. ``WebFetch`` and ``WebSearch`` read, and send what stands in the request to whoever answers.
BUILT_IN: dict[str, Attributes] = {
    "Read": _READS,
    "Glob": _READS,
    "Grep": _READS,
    "LS": _READS,
    "NotebookRead": _READS,
    "BashOutput": _READS,
    "TaskOutput": _READS,
    "TaskGet": _READS,
    "TaskList": _READS,
    "CronList": _READS,
    "ListAgents": _READS,
    "ToolSearch": _READS,
    "AskUserQuestion": _READS,
    "TodoWrite": _READS,
    "ExitPlanMode": _CHANGES,
    "EnterPlanMode": _CHANGES,
    "Task": _CHANGES,
    "Agent": _CHANGES,
    "Skill": _CHANGES,
    "SlashCommand": _CHANGES,
    "TaskCreate": _CHANGES,
    "TaskUpdate": _CHANGES,
    "TaskStop": _CHANGES,
    "KillShell": _CHANGES,
    "KillBash": _CHANGES,
    "Write": _DESTROYS,
    "Edit": _DESTROYS,
    "MultiEdit": _DESTROYS,
    "NotebookEdit": _DESTROYS,
    "Bash": _DESTROYS,
    "PowerShell": _DESTROYS,
    "Monitor": _DESTROYS,
    "CronCreate": _DESTROYS,
    "CronDelete": _CHANGES,
    "WebFetch": UNKNOWN,
    "WebSearch": UNKNOWN,
}


def attributes_of(name: str) -> Attributes:
    """What a tool of that name is, by Claude Code's name: ``remote``, ``read_only``, ``destructive``."""
    return BUILT_IN.get(name, UNKNOWN)
