"""What both drivers share: the ports they answer from, and how they tell what user code did."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Executor
from types import CoroutineType
from typing import Any, NamedTuple, final

from schemarouter.engine.commands import Look, OnStore, Outcome, Raised, ReadClock, Reserve, Returned, Sleep, UserCode
from schemarouter.engine.frame import Frame, View
from schemarouter.engine.pipeline import interpret

#: Never awaitable: spares the usual answers an abstract isinstance check.
_PLAIN = frozenset({type(None), bool, dict, list, str, int, float})


class World(NamedTuple):
    """The ports. ``look`` gives the view of now, for a tool key and an endpoint's name.

    ``clock`` gives monotonic seconds. ``sleep`` is used by the sync driver only, ``pool`` by the async driver for sync
    invokers that were bound with ``offload_sync``, ``store_pool`` by the async driver for steps on a shared ledger: apart
    from the other, so that an invoker that hangs does not keep a store waiting.
    """

    look: Callable[[str, str], View]
    clock: Callable[[], float]
    sleep: Callable[[float], None] | None = None
    pool: Callable[[], Executor] | None = None
    store_pool: Callable[[], Executor] | None = None


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
        if frame.lease is not None and frame.run.shared is not None:
            # Whatever the store answers: a lease that is not given back expires.
            yield OnStore(frame.run.shared.release, (frame.lease,))
        raise
    finally:
        script.close()


@final
class Pending(NamedTuple):
    """User code returned something that has to be awaited for what it does."""

    awaitable: Awaitable[Any]


def call(command: UserCode) -> Outcome | Pending:
    """Call the function of a command. What it raises is its own failure, also while it is asked what it returned.

    What is no ``Exception`` passes: cancellation, interrupt and exit are nobody's failure.
    """
    try:
        value = command.function(*command.arguments)
        kind = type(value)
        if kind not in _PLAIN and (kind is CoroutineType or inspect.isawaitable(value)):
            return Pending(value)
        return Returned(value)
    except Exception as error:  # noqa: BLE001 - whatever user code raises is told to the interpreter
        return Raised(error)


def discard(awaitable: object) -> None:
    """End an awaitable that nobody will await: a coroutine is closed, a task or future is cancelled.

    What it makes of that changes nothing: the call has failed already.
    """
    with contextlib.suppress(Exception):
        for name in ("close", "cancel"):
            end = getattr(awaitable, name, None)
            if callable(end):
                end()
                return
