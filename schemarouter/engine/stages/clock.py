"""Stage 3 of SPEC 3: the run's elapsed clock starts with its first call here; for a later call it may be over."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.commands import READ_CLOCK, Command, Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import check_time, on_store

STAGE = "clock"


def run(frame: Frame) -> Script:
    """Start the clock where the run has a time limit, or check it."""
    return () if frame.run.limits.max_elapsed_seconds is None else _tick(frame)


def _tick(frame: Frame) -> Generator[Command, Any, None]:
    run = frame.run
    if run.deadline is not None:
        yield from check_time(frame, "validation")
        return
    now: float = yield READ_CLOCK  # read first: the wait for a store counts
    if run.shared is None:
        run.start_clock(now)
        return
    run.start_clock(now, (yield from on_store(frame, run.shared.begin)))
    yield from check_time(frame, "validation")
