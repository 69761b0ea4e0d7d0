"""Stage 7 of SPEC 3, and SPEC 7: hooks observe or veto, in declaration order. They see a call that is valid, approved and counted."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.commands import Command
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import run_hooks

STAGE = "before-hooks"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """Run the before-call hooks of the file, then those of the code."""
    hooks = frame.run.authority.before
    if hooks:
        yield from run_hooks(frame, "before", hooks, None)
