"""What comes back: bounded bytes, and the value that they mean. Nothing of a failed response is kept."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from schemarouter.errors import ExecutionError, NonRetryableInvocationError, TransientInvocationError
from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.route import Route

#: The server did not take the request: nothing happened, whatever the method.
_REJECTED: Final = frozenset({429})
#: It may pass; whether something happened, nobody knows.
_PASSING: Final = frozenset({408, 425, 502, 503, 504})


class Unreadable(ValueError):  # noqa: N818 - the invoker makes its error of it
    """A response that cannot be taken; the text is an end of a sentence about it."""


class Collector:
    """Collects a body, decompressed as it comes, and never holds more than ``limit`` bytes and one chunk."""

    def __init__(self, headers: Mapping[str, str], limit: int) -> None:
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip"):
            raise Unreadable("is compressed in a way that was not asked for")
        self._inflate = zlib.decompressobj(wbits=31) if encoding == "gzip" else None
        self._began = False
        self._limit = limit
        self._content = bytearray()
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > limit):
            self._too_large()

    def _too_large(self) -> NoReturn:
        raise Unreadable(f"is larger than {self._limit} bytes")

    def feed(self, chunk: bytes) -> None:
        """Take bytes as they came over the wire."""
        if self._inflate is None:
            self._content += chunk
        else:
            try:
                while chunk:
                    self._began = True
                    if self._inflate.eof:
                        self._inflate = zlib.decompressobj(wbits=31)  # a further member
                    self._content += self._inflate.decompress(chunk, self._limit + 1 - len(self._content))
                    if len(self._content) > self._limit:
                        self._too_large()
                    chunk = self._inflate.unused_data or self._inflate.unconsumed_tail
            except zlib.error:
                raise Unreadable("is damaged") from None
        if len(self._content) > self._limit:
            self._too_large()

    def content(self) -> bytes:
        """Everything, after the last chunk."""
        if self._inflate is not None and self._began and not self._inflate.eof:
            raise Unreadable("is cut short")
        return bytes(self._content)


def read_value(content: bytes, headers: Mapping[str, str]) -> Any:
    """The value of a response: JSON by its media type, text as text, ``None`` where there is nothing.

    Anything else becomes ``{"media_type": ..., "base64": ...}``.
    """
    if not content:
        return None
    declared = headers.get("content-type", "")
    media_type = declared.partition(";")[0].strip().lower()
    if media_type in ("application/json", "text/json") or media_type.endswith("+json"):
        try:
            return json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise Unreadable("is no JSON, though it says so") from None
    if (
        media_type.startswith("text/")
        or media_type in ("application/xml", "application/yaml")
        or media_type.endswith("+xml")
    ):
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return content.decode("latin-1")
    return {"media_type": media_type if media_type.isascii() else "", "base64": base64.b64encode(content).decode()}


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError


def status_error(route: Route, status: int) -> ExecutionError:
    """The failure that a status is; nothing of the response is in it."""
    message = f"`{shown(route.name)}` failed: the server answered with status {status}"
    if status in _REJECTED or (status in _PASSING and route.read_only):
        return TransientInvocationError(message)
    return NonRetryableInvocationError(message)


def transport_error(route: Route, kind: str, *, reached: bool) -> ExecutionError:
    """The failure of a connection: a retry makes sense if the server was not reached, or the call only reads."""
    message = f"`{shown(route.name)}` failed: no answer from the server ({kind})"
    return TransientInvocationError(message) if route.read_only or not reached else NonRetryableInvocationError(message)
