"""Scripted runs as tests: how each call must end, and what must have been counted at the end of the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from schemarouter.testkit.contracts import Planned
from schemarouter.testkit.decisions import GUARDS, Subject, Verdict
from schemarouter.testkit.model import Counters, Ending
from schemarouter.testkit.results import CaseResult
from schemarouter.testkit.stage import End, Own, Stage


class Step(NamedTuple):
    """A call of a run: where it stands, what is done, and the rule (as it was read) that must decide, if one is named."""

    name: str
    line: int
    column: int
    planned: Planned
    rule: int | None


class Tally(NamedTuple):
    """The counters that are expected at the end of a run."""

    name: str
    line: int
    column: int
    counters: Counters


class RunTest(NamedTuple):
    """A scripted run: its calls, and what must have been counted at its end."""

    path: str
    own: Own
    steps: tuple[Step, ...]
    tally: Tally | None
    labels: Sequence[str]

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations that it is about."""
        return tuple({step.planned.step.operation: None for step in self.steps})

    @property
    def work(self) -> int:
        """What it costs, in rules that are indexed: a call takes about ten times as long."""
        return sum(10 * step.planned.step.times for step in self.steps)

    def run(self, subject: Subject) -> list[Verdict]:
        """Run all of it; a call that ends otherwise does not end the run."""
        stage = Stage(subject, self.own)
        verdicts = [self._step(stage, step) for step in self.steps]
        if self.tally is not None:
            expected, actual = zip(*stage.compared(self.tally.counters), strict=True)
            told = (", ".join(expected), ", ".join(actual))
            place = (self.path, self.tally.line, self.tally.column)
            verdicts.append(Verdict(CaseResult(self.tally.name, *place, expected == actual, *told), frozenset()))
        return verdicts

    def _step(self, stage: Stage, step: Step) -> Verdict:
        expected = Expectation.of(step)
        decided: set[int] = set()
        failure = ""
        for number in range(step.planned.step.times):
            end = stage.perform(step.planned)
            decided.add(end.rule)
            if not expected.fits(end):
                failure = expected.told(end, self.labels)
                if step.planned.step.times > 1:
                    failure += f", at call {number + 1} of {step.planned.step.times}"
                break
        wanted = expected.text(self.labels)
        result = CaseResult(step.name, self.path, step.line, step.column, not failure, wanted, failure or wanted)
        return Verdict(result, frozenset(decided - {GUARDS}))


class Expectation(NamedTuple):
    """How a call must end; ``None`` is not looked at, but for ``error`` and ``limit``, of which no one is delivered."""

    error: str | None
    limit: str | None
    rule: int | None
    attempts: int | None

    @classmethod
    def of(cls, step: Step) -> Expectation:
        """What the file says."""
        given = step.planned.step.expect
        ending = given if isinstance(given, Ending) else Ending()
        error = "ExecutionBudgetExceededError" if ending.limit is not None else ending.error
        return cls(error, ending.limit, step.rule, ending.attempts)

    def fits(self, end: End) -> bool:
        """Whether the call ended so, and followed its script to the end."""
        return (
            not end.left
            and end.error == self.error
            and (self.limit is None or end.limit == self.limit)
            and (self.rule is None or end.rule == self.rule)
            and (self.attempts is None or end.attempts == self.attempts)
        )

    def text(self, labels: Sequence[str]) -> str:
        """What is expected, in words."""
        return self._said(self.error, self.limit, self.rule, self.attempts, labels)

    def told(self, end: End, labels: Sequence[str]) -> str:
        """What happened, in the words of what was expected."""
        rule = None if self.rule is None else end.rule
        attempts = None if self.attempts is None else end.attempts
        text = self._said(end.error, end.limit, rule, attempts, labels)
        return f"{text}, {end.left}" if end.left else text

    @staticmethod
    def _said(
        error: str | None, limit: str | None, rule: int | None, attempts: int | None, labels: Sequence[str]
    ) -> str:
        text = "delivered" if error is None else error
        if limit is not None:
            text += f" by {limit}"
        if attempts is not None:
            text += f", attempts: {attempts}"
        if rule is not None:
            text += f", decided by {'the category guards' if rule == GUARDS else labels[rule]}"
        return text
