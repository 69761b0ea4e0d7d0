"""A real HTTP server that is started from an OpenAPI document and says what it understood.

It reads paths, queries, headers, cookies and bodies by the document alone, with code of its own, and answers with what it
read as JSON. Tests may put other answers in its way.
"""

from __future__ import annotations

import base64
import email.parser
import email.policy
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote_to_bytes

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], bool]


class EchoServer(ThreadingHTTPServer):
    """``seen`` are the requests that came, as they were understood; ``answer`` may answer itself and return ``True``."""

    daemon_threads = True

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.document = document
        self.seen: list[dict[str, Any]] = []
        self.answer: Answer | None = None
        self.patterns = {template: re.compile(_pattern(template.partition("?")[0])) for template in document["paths"]}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def behind(self, value: Any) -> Any:
        """What a local reference leads to."""
        while isinstance(value, dict) and "$ref" in value:
            found: Any = self.document
            for token in value["$ref"].split("/")[1:]:
                token = _decoded(token).replace("~1", "/").replace("~0", "~")
                found = found[int(token)] if isinstance(found, list) else found[token]
            value = found
        return value

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


@contextmanager
def serving(document: dict[str, Any]) -> Iterator[EchoServer]:
    """The server, running in a thread."""
    server = EchoServer(document)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: EchoServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        read = self.read(raw)
        self.server.seen.append(read)
        if self.server.answer is not None and self.server.answer(self, read):
            return
        status, content = (404, b"null") if read["operation"] is None else (200, json.dumps(read).encode())
        self.reply(status, content)

    def reply(self, status: int, content: bytes = b"", **headers: str) -> None:
        """Send an answer, JSON unless told otherwise."""
        self.send_response(status)
        headers = {"Content_Type": "application/json", "Content_Length": str(len(content)), **headers}
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def read(self, raw: bytes) -> dict[str, Any]:
        path, _, query = self.path.partition("?")
        understood: dict[str, Any] = {
            "operation": None,
            "method": self.command,
            "target": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
        }
        found = []
        for template, item in self.server.document["paths"].items():
            match = self.server.patterns[template].fullmatch(path)
            if match is None:
                continue
            item = self.server.behind(item)
            method = item.get(self.command.lower()) or item.get("additionalOperations", {}).get(self.command)
            plain, _, fixed = template.partition("?")
            if method is None or (fixed and fixed not in query):
                continue
            names = re.findall(r"\{([^{}]*)\}", plain)
            found.append(
                (len(names), -len(fixed), template, item, method, dict(zip(names, match.groups(), strict=True)))
            )
        # Where several fit, the one with the fewest expressions, and with its fixed query, is meant.
        for *_, template, item, method, texts in sorted(found, key=lambda each: each[:2])[:1]:
            listed = [*item.get("parameters", ()), *method.get("parameters", ())]
            parameters = {(each["in"], each["name"]): each for each in map(self.server.behind, listed)}
            understood["operation"] = method.get("operationId") or f"{self.command} {template}"
            plain = [{**each, "schema": self.server.behind(each.get("schema", {}))} for each in parameters.values()]
            understood["arguments"] = _arguments(plain, texts, query, self.headers)
            understood["body"] = _body(raw, self.headers.get("Content-Type", ""))
        return understood


def _pattern(template: str) -> str:
    parts = re.split(r"\{[^{}]*\}", template)
    return "([^/]*)".join(map(re.escape, parts))


def _decoded(text: str) -> str:
    return unquote_to_bytes(text).decode()


def _typed(text: str, schema: dict[str, Any]) -> Any:
    """A text as the type that the document says."""
    if schema.get("type") == "integer":
        return int(text)
    if schema.get("type") == "number":
        return float(text)
    if schema.get("type") == "boolean":
        return {"true": True, "false": False}[text]
    return text


def _shaped(parts: list[str], schema: dict[str, Any]) -> Any:
    """Texts as an array, or as an object of alternating names and values."""
    decoded = [_decoded(part) for part in parts]
    if schema.get("type") == "object":
        return dict(zip(decoded[::2], decoded[1::2], strict=True))
    return [_typed(part, schema.get("items", {})) for part in decoded]


def _pairs(parts: list[str]) -> dict[str, str]:
    return {_decoded(name): _decoded(value) for name, _, value in (part.partition("=") for part in parts)}


def _simple(text: str, each: dict[str, Any]) -> Any:
    schema = each.get("schema", {})
    if "content" in each:
        return json.loads(_decoded(text))
    if schema.get("type") not in ("array", "object"):
        return _typed(_decoded(text), schema)
    if schema["type"] == "object" and each.get("explode"):
        return _pairs(text.split(","))
    return _shaped(text.split(","), schema)


def _path(text: str, each: dict[str, Any]) -> Any:
    style, schema, name = each.get("style", "simple"), each.get("schema", {}), each["name"]
    explode, kind = each.get("explode", False), schema.get("type")
    if style == "simple":
        return _simple(text, each)
    if style == "label":
        assert text[0] == "."
        text = text[1:]
        if kind not in ("array", "object"):
            return _typed(_decoded(text), schema)
        if not explode:
            return _shaped(text.split(","), schema)
        return _pairs(text.split(".")) if kind == "object" else _shaped(text.split("."), schema)
    assert text[0] == ";"
    pairs = [part.partition("=") for part in text[1:].split(";")]
    if kind == "object" and explode:
        return {_decoded(key): _decoded(value) for key, _, value in pairs}
    assert {_decoded(key) for key, _, _ in pairs} == {name}
    if kind == "array" and explode:
        return _shaped([value for _, _, value in pairs], schema)
    ((_, _, value),) = pairs
    return _shaped(value.split(","), schema) if kind in ("array", "object") else _typed(_decoded(value), schema)


def _query(pairs: list[tuple[str, str]], each: dict[str, Any], others: set[str]) -> Any:
    """What a query or a cookie header holds for one parameter; ``None`` if nothing."""
    style, schema, name = each.get("style", "form"), each.get("schema", {}), each["name"]
    explode = each.get("explode", style in ("form", "cookie"))
    kind = schema.get("type")
    own = [value for key, value in pairs if _decoded(key) == name]
    if style == "deepObject":
        found: dict[str, Any] = {}
        for key, value in pairs:
            match = re.fullmatch(re.escape(name) + r"((?:\[[^\[\]]*\])+)", _decoded(key))
            if match:
                inner = found
                *way, last = re.findall(r"\[([^\[\]]*)\]", match.group(1))
                for step in way:
                    inner = inner.setdefault(step, {})
                inner[last] = _decoded(value)
        return found or None
    if "content" in each:
        return json.loads(_decoded(own[0])) if own else None
    if kind == "object" and explode:
        return {_decoded(key): _decoded(value) for key, value in pairs if _decoded(key) not in others} or None
    if not own:
        return None
    if kind not in ("array", "object"):
        return _typed(_decoded(own[0]), schema)
    if explode:
        return _shaped(own, schema)
    (text,) = own
    delimiter = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}[style]
    return _shaped(text.split(delimiter), schema)


def _split(text: str, delimiter: str) -> list[tuple[str, str]]:
    parts = [part.strip(" ").partition("=") for part in text.split(delimiter) if part.strip(" ")]
    return [(name, value) for name, _, value in parts]


def _arguments(parameters: list[dict[str, Any]], texts: dict[str, str], query: str, headers: Any) -> dict[str, Any]:
    read: dict[str, Any] = {}
    pairs, cookies = _split(query, "&"), _split(headers.get("Cookie", ""), ";")
    for each in parameters:
        location, name = each["in"], each["name"]
        others = {one["name"] for one in parameters if one["in"] == location and one["name"] != name}
        value: Any = None
        if location == "path":
            value = _path(texts[name], each)
        elif location == "query":
            value = _query(pairs, each, others)
        elif location == "cookie":
            value = _query(cookies, each, others)
        elif location == "querystring":
            (media_type,) = each["content"]
            if query:
                value = dict(_pairs(query.split("&"))) if "form" in media_type else json.loads(_decoded(query))
        elif headers.get(name) is not None:
            text = headers[name].replace("%", "%25")  # a header is not percent-encoded
            value = _simple(text, each)
        if value is not None:
            read[f"{location}:{name}"] = value
    return read


def _body(raw: bytes, content_type: str) -> Any:
    if not content_type:
        return None
    media_type = content_type.partition(";")[0].strip()
    if media_type.endswith("json"):
        return json.loads(raw)
    if media_type == "application/x-www-form-urlencoded":
        return [[_decoded(name), _decoded(value)] for name, value in _split(raw.decode(), "&")]
    if media_type == "multipart/form-data":
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
            f"Content-Type: {content_type}\r\n\r\n".encode() + raw
        )
        return [
            [
                part.get_param("name", header="content-disposition"),
                part["Content-Type"],
                base64.b64encode(part.get_payload(decode=True)).decode(),
            ]
            for part in message.iter_parts()
        ]
    return raw.decode() if media_type.startswith("text/") else base64.b64encode(raw).decode()
