"""The head of a decision log: which record is the last, kept elsewhere, so that a log that lost its end is found out."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import NamedTuple

from schemarouter.audit.chain import Sealer
from schemarouter.reading import read_bounded

_SEAL = re.compile("[0-9a-f]{64}")
_LIMIT = 4096
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
    try:
        raw = read_bounded(path, _LIMIT + 1)
    except FileNotFoundError:
        return None
    if len(raw) > _LIMIT:
        raise HeadError("is longer than a head")
    return decode_head(raw, sealer)


def write_head(path: str, head: Head, sealer: Sealer) -> None:
    """Replace the head at ``path`` in one step. Raises ``OSError``."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(head.encoded(sealer))
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)
