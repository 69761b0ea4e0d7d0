"""SPEC 3, *Fail closed, as a matrix*: before stage 9 the invoker never ran, from stage 9 on the result is withheld."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Limits
from schemarouter.engine.frame import Frame
from schemarouter.errors import PolicyViolationError, SchemaRouterError
from support.boundary import CANARY, Boundary, tool_spec
from support.matrix import CODE, ORDER, PASSING, Cell, cells, expected

CELLS = cells()
GOOD = {"approval": True, "before-hooks": None, "attempts": {"value": 1, "hidden": CANARY}, "after-hooks": None}
WRONG = {"approval": 1, "before-hooks": CANARY, "attempts": {"value": CANARY}, "after-hooks": CANARY}


class Harness:
    """A boundary on which the fault of one cell strikes once."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.boundary = Boundary(policy=ExecutionPolicy(approval_mode="all"))
        self.spoof = PolicyViolationError(CANARY)
        for stage in CODE:
            self.install(stage)
        # A run whose clock started with an earlier call; short where code must be cut off by a real timer.
        cut_off = cell.fault in ("hangs", "swallowed cut-off", "raises when cut off")
        self.run = self.boundary.run(Limits(max_elapsed_seconds=0.004 if cut_off else 60.0))
        self.run.start_clock(self.boundary.clock.now)
        self.frame = Frame(self.boundary.call(), self.run)
        self.frame.watch = self.enter

    def install(self, stage: str) -> None:
        """Put user code there, which behaves unless it is the one that the cell is about."""

        def plain(*_: Any) -> Any:
            return self.behave() if self.cell[:2] == (stage, "code") else GOOD[stage]

        async def awaited(*_: Any) -> Any:
            if self.cell[:2] != (stage, "code"):
                return GOOD[stage]
            if self.cell.fault in ("hangs", "swallowed cut-off", "raises when cut off"):
                return await self.linger()
            if self.cell.fault in ("cancelled from outside", "swallowed cancellation"):
                return await self.be_cancelled()
            return self.behave()

        # In the cells "async code", only the code in question is async.
        is_async = self.cell.code == "async" and (self.cell.fault != "async code" or self.cell.stage == stage)
        code: Callable[..., Any] = awaited if is_async else plain
        if stage == "attempts":
            self.boundary.bind(code)
        else:
            name = {"approval": "approval", "before-hooks": "before", "after-hooks": "after"}[stage]
            self.boundary.govern(**{name: code if stage == "approval" else (code,)})

    async def linger(self) -> Any:
        """Wait for longer than the run has, and make something else of being cut off."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if self.cell.fault == "hangs":
                raise
            if self.cell.fault == "raises when cut off":
                raise TimeoutError(CANARY) from None
        return GOOD[self.cell.stage]

    async def be_cancelled(self) -> Any:
        """The caller cancels the call while this code runs."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if self.cell.fault == "cancelled from outside":
                raise
        return GOOD[self.cell.stage]

    def enter(self, stage: str) -> None:
        if self.cell[:2] == (stage, "entry"):
            self.strike()

    def behave(self) -> Any:
        """User code of the cell: strike, and return what is expected there."""
        if self.cell.fault == "wrong value":
            return WRONG[self.cell.stage]
        self.strike()
        return GOOD[self.cell.stage]

    def strike(self) -> None:
        boundary, fault = self.boundary, self.cell.fault
        if fault in PASSING:
            raise PASSING[fault](CANARY)
        if fault == "exception":
            raise RuntimeError(CANARY)
        if fault == "own timeout":
            raise TimeoutError(CANARY)
        if fault == "spoofed gate":
            raise self.spoof
        if fault == "stop iteration":
            raise StopIteration(CANARY)
        if fault == "expiry":
            boundary.clock.now += 3600
        elif fault == "contract changed":
            boundary.registry.register(tool_spec(description="another"), replace=True)
        elif fault == "tool unregistered":
            boundary.registry.unregister("ns.tool")
        elif fault == "binding replaced":
            boundary.bind(lambda endpoint, arguments: GOOD["attempts"])
        elif fault == "tool unbound":
            boundary.bindings.unbind("ns.tool")
        elif fault == "policy replaced":
            boundary.govern(graph=ExecutionPolicy(allow_mutations=True, approval_mode="all").graph)
        elif fault == "hooks replaced":
            boundary.govern(before=())
        else:
            raise AssertionError(f"nothing strikes for {fault}")


def chain(error: BaseException | None) -> list[BaseException]:
    """``error`` and everything that a traceback would show below it."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_fail_closed(cell: Cell) -> None:
    harness, wanted = Harness(cell), expected(cell)
    boundary, frame = harness.boundary, harness.frame
    with pytest.raises(wanted.error) as caught:
        boundary.drive(frame, cell.driver)
    error = caught.value
    assert type(error) is wanted.error
    assert boundary.ran == int(wanted.ran)
    used = boundary.ledger.used
    assert used.get("calls", 0) == wanted.calls
    assert used.get("attempts", 0) == wanted.attempts
    assert "remote attempts" not in used
    with pytest.raises(RuntimeError):
        frame.delivered()
    if isinstance(error, Exception):
        assert getattr(error, "execution_succeeded", False) is wanted.succeeded
    for link in chain(error):
        if isinstance(link, SchemaRouterError) and link is not harness.spoof:
            assert CANARY not in str(link)
            assert "\n" not in str(link)


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_without_a_fault_the_call_goes_through(driver: str) -> None:
    """The matrix means something only if the same call works when nothing strikes."""
    harness = Harness(Cell("none", "none", "none", driver, driver))
    result = harness.boundary.drive(harness.frame, driver)
    assert result.data == {"value": 1}
    assert harness.boundary.ran == 1
    assert harness.boundary.ledger.used == {"calls": 1, "attempts": 1}


def test_the_matrix_is_whole() -> None:
    """Every stage meets every kind of fault, at its beginning, under both drivers."""
    assert len(set(CELLS)) == len(CELLS)
    for driver in ("sync", "async"):
        for stage in ORDER:
            faults = {cell.fault for cell in CELLS if cell.stage == stage and cell.driver == driver}
            assert {"exception", "expiry", "contract changed", "policy replaced", *PASSING} <= faults
    for stage in CODE:
        assert {"wrong value", "own timeout", "spoofed gate"} <= {
            cell.fault for cell in CELLS if cell.stage == stage and cell.where == "code"
        }


def test_the_readme_tells_the_size_of_the_matrix() -> None:
    readme = Path(__file__).parents[3].joinpath("README.md").read_text(encoding="utf-8")
    assert f"fail-closed matrix has {len(CELLS)} cells" in readme
