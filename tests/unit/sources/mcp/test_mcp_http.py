"""HTTP servers that mean harm: answers without an end, compressed ones, redirects, silence, floods."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

pytest.importorskip("mcp")

from schemarouter.sources.mcp import HttpServer, McpLimits, McpProtocolError, McpSource
from schemarouter.sources.problem import SourceError

LIMITS = McpLimits(connect_seconds=20, close_seconds=0.3, max_message_bytes=100_000)
SECRET = "s3cret-payload"


class Hostile(BaseHTTPRequestHandler):
    """Speaks the handshake by hand; ``kind`` and ``seen`` (authorization headers by path) belong to the server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.seen.append((self.path, self.headers.get("authorization")))  # type: ignore[attr-defined]
        method, kind = request.get("method"), self.server.kind  # type: ignore[attr-defined]
        if method == "initialize":
            version = request["params"]["protocolVersion"]
            info = {"name": "h", "version": "1"}
            self.answer(request, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        elif method == "tools/list":
            self.listing(kind, request)
        elif method == "tools/call":
            self.send("application/json", b"x" * 200_000 if kind == "large-result" else b"[" * 50_000)
        elif "id" in request:
            self.send("application/json", b"{}", status=404)
        else:
            self.send("text/plain", b"", status=202)

    def listing(self, kind: str, request: Any) -> None:
        result = {"tools": [{"name": "fine", "inputSchema": {"type": "object"}}]}
        match kind:
            case "large":
                result["tools"][0]["description"] = "x" * 200_000
                self.answer(request, result)
            case "compressed":
                body = gzip.compress(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode())
                self.send("application/json", body, **{"content-encoding": "gzip"})
            case "large-event":
                self.send("text/event-stream", b"event: message\ndata: " + b"x" * 200_000 + b"\n\n")
            case "endless":
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                try:
                    while True:
                        self.wfile.write(b"3e8\r\n" + b" " * 1000 + b"\r\n")
                except OSError:
                    self.close_connection = True
            case "redirect":
                self.send("text/plain", b"", status=307, location=self.server.elsewhere)  # type: ignore[attr-defined]
            case "page":
                self.send("text/html", SECRET.encode())
            case "status":
                self.send("text/html", SECRET.encode(), status=500)
            case "no-json":
                self.send("application/json", SECRET.encode())
            case "flood":
                note = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
                self.send("text/event-stream", f"data: {json.dumps(note)}\n\n".encode() * 500)
            case "cut":
                self.send("text/event-stream", b": nothing\n\n")
            case _:
                self.answer(request, result)

    def answer(self, request: Any, result: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
        self.send("application/json", body)

    def send(self, kind: str, body: bytes, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def server(kind: str, elsewhere: str = "") -> Iterator[Any]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as made:
        made.daemon_threads = True
        made.kind, made.seen, made.elsewhere = kind, [], elsewhere  # type: ignore[attr-defined]
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def at(made: Any) -> HttpServer:
    return HttpServer(f"http://127.0.0.1:{made.server_address[1]}/mcp", {"authorization": "Bearer t0ken"})


async def names(made: Any, limits: McpLimits = LIMITS) -> list[str]:
    async with McpSource("here", at(made), limits=limits) as source:
        return [endpoint.name for endpoint in (await source.tool()).endpoints]


def test_a_server_by_hand_works() -> None:
    with server("fine") as made:
        assert asyncio.run(names(made)) == ["fine"]
        assert {token for _, token in made.seen} == {"Bearer t0ken"}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("large", "it sent an answer that is longer than the limit"),
        ("large-event", "the connection is gone"),
        ("endless", "it sent an answer that is longer than the limit"),
        ("compressed", "it sent a compressed answer"),
        ("page", "it answered with error code -32600"),
        ("status", "it answered with error code -32603"),
        ("no-json", "it sent an answer that is no JSON-RPC"),
        ("cut", "the connection is gone"),
    ],
)
def test_an_answer_that_cannot_be_taken(kind: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    with server(kind) as made, pytest.raises(SourceError) as caught:
        asyncio.run(names(made))
    assert str(caught.value) == f"server `here`: {message}"
    assert SECRET not in "".join(capfd.readouterr())


def test_a_flood_of_events_ends_the_connection() -> None:
    limits = McpLimits(connect_seconds=20, close_seconds=0.3, max_messages_per_second=50)
    with server("flood") as made, pytest.raises(SourceError, match="it sends more than 50 messages in a second"):
        asyncio.run(names(made, limits))


def test_credentials_do_not_follow_a_redirect_to_another_origin() -> None:
    with server("fine") as other:
        elsewhere = f"http://127.0.0.1:{other.server_address[1]}/mcp"
        with server("redirect", elsewhere) as made, pytest.raises(SourceError, match="error code -32600"):
            asyncio.run(names(made))
        assert other.seen == []


@pytest.mark.parametrize("kind", ["large-result", "deep-result"])
def test_a_result_that_cannot_be_taken(kind: str) -> None:
    async def scenario(made: Any) -> None:
        async with McpSource("here", at(made), limits=LIMITS) as source:
            await source.tool()
            with pytest.raises(McpProtocolError, match="the answer of the server `here` cannot be read") as caught:
                await source.invoker()("fine", {})
            assert ("longer than the limit" in str(caught.value)) is (kind == "large-result")

    with server(kind) as made:
        asyncio.run(scenario(made))
