"""The sync driver: for hosts without an event loop. User code that turns out to be async is refused, never half run."""

from __future__ import annotations

import contextlib
from typing import Any

from schemarouter.engine.commands import (
    NEVER_BEGAN,
    Outcome,
    Raised,
    Sleep,
    UserCode,
)
from schemarouter.engine.drivers.world import Pending, World, call, discard, effects
from schemarouter.engine.frame import Frame
from schemarouter.errors import NonRetryableInvocationError


def drive(frame: Frame, world: World) -> None:
    """Interpret ``frame`` to its end. Raises what its stages raise.

    Sync code cannot be cut off; a coroutine that is returned to this driver is closed before it started, and counts as the
    failure of the callback, hook or invoker that made it.
    """
    script = effects(frame, world)
    reply: Any = None
    with contextlib.closing(script):
        while True:
            try:
                command = script.send(reply)
            except StopIteration:
                return
            if type(command) is not Sleep:
                reply = _call(command, world)
            elif world.sleep is not None:
                reply = world.sleep(command.seconds)
            else:
                raise RuntimeError("this world has no way to wait for another attempt")


def _call(command: UserCode, world: World) -> Outcome:
    if command.deadline is not None and world.clock() >= command.deadline:
        return NEVER_BEGAN
    outcome = call(command)
    if type(outcome) is Pending:
        discard(outcome.awaitable)
        return Raised(NonRetryableInvocationError("is async, and needs the async driver"))
    return outcome
