"""What a plan is made of: entrants that are timed, and what is made of their times."""

from __future__ import annotations

from typing import Any, NamedTuple

#: The side of whole processes, which are started instead of asked.
PROCESS = "process"


class Entrant(NamedTuple):
    """One thing that is timed: a case of a side with its arguments, or a command of a process."""

    side: str
    case: str
    arguments: dict[str, Any]


class Ratio(NamedTuple):
    """``over`` divided by ``under``, medians of rounds; at most or at least ``aim``."""

    title: str
    over: str
    under: str
    at_most: float | None = None
    at_least: float | None = None


class Amount(NamedTuple):
    """The time of one entrant in units of ``unit`` seconds, or a value that a side tells; at most ``at_most``."""

    title: str
    of: str
    scale: float
    unit: str
    at_most: float | None = None


class Growth(NamedTuple):
    """How much slower each doubling makes it, the geometric mean over a ladder of entrants; at most ``at_most``."""

    title: str
    ladder: tuple[str, ...]
    at_most: float


class Group(NamedTuple):
    """Entrants that are timed in turn, round by round; values that must agree; and what is made of the times.

    ``fewest`` is the number of rounds that there are however long they take.
    """

    section: str
    title: str
    entrants: dict[str, Entrant]
    results: tuple[Ratio | Amount | Growth, ...]
    agree: tuple[Entrant, ...] = ()
    values: dict[str, Entrant] = {}  # noqa: RUF012 - a default of a NamedTuple, never changed
    fewest: int = 5


def ours(case: str, **arguments: Any) -> Entrant:
    """A case of our build."""
    return Entrant("ours", case, arguments)
