"""The transport to the client: this process's standard input and output, as one JSON-RPC message a line.

Two daemon threads read and write, so that neither a client that says nothing nor one that takes nothing keeps the process
from ending. While it serves, descriptor 0 reads nothing and descriptor 1 is standard error: what is printed by accident
cannot be taken for a message.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import threading
from collections.abc import AsyncGenerator
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError, jsonrpc_message_adapter

#: Bytes of one message of the client.
MAX_LINE = 16_000_000
_CHUNK = 65_536
#: Lines that are no message, and of which somebody is told.
_TOLD = 10
#: Messages that wait to be written.
_WAITING = 64


@contextlib.asynccontextmanager
async def client_streams(
    stdin: int = 0, stdout: int = 1, *, max_line: int = MAX_LINE
) -> AsyncGenerator[tuple[Any, Any], None]:
    """Yield the streams of messages from the client and to it. The descriptors are left as they were."""
    incoming_end, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, outgoing_end = anyio.create_memory_object_stream[Any](0)
    with _taken(stdin, os.open(os.devnull, os.O_RDONLY)) as source, _taken(stdout, os.dup(2)) as sink:
        reader = _Reader(source, incoming_end, outgoing, asyncio.get_running_loop(), max_line)
        writer = asyncio.create_task(_write(sink, outgoing_end))
        reader.start()
        try:
            yield incoming, outgoing
        finally:
            reader.stop()
            outgoing.close()
            await asyncio.wait({writer}, timeout=2)  # what was answered last is still written
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            for stream in (incoming, incoming_end, outgoing_end):
                stream.close()


@contextlib.contextmanager
def _taken(descriptor: int, instead: int) -> Any:
    """A private duplicate of ``descriptor``, which is ``instead`` meanwhile. The duplicate stays: a thread may wait on it."""
    private = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    try:
        yield private
    finally:
        os.dup2(private, descriptor)


class _Reader(threading.Thread):
    """Hands on one message at a time, and reads no more while nobody takes it."""

    def __init__(
        self, source: int, incoming: Any, outgoing: Any, loop: asyncio.AbstractEventLoop, max_line: int
    ) -> None:
        super().__init__(name="schemarouter-mcp-stdin", daemon=True)
        self._source = source
        self._incoming = incoming
        self._outgoing = outgoing
        self._loop = loop
        self._max_line = max_line
        self._stopped = False
        self._told = 0

    def stop(self) -> None:
        """Hand on nothing more."""
        self._stopped = True

    def run(self) -> None:
        """Read until the end of the input, or a line that is too long."""
        waiting = bytearray()
        try:
            while not self._stopped and (chunk := os.read(self._source, _CHUNK)):
                begin = len(waiting)
                waiting += chunk
                if waiting.find(b"\n", begin) < 0:
                    if len(waiting) > self._max_line:
                        self._tell_too_long()
                        break
                    continue
                *lines, rest = waiting.split(b"\n")
                waiting = bytearray(rest)
                if max(map(len, lines)) > self._max_line:
                    self._tell_too_long()
                    break
                for line in lines:
                    self._hand_on(bytes(line))
        except (OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the client, or our own side, is gone
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._incoming.close)

    def _hand_on(self, line: bytes) -> None:
        try:
            message = SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            self._refuse(line)
            return
        asyncio.run_coroutine_threadsafe(self._incoming.send(message), self._loop).result()

    def _refuse(self, line: bytes) -> None:
        """Answer what is no message, if it has an id that somebody waits for; else nobody could be answered."""
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        number = told.get("id") if type(told) is dict else None
        if type(number) not in (int, str):
            if line.strip() and self._told < _TOLD:
                self._told += 1
                _tell("the client sent a line that is no JSON-RPC message; it is left out")
            return
        problem = ErrorData(code=INVALID_REQUEST, message="this is no JSON-RPC message that a client sends")
        answer = SessionMessage(JSONRPCError(jsonrpc="2.0", id=number, error=problem))
        asyncio.run_coroutine_threadsafe(self._outgoing.send(answer), self._loop).result()

    def _tell_too_long(self) -> None:
        _tell(f"the client sent a message of more than {self._max_line} bytes, and is not listened to any more")


def _tell(what: str) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"mcp-proxy: {what}\n".encode())


async def _write(sink: int, outgoing: Any) -> None:
    loop = asyncio.get_running_loop()
    waiting: queue.Queue[tuple[bytes, asyncio.Future[None]] | None] = queue.Queue(_WAITING)

    def settle(done: asyncio.Future[None]) -> None:
        if not done.done():
            done.set_result(None)

    def run() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            while (item := waiting.get()) is not None:
                with contextlib.suppress(OSError):  # a client that is gone is heard of at the other end
                    _write_all(sink, item[0])
                loop.call_soon_threadsafe(settle, item[1])

    threading.Thread(target=run, name="schemarouter-mcp-stdout", daemon=True).start()
    try:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            done: asyncio.Future[None] = loop.create_future()
            waiting.put_nowait((text.encode() + b"\n", done))
            await done
    finally:
        with contextlib.suppress(queue.Full):
            waiting.put_nowait(None)


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]
