"""What both drivers share: the ports they answer from, and how they tell what user code did."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Executor
from typing import Any, NamedTuple

from schemarouter.engine.commands import Look, Outcome, Raised, ReadClock, Reserve, Returned, Sleep, UserCode
from schemarouter.engine.frame import Frame, View
from schemarouter.engine.pipeline import interpret
from schemarouter.errors import NonRetryableInvocationError


class World(NamedTuple):
    """The ports. ``look`` gives the view of now, for a tool key and an endpoint's name.

    ``clock`` gives monotonic seconds. ``sleep`` is used by the sync driver only, ``pool`` by the async driver for sync
    invokers that were bound with ``offload_sync``.
    """

    look: Callable[[str, str], View]
    clock: Callable[[], float]
    sleep: Callable[[float], None] | None = None
    pool: Callable[[], Executor] | None = None


def effects(frame: Frame, world: World) -> Generator[UserCode | Sleep, Any, None]:
    """Interpret ``frame``, answering what runs no user code and does not wait; yield the rest to a driver.

    Raises what the stages raise.
    """
    script = interpret(frame)
    look, clock = world.look, world.clock
    reply: Any = None
    try:
        while True:
            try:
                command = script.send(reply)
            except StopIteration:
                return
            if type(command) is Look:
                reply = look(command.tool, command.endpoint)
            elif type(command) is ReadClock:
                reply = clock()
            elif type(command) is Reserve:
                reply = command.ledger.reserve(command.charges)
            else:
                reply = yield command
    except Exception as error:
        frame.failed(error)
        raise
    finally:
        script.close()


def call(command: UserCode) -> Outcome:
    """Call the function of a command. What it returns may be awaitable; what it raises is its own failure.

    What is no ``Exception`` passes: cancellation, interrupt and exit are nobody's failure.
    """
    try:
        return Returned(command.function(*command.arguments))
    except Exception as error:  # noqa: BLE001 - whatever user code raises is told to the interpreter
        return Raised(portable(error))


def portable(error: Exception) -> Exception:
    """``error``, or what stands for it if it would end a generator or an iteration on its way to the caller."""
    if isinstance(error, StopIteration | StopAsyncIteration):
        stand_in = NonRetryableInvocationError(f"raised {type(error).__name__}, which cannot pass through a call")
        stand_in.__cause__ = error
        return stand_in
    return error
