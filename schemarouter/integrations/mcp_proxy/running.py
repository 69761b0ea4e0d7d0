"""A proxy as a process: it serves its standard input and output until the client is gone or a signal comes, and leaves
no process behind."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from typing import Any

from schemarouter.integrations.mcp_proxy.guardian import Guardian
from schemarouter.integrations.mcp_proxy.proxy import McpProxy
from schemarouter.integrations.mcp_proxy.stdio import client_streams

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def run_proxy(make: Callable[[Callable[[int, bool], None]], McpProxy], ready: Callable[[McpProxy], None]) -> int:
    """Serve until the client is gone (0) or a signal comes (128 and its number).

    ``make`` gets what is to be told of processes and returns the proxy; ``ready`` is called once the servers are there. Raises
    as entering the proxy does, and ``OSError`` if no process can be started.
    """
    return asyncio.run(_run(make, ready))


async def _run(make: Callable[[Callable[[int, bool], None]], McpProxy], ready: Callable[[McpProxy], None]) -> int:
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(number: int) -> None:
        if not stopped.done():
            stopped.set_result(number)

    for name in _SIGNALS:
        with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError):  # not on every system
            number = getattr(signal, name)
            loop.add_signal_handler(number, stop, number)
    with Guardian() as guardian:
        serving = asyncio.create_task(_serve(make(guardian.told), ready))
        either: set[asyncio.Future[Any]] = {serving, stopped}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
            return 128 + stopped.result()
        serving.result()
    return 0


async def _serve(proxy: McpProxy, ready: Callable[[McpProxy], None]) -> None:
    async with proxy:
        ready(proxy)
        async with client_streams() as streams:
            await proxy.serve(*streams)
