"""The argument ``body`` to bytes, by the kind of its media type."""

from __future__ import annotations

import base64
import binascii
import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from schemarouter.sources.openapi.styles import Pair, Unsendable, encoded, primitive, query_pairs


def write_body(body: Mapping[str, Any], value: Any) -> tuple[str, bytes]:
    """The ``Content-Type`` and the content. Raises ``Unsendable``."""
    media_type, kind = body["media_type"], body["kind"]
    try:
        if kind == "json":
            return media_type, _json(value)
        if kind == "form":
            return media_type, "&".join(
                f"{name}={text}" for name, text in _form(value, body.get("encoding", {}))
            ).encode()
        if kind == "multipart":
            return _multipart(value, body.get("encoding", {}), frozenset(body.get("binary", ())))
        if kind == "text":
            return f"{media_type}; charset=utf-8", _text(value)
        return media_type, _binary(value)
    except Unsendable as problem:
        raise Unsendable(f"the argument `body` {problem}") from None


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        raise Unsendable("is no JSON") from None


def _text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise Unsendable("is no text")
    return primitive(value).encode()


def _binary(value: Any) -> bytes:
    if not isinstance(value, str):
        raise Unsendable("holds binary data that is no base64 text")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise Unsendable("holds binary data that is no base64 text") from None


def _members(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unsendable("is no object, which a form needs")
    return value


def _form(value: Any, encoding: Mapping[str, Any]) -> Iterator[Pair]:
    """Names and values, percent-encoded. Each name belongs to one property."""
    members = _members(value)
    for name, each in members.items():
        how = encoding.get(name, {})
        if "style" in how:
            pairs = query_pairs(name, each, how["style"], how["explode"])
            if how["style"] == "form" and how["explode"] and isinstance(each, dict) and each.keys() & members.keys():
                raise Unsendable("holds a name that belongs to another property")
            yield from pairs
        else:
            for item in each if isinstance(each, list) else [each]:
                yield encoded(name), encoded(_field(item))


def _field(item: Any) -> str:
    if item is None:
        raise Unsendable("holds a null in a form")
    return _json(item).decode() if isinstance(item, dict | list) else primitive(item)


def _multipart(value: Any, encoding: Mapping[str, Any], binary: frozenset[str]) -> tuple[str, bytes]:
    """One part for each property, and for each item of an array."""
    parts: list[tuple[str, bytes]] = []
    for name, each in _members(value).items():
        media_type = encoding.get(name, {}).get("media_type")
        for item in each if isinstance(each, list) else [each]:
            disposition = f'form-data; name="{_quoted(name)}"'
            if name in binary:
                content, own = _binary(item), media_type or "application/octet-stream"
                disposition += f'; filename="{_quoted(name)}"'
            elif isinstance(item, dict | list):
                content, own = _json(item), media_type or "application/json"
            else:
                content, own = _field(item).encode(), media_type
            kind = f"\r\nContent-Type: {own}" if own else ""
            parts.append((f"Content-Disposition: {disposition}{kind}", content))
    boundary = secrets.token_hex(16)
    while any(boundary.encode() in content for _, content in parts):
        boundary = secrets.token_hex(16)
    lines = [f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts]
    return f"multipart/form-data; boundary={boundary}", b"".join(lines) + f"--{boundary}--\r\n".encode()


def _quoted(name: str) -> str:
    return primitive(name).replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
