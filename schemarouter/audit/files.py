"""The files of a decision log: the one that is written, those that were rotated away, the end of one, and the lock."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from schemarouter.audit.chain import MAX_LINE, Line, Sealer, looks_torn, looks_whole

try:
    import fcntl
except ImportError:  # pragma: no cover - not on this platform
    fcntl = None  # type: ignore[assignment]

#: Seconds between two tries for the lock.
_PAUSE = 0.0005
_LONGEST_PAUSE = 0.02
_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class Unusable(Exception):  # noqa: N818 - reads as what it means
    """The files are not as they must be. The message is the end of a sentence: ``the log ...``."""


class Locked(Exception):  # noqa: N818 - reads as what it means
    """Another process kept the lock for longer than the caller would wait."""


class End(NamedTuple):
    """The end of one file: its last whole line, and what stands behind it because a writer died there."""

    line: Line | None
    torn: bytes
    size: int
    #: The last line is whole but for its end.
    unended: bool = False


def segment_path(path: str, segment: int) -> str:
    """Where the segment with this number stands once it was rotated away."""
    return f"{path}.{segment:06d}"


def rotated(path: str) -> list[int]:
    """The numbers of the segments that were rotated away and are still there, rising. Raises ``OSError``."""
    folder, name = os.path.split(path)
    pattern = re.compile(re.escape(name) + r"\.(\d{6,12})")
    found = (pattern.fullmatch(entry) for entry in os.listdir(folder or "."))
    return sorted(int(match[1]) for match in found if match)


def open_log(path: str, *, new: bool = False) -> int:
    """Open the file that is written, making it if need be. Raises ``OSError`` and :class:`Unusable`."""
    descriptor = os.open(path, _FLAGS | os.O_CREAT | (os.O_EXCL if new else 0), 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unusable("is not a regular file")
    return descriptor


def read_end(descriptor: int, sealer: Sealer) -> End:
    """The end of a file. Raises :class:`Unusable` if what stands there is neither a whole line nor the torn start of one."""
    size = os.fstat(descriptor).st_size
    start = max(0, size - 2 * MAX_LINE)
    data = os.pread(descriptor, size - start, start)
    *whole, rest = data.split(b"\n")
    behind = len(rest)
    line = sealer.read(rest) if rest else None
    if line is not None:
        return End(line, b"", size, unended=True)
    if looks_whole(rest):
        raise Unusable("ends with a record that was edited, or sealed with another key")
    if not looks_torn(rest):
        raise Unusable("ends with bytes that are no record")
    for index in range(len(whole) - 1, 0 if start else -1, -1):
        line = sealer.read(whole[index])
        if line is not None:
            return End(line, data[len(data) - behind :], size)
        if looks_whole(whole[index]):
            raise Unusable("ends with a record that was edited, or sealed with another key")
        if not looks_torn(whole[index]):
            raise Unusable("ends with a line that is no record")
        behind += len(whole[index]) + 1
    if start:
        raise Unusable("holds no whole record near its end")
    if whole:
        raise Unusable("holds no whole record")
    return End(None, data, size)


@contextmanager
def locked(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock between processes. Raises :class:`Locked` if it is not free within ``seconds``, and ``OSError``.

    The lock is the operating system's, so a process that is killed lets go of it.
    """
    if fcntl is None:  # pragma: no cover - not on this platform
        raise OSError(errno.ENOTSUP, "this platform has no file locks")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        deadline, pause = time.monotonic() + seconds, _PAUSE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise Locked("another process keeps it locked") from None
                time.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
        try:
            yield
        finally:
            # By name, not by closing: a child that another thread forked meanwhile has the descriptor as well.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)
