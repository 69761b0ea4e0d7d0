"""The head of a decision log: which record is the last, kept elsewhere, so that a log that lost its end is found out."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from typing import NamedTuple

from schemarouter.audit.chain import Sealer
from schemarouter.reading import read_bounded

_SEAL = re.compile("[0-9a-f]{64}")
_LIMIT = 4096
#: Every head has this many bytes, so that one is written over another without leaving anything of it.
_LENGTH = 320
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
#: A reader that meets a writer looks again, this many times, after this many seconds.
_TRIES = 3
_PAUSE = 0.01
_FIELDS = ("version", "seq", "last", "algorithm", "seal")


class HeadError(ValueError):
    """A head cannot be read, or is not one. The message is the end of a sentence."""


class Head(NamedTuple):
    """The last record: its place in the chain and its seal."""

    seq: int
    last: str

    def encoded(self, sealer: Sealer) -> bytes:
        """The text of a head file, itself sealed."""
        document = {"version": 1, "seq": self.seq, "last": self.last, "algorithm": sealer.algorithm}
        body = json.dumps(document).encode("ascii")
        return json.dumps({**document, "seal": sealer.seal(body)}).encode("ascii") + b"\n"


def decode_head(raw: bytes, sealer: Sealer) -> Head:
    """The head in a file's bytes. Raises ``HeadError``."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        raise HeadError("is not JSON") from None
    if type(document) is not dict or tuple(document) != _FIELDS or document["version"] != 1:
        raise HeadError("is no head of a decision log, or one of a newer version")
    seq, last, algorithm = document["seq"], document["last"], document["algorithm"]
    if type(seq) is not int or seq < 0 or type(last) is not str or not _SEAL.fullmatch(last):
        raise HeadError("is no head of a decision log")
    if algorithm != sealer.algorithm:
        raise HeadError(f"belongs to a log with {'a' if algorithm == 'hmac-sha256' else 'no'} key")
    head = Head(seq, last)
    if raw.strip() != head.encoded(sealer).strip():
        raise HeadError("was edited, or written with another key")
    return head


def read_head(path: str, sealer: Sealer) -> Head | None:
    """The head at ``path``, ``None`` if there is no such file. Raises ``HeadError`` and ``OSError``."""
    for patience in range(_TRIES, -1, -1):
        try:
            raw = read_bounded(path, _LIMIT + 1)
        except FileNotFoundError:
            return None
        if len(raw) > _LIMIT:
            raise HeadError("is longer than a head")
        try:
            return decode_head(raw, sealer)
        except HeadError:
            if not patience:
                raise
        time.sleep(_PAUSE)  # it may be written right now
    raise AssertionError("the last try returns or raises")


def write_head(path: str, head: Head, sealer: Sealer, *, new: bool = False) -> None:
    """Write the head over the one at ``path``, in place and in one short step; ``new`` makes the file. Raises ``OSError``.

    Not by renaming: that would cost a hundred times as much, for every record.
    """
    descriptor = os.open(path, os.O_WRONLY | _FLAGS | (os.O_CREAT if new else 0), 0o600)
    try:
        data = head.encoded(sealer).rstrip().ljust(_LENGTH - 1) + b"\n"
        if os.pwrite(descriptor, data, 0) != len(data):
            raise OSError(errno.ENOSPC, "the head could not be written whole")
    finally:
        os.close(descriptor)
