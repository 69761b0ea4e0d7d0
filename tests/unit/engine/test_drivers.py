"""What only drivers can get wrong: who ended user code, threads, cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Limits
from schemarouter.engine.drivers import asynchronous, sync
from schemarouter.engine.frame import Frame
from schemarouter.engine.retry import Retry
from schemarouter.errors import (
    ApprovalDeniedError,
    ExecutionBudgetExceededError,
    IndeterminateInvocationError,
    NonRetryableInvocationError,
    TransientInvocationError,
)
from support.boundary import Boundary, tool_spec

SOON = Limits(max_elapsed_seconds=0.02)
OUTPUT = {"value": 1}
CONTEXT: contextvars.ContextVar[str] = contextvars.ContextVar("CONTEXT", default="none")


def real_time(boundary: Boundary) -> Boundary:
    boundary.clock = time.monotonic  # type: ignore[assignment]
    return boundary


def start(boundary: Boundary, limits: Limits = SOON, retry: Retry = Retry()) -> tuple[Frame, Any]:  # noqa: B008 - immutable
    frame = Frame(boundary.call(), boundary.run(limits, retry))
    return frame, asynchronous.drive(frame, boundary.world)


@pytest.mark.asyncio
async def test_a_timeout_of_its_own_is_no_expiry_even_after_the_time() -> None:
    """A sync invoker that fails late has failed; nobody cut it off."""

    def late(endpoint: str, arguments: object) -> None:
        boundary.clock.now += 99
        raise TimeoutError("mine")

    boundary = Boundary()
    boundary.bind(late)
    frame, run = start(boundary)
    with pytest.raises(TimeoutError, match="mine"):
        await run
    assert frame.succeeded is None


@pytest.mark.asyncio
async def test_a_timeout_of_its_own_in_the_last_moment_is_its_own() -> None:
    """The race: the code's own timer and the scope's are due in the same turn of the loop, the code's first."""

    async def invoker(endpoint: str, arguments: object) -> None:
        loop = asyncio.get_running_loop()
        own = loop.create_future()
        loop.call_later(0.01, lambda: own.done() or own.set_exception(TimeoutError("mine")))
        await own

    seen = set()
    for seconds in (0.01, 0.0100001, 0.0099999, 5.0, 0.005):
        boundary = real_time(Boundary())
        boundary.bind(invoker)
        _, run = start(boundary, Limits(max_elapsed_seconds=seconds))
        with pytest.raises((TimeoutError, ExecutionBudgetExceededError)) as caught:
            await run
        seen.add(type(caught.value))
        if isinstance(caught.value, ExecutionBudgetExceededError):
            assert seconds < 1
        else:
            assert seconds > 0.008
    assert seen == {TimeoutError, ExecutionBudgetExceededError}


@pytest.mark.asyncio
async def test_a_timeout_scope_inside_the_invoker_is_its_own() -> None:
    async def invoker(endpoint: str, arguments: object) -> None:
        async with asyncio.timeout(0.001):
            await asyncio.sleep(60)

    boundary = Boundary()
    boundary.bind(invoker)
    _, run = start(boundary, Limits(max_elapsed_seconds=30))
    with pytest.raises(TimeoutError):
        await run


@pytest.mark.asyncio
async def test_cancellation_wins_over_an_expiry_in_the_same_moment() -> None:
    async def invoker(endpoint: str, arguments: object) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            task.cancel()

    boundary = Boundary()
    boundary.bind(invoker)
    frame, run = start(boundary)
    task = asyncio.create_task(run)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert boundary.ledger.used == {"calls": 1, "attempts": 1}
    assert frame.result is None


@pytest.mark.asyncio
async def test_backoff_is_not_outlived_by_cancellation() -> None:
    def fail(endpoint: str, arguments: object) -> None:
        raise TransientInvocationError("x")

    boundary = Boundary()
    boundary.bind(fail)
    _, run = start(boundary, Limits(max_elapsed_seconds=300), Retry(max_attempts=2, initial=60))
    task = asyncio.create_task(run)
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert boundary.ran == 1


class Offloaded:
    """A sync invoker that waits in its thread until it is released."""

    def __init__(self, read_only: bool | None, workers: int = 1) -> None:
        self.boundary = Boundary(tool_spec(read_only=read_only), ExecutionPolicy(allow_mutations=True))
        self.boundary.pool = ThreadPoolExecutor(workers)
        self.released, self.entered, self.thread = threading.Event(), threading.Event(), ""
        self.boundary.bind(self.invoke, offload_sync=True)

    def invoke(self, endpoint: str, arguments: object) -> dict[str, int]:
        self.context = CONTEXT.get()
        self.thread = threading.current_thread().name
        self.entered.set()
        self.released.wait(10)
        return OUTPUT

    def close(self) -> None:
        self.released.set()
        self.boundary.pool.shutdown()


@pytest.mark.asyncio
async def test_an_offloaded_invoker_runs_in_the_pool() -> None:
    offloaded = Offloaded(False)
    offloaded.released.set()
    CONTEXT.set("the caller's")
    frame, run = start(offloaded.boundary, Limits(max_elapsed_seconds=30))
    await run
    assert frame.delivered().data == OUTPUT
    assert offloaded.thread.startswith("ThreadPoolExecutor")
    assert offloaded.context == "the caller's"
    offloaded.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("read_only", [True, False, None])
async def test_cutting_off_an_offloaded_invoker(read_only: bool | None) -> None:
    offloaded = Offloaded(read_only)
    _, run = start(offloaded.boundary, retry=Retry(max_attempts=3, non_read_only=True))
    kind = ExecutionBudgetExceededError if read_only else IndeterminateInvocationError
    with pytest.raises(ExecutionBudgetExceededError) as caught:
        await run
    assert type(caught.value) is kind
    assert caught.value.execution_succeeded is None
    assert offloaded.boundary.ran == 1
    offloaded.close()


@pytest.mark.asyncio
async def test_an_offloaded_invoker_that_waits_for_a_thread_never_began() -> None:
    offloaded = Offloaded(False)
    blocker = offloaded.boundary.pool.submit(offloaded.released.wait, 10)
    _, run = start(offloaded.boundary)
    with pytest.raises(ExecutionBudgetExceededError) as caught:
        await run
    assert type(caught.value) is ExecutionBudgetExceededError
    assert caught.value.execution_succeeded is False
    offloaded.close()
    assert blocker.result(5)
    assert offloaded.boundary.ran == 0


@pytest.mark.asyncio
async def test_cancelling_an_offloaded_call_stays_cancellation() -> None:
    offloaded = Offloaded(False)
    _, run = start(offloaded.boundary, Limits(max_elapsed_seconds=300))
    task = asyncio.create_task(run)
    await asyncio.to_thread(offloaded.entered.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert offloaded.boundary.ledger.used == {"calls": 1, "attempts": 1}
    offloaded.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [StopIteration, KeyError, TransientInvocationError])
async def test_what_an_offloaded_invoker_raises_arrives(error: type[Exception]) -> None:
    def fail(endpoint: str, arguments: object) -> None:
        raise error("x")

    boundary = Boundary()
    boundary.pool = ThreadPoolExecutor(1)
    boundary.bind(fail, offload_sync=True)
    _, run = start(boundary, Limits(max_elapsed_seconds=30))
    with pytest.raises(NonRetryableInvocationError if error is StopIteration else error):
        await run
    boundary.pool.shutdown()


def test_system_exit_in_a_worker_thread_arrives() -> None:
    def leave(endpoint: str, arguments: object) -> None:
        raise SystemExit(3)

    boundary = Boundary()
    boundary.pool = ThreadPoolExecutor(1)
    boundary.bind(leave, offload_sync=True)
    with pytest.raises(SystemExit):
        boundary.drive(Frame(boundary.call(), boundary.run()), "async")
    boundary.pool.shutdown()


@pytest.mark.asyncio
async def test_any_awaitable_is_awaited() -> None:
    """A sync callable may return an awaitable: a future here, a coroutine of a lambda elsewhere."""

    async def yes() -> bool:
        return True

    boundary = Boundary(policy=ExecutionPolicy(approval_mode="all"))
    future: asyncio.Future[dict[str, int]] = asyncio.get_running_loop().create_future()
    future.set_result(OUTPUT)
    boundary.bind(lambda endpoint, arguments: future)
    boundary.govern(approval=lambda *_: yes())
    frame, run = start(boundary)
    await run
    assert frame.delivered().data == OUTPUT


@pytest.mark.asyncio
async def test_an_awaitable_is_no_approval() -> None:
    async def no() -> None: ...

    boundary = Boundary(policy=ExecutionPolicy(approval_mode="all"))
    boundary.govern(approval=lambda *_: no())
    _, run = start(boundary)
    with pytest.raises(ApprovalDeniedError, match="was not approved"):
        await run


def test_the_sync_driver_closes_what_it_cannot_await() -> None:
    """An unawaited coroutine would warn, and warnings are errors here."""
    boundary = Boundary(policy=ExecutionPolicy(approval_mode="all"))

    async def yes(*_: object) -> bool:
        raise AssertionError("it must not start")

    boundary.govern(approval=yes)
    frame = Frame(boundary.call(), boundary.run())
    with pytest.raises(ApprovalDeniedError, match="failed closed"):
        sync.drive(frame, boundary.world)
    assert boundary.ran == 0


def test_the_sync_driver_cancels_a_task_that_it_cannot_await() -> None:
    boundary = Boundary()
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    boundary.bind(lambda endpoint, arguments: future)
    with pytest.raises(NonRetryableInvocationError, match="async"):
        boundary.drive(Frame(boundary.call(), boundary.run()), "sync")
    assert future.cancelled()
    loop.close()


def test_the_sync_driver_waits_between_attempts() -> None:
    outcomes = iter([TransientInvocationError("x"), TransientInvocationError("x"), None])

    def invoker(endpoint: str, arguments: object) -> dict[str, int]:
        error = next(outcomes)
        if error:
            raise error
        return OUTPUT

    boundary = Boundary()
    boundary.bind(invoker)
    result = boundary.drive(Frame(boundary.call(), boundary.run(retry=Retry(3, 0.5, 2.0))), "sync")
    assert result.data == OUTPUT
    assert boundary.slept == [0.5, 1.0]


async def fails() -> None:
    raise ValueError("one of a group")


async def failing_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(fails())


async def handled_group() -> dict[str, int]:
    try:
        await failing_group()
    except* ValueError:
        pass
    return OUTPUT


WITH_AND_WITHOUT_A_LIMIT = pytest.mark.parametrize("limits", [Limits(), Limits(max_elapsed_seconds=30)])


@pytest.mark.asyncio
@WITH_AND_WITHOUT_A_LIMIT
async def test_a_task_group_of_user_code_that_fails_is_no_cancellation(limits: Limits) -> None:
    """Before Python 3.13 a group that fails at its end leaves a cancellation of its task counted."""

    async def raises(endpoint: str, arguments: object) -> None:
        await failing_group()

    boundary = real_time(Boundary())
    boundary.bind(raises)
    _, run = start(boundary, limits)
    with pytest.raises(ExceptionGroup) as caught:
        await run
    assert type(caught.value.exceptions[0]) is ValueError


@pytest.mark.asyncio
@WITH_AND_WITHOUT_A_LIMIT
async def test_a_task_group_whose_failure_is_handled_changes_nothing(limits: Limits) -> None:
    async def handles(endpoint: str, arguments: object) -> dict[str, int]:
        return await handled_group()

    async def hook(*_: object) -> None:
        await handled_group()

    boundary = real_time(Boundary())
    boundary.bind(handles)
    boundary.govern(before=(hook,), after=(hook,))
    frame, run = start(boundary, limits)
    await run
    assert frame.delivered().data == OUTPUT


@pytest.mark.asyncio
async def test_after_a_task_group_failed_the_code_is_cut_off_and_cancelled_as_ever() -> None:
    async def slow(endpoint: str, arguments: object) -> dict[str, int]:
        await handled_group()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return OUTPUT
        return {}

    boundary = real_time(Boundary())
    boundary.bind(slow)
    _, run = start(boundary)
    with pytest.raises(ExecutionBudgetExceededError):
        await run
    _, run = start(boundary, Limits())
    task = asyncio.create_task(run)
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.asyncio
@pytest.mark.parametrize("ended", ["cut off", "cancelled"])
async def test_what_an_offloaded_invoker_leaves_to_be_awaited_never_begins(ended: str) -> None:
    """Once nobody waits for it any more. A coroutine that is let go unawaited would warn, which fails the test."""
    released, began, left = threading.Event(), threading.Event(), []

    async def rest() -> dict[str, int]:
        return OUTPUT

    def invoker(endpoint: str, arguments: object) -> Any:
        began.set()
        released.wait(30)
        left.append(rest())
        return left[0]

    boundary = real_time(Boundary())
    boundary.pool = ThreadPoolExecutor(1)
    boundary.bind(invoker, offload_sync=True)
    _, run = start(boundary, SOON if ended == "cut off" else Limits())
    task = asyncio.create_task(run)
    await asyncio.to_thread(began.wait, 30)
    if ended == "cancelled":
        task.cancel()
    await asyncio.wait([task])
    released.set()
    boundary.pool.shutdown(wait=True)
    assert left[0].cr_frame is None
    with pytest.raises(ExecutionBudgetExceededError if ended == "cut off" else asyncio.CancelledError):
        await task
