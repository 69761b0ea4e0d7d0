"""Arguments to a request: pure, and nothing of it may leave the place that the document gives it.

Raises :class:`~schemarouter.sources.openapi.styles.Unsendable`, whose text never holds a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from schemarouter.sources.openapi.body_bytes import write_body
from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.lookalikes import becomes
from schemarouter.sources.openapi.route import Route, Wire
from schemarouter.sources.openapi.styles import Unsendable, cookie_pairs, encoded, header_text, path_text, query_pairs

#: What a server may take for a separator or a dot after it decoded a path once more.
_ESCAPED: Final = re.compile(r"%(?:2f|5c|2e|00|25)", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_HEADER_TEXT: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?|")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request without its origin. ``query`` and ``cookies`` are percent-encoded; ``headers`` have names as declared."""

    method: str
    path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[tuple[str, str], ...]
    content: bytes | None


def build_request(
    route: Route, arguments: Mapping[str, Any], *, slashes: Collection[str] = (), taken: Collection[str] = ()
) -> Outgoing:
    """Write ``arguments`` as the request of ``route``.

    ``slashes`` are path arguments that may hold ``/`` (sent as ``%2F``), ``taken`` names of query parameters that the
    application sets itself.
    """
    path: dict[str, str] = {}
    query = _Query(route, taken)
    headers: list[tuple[str, str]] = []
    cookies: list[tuple[str, str]] = []
    for wire in route.parameters:
        if wire.argument not in arguments:
            continue
        value = arguments[wire.argument]
        try:
            if wire.media_type is not None and wire.location != "querystring":
                value = _as_json(value)
            if wire.location == "path":
                path[wire.name] = _path_value(wire, value, wire.argument in slashes)
            elif wire.location == "query":
                query.add(wire, value)
            elif wire.location == "querystring":
                query.whole(wire, value)
            elif wire.location == "header":
                if value not in ([], {}):  # as in a query: nothing is sent for no items
                    headers.append((wire.name, _header_value(header_text(value, wire.explode))))
            else:
                cookies.extend(cookie_pairs(wire.name, value, wire.style, wire.explode))
        except Unsendable as problem:
            raise Unsendable(f"the argument `{wire.argument}` {problem}") from None
    content = None
    if route.body is not None and "body" in arguments:
        media_type, content = write_body(route.body, arguments["body"])
        headers.append(("Content-Type", media_type))
    return Outgoing(route.method, _path(route, path), query.text(), tuple(headers), tuple(cookies), content)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _header_value(text: str) -> str:
    if not _HEADER_TEXT.fullmatch(text):
        raise Unsendable(
            "holds what no header may hold: a control character, a letter outside ASCII, or space at an end"
        )
    return text


def _path_value(wire: Wire, value: Any, slashes: bool) -> str:
    for text in _texts(value):
        if _CONTROL.search(text) or "\\" in text or _ESCAPED.search(text):
            raise Unsendable(
                "holds a control character, a backslash or an escape, which could lead out of its path segment"
            )
        if "/" in text and not slashes:
            raise Unsendable("holds a `/`, which could lead out of its path segment")
        if "/" in text and any(part in ("", ".", "..") for part in text.split("/")):
            raise Unsendable("holds an empty segment or a segment of dots, which could lead out of its path segment")
    if value == "":
        raise Unsendable("is empty, which would name another path")
    text = path_text(wire.name, value, wire.style, wire.explode)
    if not text:
        raise Unsendable("is empty, which would name another path")
    return text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)


def _path(route: Route, values: Mapping[str, str]) -> str:
    parts = []
    position = 0
    for match in _EXPRESSION.finditer(route.path):
        if match.group(1) not in values:
            raise Unsendable(f"the path needs `{match.group(1)}`")
        parts += [_literal(route.path[position : match.start()]), values[match.group(1)]]
        position = match.end()
    path = "".join(parts) + _literal(route.path[position:])
    # Several expressions may stand in one segment: together, they must be no dots either.
    if any(unquote(segment) in (".", "..") for segment in path.split("/")):
        raise Unsendable("the arguments make a path segment of dots")
    other = becomes(path, route.others)
    if other is not None:
        raise Unsendable(f"the arguments make its path that of another operation, `{shown(other)}`")
    return path


def _literal(text: str) -> str:
    return quote(text, safe="/:@!$&'()*+,;=~%")


class _Query:
    """The query: each name belongs to one parameter, so that no argument adds to, or overrides, what another sets."""

    def __init__(self, route: Route, taken: Collection[str]) -> None:
        self._owners: dict[str, str | None] = {
            **dict.fromkeys(taken),
            **dict.fromkeys(name for name, _ in route.fixed_query),
            **{wire.name: wire.argument for wire in route.parameters if wire.location == "query"},
        }
        self._parts = [f"{name}={value}" for name, value in route.fixed_query]

    def add(self, wire: Wire, value: Any) -> None:
        """Add what one argument gives."""
        self._extend(wire, query_pairs(wire.name, value, wire.style, wire.explode, reserved=wire.reserved))

    def whole(self, wire: Wire, value: Any) -> None:
        """Take the argument as the whole query."""
        if wire.media_type == "application/x-www-form-urlencoded":
            if not isinstance(value, dict):
                raise Unsendable("is no object, which a query needs")
            self._extend(wire, [pair for name, each in value.items() for pair in query_pairs(name, each, "form", True)])
        elif self._owners:
            raise Unsendable("is a whole query, and the application sets parameters of it")
        else:
            self._parts.append(encoded(_as_json(value)))

    def _extend(self, wire: Wire, pairs: list[tuple[str, str]]) -> None:
        for name, text in pairs:
            if self._owners.setdefault(unquote(name), wire.argument) != wire.argument:
                raise Unsendable("holds a name that belongs to another parameter")
            self._parts.append(f"{name}={text}")

    def text(self) -> str:
        """The query without its question mark."""
        return "&".join(self._parts)
