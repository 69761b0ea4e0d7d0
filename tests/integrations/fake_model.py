"""A model for Claude Code on loopback: it speaks the messages API, and makes the calls that the prompt spells out.

A prompt holds a line ``turns: JSON``, a list of turns, each a list of calls ``{"id", "name", "input"}``. The model makes the calls
of the first turn, sees their results, makes those of the second, and ends. A subagent's prompt holds turns of its own.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MARK = "turns: "


def prompt(*turns: list[dict[str, Any]]) -> str:
    """A prompt for which the model makes these calls."""
    return MARK + json.dumps(turns)


@contextmanager
def fake_model(script: Mapping[str, Any] | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve; gives the address, and the list of requests with tools, which grows. ``script`` has the turns for other prompts."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nothing on standard error."""

        def do_HEAD(self) -> None:
            self._answer(b"", "text/plain")

        def do_GET(self) -> None:
            self._answer(b"{}", "application/json")

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "count_tokens" in self.path:
                self._answer(b'{"input_tokens": 1}', "application/json")
                return
            content = _reply(request, script or {})
            if request.get("tools"):
                seen.append(request)
            if request.get("stream"):
                self._answer("".join(_events(content, request["model"])).encode(), "text/event-stream")
            else:
                self._answer(json.dumps(_message(content, request["model"])).encode(), "application/json")

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _reply(request: dict[str, Any], script: Mapping[str, Any]) -> list[dict[str, Any]]:
    turns: list[list[dict[str, Any]]] = []
    done = 0
    for message in request["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            if message["role"] == "user" and part["type"] == "text" and MARK in part["text"]:
                found, _ = json.JSONDecoder().raw_decode(part["text"].partition(MARK)[2])
                turns, done = found, 0
            elif message["role"] == "user" and part["type"] == "text" and part["text"] in script:
                turns, done = script[part["text"]], 0
        done += message["role"] == "assistant" and any(part["type"] == "tool_use" for part in parts)
    if not request.get("tools") or done >= len(turns):
        return [{"type": "text", "text": "done"}]
    return [{"type": "tool_use", **call} for call in turns[done]]


def _message(content: list[dict[str, Any]], model: str) -> dict[str, Any]:
    uses = any(part["type"] == "tool_use" for part in content)
    return {
        "id": f"msg_{uuid.uuid4().hex}",  # messages with one id are taken for one
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if uses else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _events(content: list[dict[str, Any]], model: str) -> Iterator[str]:
    whole = _message(content, model)
    yield _event("message_start", message={**whole, "content": [], "stop_reason": None})
    for index, part in enumerate(content):
        if part["type"] == "tool_use":
            delta = {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}
            start = {**part, "input": {}}
        else:
            delta = {"type": "text_delta", "text": part["text"]}
            start = {**part, "text": ""}
        yield _event("content_block_start", index=index, content_block=start)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    yield _event(
        "message_delta", delta={"stop_reason": whole["stop_reason"], "stop_sequence": None}, usage={"output_tokens": 1}
    )
    yield _event("message_stop")


def _event(kind: str, **members: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n"
