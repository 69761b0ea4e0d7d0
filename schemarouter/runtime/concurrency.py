"""Bounded concurrency: a few jobs at once, results as they come, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


async def as_they_finish(
    start: Callable[[int], Coroutine[Any, Any, Result]], count: int, limit: int
) -> AsyncGenerator[tuple[int, Result], None]:
    """Run ``start(0)`` to ``start(count - 1)``, at most ``limit`` at once, and yield ``(index, result)``.

    After the first failure nothing new starts: what had finished is yielded, the rest is cancelled and awaited, and the
    failure is raised; of several at once, that with the smallest index. The same holds if the caller is cancelled or
    stops iterating (close the iterator then, with ``contextlib.aclosing``).
    """
    if limit < 1:
        raise ValueError("at least one job must be allowed at once")
    running: dict[asyncio.Task[Result], int] = {}
    waiting = iter(range(count))
    try:
        while True:
            while len(running) < limit and (index := next(waiting, None)) is not None:
                running[asyncio.create_task(start(index))] = index
            if not running:
                return
            finished, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            failed: asyncio.Task[Result] | None = None
            for task in sorted(finished, key=running.__getitem__):
                index = running.pop(task)
                if task.cancelled() or task.exception() is not None:
                    failed = failed or task
                else:
                    yield index, task.result()
            if failed is not None:
                failed.result()
    finally:
        for task in running:
            task.cancel()
        if running:
            await asyncio.gather(*running, return_exceptions=True)


class LazyPool:
    """A bounded pool of worker threads that exists once it is needed."""

    def __init__(self, workers: int) -> None:
        """Raises ``ValueError`` for fewer than one worker."""
        if workers < 1:
            raise ValueError("a pool needs at least one worker")
        self._workers = workers
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def get(self) -> ThreadPoolExecutor:
        """Return the pool, made at the first call; a child process makes its own, because it has none of the threads."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():
                self._process = os.getpid()
                self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="schemarouter")
            return self._pool

    def close(self) -> None:
        """Let go of the pool. What runs goes on, what waits is dropped; the next use makes a new pool."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
