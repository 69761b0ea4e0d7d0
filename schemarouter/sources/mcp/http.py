"""The transport to a server at an address: the SDK's streamable HTTP, over a client whose answers have a size limit.

The SDK follows redirects within the origin only, so that headers never leave it. Answers are read as they are sent:
what is compressed is refused, because its size is not known before it is unpacked.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.servers import HttpServer

#: Seconds without a byte after which a stream that stays open is opened anew.
_SILENCE = 300.0
_TOO_LONG = "it sent an answer that is longer than the limit"


@contextlib.asynccontextmanager
async def http_streams(
    server: HttpServer, limits: McpLimits, note: Callable[[str], None]
) -> AsyncGenerator[tuple[Any, Any], None]:
    """Yield the streams of messages from ``server`` and to it. ``note`` is told why an answer was not taken.

    Raises what the HTTP client raises.
    """
    longest = limits.max_message_bytes

    async def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            response.stream = _Bounded(response.stream, 0, lambda: note("it sent a compressed answer"))
        elif not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            response.stream = _Bounded(response.stream, longest, lambda: note(_TOO_LONG))

    client = httpx2.AsyncClient(
        headers={**server.headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(limits.connect_seconds, read=max(_SILENCE, limits.call_seconds)),
        event_hooks={"response": [bound]},
    )
    async with (
        client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=longest) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error, of a kind that the SDK expects, once it is longer than the limit."""

    def __init__(self, stream: Any, limit: int, note: Callable[[], None]) -> None:
        self._stream = stream
        self._left = limit
        self._note = note

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._left -= len(chunk)
            if self._left < 0:
                self._note()
                raise httpx2.StreamError("the answer is longer than the limit")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
