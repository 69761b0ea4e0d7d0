"""The stage of a scripted run: what the real interpreter sees of the world, with everything in it following the script."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from schemarouter.compiler.records import Budget
from schemarouter.compiler.records import Retry as FileRetry
from schemarouter.document.words import shown
from schemarouter.engine.budget import NO_LIMITS, Limits
from schemarouter.engine.drivers import sync
from schemarouter.engine.drivers.world import World
from schemarouter.engine.frame import Authority, Frame, Run, View
from schemarouter.engine.retry import ONCE, Retry
from schemarouter.errors import ExecutionBudgetExceededError, NonRetryableInvocationError, TransientInvocationError
from schemarouter.model.call import ToolCall
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.testkit.contracts import Planned
from schemarouter.testkit.decisions import GUARDS, Subject
from schemarouter.testkit.model import Answer, Attempt, Counters, HookScript, RunCall
from schemarouter.testkit.scripted import RecordingLedger, ScriptedClock

#: The limit that no ledger counts.
ELAPSED = "max_elapsed_seconds"


class Own(NamedTuple):
    """What the application says about a run; ``None`` is nothing."""

    budget: ExecutionBudget | None
    retry: RetryPolicy | None


class End(NamedTuple):
    """How a call ended. ``error`` is ``None`` for one that was delivered; ``left`` says what of the script was not used."""

    error: str | None
    limit: str | None
    rule: int
    attempts: int
    left: str


class _Script:
    """What one call is told, and how much of that was used."""

    def __init__(self, step: RunCall) -> None:
        self.step = step
        self.attempts = 0
        self.asked = False
        self.hooks: set[str] = set()
        self.trouble = ""

    def left(self) -> str:
        """What was written and not used, or asked and not written."""
        if self.trouble:
            return self.trouble
        if self.step.approval is not None and not self.asked:
            return "and approval was not asked for"
        if self.attempts < len(self.step.attempts):
            return f"and {self.attempts} of {len(self.step.attempts)} attempts were made"
        unused = [name for name in self.step.hooks if name not in self.hooks]
        return f"and the hook {shown(unused[0])} did not run" if unused else ""


class _Binding:
    """The invoker of every tool of a run, bound to one contract."""

    transient: tuple[type[Exception], ...] = ()
    is_async = False
    offload_sync = False

    def __init__(self, fingerprint: str, invoke: Callable[[ToolCall], Any]) -> None:
        self.fingerprint = fingerprint
        self.invoke = invoke


class Stage:
    """One run in progress: the world that the interpreter sees."""

    def __init__(self, subject: Subject, own: Own) -> None:
        graph = subject.graph
        self._subject = subject
        self._clock = ScriptedClock()
        self._ledger = RecordingLedger()
        self._per_tool: dict[str, int] = {}
        before, after = (tuple(map(self._hook, names)) for names in graph.hooks)
        self._authority = Authority(graph, self._approve, before, after)
        self._run = Run(
            self._authority, _limits(graph.budget, own.budget), _retry(graph.retry, own.retry), self._ledger
        )
        self._script: _Script
        self._planned: Planned
        self._binding: _Binding

    def perform(self, planned: Planned) -> End:
        """Execute one call to its end."""
        script = self._script = _Script(planned.step)
        self._planned = planned
        self._binding = _Binding(planned.contract.tool_fingerprint, self._invoke)
        self._clock.advance(planned.step.wait)
        self._ledger.take_refusal()
        counted = self._ledger.used.get("calls", 0)
        frame = Frame(planned.call, self._run)
        error: Exception | None = None
        try:
            sync.drive(frame, World(self._look, self._clock, self._clock.sleep))
        except Exception as raised:  # noqa: BLE001 - how a call ends is what is asked
            error = raised
        key = planned.contract.tool_key
        self._per_tool[key] = self._per_tool.get(key, 0) + int(self._ledger.used.get("calls", 0) - counted)
        limit = None
        if type(error) is ExecutionBudgetExceededError:
            refusal = self._ledger.take_refusal()
            limit = ELAPSED if refusal is None else refusal.charge.name
        rule = GUARDS if frame.decision is None else self._subject.rule_of(frame.decision.rule_index)
        return End(None if error is None else type(error).__name__, limit, rule, script.attempts, script.left())

    def compared(self, counters: Counters) -> Iterator[tuple[str, str]]:
        """Each counter that is expected: as expected, and as it is (the same text if both are the same number)."""
        used = self._ledger.used
        amounts: list[tuple[str, Any, Any]] = [
            ("tool_calls", counters.tool_calls, used.get("calls", 0)),
            ("attempts", counters.attempts, used.get("attempts", 0)),
            ("remote_attempts", counters.remote_attempts, used.get("remote attempts", 0)),
            ("cost_units", counters.cost_units, used.get("cost", 0)),
            ("elapsed_seconds", counters.elapsed_seconds, self._clock()),
        ]
        amounts += (
            (f"per_tool_calls of {shown(key)}", count, self._per_tool.get(key, 0))
            for key, count in counters.per_tool_calls.items()
        )
        for name, wanted, found in amounts:
            if wanted is None:
                continue
            same = _exact(wanted) == _exact(found)
            if name == "elapsed_seconds":  # a sum of floats, in whatever order the call took its time
                same = math.isclose(wanted, found, rel_tol=1e-9)
            text = f"{name}: {_plain(wanted)}"
            yield text, text if same else f"{name}: {_plain(found)}"

    # What the interpreter asks for

    def _look(self, tool: str, endpoint: str) -> View:  # noqa: ARG002 - there is one call at a time
        return View(self._planned.contract, self._binding, self._authority)

    def _approve(self, *_: object) -> bool:
        script = self._script
        script.asked = True
        given = script.step.approval
        if given is None:
            script.trouble = "and approval was asked for, with no answer written"
            return False
        answer = given if isinstance(given, Answer) else Answer(answer=given)
        self._clock.advance(answer.seconds)
        if answer.answer == "raise":
            raise RuntimeError("scripted")
        if answer.answer == "time_out":
            if self._run.deadline is None:
                script.trouble = "and nobody answers, for ever, because the policy has no max_elapsed_seconds"
                return False
            self._clock.advance(max(0.0, self._run.deadline - self._clock()))
        return answer.answer == "approve"

    def _invoke(self, call: ToolCall) -> None:  # noqa: ARG002 - scripts go by order, not by arguments
        script = self._script
        steps = script.step.attempts
        given = steps[script.attempts] if script.attempts < len(steps) else "return"
        script.attempts += 1
        step = given if isinstance(given, Attempt) else Attempt(does=given)
        self._clock.advance(step.seconds)
        if step.does == "transient":
            raise TransientInvocationError("scripted")
        if step.does == "fail":
            raise NonRetryableInvocationError("scripted")

    def _hook(self, name: str) -> Callable[..., object]:
        def hook(*_: object) -> object:
            given = self._script.step.hooks.get(name, "pass")
            self._script.hooks.add(name)
            step = given if isinstance(given, HookScript) else HookScript(does=given)
            self._clock.advance(step.seconds)
            if step.does == "raise":
                raise RuntimeError("scripted")
            return step.does if step.does == "return" else None

        return hook


def _limits(file: Budget | None, own: ExecutionBudget | None) -> Limits:
    """The policy's budget as a ceiling over the run's, as an executor puts them together."""
    limits = NO_LIMITS if own is None else Limits.of(own)
    return limits if file is None else Limits.of(file).tightened(limits)


def _retry(file: FileRetry | None, own: RetryPolicy | None) -> Retry:
    """The same for retries."""
    if file is None:
        return ONCE if own is None else Retry.of(own)
    return Retry.of(file) if own is None else Retry.of(file).tightened(own)


def _exact(value: int | float | Decimal) -> Decimal:
    return Decimal(str(value))


def _plain(value: int | float | Decimal) -> str:
    number = _exact(value).normalize()
    return f"{number:f}" if abs(number.adjusted()) < 40 else str(number)
