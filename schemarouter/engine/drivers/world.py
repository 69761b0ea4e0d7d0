"""What both drivers share: the ports they answer from, and how they tell what user code did."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, NamedTuple

from schemarouter.engine.commands import Command, Look, Outcome, Raised, ReadClock, Returned, UserCode
from schemarouter.engine.frame import View
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


def answer(command: Command, world: World) -> Any:
    """Answer a command that runs no user code and does not wait."""
    if type(command) is Look:
        return world.look(command.tool, command.endpoint)
    if type(command) is ReadClock:
        return world.clock()
    return command.ledger.reserve(command.charges)  # type: ignore[union-attr] # the drivers answer the others themselves


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
