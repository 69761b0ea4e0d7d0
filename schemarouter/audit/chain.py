"""One line of a decision log: how it is written, sealed and read back.

A line is one JSON object that ends with its seal, which covers every byte before it; the object names the seal of the line before it. So
no line can be changed, removed or moved without a break. With a key the seals are HMAC-SHA-256 and only a holder of the
key can make them. Without one they are plain SHA-256, which anybody can compute anew for a whole file: then only a head
that is kept elsewhere shows a rewritten log.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any, NamedTuple

#: Bytes of one line, with its end. A longer one is nobody's.
MAX_LINE = 64 * 1024
#: What the first line of a log names as the one before it.
NOTHING_BEFORE = "0" * 64
MIN_KEY_BYTES = 16
#: How every line begins.
BEGINNING = b'{"version":1,"seq":'

_SEALED = re.compile(rb'(.*),"seal":"([0-9a-f]{64})"\}', re.DOTALL)


class Line(NamedTuple):
    """A whole line that was read: the record, its place in the chain, and its seal."""

    record: dict[str, Any]
    seq: int
    seal: str


class Sealer:
    """Makes and checks seals, with a key or without one. Never shows the key."""

    __slots__ = ("_key", "algorithm", "key_id")

    def __init__(self, key: bytes | None) -> None:
        """Raises ``ValueError`` for a key that is too short, ``TypeError`` for what is none."""
        if key is not None and type(key) is not bytes:
            raise TypeError("a key is bytes")
        if key is not None and len(key) < MIN_KEY_BYTES:
            raise ValueError(f"a key needs at least {MIN_KEY_BYTES} bytes")
        self._key = None if key is None else derive(key, "chain")
        self.algorithm = "sha256" if key is None else "hmac-sha256"
        #: Names the key without telling anything about it.
        self.key_id = None if key is None else derive(key, "key id").hex()[:16]

    def seal(self, body: bytes) -> str:
        """The seal of the bytes of a line before it."""
        if self._key is None:
            return hashlib.sha256(body).hexdigest()
        return hmac.new(self._key, body, hashlib.sha256).hexdigest()

    def write(self, record: dict[str, Any]) -> tuple[bytes, str]:
        """The line of ``record``, which holds ``prev`` already, and its seal. Raises ``ValueError`` beyond the limit."""
        body = json.dumps(record, separators=(",", ":"), allow_nan=False).encode("ascii")[:-1]
        seal = self.seal(body)
        line = body + b',"seal":"' + seal.encode("ascii") + b'"}\n'
        if len(line) > MAX_LINE:
            raise ValueError("a record is longer than a line may be")
        return line, seal

    def read(self, line: bytes) -> Line | None:
        """The line without its end, if its seal is right; ``None`` for anything else."""
        parts = _SEALED.fullmatch(line)
        if parts is None or not hmac.compare_digest(self.seal(parts[1]), parts[2].decode("ascii")):
            return None
        return parse(line)


def derive(key: bytes, purpose: str) -> bytes:
    """A key for one purpose, so that what is published for one says nothing about another."""
    return hmac.new(key, f"schemarouter decision log v1: {purpose}".encode("ascii"), hashlib.sha256).digest()


def looks_torn(fragment: bytes) -> bool:
    """Whether bytes may be what a writer left that died in the middle of a line."""
    return len(fragment) <= MAX_LINE and BEGINNING.startswith(fragment[: len(BEGINNING)])


def looks_whole(line: bytes) -> bool:
    """Whether a line ends as every whole line does, whatever its seal says. One that was cut off does not."""
    return _SEALED.fullmatch(line) is not None


def parse(line: bytes) -> Line | None:
    """The record in a line, whether its seal is right or not; ``None`` for what is no record. Never raises."""
    if len(line) > MAX_LINE:
        return None
    try:
        record = json.loads(line, object_pairs_hook=_object, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if type(record) is not dict or record.get("version") != 1:
        return None
    seq, seal = record.get("seq"), record.get("seal")
    if type(seq) is not int or not 0 <= seq < 2**63 or type(seal) is not str or type(record.get("prev")) is not str:
        return None
    return Line(record, seq, seal) if type(record.get("kind")) is str else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")
