"""Runs with an id share one budget, in one process and in several; calls with an id are counted once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from schemarouter.engine.budget import Refusal
from schemarouter.errors import ExecutionBudgetExceededError, ExecutionHookError, StateStoreError
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import ExecutionBudget
from schemarouter.model.plan import ExecutionPlan
from schemarouter.runtime.router import SchemaRouter
from schemarouter.state.memory import MemoryStore
from schemarouter.state.sqlite import SqliteStore
from support.stores import Desk, WallClock, calls

TWO = ExecutionBudget(max_tool_calls=2)


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "state.db")


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_executors_on_one_store_share_the_budget_of_a_run(store: Any, driver: str) -> None:
    desks = [Desk(store=store) for _ in range(3)]

    def execute(desk: Desk, run: str | None) -> None:
        if driver == "sync":
            desk.executor.execute_call_sync(desk.call(), budget=TWO, run_id=run)
        else:
            asyncio.run(desk.executor.execute_call(desk.call(), budget=TWO, run_id=run))

    execute(desks[0], "run")
    execute(desks[1], "run")
    with pytest.raises(ExecutionBudgetExceededError, match=r"max_tool_calls=2 \(used 2, needs 1\)"):
        execute(desks[2], "run")
    execute(desks[2], "another run")
    execute(desks[2], None)
    assert [desk.ran for desk in desks] == [1, 1, 2]
    assert store.used("run") == {"calls": 2, "attempts": 2}


def test_a_run_id_without_a_store_is_a_name_only() -> None:
    desk = Desk()
    for _ in range(3):
        desk.executor.execute_call_sync(desk.call(), budget=ExecutionBudget(max_tool_calls=1), run_id="run")
    assert desk.ran == 3


@pytest.mark.parametrize("bad", ["", "a\nb", "x" * 300, "\u202e"])
def test_what_is_no_id(bad: str) -> None:
    desk = Desk(store=MemoryStore())
    with pytest.raises(ValueError, match="run_id must be text"):
        desk.executor.start_run(run_id=bad)
    with pytest.raises(ValueError, match="call_id must be text"):
        desk.executor.execute_call_sync(desk.call(), call_id=bad)
    with pytest.raises(TypeError, match="run_id must be text"):
        desk.executor.start_run(run_id=3)  # type: ignore[arg-type]


def test_a_call_with_an_id_is_counted_once_until_its_invoker_is_reached(store: Any) -> None:
    veto = [True]

    def before(*_: Any) -> None:
        if veto[0]:
            raise RuntimeError("not yet")

    desk = Desk(store=store, hooks=ExecutionHooks(before_call=[before]))
    options: Any = {"budget": TWO, "run_id": "run", "call_id": "call"}
    for _ in range(5):
        with pytest.raises(ExecutionHookError):
            desk.executor.execute_call_sync(desk.call(), **options)
    assert store.used("run") == {"calls": 1}
    veto[0] = False
    desk.executor.execute_call_sync(desk.call(), **options)
    assert store.used("run") == {"calls": 1, "attempts": 1}
    desk.executor.execute_call_sync(desk.call(), **options)
    assert store.used("run") == {"calls": 2, "attempts": 2}, "an id cannot be used to run for free"
    with pytest.raises(ExecutionBudgetExceededError):
        desk.executor.execute_call_sync(desk.call(), **options)


def test_other_arguments_are_another_call(store: Any) -> None:
    def veto(*_: Any) -> None:
        raise RuntimeError("no")

    desk = Desk(store=store, hooks=ExecutionHooks(before_call=[veto]))
    for arguments in ({"secret": "a"}, {"secret": "b"}, {"secret": "a"}):
        with pytest.raises(ExecutionHookError):
            desk.executor.execute_call_sync(desk.call(arguments=arguments), run_id="run", call_id="call")
    assert store.used("run") == {"calls": 2}


def test_two_at_once_with_one_id_are_two(store: Any) -> None:
    """The first has the lease; the second is charged, and both may run."""
    desk = Desk(store=store)

    def again(*_: Any) -> None:
        if store.used("run")["calls"] == 1:
            desk.executor.execute_call_sync(desk.call(), run_id="run", call_id="call")

    desk.executor.hooks = ExecutionHooks(before_call=[again])
    desk.executor.execute_call_sync(desk.call(), run_id="run", call_id="call")
    assert (desk.ran, store.used("run")) == (2, {"calls": 2, "attempts": 2})


def test_a_refused_attempt_gives_its_lease_back(store: Any) -> None:
    desk = Desk(store=store)
    for _ in range(3):
        with pytest.raises(ExecutionBudgetExceededError, match="max_attempts=0"):
            desk.executor.execute_call_sync(
                desk.call(), budget=ExecutionBudget(max_attempts=0), run_id="run", call_id="call"
            )
    assert store.used("run") == {"calls": 1}


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_the_time_of_a_run_goes_on_between_processes(driver: str) -> None:
    clock = WallClock()
    store, budget = MemoryStore(clock=clock), ExecutionBudget(max_elapsed_seconds=10)

    def execute() -> None:
        desk = Desk(store=store)
        if driver == "sync":
            desk.executor.execute_call_sync(desk.call(), budget=budget, run_id="run")
        else:
            asyncio.run(desk.executor.execute_call(desk.call(), budget=budget, run_id="run"))

    execute()
    clock.now += 9
    execute()
    clock.now += 2
    with pytest.raises(ExecutionBudgetExceededError, match="max_elapsed_seconds=10"):
        execute()
    clock.now -= 60
    with pytest.raises(StateStoreError, match="went backwards"):
        execute()


def test_a_plan_and_a_router_name_their_run() -> None:
    store = MemoryStore()
    desk = Desk(store=store)
    plan = ExecutionPlan(query="", registry_version=0, calls=[desk.call(), desk.call()])
    asyncio.run(desk.executor.execute(plan, run_id="plan"))
    assert store.used("plan") == {"calls": 2, "attempts": 2}
    router = SchemaRouter(store=store)
    router.add_callable(lambda: 1, name="one", read_only=True)
    router.invoke("one", config={"run_id": "routed"})
    assert store.used("routed") == {"calls": 1, "attempts": 1}


def test_each_input_of_a_batch_is_a_run_of_its_own() -> None:
    store = MemoryStore()
    router = SchemaRouter(store=store)
    router.add_callable(lambda: 1, name="one", read_only=True)
    results = router.batch(["one"] * 3, config={"run_id": "b", "budget": {"max_tool_calls": 1}})
    assert [result[0].data for result in results] == [1, 1, 1]
    assert [store.used(f"b/{number}")["calls"] for number in range(3)] == [1, 1, 1]
    assert store.used("b") == {}


def test_the_event_loop_goes_on_while_a_store_waits(tmp_path: Path) -> None:
    import sqlite3

    store = SqliteStore(tmp_path / "state.db", timeout=0.5)
    store.enter("run", calls(None))
    other = sqlite3.connect(tmp_path / "state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    desk, beats = Desk(store=store), 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    async def main() -> None:
        heart = asyncio.create_task(beat())
        with pytest.raises(StateStoreError, match="locked by another process"):
            await desk.executor.execute_call(desk.call(), run_id="run")
        heart.cancel()

    asyncio.run(main())
    other.close()
    assert beats > 5
    assert desk.ran == 0


def test_cancelled_while_a_store_waits() -> None:
    class Slow(MemoryStore):
        def enter(self, *arguments: Any) -> Refusal | None:
            time.sleep(0.2)
            return super().enter(*arguments)

    store = Slow()
    desk = Desk(store=store)

    async def main() -> None:
        task = asyncio.create_task(desk.executor.execute_call(desk.call(), run_id="run"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    desk.executor._store_pool.get().shutdown(wait=True)
    assert desk.ran == 0
    assert store.used("run") == {"calls": 1}, "what was charged stays charged"
