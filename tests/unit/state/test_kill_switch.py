"""The kill switch denies everything at once, in every stage, and what cannot be told is on."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.drivers import sync
from schemarouter.engine.frame import Frame
from schemarouter.engine.pipeline import PIPELINE
from schemarouter.errors import PolicyViolationError, TransientInvocationError
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import RetryPolicy
from schemarouter.runtime.router import SchemaRouter
from schemarouter.state.kill_switch import KillSwitch
from support.stores import Desk

VARIABLE = "SCHEMAROUTER_TEST_STOP"


def test_a_file(tmp_path: Path) -> None:
    switch = KillSwitch(tmp_path / "stop")
    assert switch.reason() is None
    (tmp_path / "stop").touch()
    assert switch.reason() == f"the kill switch is on (the file '{tmp_path}/stop' is there)"
    (tmp_path / "stop").unlink()
    assert switch.reason() is None


@pytest.mark.parametrize(
    "make", [lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere"), lambda path: os.mkfifo(path)]
)
def test_a_file_of_any_kind(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "stop")
    assert "is there" in str(KillSwitch(tmp_path / "stop").reason())


@pytest.mark.parametrize("value", ["1", "on", "yes", "anything", "nope", " x "])
def test_a_variable_that_is_on(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    switch = KillSwitch(variable=VARIABLE)
    assert switch.reason() is None
    monkeypatch.setenv(VARIABLE, value)
    assert switch.reason() == f"the kill switch is on (the variable '{VARIABLE}' is set)"


@pytest.mark.parametrize("value", ["", "0", "false", "False", "no", "OFF", " 0 "])
def test_a_variable_that_is_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert KillSwitch(variable=VARIABLE).reason() is None


def test_either_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    switch = KillSwitch(tmp_path / "stop", variable=VARIABLE)
    assert switch.reason() is None
    (tmp_path / "stop").touch()
    assert "file" in str(switch.reason())
    monkeypatch.setenv(VARIABLE, "1")
    assert "variable" in str(switch.reason())


def test_what_cannot_be_told_is_on(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    missing, below_a_file = KillSwitch(tmp_path / "gone" / "stop"), KillSwitch(tmp_path / "file" / "stop")
    too_long = KillSwitch(tmp_path / ("x" * 300))
    (tmp_path / "loop").symlink_to("loop")
    for switch in (missing, below_a_file, too_long, KillSwitch(tmp_path / "loop" / "stop")):
        assert "counts as on, because the file" in str(switch.reason())


def test_a_relative_path_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    switch = KillSwitch("stop")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "stop").touch()
    assert switch.reason() is not None


@pytest.mark.parametrize("arguments", [{}, {"path": ""}, {"path": "a\0b"}, {"variable": ""}, {"variable": "a=b"}])
def test_what_is_no_switch(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="kill switch"):
        KillSwitch(**arguments)


def test_what_is_of_another_type() -> None:
    for arguments in ({"path": b"x"}, {"variable": 3}, {"path": 3}):
        with pytest.raises(TypeError):
            KillSwitch(**arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="kill_switch must be a KillSwitch"):
        Desk(kill_switch="stop")


# At the boundary

#: Stages in which a switch that is thrown at their beginning is seen in them or later. After the last look nothing can be.
STAGES = [step.name for step in PIPELINE]


@pytest.mark.parametrize("stage", STAGES)
def test_thrown_while_a_call_is_in_progress(tmp_path: Path, stage: str) -> None:
    stop = tmp_path / "stop"
    desk = Desk(
        ExecutionPolicy(approval_mode="all"),
        approval_callback=lambda *_: True,
        hooks=ExecutionHooks(before_call=[lambda *_: None], after_call=[lambda *_: None]),
        kill_switch=KillSwitch(stop),
    )
    frame = Frame(desk.call(), desk.executor.start_run())
    frame.watch = lambda name: stop.touch() if name == stage else None
    with pytest.raises(PolicyViolationError, match=r"`ns\.tool\.act` is denied: the kill switch is on") as caught:
        sync.drive(frame, desk.executor._world)
    reached = STAGES.index(stage) >= STAGES.index("attempts")
    assert desk.ran == int(reached)
    assert caught.value.execution_succeeded is reached
    assert frame.result is None


def test_thrown_between_two_attempts(tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    desk = Desk(kill_switch=KillSwitch(stop))

    def fail() -> Any:
        stop.touch()
        raise TransientInvocationError("again")

    desk.invoke = fail
    with pytest.raises(PolicyViolationError, match="the kill switch is on"):
        desk.executor.execute_call_sync(desk.call(), retry=RetryPolicy(max_attempts=5))
    assert desk.ran == 1


def test_thrown_while_the_store_makes_an_attempt_wait(tmp_path: Path) -> None:
    """The last look comes after the store, however long that took."""
    from schemarouter.state.memory import MemoryStore

    stop = tmp_path / "stop"

    class Slow(MemoryStore):
        def commit(self, *arguments: Any) -> Any:
            stop.touch()
            return super().commit(*arguments)

    desk = Desk(kill_switch=KillSwitch(stop), store=Slow())
    with pytest.raises(PolicyViolationError, match="the kill switch is on"):
        asyncio.run(desk.executor.execute_call(desk.call(), run_id="run"))
    assert desk.ran == 0


def test_validation_alone_says_so_too(tmp_path: Path) -> None:
    (tmp_path / "stop").touch()
    desk = Desk(kill_switch=KillSwitch(tmp_path / "stop"))
    with pytest.raises(PolicyViolationError, match="the kill switch is on"):
        desk.executor.validate_call(desk.call())


def test_a_router_takes_one(tmp_path: Path) -> None:
    router = SchemaRouter(kill_switch=KillSwitch(tmp_path / "stop"))
    router.add_callable(lambda: 1, name="one", read_only=True)
    assert router.invoke("one")[0].data == 1
    (tmp_path / "stop").touch()
    with pytest.raises(PolicyViolationError, match="the kill switch is on"):
        router.invoke("one")
