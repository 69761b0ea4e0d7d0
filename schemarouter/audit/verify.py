"""Is a decision log what its writers wrote? Says where it is not."""

from __future__ import annotations

import os
from contextlib import ExitStack
from itertools import islice
from typing import Any, Literal, NamedTuple

from schemarouter.audit.chain import NOTHING_BEFORE, Line, Sealer
from schemarouter.audit.head import Head, HeadError, read_head
from schemarouter.audit.reading import File, Piece, open_files, pieces
from schemarouter.errors import SchemaRouterError

BreakKind = Literal[
    "edited", "missing", "order", "replaced", "unreadable", "truncated", "misplaced", "key", "head", "empty"
]
#: Breaks that are told one by one; of more, only the number is known.
MAX_BREAKS = 50


class VerificationError(SchemaRouterError):
    """The log cannot be verified: it cannot be read, or what is needed for that was not given."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as everywhere in this package
        super().__init__(message)
        self.help = help


class Break(NamedTuple):
    """One place where the log is not whole. ``line`` counts from 1; 0 is the file as a whole."""

    kind: BreakKind
    path: str
    line: int
    seq: int | None
    message: str


class Verification(NamedTuple):
    """What was found. ``breaks`` is empty exactly if the log is whole.

    ``first`` and ``last`` are places in the chain. ``torn`` lines are what writers left that died in the middle of one, ``lost`` records
    are those of which a writer says that it could not write them. ``head`` is the place of the last record that the head speaks of; ``keyed`` says
    whether a key vouches for every record, without which those behind the head are vouched for by nobody.
    """

    breaks: tuple[Break, ...]
    more_breaks: int
    records: int
    files: int
    first: int | None
    last: int | None
    torn: int
    lost: int
    keyed: bool
    head: int | None

    @property
    def unanchored(self) -> int:
        """Records behind the head."""
        return 0 if self.head is None or self.last is None else max(0, self.last - self.head)


def verify_log(path: str, *, key: bytes | None = None, head: str | Head | None = None) -> Verification:
    """Check every seal, the order, the files and the end of the log at ``path``.

    ``head`` is a head file or a head. Raises :class:`VerificationError` if that is not possible, ``ValueError`` for a key that is none.
    """
    sealer = Sealer(key)
    if key is None and head is None:
        raise VerificationError(
            "nothing vouches for this log: neither a key nor a head was given",
            "pass the key that the log was written with, or a head that was kept elsewhere",
        )
    try:
        anchor = read_head(head, sealer) if isinstance(head, str) else head
        if anchor is None and head is not None:
            raise VerificationError("the head cannot be read: no such file or directory")
        check = _Check(sealer, None if anchor is None else anchor.seq)
        with ExitStack() as stack:
            check.files(path, open_files(path, stack))
    except HeadError as problem:
        raise VerificationError(f"the head {problem}") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise VerificationError(f"the log cannot be read: {reason[:1].lower()}{reason[1:]}") from None
    if not check.records and not check.breaks:
        check.broken("empty", path, 0, None, "the log holds no record")
    if anchor is not None:
        check.anchor(path, anchor)
    return check.result(anchor)


class _Check:
    def __init__(self, sealer: Sealer, wanted: int | None) -> None:
        self.sealer = sealer
        self.breaks: list[Break] = []
        self.more = self.records = self.opened = self.torn = self.lost = 0
        self.first: int | None = None
        self.expected: int | None = None
        self.highest = -1
        #: Seal of the record before; ``None`` after a break, when nothing can be said.
        self.previous: str | None = None
        #: The place that the head speaks of, and the seal that stands there.
        self.wanted = wanted
        self.found: str | None = None

    def files(self, path: str, files: list[File]) -> None:
        self.opened = len(files)
        newest: dict[str, Any] = {}
        numbers: list[int] = []
        for index, file in enumerate(files):
            opening = self.file(file, last=index == len(files) - 1)
            if opening is None:
                if any(found.kind == "key" for found in self.breaks):
                    return
                continue
            newest = opening
            numbers.append(opening["segment"])
        if files[-1].segment is not None:
            self.broken("missing", path, 0, None, "the file that was written last is missing")
        oldest = newest.get("oldest")
        if numbers and type(oldest) is int:
            absent = (number for number in range(max(oldest, 1), numbers[-1]) if number not in numbers)
            for number in islice(absent, MAX_BREAKS):
                self.broken("missing", path, 0, None, f"file number {number}, which was rotated away, is missing")

    def file(self, file: File, last: bool) -> dict[str, Any] | None:
        """Check one file and return its first record."""
        opening: dict[str, Any] | None = None
        rubbish: Piece | None = None
        for piece in pieces(file, self.sealer):
            if piece.edited:
                if opening is None and self.first is None and self.other_key(file, piece):
                    return None
                self.edited(file, piece)
                rubbish = None
                continue
            if piece.line is None:
                rubbish = piece
                continue
            line = piece.line
            if rubbish is not None:
                self.rubbish(file, rubbish, line)
                rubbish = None
            if opening is None:
                opening = self.opening(file, piece.number, line)
            elif line.record["kind"] == "open":
                self.broken("misplaced", file.path, piece.number, line.seq, "a file begins in the middle of another")
            self.record(file, piece.number, line, opening)
        if rubbish is not None:
            if last and rubbish.torn:
                self.torn += 1
            else:
                self.unreadable(file, rubbish)
        return opening if opening is not None and type(opening.get("segment")) is int else None

    def opening(self, file: File, number: int, line: Line) -> dict[str, Any]:
        record, segment = line.record, line.record.get("segment")
        if record["kind"] != "open":
            self.broken("missing", file.path, number, line.seq, "the beginning of the file is missing")
        elif file.segment is not None and segment != file.segment:
            self.broken(
                "misplaced", file.path, number, line.seq, f"this is file number {segment}, under another's name"
            )
        if self.first is None:
            self.first, self.expected = line.seq, line.seq
            self.previous = NOTHING_BEFORE if line.seq == 0 else line.record["prev"]
        return record

    def record(self, file: File, number: int, line: Line, opening: dict[str, Any]) -> None:
        self.records += 1
        expected = line.seq if self.expected is None else self.expected
        if line.seq > expected:
            count = line.seq - expected
            what = f"record {expected} is" if count == 1 else f"records {expected} to {line.seq - 1} are"
            self.broken("missing", file.path, number, line.seq, f"{what} missing before record {line.seq}")
        elif line.seq < expected:
            self.broken("order", file.path, number, line.seq, f"record {line.seq} stands where {expected} is due")
        elif self.previous is not None and line.record["prev"] != self.previous:
            self.broken("replaced", file.path, number, line.seq, f"record {line.seq} does not follow the one before it")
        elif line.record.get("segment") != opening.get("segment"):
            self.broken("misplaced", file.path, number, line.seq, f"record {line.seq} belongs into another file")
        self.previous = line.seal if line.seq >= expected else None
        self.passed(line)
        lost = line.record.get("lost")
        if line.record["kind"] == "gap" and type(lost) is int:
            self.lost += lost

    def passed(self, line: Line) -> None:
        self.highest = max(self.highest, line.seq)
        self.expected = self.highest + 1
        if line.seq == self.wanted and self.found is None:
            self.found = line.seal

    def edited(self, file: File, piece: Piece) -> None:
        claims = piece.claims
        seq = None if claims is None else claims.seq
        name = "a record" if seq is None else f"record {seq}"
        self.broken("edited", file.path, piece.number, seq, f"{name} was edited, or sealed with another key")
        if claims is None:
            self.expected = self.previous = None
        elif self.expected is None or claims.seq == self.expected:
            self.expected, self.previous = claims.seq + 1, claims.seal
            self.highest = max(self.highest, claims.seq)
        else:
            self.previous = None
        if self.first is None:
            self.first = seq

    def other_key(self, file: File, piece: Piece) -> bool:
        """Whether the very first record shows that the log was sealed otherwise than it is read."""
        record = {} if piece.claims is None else piece.claims.record
        algorithm, key_id = record.get("algorithm"), record.get("key_id")
        if record.get("kind") != "open" or (algorithm, key_id) == (self.sealer.algorithm, self.sealer.key_id):
            return False
        if self.sealer.key_id is None and algorithm == "hmac-sha256":
            raise VerificationError("the log was sealed with a key", "pass the key that it was written with")
        self.broken("key", file.path, piece.number, None, "the log was not sealed with this key")
        return True

    def rubbish(self, file: File, piece: Piece, line: Line) -> None:
        """Bytes that are no line are explained by the record behind them, or by nothing."""
        record = line.record
        explained = (record.get("torn_bytes"), record.get("torn_sha256")) == (piece.length, piece.digest)
        if explained and record["kind"] in ("recovered", "open"):
            self.torn += 1
        else:
            self.unreadable(file, piece)

    def unreadable(self, file: File, piece: Piece) -> None:
        self.broken("unreadable", file.path, piece.number, None, f"{piece.length} bytes are no record")
        self.previous = None

    def anchor(self, path: str, head: Head) -> None:
        if any(found.kind == "key" for found in self.breaks):
            return
        if head.seq > self.highest:
            last = "nothing is left" if self.highest < 0 else f"the last record is {self.highest}"
            self.broken(
                "truncated", path, 0, head.seq, f"the end is missing: {last}, and the head speaks of {head.seq}"
            )
        elif self.found is None:
            self.broken("head", path, 0, head.seq, f"record {head.seq}, of which the head speaks, is not there")
        elif self.found != head.last:
            self.broken("replaced", path, 0, head.seq, f"record {head.seq} is not the one that the head speaks of")

    def broken(self, kind: BreakKind, path: str, line: int, seq: int | None, message: str) -> None:
        if len(self.breaks) < MAX_BREAKS:
            self.breaks.append(Break(kind, os.path.basename(path), line, seq, message))
        else:
            self.more += 1

    def result(self, head: Head | None) -> Verification:
        return Verification(
            tuple(self.breaks),
            self.more,
            self.records,
            self.opened,
            self.first,
            self.highest if self.highest >= 0 else None,
            self.torn,
            self.lost,
            self.sealer.key_id is not None,
            None if head is None else head.seq,
        )
