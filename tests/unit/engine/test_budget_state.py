"""Budgets and retries of a run (SPEC 5 and 6): merging, counting, refusing."""

from __future__ import annotations

import sys
import threading
from decimal import Decimal

import pytest

from schemarouter.compiler import records
from schemarouter.engine.budget import Charge, Limits, MemoryLedger, Refusal
from schemarouter.engine.retry import Retry
from schemarouter.model.frozen import FrozenMap
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from support.boundary import Boundary


def spend(ledger: MemoryLedger, limits: Limits, times: int) -> list[bool]:
    """Reserve an attempt of `t.e` several times; say which went through."""
    return [ledger.reserve(limits.attempt_charges("t.e", "t", remote=False)) is None for _ in range(times)]


def test_a_tenth_fits_three_times_into_three_tenths() -> None:
    limits = Limits.of(ExecutionBudget(max_cost_units=0.3, cost_units={"*": 0.1}))
    ledger = MemoryLedger()
    assert spend(ledger, limits, 4) == [True, True, True, False]
    assert ledger.used == {"attempts": 3, "cost": Decimal("0.3")}


def test_a_refused_reservation_changes_no_counter() -> None:
    limits = Limits.of(ExecutionBudget(max_attempts=9, max_cost_units=1, cost_units={"t": 2}))
    ledger = MemoryLedger()
    refusal = ledger.reserve(limits.attempt_charges("t.e", "t", remote=True))
    assert refusal is not None
    assert str(refusal) == "max_cost_units=1 (used 0, needs 2)"
    assert ledger.used == {}


def test_the_extremes_of_float_add_exactly() -> None:
    limits = Limits.of(ExecutionBudget(max_cost_units=1e308, cost_units={"t.e": 5e-324, "t": 1e308}))
    ledger = MemoryLedger()
    assert ledger.reserve(limits.attempt_charges("t.e", "t", remote=False)) is None
    refusal = ledger.reserve(limits.attempt_charges("t.other", "t", remote=False))
    assert isinstance(refusal, Refusal)


def test_a_cost_that_cannot_be_added_exactly_is_refused() -> None:
    ledger = MemoryLedger()
    tiny, huge = Charge("cost", Decimal("1e-2000"), None, "max_cost_units"), Charge("cost", Decimal(1), None, "x")
    assert ledger.reserve((huge,)) is None
    assert ledger.reserve((tiny,)) is not None
    assert ledger.used == {"cost": 1}


@pytest.mark.parametrize(
    ("units", "weight"),
    [({"t.e": 3, "t": 2, "*": 1}, 3), ({"t": 2, "*": 1}, 2), ({"*": 1}, 1), ({}, 0), ({"t.e": 0, "*": 9}, 0)],
)
def test_the_most_specific_weight_counts(units: dict[str, int], weight: int) -> None:
    assert Limits.of(ExecutionBudget(cost_units=units)).weight("t.e", "t") == weight


def test_of_limits_the_smaller_counts_and_of_weights_the_larger() -> None:
    file = Limits.of(
        ExecutionBudget(max_tool_calls=3, max_elapsed_seconds=9, per_tool_calls={"a": 1, "b": 5}, cost_units={"t.e": 2})
    )
    run = Limits.of(
        ExecutionBudget(max_tool_calls=7, max_attempts=4, per_tool_calls={"b": 2, "c": 3}, cost_units={"*": 1, "t": 5})
    )
    both = file.tightened(run)
    assert both[:4] == (3, 4, None, 9)
    assert dict(both.per_tool_calls) == {"a": 1, "b": 2, "c": 3}
    # The file resolves 2 for t.e and the run 5 (of the tool); for u.e the file resolves 0 and the run 1.
    assert both.weight("t.e", "t") == 5
    assert both.weight("u.e", "u") == 1


def test_a_run_cannot_loosen_with_none() -> None:
    file = Limits.of(ExecutionBudget(max_tool_calls=3))
    assert file.tightened(Limits.of(ExecutionBudget(max_tool_calls=None))).max_tool_calls == 3


def test_a_budget_of_a_graph_counts_like_the_model() -> None:
    record = records.Budget(1, None, None, 15.0, "0.30", FrozenMap({"t": 2}), FrozenMap({"*": "0.1"}))
    limits = Limits.of(record)
    assert limits.max_cost_units == Decimal("0.3")
    assert spend(MemoryLedger(), limits, 4) == [True, True, True, False]


def test_limits_are_a_snapshot() -> None:
    budget = ExecutionBudget(per_tool_calls={"t": 1}, cost_units={"*": 1})
    limits = Limits.of(budget)
    budget.per_tool_calls["t"] = 100
    budget.cost_units["*"] = 0
    assert limits.per_tool_calls["t"] == 1
    assert limits.weight("t.e", "t") == 1


def test_calls_are_counted_per_tool_as_well() -> None:
    limits = Limits.of(ExecutionBudget(max_tool_calls=5, per_tool_calls={"t": 1}))
    ledger = MemoryLedger()
    assert ledger.reserve(limits.call_charges("t")) is None
    refusal = ledger.reserve(limits.call_charges("t"))
    assert str(refusal) == "per_tool_calls=1 of `t` (used 1, needs 1)"
    assert ledger.used == {"calls": 1, "calls of t": 1}
    assert ledger.reserve(limits.call_charges("u")) is None


def test_no_interleaving_of_threads_exceeds_a_limit() -> None:
    limits = Limits.of(ExecutionBudget(max_attempts=3000, max_cost_units=250, cost_units={"*": 0.1}))
    ledger = MemoryLedger()
    taken: list[int] = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: taken.append(sum(spend(ledger, limits, 800)))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sum(taken) == 2500
    assert ledger.used == {"attempts": 2500, "cost": 250}


def test_the_clock_of_a_run_starts_once() -> None:
    run = Boundary().run(Limits(max_elapsed_seconds=10))
    run.start_clock(100)
    run.start_clock(105)
    assert run.deadline == 110


CEILING = Retry(max_attempts=3, initial=1.0, multiplier=2.0, longest=8.0, non_read_only=True)


@pytest.mark.parametrize(
    ("run", "merged"),
    [
        (RetryPolicy(), CEILING),
        (RetryPolicy(max_attempts=9), CEILING),
        (RetryPolicy(max_attempts=1), CEILING._replace(max_attempts=1)),
        (RetryPolicy(initial_backoff_seconds=0), CEILING),
        (RetryPolicy(initial_backoff_seconds=5), CEILING._replace(initial=5)),
        (RetryPolicy(backoff_multiplier=1), CEILING),
        (RetryPolicy(max_backoff_seconds=1), CEILING),
        (RetryPolicy(max_backoff_seconds=20), CEILING._replace(longest=20)),
        (RetryPolicy(max_backoff_seconds=None), CEILING._replace(longest=None)),
        (RetryPolicy(retry_non_read_only=False), CEILING._replace(non_read_only=False)),
        (RetryPolicy(retry_non_read_only=True), CEILING),
    ],
)
def test_a_run_may_only_tighten_retries(run: RetryPolicy, merged: Retry) -> None:
    assert CEILING.tightened(run) == merged


def test_a_run_cannot_retry_what_the_file_does_not() -> None:
    assert not Retry().tightened(RetryPolicy(retry_non_read_only=True, max_attempts=9)).allows(1, None)


def test_backoff_grows_up_to_its_cap_and_never_overflows() -> None:
    assert [CEILING.backoff(n) for n in (1, 2, 3, 4, 5)] == [1, 2, 4, 8, 8]
    assert CEILING.backoff(5000) == 8
    assert Retry(initial=1.0).backoff(5000) == float("inf")
    assert Retry(initial=0.0).backoff(5000) == 0
    # As a graph has them: whole numbers are integers there.
    assert Retry(initial=10**300, multiplier=10**300).backoff(3) == float("inf")
    assert type(Retry(initial=1, multiplier=2).backoff(3)) is float
