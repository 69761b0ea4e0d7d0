"""Stage 10 of SPEC 3: the raw output is copied and checked against its schema. Never retried.

First the world is looked at once more: what came back under a contract, binding or policy that no longer holds is
withheld.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.checks import look_again
from schemarouter.engine.commands import Command
from schemarouter.engine.frame import Frame

STAGE = "output"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """Keep a checked copy, and let go of the object that the invoker may still hold."""
    yield from look_again(frame)
    raw, frame.raw = frame.raw, None
    frame.data = frame.contract.check_output(raw)
