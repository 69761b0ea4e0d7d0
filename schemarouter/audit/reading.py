"""Reading the files of a decision log in order, line by line, in bounded memory, while others may be writing."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, NamedTuple

from schemarouter.audit.chain import MAX_LINE, Line, Sealer, looks_torn, looks_whole, parse
from schemarouter.audit.files import rotated, segment_path

_TRIES = 3
_PAUSE = 0.05


class File(NamedTuple):
    """One file: how it is called, its number if it was rotated away, and its bytes up to where it ended when opened."""

    path: str
    segment: int | None
    content: IO[bytes]
    size: int


class Piece(NamedTuple):
    """What stands at one place: a line whose seal is right, a whole line whose seal is not, or bytes that are no line.

    ``number`` counts lines from 1. Of bytes that are no line, ``digest`` is the SHA-256, ``length`` the number, and
    ``torn`` whether they are the start of one line that was not finished.
    """

    number: int
    line: Line | None
    edited: bool = False
    claims: Line | None = None
    length: int = 0
    digest: str = ""
    torn: bool = False


def open_files(path: str, stack: ExitStack) -> list[File]:
    """Open every file of the log, oldest first. Raises ``OSError``; ``FileNotFoundError`` only if there is none at all."""
    current = _open_current(path)
    files: list[File] = []
    if current is not None:
        stack.enter_context(current)
    inode = None if current is None else os.fstat(current.fileno()).st_ino
    for segment in rotated(path):
        try:
            content = stack.enter_context(open(segment_path(path, segment), "rb"))  # noqa: SIM115 - the stack closes it
        except FileNotFoundError:  # let go by a writer meanwhile
            continue
        status = os.fstat(content.fileno())
        if status.st_ino != inode:  # else it was rotated away meanwhile, and is read as the current one
            files.append(File(segment_path(path, segment), segment, content, status.st_size))
    if current is not None:
        files.append(File(path, None, current, os.fstat(current.fileno()).st_size))
    if not files:
        raise FileNotFoundError(2, "no such file or directory", path)
    return files


def _open_current(path: str) -> IO[bytes] | None:
    for patience in range(_TRIES, -1, -1):
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except FileNotFoundError:
            if not patience or not rotated(path):
                return None
            time.sleep(_PAUSE)  # a writer may be rotating right now
            continue
        return os.fdopen(descriptor, "rb")
    return None


def pieces(file: File, sealer: Sealer) -> Iterator[Piece]:
    """Everything that stands in a file. Bytes that are no line come as one piece, however many lines they look like."""
    left, number = file.size, 0
    waste, wasted, lines, since, torn = hashlib.sha256(), 0, 0, 0, False

    def rubbish() -> Iterator[Piece]:
        nonlocal waste, wasted, lines
        if lines:  # an empty one is none of ours, either
            yield Piece(since, None, length=wasted, digest=waste.hexdigest(), torn=torn)
        waste, wasted, lines = hashlib.sha256(), 0, 0

    pending_end = False
    while left > 0:
        data = file.content.readline(min(left, MAX_LINE + 1))
        if not data:
            break
        left -= len(data)
        number += 1
        whole = data[:-1] if data.endswith(b"\n") else None
        if whole is None and left == 0 and looks_whole(data):
            whole = data  # whole but for its end, which its writer did not live to see
        line = None if whole is None else sealer.read(whole)
        edited = line is None and whole is not None and looks_whole(whole)
        if line is None and not edited:
            if pending_end:
                waste.update(b"\n")
                wasted += 1
            torn = whole is None and not lines and looks_torn(data)
            since = since if lines else number
            lines += 1
            waste.update(data if whole is None else whole)
            wasted += len(data if whole is None else whole)
            pending_end = whole is not None
            continue
        yield from rubbish()
        pending_end = False
        yield Piece(number, line, edited, parse(whole) if edited and whole is not None else None)
    yield from rubbish()


def records(path: str) -> Iterator[dict[str, Any]]:
    """Every record of the log as it stands there, oldest first, without checking seals. Raises ``OSError``.

    For looking at a log; whether it can be believed is what :func:`~schemarouter.audit.verify.verify_log` says.
    """
    with ExitStack() as stack:
        for file in open_files(path, stack):
            left = file.size
            while left > 0 and (data := file.content.readline(min(left, MAX_LINE + 1))):
                left -= len(data)
                line = parse(data.rstrip(b"\n"))
                if line is not None:
                    yield line.record
