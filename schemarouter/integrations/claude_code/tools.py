"""Claude Code's own tools, and what is known of any tool here: that it is remote. Standard library only.

As at every host (SPEC 1), what a tool does is for a policy's ``classify`` to say; the profile ``coding`` has entries to start from.
"""

from __future__ import annotations

#: The key under which Claude Code's own tools stand: ``Bash`` is the operation ``claude.Bash``.
TOOL_KEY = "claude"
#: remote, read_only, destructive
UNCLASSIFIED: tuple[bool, None, None] = (True, None, None)
#: Tools of Claude Code 2.1, by its own names.
BUILT_IN = (
    *("Read", "Glob", "Grep", "LS", "NotebookRead", "Write", "Edit", "MultiEdit", "NotebookEdit"),
    *("Bash", "BashOutput", "KillBash", "KillShell", "PowerShell", "Monitor", "WebFetch", "WebSearch"),
    *(
        "Agent",
        "Task",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskOutput",
        "TaskStop",
        "TaskUpdate",
        "ListAgents",
        "Workflow",
    ),
    *("CronCreate", "CronDelete", "CronList", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree"),
    *("AskUserQuestion", "ReportFindings", "ScheduleWakeup", "Skill", "SlashCommand", "TodoWrite", "ToolSearch"),
)
