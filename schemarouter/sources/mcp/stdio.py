"""The transport to a server that is a process. As the SDK's own, but with a bound on every line and a word on the end.

The SDK collects a line until it ends, however long that takes and however much it is; and it prints a traceback, with
the line in it, for what is no JSON-RPC. Here a line has a limit, noise between messages is skipped, and a broken message
ends the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from typing import Any

import anyio
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from schemarouter.sources.mcp.limits import McpLimits
from schemarouter.sources.mcp.meter import Rate
from schemarouter.sources.mcp.servers import StdioServer
from schemarouter.sources.problem import SourceError

_PIPE = subprocess.PIPE
#: Seconds between two looks at a process that is ending, and how long an end is waited for after the output stopped.
_POLL = 0.01
_LAST_WORDS = 0.2


@contextlib.asynccontextmanager
async def stdio_streams(
    server: StdioServer,
    limits: McpLimits,
    stop: Callable[[str], None],
    watch: Callable[[int, bool], None] | None = None,
) -> AsyncGenerator[tuple[Any, Any], None]:
    """Start ``server`` and yield the streams of messages from it and to it. ``stop`` is told why it ended, once;
    ``watch`` which group of processes runs, and that it is gone.

    However it is left, the process and all that it started in its group are gone afterwards. Raises ``SourceError`` if
    it cannot be started.
    """
    process = await _start(server, limits)
    if watch is not None:
        watch(process.pid, True)
    incoming_end, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, outgoing_end = anyio.create_memory_object_stream[Any](0)
    tasks = [
        asyncio.create_task(_read(process, incoming_end, limits, stop)),
        asyncio.create_task(_write(process, outgoing_end, incoming_end)),
    ]
    try:
        yield incoming, outgoing
    finally:
        for stream in (incoming, outgoing, incoming_end, outgoing_end):
            stream.close()
        await _finish(process, tasks, limits.close_seconds)
        if watch is not None:
            watch(process.pid, False)


async def _start(server: StdioServer, limits: McpLimits) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            server.command,
            *server.args,
            stdin=_PIPE,
            stdout=_PIPE,
            stderr=None if server.stderr == "inherit" else subprocess.DEVNULL,
            env=get_default_environment() | dict(server.env),
            cwd=server.cwd,
            limit=limits.max_message_bytes,
            start_new_session=sys.platform != "win32",
        )
    except OSError as error:
        if server.cwd is not None and not os.path.isdir(server.cwd):
            raise SourceError("the server cannot be started: its folder does not exist") from None
        reason = error.strerror or type(error).__name__
        raise SourceError(f"the server cannot be started: {reason.lower()}") from None
    except ValueError:  # a folder or an address with NUL in it
        raise SourceError("the server cannot be started: its command is not valid") from None


async def _read(
    process: asyncio.subprocess.Process, incoming: Any, limits: McpLimits, stop: Callable[[str], None]
) -> None:
    """Hand on one message at a time. While nobody takes it, nothing more is read."""
    output = process.stdout
    if output is None:
        return
    noise = Rate(limits.max_messages_per_second, asyncio.get_running_loop().time)
    try:
        while True:
            line = await output.readuntil(b"\n")
            message = _message(line)
            if message is not None:
                await incoming.send(message)
            elif _looks_like_one(line):
                stop("it sent a message that is no JSON-RPC")
                break
            elif noise.exceeded():
                stop(f"it writes more than {limits.max_messages_per_second} lines in a second that are no messages")
                break
    except asyncio.LimitOverrunError:
        stop("it sent a message that is longer than the limit")
    except (asyncio.IncompleteReadError, ConnectionError):
        await _until(lambda: process.returncode is not None, _LAST_WORDS)
        stop("its output ended" if process.returncode is None else f"it ended with code {process.returncode}")
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # our side is being closed
    finally:
        incoming.close()


def _message(line: bytes) -> SessionMessage | None:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:  # a bad encoding and a depth without an end are values that cannot be read, too
        return None


def _looks_like_one(line: bytes) -> bool:
    """Whether a line that cannot be read was meant as a message, rather than for a log."""
    return line.lstrip()[:1] == b"{"


async def _write(process: asyncio.subprocess.Process, outgoing: Any, incoming: Any) -> None:
    pipe = process.stdin
    if pipe is None:
        return
    try:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            pipe.write(text.encode() + b"\n")
            await pipe.drain()
    except (ConnectionError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        incoming.close()  # whoever waits for an answer learns that none will come


async def _finish(process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]], seconds: float) -> None:
    """Close its input, wait, tell it to end, wait, kill: the order that the protocol asks for. Every wait is bounded."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    drain = asyncio.create_task(_drain(process))  # one that is stuck in writing cannot see that its input is closed
    try:
        if process.stdin is not None:
            process.stdin.close()
        await _until(lambda: process.returncode is not None, seconds)
        _signal(process, signal.SIGTERM)
        await _until(lambda: process.returncode is not None and not _signal(process, 0), seconds)
    finally:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        drain.cancel()
        await asyncio.gather(drain, return_exceptions=True)
        await _until(lambda: process.returncode is not None and not _signal(process, 0), seconds)
        transport = getattr(process, "_transport", None)  # closes our ends of the pipes, whoever else still has one
        if transport is not None:
            with contextlib.suppress(PermissionError):
                transport.close()


async def _drain(process: asyncio.subprocess.Process) -> None:
    if process.stdout is not None:
        while await process.stdout.read(65_536):
            pass


async def _until(ended: Callable[[], bool], seconds: float) -> None:
    """Wait, at most so long. Not ``process.wait()``: that also waits for whoever else has the pipes open."""
    for _ in range(int(seconds / _POLL) + 1):
        if ended():
            return
        await asyncio.sleep(_POLL)


def _signal(process: asyncio.subprocess.Process, number: int) -> bool:
    """Signal the whole group, and say whether there is one: what a server started ends with it."""
    try:
        if sys.platform == "win32":
            if number:
                process.kill()
        else:
            os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True
