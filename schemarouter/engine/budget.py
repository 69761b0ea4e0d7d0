"""The budget of one run (SPEC 5): limits, fixed when the run starts, and the ledger that counts against them.

A file's budget is a ceiling over the run's own: of each limit the smaller counts, of each weight the larger of what
either side resolves. Cost is counted as exact decimal numbers, made from the text of what was written.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.compiler.records import Budget
    from schemarouter.model.limits import ExecutionBudget

#: Digits that a sum of costs may need. All finite floats together need fewer; what needs more is refused, not rounded.
_COST_DIGITS = 1200


class Charge(NamedTuple):
    """Add ``amount`` to the counter ``counter``, which may not exceed ``limit`` (``None``: no limit).

    ``name`` is the limit's name and ``of`` what it is a limit of, where there is one per tool.
    """

    counter: str
    amount: int | Decimal
    limit: int | Decimal | None
    name: str
    of: str | None = None


Charges: TypeAlias = tuple[Charge, ...]
_Number = TypeVar("_Number", int, float, Decimal)


class Refusal(NamedTuple):
    """The first charge that did not fit, and what was used before it."""

    charge: Charge
    used: int | Decimal

    def __str__(self) -> str:
        of = "" if self.charge.of is None else f" of `{self.charge.of}`"
        return f"{self.charge.name}={self.charge.limit}{of} (used {self.used}, needs {self.charge.amount})"


class Ledger(Protocol):
    """Where the charges of one run are counted.

    ``reserve`` is one atomic step: it checks every charge and then takes all or none. There is no second step, because
    nothing that was reserved is ever refunded (SPEC 3).
    """

    def reserve(self, charges: Charges) -> Refusal | None:
        """Take all of ``charges``, or none and say which did not fit."""


class LogicalCall(NamedTuple):
    """Which logical call something is charged for; ``call_id`` is ``None`` where the application names none."""

    call_id: str | None
    operation: str
    arguments: dict[str, Any]


class SharedLedger(Protocol):
    """Counters of a run that several processes share. Every step is atomic, bounded in time, and may block.

    Raises ``StateStoreError`` where the store cannot say: then nothing may run.
    """

    def begin(self) -> float:
        """Start the run's elapsed clock unless it runs already; return the seconds that have passed since."""

    def enter(self, charges: Charges, call: LogicalCall) -> Refusal | str | None:
        """Count a logical call (stage 6): all of ``charges``, or none and say which did not fit.

        A call that has an id gets a lease, which is returned, and is counted once until its invoker is reached.
        """

    def commit(self, charges: Charges, lease: str | None) -> Refusal | None:
        """Charge an attempt (stage 9) and use the lease up, in one step, before the invoker runs."""

    def release(self, lease: str) -> None:
        """The call ended before its invoker: nothing is refunded, but the same call may enter again."""


class MemoryLedger:
    """Counters of one run, for any number of tasks and threads. ``used`` is what was used before."""

    __slots__ = ("_context", "_lock", "_used")

    def __init__(self, used: Mapping[str, int | Decimal] = MappingProxyType({})) -> None:
        self._lock = threading.Lock()
        self._used: dict[str, int | Decimal] = dict(used)
        self._context: Context | None = None

    @property
    def used(self) -> dict[str, int | Decimal]:
        """A copy of all counters that were touched."""
        with self._lock:
            return dict(self._used)

    def reserve(self, charges: Charges) -> Refusal | None:
        """See :class:`Ledger`. A cost that cannot be added exactly does not fit."""
        used = self._used
        with self._lock:
            totals: dict[str, int | Decimal] = {}
            for charge in charges:
                before = totals.get(charge.counter, used.get(charge.counter, 0))
                after = before + charge.amount if type(charge.amount) is int else self._add(before, charge.amount)
                if after is None or (charge.limit is not None and after > charge.limit):
                    return Refusal(charge, before)
                totals[charge.counter] = after
            used.update(totals)
        return None

    def _add(self, before: int | Decimal, amount: int | Decimal) -> Decimal | None:
        if self._context is None:
            self._context = Context(prec=_COST_DIGITS, traps=[Inexact, Overflow, InvalidOperation])
        try:
            return self._context.add(Decimal(before), amount)
        except DecimalException:
            return None


class Limits(NamedTuple):
    """Limits and weights of one run, as they were when it started. ``None`` is no limit."""

    max_tool_calls: int | None = None
    max_attempts: int | None = None
    max_remote_attempts: int | None = None
    max_elapsed_seconds: float | None = None
    max_cost_units: Decimal | None = None
    per_tool_calls: Mapping[str, int] = MappingProxyType({})
    #: The weights of each side; of what they resolve, the largest counts.
    weights: tuple[Mapping[str, Decimal], ...] = ()

    @classmethod
    def of(cls, budget: ExecutionBudget | Budget) -> Limits:
        """Copy the limits of one budget, so that later changes of it change nothing here."""
        weights = {name: decimal(units) for name, units in budget.cost_units.items()}
        return cls(
            budget.max_tool_calls,
            budget.max_attempts,
            budget.max_remote_attempts,
            budget.max_elapsed_seconds,
            None if budget.max_cost_units is None else decimal(budget.max_cost_units),
            MappingProxyType(dict(budget.per_tool_calls)),
            (MappingProxyType(weights),) if weights else (),
        )

    def tightened(self, other: Limits) -> Limits:
        """Of each limit the smaller, and the weights of both.

        What one side leaves out is no limit, so neither can loosen the other.
        """
        per_tool = dict(self.per_tool_calls)
        for key, limit in other.per_tool_calls.items():
            per_tool[key] = min(limit, per_tool.get(key, limit))
        return Limits(
            _smaller(self.max_tool_calls, other.max_tool_calls),
            _smaller(self.max_attempts, other.max_attempts),
            _smaller(self.max_remote_attempts, other.max_remote_attempts),
            _smaller(self.max_elapsed_seconds, other.max_elapsed_seconds),
            _smaller(self.max_cost_units, other.max_cost_units),
            MappingProxyType(per_tool),
            self.weights + other.weights,
        )

    def weight(self, operation: str, tool: str) -> Decimal:
        """Cost of one attempt: on each side the operation's weight, else the tool's, else that of ``"*"``, else 0."""
        return max((_resolve(side, operation, tool) for side in self.weights), default=Decimal(0))

    def call_charges(self, tool: str) -> Charges:
        """What one logical call of ``tool`` is charged (stage 6)."""
        if self is NO_LIMITS:
            return _A_CALL
        total = Charge("calls", 1, self.max_tool_calls, "max_tool_calls")
        if tool not in self.per_tool_calls:
            return (total,)
        return (total, Charge(f"calls of {tool}", 1, self.per_tool_calls[tool], "per_tool_calls", tool))

    def attempt_charges(self, operation: str, tool: str, remote: bool) -> Charges:
        """What one attempt is charged before the invoker runs (stage 9)."""
        if self is NO_LIMITS:
            return _A_REMOTE_ATTEMPT if remote else _AN_ATTEMPT
        charges: Charges = (Charge("attempts", 1, self.max_attempts, "max_attempts"),)
        if remote:
            charges += (Charge("remote attempts", 1, self.max_remote_attempts, "max_remote_attempts"),)
        if self.weights or self.max_cost_units is not None:
            weight = self.weight(operation, tool)
            charges += (Charge("cost", weight, self.max_cost_units, "max_cost_units"),)
        return charges


def decimal(units: str | int | float | Decimal) -> Decimal:
    """The number that the text of ``units`` says: 0.1 is one tenth."""
    return Decimal(str(units)) if isinstance(units, float) else Decimal(units)


def _resolve(weights: Mapping[str, Decimal], operation: str, tool: str) -> Decimal:
    for name in (operation, tool, "*"):
        if name in weights:
            return weights[name]
    return Decimal(0)


def _smaller(left: _Number | None, right: _Number | None) -> _Number | None:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)


NO_LIMITS = Limits()
#: The charges of runs without limits, made once.
_A_CALL: Charges = (Charge("calls", 1, None, "max_tool_calls"),)
_AN_ATTEMPT: Charges = (Charge("attempts", 1, None, "max_attempts"),)
_A_REMOTE_ATTEMPT: Charges = (*_AN_ATTEMPT, Charge("remote attempts", 1, None, "max_remote_attempts"))
