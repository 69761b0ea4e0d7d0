"""Read a file that somebody else named: no more than a limit, and without waiting for a writer. Standard library only."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    Path = str | os.PathLike[str]


def read_bounded(path: Path, limit: int) -> bytes:
    """The first ``limit`` bytes of the file at ``path``.

    Opening a named pipe would wait for a writer, for ever if need be. Such a pipe is read if somebody writes to it, as in
    a shell's ``<(command)``, and refused if nobody does.

    Raises ``OSError`` as ``open`` does, and ``ValueError`` for what is no file name.
    """
    with open(path, "rb", opener=_open) as file:
        data = file.read(limit)
        if not data and _is_pipe(file):
            raise OSError(errno.ENXIO, "a pipe that nobody writes to", os.fspath(path))
    return data


def _open(path: str, flags: int) -> int:
    not_waiting = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | not_waiting)
    if not_waiting:
        os.set_blocking(descriptor, True)
    return descriptor


def _is_pipe(file: IO[bytes]) -> bool:
    return stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
