"""Scripted parts for tests of applications: approvals, invokers, hooks, a clock."""

from __future__ import annotations

from decimal import Decimal

import pytest

from schemarouter import (
    ApprovalDeniedError,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    ExecutionHooks,
    InMemoryRegistry,
    NonRetryableInvocationError,
    RegistryExecutor,
    ToolCall,
    load_policy,
)
from schemarouter.engine.budget import Charge
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.testkit import ScriptedApprovals, ScriptedClock, ScriptedHook, ScriptedInvoker, ScriptError
from schemarouter.testkit.results import permille_text, reaches
from schemarouter.testkit.scripted import RecordingLedger, transient

POLICY = (
    "version: 1\nrules: [{name: ask, operation: '*', effect: require_approval}]\nbudget: {max_elapsed_seconds: 10}\n"
)


def made(
    approvals: ScriptedApprovals, invoker: ScriptedInvoker, clock: ScriptedClock, hook: ScriptedHook
) -> tuple[RegistryExecutor, ToolCall]:
    registry = InMemoryRegistry()
    spec = ToolSpec(name="jobs", endpoints=[EndpointSpec(name="run", input_schema={"type": "object"})])
    executor = RegistryExecutor(
        registry,
        policy=load_policy(POLICY),
        approval_callback=approvals,
        hooks=ExecutionHooks(before_call=[hook], after_call=[hook]),
        clock=clock,
    )
    executor.bind(registry.register(spec), invoker)
    contract = registry.prepared("jobs", "run")
    call = ToolCall(tool="jobs", endpoint="run", arguments={"n": 1}, schema_fingerprint=contract.fingerprint)
    return executor, call


def test_a_call_that_is_approved_and_runs() -> None:
    clock = ScriptedClock()
    approvals = ScriptedApprovals([True, 1, ValueError()], clock=clock, seconds=3)
    invoker, hook = ScriptedInvoker(["done"], clock=clock, seconds=2), ScriptedHook()
    executor, call = made(approvals, invoker, clock, hook)
    assert executor.execute_call_sync(call).data == "done"
    assert clock() == 5
    assert approvals.asked == [("jobs.run", {"n": 1})]
    assert invoker.calls == [("run", {"n": 1})]
    assert hook.seen == ["jobs.run", "jobs.run"]
    assert (approvals.left, invoker.left) == (2, 0)
    for _ in range(3):  # no literal True, an exception, and the end of the script
        with pytest.raises(ApprovalDeniedError):
            executor.execute_call_sync(call)
    assert invoker.left == 0
    assert len(approvals.asked) == 4


def test_what_takes_longer_than_the_budget() -> None:
    clock = ScriptedClock(100)
    executor, call = made(
        ScriptedApprovals([True], clock=clock, seconds=10), ScriptedInvoker(["x"]), clock, ScriptedHook()
    )
    with pytest.raises(ExecutionBudgetExceededError):
        executor.execute_call_sync(call)


def test_a_script_that_is_at_its_end_answers_nothing() -> None:
    executor, call = made(
        ScriptedApprovals([True] * 2), ScriptedInvoker([transient()]), ScriptedClock(), ScriptedHook()
    )
    with pytest.raises(Exception, match="scripted"):
        executor.execute_call_sync(call)
    with pytest.raises(ScriptError, match="more often"):
        executor.execute_call_sync(call)


def test_a_hook_that_fails() -> None:
    hook = ScriptedHook(NonRetryableInvocationError("veto"))
    executor, call = made(ScriptedApprovals([True]), ScriptedInvoker(["x"]), ScriptedClock(), hook)
    with pytest.raises(ExecutionHookError):
        executor.execute_call_sync(call)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_clock_is_not_turned_back(seconds: float) -> None:
    clock = ScriptedClock(5)
    clock.sleep(2)
    with pytest.raises(ValueError, match="turned back"):
        clock.advance(seconds)
    assert clock() == 7


def test_a_ledger_that_remembers() -> None:
    ledger = RecordingLedger()
    assert ledger.reserve((Charge("calls", 1, 1, "max_tool_calls"),)) is None
    assert ledger.take_refusal() is None
    refused = ledger.reserve((Charge("calls", 1, 1, "max_tool_calls"),))
    assert refused is not None
    assert ledger.take_refusal() == refused
    assert ledger.take_refusal() is None


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "100%"), (0, 3, "0%"), (2, 3, "66.6%"), (999, 1000, "99.9%"), (99_999, 100_000, "99.9%"), (5, 5, "100%")],
)
def test_percentages_are_never_rounded_up(part: int, whole: int, text: str) -> None:
    assert permille_text(part, whole) == text


def test_a_threshold_is_exact() -> None:
    assert reaches(999, 1000, Decimal("99.9"))
    assert not reaches(9989, 10_000, Decimal("99.9"))
    assert not reaches(99_999, 100_000, Decimal(100))
    assert reaches(0, 0, Decimal(100))
    assert reaches(0, 5, Decimal(0))
