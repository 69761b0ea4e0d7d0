"""Request bodies: which media type is sent, and what the argument ``body`` looks like for it.

Sent are JSON (also ``+json`` and ``*/*``), ``application/x-www-form-urlencoded``, ``multipart/form-data``, text (``text/*``,
XML and YAML, written by the caller), and binary data (base64 in the argument). Anything else cannot be called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from schemarouter.sources.openapi.files import Files, Place
from schemarouter.sources.openapi.notes import Notes
from schemarouter.sources.openapi.parameters import HEADER_NAME
from schemarouter.sources.openapi.styles import ALLOWED_STYLES
from schemarouter.sources.problem import SourceError

FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
_LEAVE_OUT: Final = "correct it, or leave the operation out with `select`"
_TEXTS: Final = frozenset({"application/xml", "application/yaml", "application/x-yaml", "application/sdp"})
_BASE64: Final = {"type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/]*={0,2}$"}


@dataclass(frozen=True, slots=True)
class Body:
    """``kind`` is ``json``, ``form``, ``multipart``, ``text`` or ``binary``. ``schema`` is what the document says, if anything.

    ``own`` is a schema of ours in its place. ``encoding`` holds, by property, what deviates from the defaults, and
    ``binary`` the properties that are base64 in the argument.
    """

    media_type: str
    kind: str
    required: bool
    schema: Place | None
    own: dict[str, Any] | None
    encoding: dict[str, dict[str, Any]]
    binary: tuple[str, ...]
    description: str


def kind_of(media_type: str) -> str | None:
    """How a media type is written, or ``None`` if it is not."""
    if media_type in ("application/json", "*/*", "application/*") or media_type.endswith("+json"):
        return "json"
    if media_type in (FORM, MULTIPART):
        return "form" if media_type == FORM else "multipart"
    if media_type in _TEXTS or media_type.startswith("text/") or media_type.endswith(("+xml", "+yaml")):
        return "text"
    if media_type == "application/octet-stream" or media_type.startswith(("image/", "audio/", "video/", "font/")):
        return "binary"
    return "binary" if media_type in ("application/zip", "application/gzip", "application/pdf") else None


def read_body(operation: Place, files: Files, notes: Notes) -> Body | str | None:
    """The body of an operation, ``None`` where it has none, or why it cannot be sent.

    Raises ``SourceError`` for what is no Request Body Object.
    """
    if operation.value.get("requestBody") is None:
        return None
    body = files.resolve(operation.child("requestBody"))
    value = body.value
    if not isinstance(value, dict) or type(value.get("required", False)) is not bool:
        raise SourceError(
            "the request body is no object, or its `required` no boolean", where=str(body), help=_LEAVE_OUT
        )
    content = files.resolve(body.child("content")) if "content" in value else None
    if content is None or not isinstance(content.value, dict) or not content.value:
        raise SourceError("the request body names no media type", where=str(body), help=_LEAVE_OUT)
    chosen = _choose(list(content.value))
    if chosen is None:
        return "none of the media types of its body can be sent: " + ", ".join(
            f"`{name}`" for name in sorted(content.value)[:5]
        )
    key, media_type, kind = chosen
    if len(content.value) > 1:
        notes.add(body, f"of {len(content.value)} media types of the body, `{media_type}` is sent")
    entry = files.resolve(content.child(key))
    if not isinstance(entry.value, dict):
        raise SourceError("the media type is no object", where=str(entry), help=_LEAVE_OUT)
    if "itemSchema" in entry.value or "prefixEncoding" in entry.value or "itemEncoding" in entry.value:
        return "its body is a sequence of items, which cannot be sent"
    schema = entry.child("schema") if "schema" in entry.value else None
    encoding, binary = _encoding(entry, schema, kind, files)
    own: dict[str, Any] | None = None
    if kind == "binary":
        own = dict(_BASE64)
    elif kind == "text" and not _is_text(schema, files):
        own = {"type": "string"}
    description = value.get("description")
    return Body(
        media_type,
        kind,
        value.get("required", False),
        schema,
        own,
        encoding,
        binary,
        description if isinstance(description, str) else "",
    )


def _choose(keys: list[str]) -> tuple[str, str, str] | None:
    """JSON first, then what is written by it, then forms, text and binary data; in the document's order among equals."""
    order = {"json": 2, "form": 3, "multipart": 4, "text": 5, "binary": 6}
    ranked = []
    for index, key in enumerate(keys):
        media_type = key.partition(";")[0].strip().lower()
        kind = kind_of(media_type)
        if kind is not None and media_type.isascii() and media_type.isprintable() and " " not in media_type:
            rank = {"application/json": 0, "application/merge-patch+json": 1}.get(media_type, order[kind])
            sent = (
                "application/json"
                if "*" in media_type and kind == "json"
                else "text/plain"
                if "*" in media_type
                else media_type
            )
            ranked.append((rank, index, key, sent, kind))
    return min(ranked)[2:] if ranked else None


def _is_text(schema: Place | None, files: Files) -> bool:
    value = files.resolve(schema).value if schema is not None else None
    return isinstance(value, dict) and value.get("type") == "string"


def _encoding(
    entry: Place, schema: Place | None, kind: str, files: Files
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """By property of a form: what deviates from the defaults, and which properties are binary."""
    if kind not in ("form", "multipart"):
        return {}, ()
    encoding: dict[str, dict[str, Any]] = {}
    if "encoding" in entry.value:
        given = files.resolve(entry.child("encoding"))
        if not isinstance(given.value, dict):
            raise SourceError("`encoding` is no map", where=str(given), help=_LEAVE_OUT)
        for name in given.value:
            encoding[name] = _one_encoding(files.resolve(given.child(name)), kind)
    binary = []
    if kind == "multipart" and schema is not None:
        properties = _properties(schema, files)
        for name, place in properties.items():
            media_type = encoding.get(name, {}).get("media_type", "")
            if _is_binary(place, files, kind_of(media_type) == "binary"):
                binary.append(name)
    return {name: what for name, what in encoding.items() if what}, tuple(sorted(binary))


def _properties(schema: Place, files: Files) -> dict[str, Place]:
    """The properties of a form, as far as they can be seen: its own, and those of the members of ``allOf``."""
    found: dict[str, Place] = {}
    waiting = [schema]
    seen: set[int] = set()
    while waiting:
        place = files.resolve(waiting.pop())
        if not isinstance(place.value, dict) or id(place.value) in seen or len(found) > 1000:
            continue
        seen.add(id(place.value))
        for keyword in ("allOf", "anyOf", "oneOf"):
            if isinstance(place.value.get(keyword), list):
                waiting.extend(place.child(keyword, index) for index in range(len(place.value[keyword])))
        if isinstance(place.value.get("properties"), dict):
            for name in place.value["properties"]:
                found.setdefault(name, place.child("properties", name))
    return found


def _is_binary(place: Place, files: Files, by_encoding: bool) -> bool:
    value = files.resolve(place).value
    if isinstance(value, dict) and value.get("type") == "array" and "items" in value:
        value = files.resolve(files.resolve(place).child("items")).value
    if not isinstance(value, dict):
        return by_encoding
    if "contentMediaType" in value and "contentEncoding" not in value and value.get("type") in (None, "string"):
        return kind_of(str(value["contentMediaType"])) == "binary"
    return value.get("format") == "binary" or (by_encoding and value.get("type") in (None, "string"))


def _one_encoding(place: Place, kind: str) -> dict[str, Any]:
    value = place.value
    if not isinstance(value, dict):
        raise SourceError("the encoding is no object", where=str(place), help=_LEAVE_OUT)
    made: dict[str, Any] = {}
    media_type = value.get("contentType")
    if isinstance(media_type, str):
        first = media_type.partition(",")[0].partition(";")[0].strip().lower()
        if all(HEADER_NAME.fullmatch(part) for part in first.split("/")) and first.count("/") == 1 and "*" not in first:
            made["media_type"] = first
    if kind == "form" and value.keys() & {"style", "explode", "allowReserved"}:
        style = value.get("style", "form")
        explode = value.get("explode", style == "form")
        if style not in ALLOWED_STYLES["query"] or type(explode) is not bool:
            raise SourceError(
                "the `style` or `explode` of the encoding is none of a query", where=str(place), help=_LEAVE_OUT
            )
        made.update(style=style, explode=explode)
    return made
