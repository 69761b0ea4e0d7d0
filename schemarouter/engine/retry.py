"""Retries of one run (SPEC 6), under a file's ceiling."""

from __future__ import annotations

from typing import NamedTuple

from schemarouter.compiler import records
from schemarouter.model.limits import RetryPolicy


class Retry(NamedTuple):
    """The retry policy of one run, fixed when it starts. Backoff is in seconds."""

    max_attempts: int = 1
    initial: float = 0.0
    multiplier: float = 2.0
    longest: float | None = None
    non_read_only: bool = False

    @classmethod
    def of(cls, policy: RetryPolicy | records.Retry) -> Retry:
        """Copy the fields of one policy."""
        return cls(
            policy.max_attempts,
            policy.initial_backoff_seconds,
            policy.backoff_multiplier,
            policy.max_backoff_seconds,
            policy.retry_non_read_only,
        )

    def allows(self, attempts: int, read_only: bool | None) -> bool:
        """Whether another attempt may follow ``attempts`` failed ones of an operation."""
        return attempts < self.max_attempts and (read_only is True or self.non_read_only)

    def backoff(self, attempts: int) -> float:
        """Seconds to wait after the ``attempts``-th attempt failed; the longest float where the growth overflows."""
        try:
            # A graph has whole numbers as integers, which grow without end and are no time then.
            wait = float(self.initial) * float(self.multiplier) ** (attempts - 1)
        except OverflowError:
            wait = float("inf") if self.initial else 0.0
        return wait if self.longest is None else min(wait, self.longest)

    def tightened(self, run: RetryPolicy) -> Retry:
        """These retries as a ceiling over a run's own, which may tighten them and never loosen them.

        Tighter is: fewer attempts, longer waits, fewer kinds of calls. So of ``max_attempts`` the smaller counts, of
        each backoff field the larger (no ``max_backoff_seconds`` is the largest), and calls that are not read-only are
        repeated only if both sides allow it. Of ``run`` only the fields that were set explicitly count.
        """
        explicit = run.model_fields_set
        own = Retry.of(run)
        longest = self.longest
        if "max_backoff_seconds" in explicit and longest is not None:
            longest = None if own.longest is None else max(own.longest, longest)
        return Retry(
            min(own.max_attempts, self.max_attempts) if "max_attempts" in explicit else self.max_attempts,
            max(own.initial, self.initial) if "initial_backoff_seconds" in explicit else self.initial,
            max(own.multiplier, self.multiplier) if "backoff_multiplier" in explicit else self.multiplier,
            longest,
            self.non_read_only and (own.non_read_only or "retry_non_read_only" not in explicit),
        )


ONCE = Retry()
