"""What the interpreter asks for, and what it is told: the whole surface between it and a driver.

The interpreter touches nothing by itself. It yields one of these commands and receives a reply; a driver answers. A test
answers with a list of replies.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, final

from schemarouter.engine.budget import Charges, Ledger


@final
class Look(NamedTuple):
    """Reply: the :class:`~schemarouter.engine.frame.View` of an operation, its binding and the authority of now."""

    tool: str
    endpoint: str


@final
class ReadClock(NamedTuple):
    """Reply: monotonic seconds."""


@final
class Reserve(NamedTuple):
    """Reply: ``None`` when everything was reserved, else the :class:`~schemarouter.engine.budget.Refusal`."""

    ledger: Ledger
    charges: Charges


@final
class Sleep(NamedTuple):
    """Wait before another attempt. Reply: anything."""

    seconds: float


@final
class OnStore(NamedTuple):
    """One step on a shared ledger, bounded in time, that may block: not in an event loop's thread. Reply: an :data:`Outcome`."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    deadline: float | None = None  # the store bounds itself, so that what was charged is known


class AskApproval(NamedTuple):
    """Call the trusted approval callback. Reply: an :data:`Outcome`.

    ``asynchronous`` is what a driver with an event loop calls instead, where there is such a thing.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    deadline: float | None
    asynchronous: Callable[..., Any] | None = None


class RunHook(NamedTuple):
    """Call one hook. Reply: an :data:`Outcome`."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    deadline: float | None


class Invoke(NamedTuple):
    """Call the invoker, in a worker thread where ``offload`` says so. Reply: an :data:`Outcome`."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    deadline: float | None
    offload: bool = False


#: Commands that run user code; their replies are outcomes.
UserCode: TypeAlias = AskApproval | RunHook | Invoke | OnStore
Command: TypeAlias = Look | ReadClock | Reserve | Sleep | UserCode

READ_CLOCK = ReadClock()

#: What a stage returns: its commands, or nothing where it has none to give. Its value ``True`` means: back one stage.
Script: TypeAlias = Generator[Command, Any, bool | None] | tuple[()]


class Returned(NamedTuple):
    """User code returned ``value``."""

    value: Any


class Raised(NamedTuple):
    """User code raised ``error`` itself. A ``TimeoutError`` of its own is such an error, not an expiry."""

    error: Exception


class CutOff(NamedTuple):
    """The time of the run was over.

    ``began`` is false if the code was never started. ``returned`` is true if it finished although it was cut off.
    ``offloaded`` is true if it goes on in a worker thread, where nobody can stop it.
    """

    began: bool = True
    returned: bool = False
    offloaded: bool = False


Outcome: TypeAlias = Returned | Raised | CutOff
NEVER_BEGAN = CutOff(began=False)
