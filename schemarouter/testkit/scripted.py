"""Approvals, invokers, hooks and a clock that follow a script: for tests of applications, and for scripted runs.

None of them waits: what takes time moves a :class:`ScriptedClock`, which an executor takes as its ``clock``. A script that
is at its end raises :class:`ScriptError`, because an answer that nobody wrote is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemarouter.engine.budget import Charges, MemoryLedger, Refusal
from schemarouter.errors import SchemaRouterError, TransientInvocationError


class ScriptError(SchemaRouterError):
    """A script was asked for more than it says."""


class ScriptedClock:
    """A clock in seconds that moves only when it is told to. Call it for the time; ``sleep`` takes no time at all."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = float(start)

    def __call__(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass. Raises ``ValueError`` for less than none."""
        if not seconds >= 0:
            raise ValueError("a clock cannot be turned back")
        self._now += seconds

    sleep = advance


class ScriptedApprovals:
    """An approval callback that gives ``answers`` in turn: values, or exceptions, which it raises.

    ``seconds`` pass on ``clock`` before each answer. ``asked`` are the calls that it was asked about, as
    ``(operation, arguments)``.
    """

    def __init__(self, answers: Iterable[object], *, clock: ScriptedClock | None = None, seconds: float = 0.0) -> None:
        self._answers = list(answers)
        self._clock = clock
        self._seconds = seconds
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def left(self) -> int:
        """How many answers were not asked for."""
        return max(0, len(self._answers) - len(self.asked))

    def __call__(self, tool: Any, endpoint: Any, call: Any) -> Any:
        number = len(self.asked)
        self.asked.append((f"{tool.key}.{endpoint.name}", call.arguments))
        if self._clock is not None:
            self._clock.advance(self._seconds)
        if number >= len(self._answers):
            raise ScriptError("approval was asked for more often than the script has answers")
        return _told(self._answers[number])


class ScriptedInvoker:
    """An invoker that does ``steps`` in turn, one for each attempt: values are returned, exceptions are raised.

    ``seconds`` pass on ``clock`` at each attempt. ``calls`` are the attempts, as ``(endpoint, arguments)``.
    """

    def __init__(self, steps: Iterable[object], *, clock: ScriptedClock | None = None, seconds: float = 0.0) -> None:
        self._steps = list(steps)
        self._clock = clock
        self._seconds = seconds
        self.calls: list[tuple[str, dict[str, Any]]] = []

    @property
    def left(self) -> int:
        """How many steps were not reached."""
        return max(0, len(self._steps) - len(self.calls))

    def __call__(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        number = len(self.calls)
        self.calls.append((endpoint, arguments))
        if self._clock is not None:
            self._clock.advance(self._seconds)
        if number >= len(self._steps):
            raise ScriptError("the invoker was started more often than the script has steps")
        return _told(self._steps[number])


class ScriptedHook:
    """A hook, before or after a call, that notes the operations it sees in ``seen``, and raises ``error`` if there is one."""

    def __init__(self, error: BaseException | None = None) -> None:
        self._error = error
        self.seen: list[str] = []

    def __call__(self, tool: Any, endpoint: Any, call: Any, result: Any = None) -> None:  # noqa: ARG002 - the signature of hooks
        self.seen.append(f"{tool.key}.{endpoint.name}")
        if self._error is not None:
            raise self._error


class RecordingLedger(MemoryLedger):
    """A ledger that remembers its last refusal."""

    __slots__ = ("_refusal",)

    def __init__(self) -> None:
        super().__init__()
        self._refusal: Refusal | None = None

    def reserve(self, charges: Charges) -> Refusal | None:
        """As a ledger does; what it answers is kept."""
        self._refusal = super().reserve(charges)
        return self._refusal

    def take_refusal(self) -> Refusal | None:
        """What the last reservation was refused for, told once."""
        refusal, self._refusal = self._refusal, None
        return refusal


def transient(message: str = "scripted") -> TransientInvocationError:
    """A failure of an invoker that may pass, as a step of a script."""
    return TransientInvocationError(message)


def _told(step: object) -> Any:
    if isinstance(step, BaseException):
        raise step.with_traceback(None)
    return step
