"""The sync driver: for hosts without an event loop. User code that turns out to be async is refused, never half run."""

from __future__ import annotations

import inspect
from typing import Any

from schemarouter.engine.commands import (
    NEVER_BEGAN,
    USER_CODE,
    Outcome,
    Raised,
    Returned,
    Sleep,
    UserCode,
)
from schemarouter.engine.drivers.world import World, answer, call
from schemarouter.engine.frame import Frame
from schemarouter.engine.pipeline import interpret
from schemarouter.errors import NonRetryableInvocationError


def drive(frame: Frame, world: World) -> None:
    """Interpret ``frame`` to its end. Raises what its stages raise.

    Sync code cannot be cut off; a coroutine that is returned to this driver is closed before it started, and counts as the
    failure of the callback, hook or invoker that made it.
    """
    script = interpret(frame)
    reply: Any = None
    try:
        while True:
            try:
                command = script.send(reply)
            except StopIteration:
                return
            if isinstance(command, USER_CODE):
                reply = _call(command, world)
            elif type(command) is Sleep:
                if world.sleep is None:
                    raise RuntimeError("this world has no way to wait for another attempt")
                reply = world.sleep(command.seconds)
            else:
                reply = answer(command, world)
    except Exception as error:
        frame.failed(error)
        raise
    finally:
        script.close()


def _call(command: UserCode, world: World) -> Outcome:
    if command.deadline is not None and world.clock() >= command.deadline:
        return NEVER_BEGAN
    outcome = call(command)
    if type(outcome) is Returned and inspect.isawaitable(outcome.value):
        _discard(outcome.value)
        return Raised(NonRetryableInvocationError("is async, and needs the async driver"))
    return outcome


def _discard(awaitable: object) -> None:
    """End an awaitable that nobody will await: a coroutine is closed, a task or future is cancelled."""
    for name in ("close", "cancel"):
        end = getattr(awaitable, name, None)
        if callable(end):
            end()
            return
