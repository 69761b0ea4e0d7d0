"""Processes that meet on one store, and are killed: exactly N calls run, nothing is spent twice, the store opens again.

``SCHEMAROUTER_SOAK=200`` asks for that many rounds; `make soak` does.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Charge
from schemarouter.errors import ApprovalDeniedError, ExecutionBudgetExceededError, StateStoreError
from schemarouter.model.limits import ExecutionBudget
from schemarouter.state.port import Entry
from schemarouter.state.sqlite import SqliteStore
from schemarouter.state.stored_approvals import StoredApprovals
from support.stores import Desk, answer, calls, grant, signer

PROCESSES = 16
LIMIT = 40
ROUNDS = int(os.environ.get("SCHEMAROUTER_SOAK", "3"))


class Log:
    """Lines that processes append, each in one step that the kernel does not tear."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def write(self, line: str) -> None:
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, f"{line}\n".encode())
        os.close(descriptor)

    def lines(self) -> list[str]:
        return self.path.read_text().split()


def start(work: Callable[[int], None], number: int) -> int:
    """A process that does ``work(number)`` and nothing of what pytest would do at its end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work(number)
            code = 0
        except BaseException as error:  # noqa: BLE001 - told by the exit code
            os.write(2, f"{number}: {error!r}\n".encode())
        finally:
            os._exit(code)
    return child


def all_of(work: Callable[[int], None], count: int = PROCESSES) -> None:
    """Run ``work`` in so many processes at once; all must end well."""
    children = [start(work, number) for number in range(count)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * count


def test_exactly_so_many_calls_run(tmp_path: Path) -> None:
    """Through the whole boundary: every process calls until it is refused."""
    ran = Log(tmp_path / "ran")

    def work(_: int) -> None:
        desk = Desk(store=SqliteStore(tmp_path / "state.db", timeout=30))
        desk.invoke = lambda: ran.write("ran") or {"value": 1}
        budget = ExecutionBudget(max_tool_calls=LIMIT, max_cost_units=1000, cost_units={"*": 0.1})
        while True:
            try:
                desk.executor.execute_call_sync(desk.call(), budget=budget, run_id="run")
            except ExecutionBudgetExceededError as error:
                assert f"max_tool_calls={LIMIT} (used {LIMIT}, needs 1)" in str(error)  # noqa: PT017 - it ends the loop
                return

    all_of(work)
    assert len(ran.lines()) == LIMIT
    used = {"calls": LIMIT, "attempts": LIMIT, "cost": Decimal("0.1") * LIMIT}
    assert SqliteStore(tmp_path / "state.db").used("run") == used


def test_exact_costs_are_shared(tmp_path: Path) -> None:
    charge = (Charge("cost", Decimal("0.1"), Decimal("4.0"), "max_cost_units"),)
    taken = Log(tmp_path / "taken")

    def work(_: int) -> None:
        store = SqliteStore(tmp_path / "state.db", timeout=30)
        while store.commit("run", charge) is None:
            taken.write("one")

    all_of(work)
    assert len(taken.lines()) == 40
    assert SqliteStore(tmp_path / "state.db").used("run") == {"cost": Decimal("4.0")}


def test_a_new_file_is_made_by_one_of_many(tmp_path: Path) -> None:
    names = Log(tmp_path / "names")
    all_of(lambda _: names.write(SqliteStore(tmp_path / "state.db", timeout=30).identity().name))
    assert len(names.lines()) == PROCESSES
    assert len(set(names.lines())) == 1


def test_a_connection_is_not_shared_with_a_child(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "state.db", timeout=30)
    store.enter("run", calls(None))

    def work(_: int) -> None:
        for _ in range(20):
            assert store.enter("run", calls(None)) is None

    children = [start(work, number) for number in range(4)]
    for _ in range(20):
        store.enter("run", calls(None))
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert store.used("run") == {"calls": 101}


@pytest.mark.timeout(7200)
def test_killed_at_random_points(tmp_path: Path) -> None:
    """A call writes that it begins between its charge and its invoker, so what was taken is known from outside.

    taken >= begun: nothing runs that was not charged. taken <= limit: nothing is charged twice over. What a killed
    process was charged stays spent, so the counter ends at the limit, and never above.
    """
    dice = random.Random(int(os.environ.get("SCHEMAROUTER_SEED", "6")))
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        folder.mkdir(mode=0o700)
        _round(folder, dice)
        for left in folder.iterdir():
            left.unlink()


def _round(folder: Path, dice: random.Random) -> None:
    path, ran = folder / "state.db", Log(folder / "ran")

    def work(number: int) -> None:
        store = SqliteStore(path, timeout=30)
        for call in range(10_000):
            entry = Entry(f"{number}-{call}", f"{os.getpid()}", 60.0)
            if store.enter("run", calls(LIMIT), entry) is not None:
                return
            refusal = store.commit("run", (Charge("attempts", 1, None, "max_attempts"),), entry)
            assert refusal is None
            ran.write("ran")

    children = [start(work, number) for number in range(PROCESSES)]
    doomed = dice.sample(children, 8)
    for child in doomed:
        time.sleep(dice.random() * 0.02)
        os.kill(child, signal.SIGKILL)
    ends = {child: os.waitpid(child, 0)[1] for child in children}
    assert all(ends[child] == 0 for child in children if child not in doomed), ends
    assert all(ends[child] in (0, signal.SIGKILL) for child in doomed), ends
    store = SqliteStore(path, timeout=30)
    used = store.used("run")
    begun = len(ran.lines())
    assert used["calls"] == LIMIT, "a survivor goes on until nothing is left"
    assert begun <= used["attempts"] <= used["calls"]
    killed = sum(ends[child] == signal.SIGKILL for child in doomed)
    assert LIMIT - killed <= begun <= LIMIT, "a killed process takes at most the one call that it had in hand"
    assert store.enter("run", calls(LIMIT), Entry("another", "me", 60.0)) is not None


def test_the_lease_of_a_killed_holder_is_spent_and_expires(tmp_path: Path) -> None:
    path = tmp_path / "state.db"

    def work(_: int) -> None:
        assert SqliteStore(path).enter("run", calls(2), Entry("call", "killed", 0.3)) is None
        os.kill(os.getpid(), signal.SIGKILL)

    os.waitpid(start(work, 0), 0)
    store, mine = SqliteStore(path), Entry("call", "me", 60.0)
    assert store.used("run") == {"calls": 1}
    time.sleep(0.4)
    assert store.enter("run", calls(2), mine) is None
    assert store.used("run") == {"calls": 1}, "the same logical call is counted once"
    with pytest.raises(StateStoreError, match="another process goes on with it"):
        store.commit("run", calls(2), Entry("call", "killed", 60.0))
    assert store.commit("run", (), mine) is None
    assert store.enter("run", calls(2), mine) is None
    assert store.used("run") == {"calls": 2}, "once its invoker was reached it is another call"
    assert store.enter("run", calls(2), Entry("call", "third", 60.0)) is not None


ALL_ASK = ExecutionPolicy(approval_mode="all")


def test_two_processes_spend_the_same_approval(tmp_path: Path) -> None:
    """One of many wins: the invoker runs once."""
    by, public = signer()
    path, ran, denied = tmp_path / "state.db", Log(tmp_path / "ran"), Log(tmp_path / "denied")
    options: Any = {"run_id": "run", "call_id": "call"}

    def desk(wait: float) -> Desk:
        store = SqliteStore(path, timeout=30)
        made = Desk(ALL_ASK, store=store, approval_callback=StoredApprovals(store, public, wait=wait))
        made.invoke = lambda: ran.write("ran") or {"value": 1}
        return made

    with pytest.raises(ApprovalDeniedError, match="it waits for an answer"):
        desk(0).executor.execute_call_sync(desk(0).call(), **options)
    store = SqliteStore(path)
    (filed,) = store.requests()
    assert store.answer(answer(by, store, filed.request.id)) == "approved"

    def work(_: int) -> None:
        one = desk(0)
        try:
            one.executor.execute_call_sync(one.call(), **options)
        except ApprovalDeniedError:
            denied.write("denied")

    all_of(work)
    assert (len(ran.lines()), len(denied.lines())) == (1, PROCESSES - 1)
    assert [one.status for one in store.requests()].count("spent") == 1


def test_uses_of_a_grant_are_counted_once_for_all(tmp_path: Path) -> None:
    by, public = signer()
    path, ran = tmp_path / "state.db", Log(tmp_path / "ran")
    store = SqliteStore(path)
    store.grant(grant(by, store, max_uses=5))

    def work(_: int) -> None:
        mine = SqliteStore(path, timeout=30)
        desk = Desk(ALL_ASK, approval_callback=StoredApprovals(mine, public, wait=0))
        desk.invoke = lambda: ran.write("ran") or {"value": 1}
        for _ in range(2):
            try:
                desk.executor.execute_call_sync(desk.call())
            except ApprovalDeniedError:
                return

    all_of(work)
    assert len(ran.lines()) == 5
    assert store.grants()[0].uses == 5


def test_threads_of_one_process_share_a_store(tmp_path: Path) -> None:
    import threading

    store, taken = SqliteStore(tmp_path / "state.db", timeout=30), []

    def work() -> None:
        while store.enter("run", calls(LIMIT)) is None:
            taken.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == LIMIT


def test_an_executor_that_was_used_before_a_fork(tmp_path: Path) -> None:
    """The threads that ask the store are those of the process, not of its parent: no child waits for nobody."""
    import asyncio

    desk = Desk(store=SqliteStore(tmp_path / "state.db", timeout=30))
    asyncio.run(desk.executor.execute_call(desk.call(), run_id="run"))
    all_of(lambda _: asyncio.run(desk.executor.execute_call(desk.call(), run_id="run")) and None, count=3)
    assert desk.executor._store is not None
    assert desk.executor._store.used("run") == {"calls": 4, "attempts": 4}


def test_killed_with_an_approval_in_hand(tmp_path: Path) -> None:
    """What dies in its invoker has lost its approval: the next one asks anew."""
    by, public = signer()
    path, options = tmp_path / "state.db", {"run_id": "run", "call_id": "call"}

    def execute(invoke: Callable[[], Any]) -> None:
        store = SqliteStore(path)
        desk = Desk(ALL_ASK, store=store, approval_callback=StoredApprovals(store, public, wait=0))
        desk.invoke = invoke
        desk.executor.execute_call_sync(desk.call(), **options)

    with pytest.raises(ApprovalDeniedError):
        execute(dict)
    store = SqliteStore(path)
    store.answer(answer(by, store, store.requests()[0].request.id))
    child = start(lambda _: execute(lambda: os.kill(os.getpid(), signal.SIGKILL)), 0)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    with pytest.raises(ApprovalDeniedError, match="it waits for an answer"):
        execute(dict)
    assert sorted(filed.status for filed in store.requests()) == ["pending", "spent"]
