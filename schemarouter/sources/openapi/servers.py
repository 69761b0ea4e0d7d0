"""Server URLs: those that a document names, which are only shown, and the one that an application sends calls to."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from schemarouter.sources.openapi.files import Files, Place
from schemarouter.sources.openapi.keywords import text

_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%!$&'()*+,;=:@/")


def server_urls(around: Place, files: Files) -> list[str]:
    """The URLs that a document, path item or operation names, as they stand there, variables included."""
    if not around.value.get("servers"):
        return []
    listed = files.resolve(around.child("servers"))
    if not isinstance(listed.value, list):
        return []
    servers = [files.resolve(listed.child(index)).value for index in range(min(len(listed.value), 100))]
    return [text(each["url"]) for each in servers if isinstance(each, dict) and isinstance(each.get("url"), str)]


def check_server_url(url: str, option: str) -> str:
    """``url`` without its trailing slash, if calls can be sent there. Raises ``ValueError``: the application wrote it."""
    if not isinstance(url, str):
        raise TypeError(f"`{option}` takes the text of a URL")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValueError(f"`{option}` is no http or https URL with a host")
    if "@" in parts.netloc:
        raise ValueError(f"`{option}` holds credentials: pass them as `headers` or `auth`")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError(f"`{option}` holds a query or a fragment: pass `params` for what every call needs")
    if not url.isascii() or not url.isprintable() or not set(parts.path) <= _UNRESERVED or "{" in url:
        raise ValueError(f"`{option}` holds a character that is none of a URL, or a variable that is not filled in")
    if any(segment in (".", "..") for segment in parts.path.split("/")):
        raise ValueError(f"`{option}` holds a segment of dots")
    return url.rstrip("/")
