"""Stage 3 of SPEC 3: the run's elapsed clock starts with its first call here; for a later call it may be over."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.commands import READ_CLOCK, Command, Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import check_time

STAGE = "clock"


def run(frame: Frame) -> Script:
    """Start the clock where the run has a time limit, or check it."""
    return () if frame.run.limits.max_elapsed_seconds is None else _tick(frame)


def _tick(frame: Frame) -> Generator[Command, Any, None]:
    if frame.run.deadline is None:
        frame.run.start_clock((yield READ_CLOCK))
    else:
        yield from check_time(frame, "validation")
