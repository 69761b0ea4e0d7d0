"""Writing a catalog or a lock over an older one: only if it changed, and saying what did."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.files import read_bytes, write_atomically
from schemarouter_cli.text import count, display_path, printable

if TYPE_CHECKING:
    from schemarouter.catalog.lock import Lock
    from schemarouter.catalog.records import Catalog

_OTHER = "name another file with `-o`, or remove this one"


def update(path: str, catalog: Catalog, data: bytes) -> None:
    """Write a catalog, whose bytes are ``data``, and say on standard error what changed."""
    from schemarouter.catalog.compare import changes
    from schemarouter.catalog.file import read_catalog
    from schemarouter.errors import CatalogError

    what = f"{count(len(catalog.tools), 'tool')}, {count(len(catalog), 'operation')}"
    raw = _existing(path)
    if raw == data:
        streams.tell(f"unchanged `{_shown(path)}`: {what}")
        return
    lines: list[str] = []
    if raw:
        try:
            old = read_catalog(raw)
        except CatalogError as error:
            raise CannotRun(f"`{display_path(path)}` exists and is no catalog: {error}", _OTHER) from None
        for change in changes(old, catalog):
            detail = f": {change.detail}" if change.detail else ""
            lines.append(f"{change.kind}: `{printable(change.operation)}`{printable(detail)}")
    write_atomically(path, data)
    for line in lines:
        streams.tell(line)
    streams.tell(f"wrote `{_shown(path)}`: {what}")


def update_lock(path: str, lock: Lock, data: bytes) -> None:
    """Write a lock, whose bytes are ``data``, and say on standard error which decisions are others than before."""
    from schemarouter.catalog.compare_locks import moves
    from schemarouter.catalog.lock import read_lock
    from schemarouter.errors import CatalogError

    what = count(len(lock), "operation")
    raw = _existing(path)
    if raw == data:
        streams.tell(f"unchanged `{_shown(path)}`: {what}")
        return
    lines: list[str] = []
    if raw:
        try:
            old = read_lock(raw)
        except CatalogError as error:
            raise CannotRun(f"`{display_path(path)}` exists and is no lock: {error}", _OTHER) from None
        lines = moves(old, lock)
    write_atomically(path, data)
    for line in lines:
        streams.tell(printable(line))
    streams.tell(f"wrote `{_shown(path)}`: {what}")


def _existing(path: str) -> bytes:
    """What is in a file that is there already; nothing where there is none, or where it is a pipe or a device."""
    from schemarouter.catalog.strict import SIZE_LIMIT

    return read_bytes(path, SIZE_LIMIT) if os.path.isfile(path) else b""


def _shown(path: str) -> str:
    return printable(display_path(path))
