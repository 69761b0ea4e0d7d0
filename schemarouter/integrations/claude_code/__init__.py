"""Claude Code: the hook process that decides about each tool call, the settings that name it, and the check of both.

``hook`` and what it imports use the standard library only: every tool call pays for the start of a process.
"""
