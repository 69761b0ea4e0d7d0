"""Stage 13 of SPEC 3: the result is handed over, if everything still holds and the time is not over."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.checks import look_again
from schemarouter.engine.commands import Command
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import check_time

STAGE = "result"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """The last look."""
    yield from look_again(frame)
    yield from check_time(frame, "delivery of the result")
    frame.result = frame.projected
