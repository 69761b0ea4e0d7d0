"""Stage 7 of SPEC 3, and SPEC 7: hooks observe or veto, in declaration order. They see a call that is valid, approved and counted."""

from __future__ import annotations

from schemarouter.engine.commands import Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import run_hooks

STAGE = "before-hooks"


def run(frame: Frame) -> Script:
    """Run the before-call hooks of the file, then those of the code."""
    hooks = frame.run.authority.before
    return run_hooks(frame, "before", hooks, None) if hooks else ()
