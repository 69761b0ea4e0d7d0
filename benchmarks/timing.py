"""Timing inside a worker. A case is a function ``loops -> seconds`` that times its own work, as pyperf's ``bench_time_func``.

Standard library only: workers run in environments that hold nothing but the tool that is measured.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import cycle, islice, repeat
from typing import Any

#: Times its own work, so that preparing a round costs nothing.
Timed = Callable[[int], float]


def each(function: Callable[[], object]) -> Timed:
    """``function()`` again and again."""

    def timed(loops: int) -> float:
        numbers = repeat(None, loops)
        start = time.perf_counter()
        for _ in numbers:
            function()
        return time.perf_counter() - start

    return timed


def over(items: Iterator[Any], function: Callable[[Any], object]) -> Timed:
    """``function(item)`` for the next items, which are made before the clock starts."""

    def timed(loops: int) -> float:
        batch = list(islice(items, loops))
        start = time.perf_counter()
        for item in batch:
            function(item)
        return time.perf_counter() - start

    return timed


def over_triples(items: Sequence[tuple[Any, Any, Any]], function: Callable[[Any, Any, Any], object]) -> Timed:
    """``function(a, b, c)`` for the items in turn."""
    endless = cycle(items)

    def timed(loops: int) -> float:
        batch = list(islice(endless, loops))
        start = time.perf_counter()
        for a, b, c in batch:
            function(a, b, c)
        return time.perf_counter() - start

    return timed


def awaited(run: Callable[[], Awaitable[object]]) -> Timed:
    """``await run()`` again and again, in one event loop a round."""
    import asyncio

    async def timed(loops: int) -> float:
        numbers = repeat(None, loops)
        start = time.perf_counter()
        for _ in numbers:
            await run()
        return time.perf_counter() - start

    return lambda loops: asyncio.run(timed(loops))


def made(function: Callable[[], object], prepare: Callable[[], object] = int) -> Timed:
    """``function()`` again and again, each time after ``prepare()``; that, and taking its result apart, is not timed."""

    def timed(loops: int) -> float:
        taken = 0.0
        for _ in range(loops):
            prepare()
            start = time.perf_counter()
            result = function()
            taken += time.perf_counter() - start
            del result
        return taken

    return timed


def asked(function: Callable[[Any], object], prepare: Callable[[], Any]) -> Timed:
    """``function(prepare())`` again and again in time of the processor, for what takes so long that others get in between."""

    def timed(loops: int) -> float:
        taken = 0.0
        for _ in range(loops):
            given = prepare()
            start = time.process_time()
            result = function(given)
            taken += time.process_time() - start
            del result
        return taken

    return timed


def calibrate(timed: Timed, seconds: float) -> int:
    """How many loops take about ``seconds``; warms up on the way. An interruption must not make it too few: best of three."""
    loops = 1
    while loops < 1 << 22:
        taken = timed(loops)
        if taken >= seconds / 4 and loops < 1 << 16:
            taken = min(taken, timed(loops), timed(loops)) if taken < seconds * 4 else taken
        if taken >= seconds / 4:
            return max(1, round(loops * seconds / taken))
        loops *= 4 if taken < seconds / 16 else 2
    return loops


def settle() -> None:
    """Take what a case has prepared out of the garbage collector's sight, as in a process that was just started."""
    gc.collect()
    gc.freeze()
