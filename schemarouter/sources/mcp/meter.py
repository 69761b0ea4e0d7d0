"""Everything that a server sends passes here, whatever the transport: a flood ends the connection, with a reason."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

#: What the reason of a flood says.
FLOOD = "it sends more than {} messages in a second"


class Rate:
    """Counts what happens in each second of a clock, in seconds."""

    def __init__(self, limit: int, clock: Callable[[], float]) -> None:
        self._limit = limit
        self._clock = clock
        self._second = clock()
        self._count = 0

    def exceeded(self) -> bool:
        """Count one more, and say whether that is more than the limit in this second."""
        now = self._clock()
        if now - self._second >= 1:
            self._second, self._count = now, 0
        self._count += 1
        return self._count > self._limit


class Metered:
    """A stream of incoming messages that ends as soon as there are too many in one second.

    ``stop`` is told why, once. The clock is that of the event loop, in seconds.
    """

    def __init__(self, stream: Any, limit: int, clock: Callable[[], float], stop: Callable[[str], None]) -> None:
        self._stream = stream
        self._limit = limit
        self._rate = Rate(limit, clock)
        self._stop = stop

    async def receive(self) -> Any:
        """Return the next message. Raises as the stream does at its end."""
        return await self.__anext__()

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Metered:
        return self

    async def __anext__(self) -> Any:
        item = await self._stream.__anext__()
        if self._rate.exceeded():
            self._stop(FLOOD.format(self._limit))
            await self._stream.aclose()
            raise StopAsyncIteration
        return item

    async def __aenter__(self) -> Metered:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
