"""A witness as a command that anyone can run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from schemarouter_cli.files import STDIN, STDIN_NAME
from schemarouter_cli.render.plain import dump

if TYPE_CHECKING:
    from schemarouter.model.diagnostic import Call
    from schemarouter_cli.changes import FileDiff

_READ_ONLY = {True: "--read-only", False: "--mutating", None: "--unclassified"}
_DESTRUCTIVE = {True: "--destructive", False: "--not-destructive", None: "--destructive-unknown"}


def explain_command(path: str, call: Call) -> str:
    """The ``schemarouter explain`` that replays ``call`` on the policy ``path``, for a POSIX shell."""
    words = ["schemarouter", "explain", STDIN if path == STDIN_NAME else path, "--operation", call.operation]
    words += ["--remote" if call.remote else "--local", _READ_ONLY[call.read_only], _DESTRUCTIVE[call.destructive]]
    if call.arguments is not None:
        words += ["--arguments", dump(call.arguments)]
    return shlex.join(words)


def replay(file: FileDiff, call: Call) -> str:
    """The command that replays ``call`` on the file as it is now, or as it was if it is deleted."""
    if file.new is None and file.old is not None and file.old.revision is not None:
        return f"git show {shlex.quote(file.old.revision)} | {explain_command(STDIN_NAME, call)}"
    return explain_command(file.path, call)
