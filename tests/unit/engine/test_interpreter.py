"""The interpreter alone: a list of replies goes in, the commands come out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Charge, Limits, Refusal
from schemarouter.engine.commands import CutOff, Raised, Returned
from schemarouter.engine.frame import Frame, private_copy
from schemarouter.engine.pipeline import PIPELINE, interpret
from schemarouter.engine.retry import Retry
from schemarouter.errors import (
    ApprovalDeniedError,
    ExecutionBudgetExceededError,
    IndeterminateInvocationError,
    NonRetryableInvocationError,
    PlanningError,
    TransientInvocationError,
)
from schemarouter.model.stages import STAGES
from support.boundary import Boundary, tool_spec

OUTPUT = {"value": 7, "hidden": 1}


def play(boundary: Boundary, frame: Frame, *replies: Any) -> list[str]:
    """Answer looks by the boundary and everything else by ``replies``; return the names of all commands."""
    script, waiting, commands = interpret(frame), list(replies), []
    reply: Any = None
    while True:
        try:
            command = script.send(reply)
        except StopIteration:
            assert not waiting
            return commands
        commands.append(type(command).__name__)
        reply = boundary.look(*command) if commands[-1] == "Look" else waiting.pop(0)


def test_the_table_is_the_one_order() -> None:
    assert [step.name for step in PIPELINE] == [stage.name for stage in STAGES]


def test_a_plain_call_reserves_before_it_invokes() -> None:
    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run())
    commands = play(boundary, frame, None, None, Returned(OUTPUT))
    assert commands == ["Look", "Look", "Reserve", "Look", "Reserve", "Invoke", "Look", "Look"]
    assert frame.delivered().data == {"value": 7}


def test_everything_at_once() -> None:
    boundary = Boundary(policy=ExecutionPolicy(approval_mode="all"))
    boundary.govern(approval=print, before=(print,), after=(print,))
    frame = Frame(boundary.call(), boundary.run(Limits(max_elapsed_seconds=10)))
    replies: list[Any] = [0.0, Returned(True), 1.0, None, Returned(None), 2.0, 3.0, None, Returned(OUTPUT), 4.0]
    commands = play(boundary, frame, *replies, Returned(None), 5.0, 6.0)
    assert commands == [
        *("Look", "ReadClock", "AskApproval", "ReadClock", "Look", "Reserve", "RunHook", "ReadClock", "Look"),
        *("ReadClock", "Reserve", "Invoke", "ReadClock", "Look", "RunHook", "ReadClock", "Look", "ReadClock"),
    ]


def test_a_retry_goes_back_to_the_last_look() -> None:
    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run(retry=Retry(max_attempts=3, initial=0.5)))
    transient = Raised(TransientInvocationError("x"))
    commands = play(boundary, frame, None, None, transient, None, None, transient, None, None, Returned(OUTPUT))
    attempt = ["Look", "Reserve", "Invoke"]
    assert commands == [*["Look"] * 2, "Reserve", *attempt, "Sleep", *attempt, "Sleep", *attempt, "Look", "Look"]
    assert frame.attempts == 3


@pytest.mark.parametrize(
    ("read_only", "retry", "attempts"),
    [
        (True, Retry(max_attempts=2), 2),
        (False, Retry(max_attempts=2), 1),
        (None, Retry(max_attempts=2), 1),
        (None, Retry(max_attempts=2, non_read_only=True), 2),
        (True, Retry(), 1),
    ],
)
def test_who_is_retried(read_only: bool | None, retry: Retry, attempts: int) -> None:
    boundary = Boundary(tool_spec(read_only=read_only), ExecutionPolicy(allow_mutations=True))
    frame = Frame(boundary.call(), boundary.run(retry=retry))
    error = TransientInvocationError("x")
    with pytest.raises(TransientInvocationError) as caught:
        play(boundary, frame, None, *[None, Raised(error)] * attempts)
    assert caught.value is error
    assert frame.attempts == attempts


def test_a_class_that_is_transient_and_a_gate_is_neither_retried_nor_believed() -> None:
    class SpoofError(TransientInvocationError, ApprovalDeniedError):
        pass

    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run(retry=Retry(max_attempts=5)))
    with pytest.raises(NonRetryableInvocationError) as caught:
        play(boundary, frame, None, None, Raised(SpoofError("x")))
    assert type(caught.value.__cause__) is SpoofError


def test_a_backoff_that_cannot_fit_fails_at_once() -> None:
    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run(Limits(max_elapsed_seconds=10), Retry(max_attempts=2, initial=9.5)))
    replies = [0.0, None, 0.5, None, Raised(TransientInvocationError("x")), 0.5]
    with pytest.raises(ExecutionBudgetExceededError, match="during retry backoff"):
        play(boundary, frame, *replies)  # no Sleep is asked for


@pytest.mark.parametrize(
    ("cut", "read_only", "kind", "succeeded"),
    [
        (CutOff(offloaded=True), None, IndeterminateInvocationError, None),
        (CutOff(offloaded=True), False, IndeterminateInvocationError, None),
        (CutOff(offloaded=True), True, ExecutionBudgetExceededError, None),
        (CutOff(), None, ExecutionBudgetExceededError, None),
        (CutOff(returned=True), None, ExecutionBudgetExceededError, True),
        (CutOff(began=False), None, ExecutionBudgetExceededError, False),
    ],
)
def test_what_is_known_after_a_cut_off(
    cut: CutOff, read_only: bool | None, kind: type[Exception], succeeded: bool | None
) -> None:
    boundary = Boundary(tool_spec(read_only=read_only), ExecutionPolicy(allow_mutations=True))
    frame = Frame(boundary.call(), boundary.run(Limits(max_elapsed_seconds=10)))
    with pytest.raises(ExecutionBudgetExceededError, match="during invocation") as caught:
        play(boundary, frame, 0.0, None, 1.0, None, cut)
    assert type(caught.value) is kind
    assert frame.succeeded is succeeded


def test_an_attempt_that_never_began_after_one_that_failed_is_still_unknown() -> None:
    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run(retry=Retry(max_attempts=2)))
    replies = [None, None, Raised(TransientInvocationError("x")), None, CutOff(began=False)]
    with pytest.raises(ExecutionBudgetExceededError):
        play(boundary, frame, *replies)
    assert frame.succeeded is None


def test_a_refused_reservation_says_limit_value_and_use() -> None:
    boundary = Boundary()
    frame = Frame(boundary.call(), boundary.run())
    refusal = Refusal(Charge("attempts", 1, 2, "max_attempts"), 2)
    with pytest.raises(ExecutionBudgetExceededError, match=r"max_attempts=2 \(used 2, needs 1\)"):
        play(boundary, frame, None, refusal)


@pytest.mark.parametrize("spoil", [lambda call: None, lambda call: call.model_copy(update={"tool": 3})])
def test_what_is_no_call_is_refused_first(spoil: Callable[[Any], Any]) -> None:
    boundary = Boundary()
    with pytest.raises(PlanningError):
        play(boundary, Frame(spoil(boundary.call()), boundary.run()))


def test_a_detached_call_is_a_whole_model() -> None:
    """It is put together without validation, so it must have every field that the model has."""
    call = Boundary().call()
    copy = private_copy(call).detached()
    assert copy == call
    assert set(vars(copy)) == set(type(call).model_fields)
    assert type(call).model_validate(copy.model_dump()) == call
