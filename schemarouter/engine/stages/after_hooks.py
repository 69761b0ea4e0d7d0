"""Stage 12 of SPEC 3, and SPEC 7: hooks observe or veto, in declaration order. They see what the caller will see. One that fails withholds it and repeats nothing."""

from __future__ import annotations

from schemarouter.engine.commands import Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import run_hooks

STAGE = "after-hooks"


def run(frame: Frame) -> Script:
    """Run the after-call hooks of the file, then those of the code."""
    hooks = frame.run.authority.after
    return run_hooks(frame, "after", hooks, frame.projected) if hooks else ()
