"""Time that several processes agree on: the wall clock, held against the latest time that the store has seen.

A monotonic clock means nothing in another process or after a restart, and a wall clock can be set. So a store keeps the
latest time that it saw. A clock a little behind it is taken to stand still; one that is further behind was set back, and
then nothing can be said about leases, deadlines and elapsed time. Standard library only.
"""

from __future__ import annotations

from schemarouter.errors import StateStoreError

#: Seconds that a clock may be behind: what synchronising clocks takes back, not what somebody sets.
TOLERANCE = 5.0
#: Seconds after which the latest time is written anew; a write for every step would cost more than the step.
STEP = 1.0


def forward(now: float, latest: float) -> float:
    """The time that holds when a clock says ``now``. Raises ``StateStoreError`` for a clock that was set back."""
    if not 0 <= now < 1e11:  # also NaN; the year 5138
        raise StateStoreError("the clock of this machine gives no time")
    if now < latest - TOLERANCE:
        raise StateStoreError(f"the clock went backwards by {latest - now:.0f} s since the state store was used last")
    return max(now, latest)


def is_news(now: float, latest: float) -> bool:
    """Whether ``now`` is to be written down as the latest time."""
    return now >= latest + STEP
