"""The async driver: awaits user code and cuts it off when the time of the run is over."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Awaitable
from concurrent.futures import Executor, Future
from typing import Any

from schemarouter.engine.commands import (
    NEVER_BEGAN,
    AskApproval,
    CutOff,
    Invoke,
    OnStore,
    Outcome,
    Raised,
    Returned,
    Sleep,
    UserCode,
)
from schemarouter.engine.drivers.cancelling import Watched
from schemarouter.engine.drivers.world import Pending, World, call, discard, effects
from schemarouter.engine.frame import Frame


async def drive(frame: Frame, world: World) -> None:
    """Interpret ``frame`` to its end. Raises what its stages raise; cancellation passes unchanged."""
    script = effects(frame, world)
    reply: Any = None
    with contextlib.closing(script):
        while True:
            try:
                command = script.send(reply)
            except StopIteration:
                return
            if type(command) is Sleep:
                reply = await asyncio.sleep(command.seconds, None)
            else:
                reply = await _call(command, world)


async def _call(command: UserCode, world: World) -> Outcome:
    if command.deadline is not None and world.clock() >= command.deadline:
        return NEVER_BEGAN
    if type(command) is OnStore:
        return await _on_store(command, world)
    if type(command) is AskApproval and command.asynchronous is not None:
        command = command._replace(function=command.asynchronous)
    if type(command) is Invoke and command.offload:
        if world.pool is None:
            raise RuntimeError("an invoker was bound with offload_sync, and there is no pool to run it in")
        outcome: Outcome | Pending = await _offload(command, world, world.pool())
    else:
        outcome = call(command)
    if type(outcome) is Pending:
        return await _bounded(outcome.awaitable, command.deadline, world)
    return outcome


async def _bounded(awaitable: Awaitable[Any], deadline: float | None, world: World) -> Outcome:
    """Await user code within the remaining time.

    Who ended it is read off the scope and the task, not off the exception. If the scope expired, the code was cut off,
    whatever it made of that; if not, a ``TimeoutError`` is the code's own. If the call was cancelled meanwhile, it is
    cancelled, even where the code swallowed that: nothing may go on in its name.
    """
    code = Watched(awaitable)
    outcome = await (_outcome(code) if deadline is None else _within(code, deadline - world.clock()))
    if code.cancelled:
        raise asyncio.CancelledError
    return outcome


async def _within(code: Watched, seconds: float) -> Outcome:
    outcome: Outcome | None = None
    try:
        async with asyncio.timeout(seconds) as scope:
            outcome = await _outcome(code)
    except (TimeoutError, asyncio.CancelledError):
        # Only the scope raises the former: what the code raises is an outcome. It leaves the latter as it is where more
        # cancellations are counted than its own.
        if code.cancelled or not scope.expired():
            raise
        return CutOff()
    if scope.expired():
        return CutOff(returned=type(outcome) is Returned)
    return outcome


async def _outcome(awaitable: Awaitable[Any]) -> Outcome:
    try:
        return Returned(await awaitable)
    except Exception as error:  # noqa: BLE001 - whatever user code raises is told to the interpreter
        return Raised(error)


async def _offload(command: Invoke, world: World, pool: Executor) -> Outcome | Pending:
    """Run a sync invoker in a worker thread. A thread cannot be stopped: one that began goes on after it was cut off."""
    work: Future[Outcome | Pending | BaseException] = pool.submit(contextvars.copy_context().run, _guarded, command)
    try:
        outcome = await _bounded(asyncio.wrap_future(work), command.deadline, world)
    except BaseException:
        work.add_done_callback(_drop)
        raise
    if type(outcome) is CutOff:
        work.add_done_callback(_drop)
        if work.cancel():
            return NEVER_BEGAN
        if not work.done():
            return CutOff(offloaded=True)
        return CutOff(returned=type(_told(work.result())) is Returned)
    return _told(outcome.value) if type(outcome) is Returned else outcome


async def _on_store(command: OnStore, world: World) -> Outcome:
    """Wait for a step on a store, which bounds itself, so that it is known what was charged.

    Cancellation passes at once; a step that began then comes to its end, and what it charged stays charged.
    """
    if world.store_pool is None:
        raise RuntimeError("a run has a shared ledger, and there is no pool to ask it in")
    work = world.store_pool().submit(_guarded, command)
    outcome = _told(await asyncio.wrap_future(work))
    if type(outcome) is Pending:
        discard(outcome.awaitable)
        return Raised(TypeError("a step on a store is async"))
    return outcome


def _drop(work: Future[Outcome | Pending | BaseException]) -> None:
    """Nobody waits for what the worker did; what it left to be awaited never begins."""
    outcome = None if work.cancelled() else work.result()
    if type(outcome) is Pending:
        discard(outcome.awaitable)


def _told(outcome: Outcome | Pending | BaseException) -> Outcome | Pending:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _guarded(command: UserCode) -> Outcome | Pending | BaseException:
    """In the worker: nothing is raised, because a future cannot carry every exception."""
    try:
        return call(command)
    except BaseException as error:  # noqa: BLE001 - interrupt and exit are raised again in the loop's thread
        return error
