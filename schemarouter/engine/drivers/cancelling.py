"""Telling a cancellation of a call from the cancellation that a task group of user code asks for and forgets.

``asyncio.TaskGroup`` cancels its own task when one of its tasks fails. Before Python 3.13 it did not take that back if it
was already waiting at its end: ``Task.cancelling()`` stays raised, as if somebody had cancelled the call from outside.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Generator
from types import CoroutineType
from typing import Any

_FORGETS = sys.version_info < (3, 13)
_END_OF_GROUP = asyncio.TaskGroup.__aexit__.__code__


class Watched:
    """Awaits user code in the task of now. Cancellations count from when it was made."""

    __slots__ = ("_awaitable", "_before", "_of_groups", "_task")

    def __init__(self, awaitable: Awaitable[Any]) -> None:
        self._awaitable = awaitable
        self._task = asyncio.current_task()
        self._before = 0 if self._task is None else self._task.cancelling()
        self._of_groups = 0

    @property
    def cancelled(self) -> bool:
        """Whether the task was cancelled meanwhile, and not by a task group at its end; whatever the code made of it."""
        return self._task is not None and self._task.cancelling() - self._before > self._of_groups

    def __await__(self) -> Generator[Any, Any, Any]:
        if _FORGETS and type(self._awaitable) is CoroutineType:
            return self._step(self._awaitable)
        return self._awaitable.__await__()

    def _step(self, coroutine: CoroutineType[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """``yield from``, with a look at what is thrown in."""
        try:
            waits_for = coroutine.send(None)
            while True:
                try:
                    yield waits_for
                except GeneratorExit:
                    coroutine.close()
                    raise
                except asyncio.CancelledError as error:
                    self._of_groups += _waits_at_the_end_of_a_group(coroutine)
                    waits_for = coroutine.throw(error)
                except BaseException as error:  # noqa: BLE001 - it is the code that this is thrown into
                    waits_for = coroutine.throw(error)
                else:
                    waits_for = coroutine.send(None)
        except StopIteration as end:
            return end.value


def _waits_at_the_end_of_a_group(awaited: Any) -> bool:
    while awaited is not None:
        if getattr(awaited, "cr_code", None) is _END_OF_GROUP:
            return True
        awaited = getattr(awaited, "cr_await", None)
    return False
