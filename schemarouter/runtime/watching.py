"""How a call is followed from outside: the decision log first, then the observer of its run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Protocol

from schemarouter.engine.frame import Frame
from schemarouter.errors import DecisionLogError

if TYPE_CHECKING:
    from schemarouter.audit.witness import Witness


class Observer(Protocol):
    """Told of the calls of a run; ``index`` is the place of a call in its plan. What it raises ends the call."""

    def entered(self, index: int, frame: Frame) -> None:
        """A call enters ``frame.stage``."""

    def ended(self, index: int, frame: Frame, error: BaseException | None) -> None:
        """A call ended, with its result or with ``error``."""


class Watch:
    """Follows one call for a witness, an observer, or both."""

    __slots__ = ("_frame", "_index", "_observer", "_witness")

    def __init__(self, frame: Frame, index: int, observer: Observer | None, witness: Witness | None) -> None:
        self._frame, self._index, self._observer, self._witness = frame, index, observer, witness
        frame.watch = self._entered

    def _entered(self, stage: str) -> Callable[[], object] | None:
        later = None if self._witness is None else self._witness.entered(stage)
        if self._observer is not None:
            self._observer.entered(self._index, self._frame)
        return later

    def ended(self, error: BaseException | None) -> None:
        """Tell how the call ended; waits for the log. Raises ``DecisionLogError`` where a result may not be handed over."""
        failure: DecisionLogError | None = None
        try:
            later = None if self._witness is None else self._witness.ended(error)
            if later is not None:
                later()
        except DecisionLogError as problem:
            failure = problem
        self._close(error, failure)

    async def ended_async(self, error: Exception | None, pool: Callable[[], Executor]) -> None:
        """As :meth:`ended`, waiting for the log in a worker thread."""
        failure: DecisionLogError | None = None
        try:
            later = None if self._witness is None else self._witness.ended(error)
            if later is not None:
                await asyncio.get_running_loop().run_in_executor(pool(), later)
        except DecisionLogError as problem:
            failure = problem
        self._close(error, failure)

    def _close(self, error: BaseException | None, failure: DecisionLogError | None) -> None:
        if failure is not None:
            if error is None:
                self._frame.failed(failure)
                error = failure
            else:  # the call has failed already, and its record counts as lost
                failure = None
        if self._observer is not None:
            self._observer.ended(self._index, self._frame, error)
        if failure is not None:
            raise failure
