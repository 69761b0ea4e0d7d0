"""The decision log: JSON lines that survive the process, and that nobody changes without being found out."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal

from schemarouter.audit.chain import NOTHING_BEFORE, Sealer
from schemarouter.audit.files import Locked, Unusable, locked, open_log, read_end, rotated, segment_path
from schemarouter.audit.head import Head, HeadError, read_head, write_head
from schemarouter.audit.redact import Redactor
from schemarouter.errors import DecisionLogError

OnFailure = Literal["deny", "continue"]
_MEGABYTE = 1024 * 1024


class LogBusyError(DecisionLogError):
    """Somebody else is writing, and the caller would not wait."""


class DecisionLog:
    """Appends records to the file ``path``, from any number of threads and processes.

    ``key`` (bytes, at least 16) seals the records, so that only its holder can make or change one. ``head`` is a file *elsewhere*, on
    a disk that whoever can write the log cannot write: it names the last record, which shows that the end was cut off. One of
    the two is required, because a chain without either can be written anew as a whole.

    What a record says of a call's arguments are their names, as far as the contract declares them, and keyed hashes.
    ``include_arguments`` are names of arguments that are written as they are: nothing secret.

    A file of ``max_bytes`` is rotated away to ``path.000001`` and so on; of those the last ``keep`` stay. ``on_failure`` says what
    becomes of a call when the log cannot be written: ``"deny"`` (nothing happens that is not written), or ``"continue"``, which counts what is missing in
    ``lost`` and says so in the next record. ``lock_seconds`` is how long a writer waits for others. With ``sync`` every
    record is on the disk before the call goes on; without, it survives the process but not a power cut.

    Raises ``ValueError`` and ``TypeError`` for options that cannot be, ``DecisionLogError`` if the log cannot be used.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        key: bytes | None = None,
        head: str | os.PathLike[str] | None = None,
        include_arguments: Iterable[str] = (),
        max_bytes: int = 16 * _MEGABYTE,
        keep: int = 8,
        on_failure: OnFailure = "deny",
        lock_seconds: float = 2.0,
        sync: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if key is None and head is None:
            raise ValueError("a decision log needs a `key`, or a `head` elsewhere: without either it can be rewritten")
        if on_failure not in ("deny", "continue"):
            raise ValueError('on_failure is "deny" or "continue"')
        if type(max_bytes) is not int or max_bytes < 1024:
            raise ValueError("max_bytes is an integer of at least 1024")
        if type(keep) is not int or keep < 1:
            raise ValueError("keep is an integer of at least 1")
        self.path = os.path.abspath(_text(path))
        self.head_path = None if head is None else os.path.abspath(_text(head))
        self.on_failure: OnFailure = on_failure
        self.redactor = Redactor(key, include_arguments)
        #: Records of this process that could not be written and of which the log does not know yet.
        self.lost = 0
        self._sealer = Sealer(key)
        self._max_bytes, self._keep, self._sync = max_bytes, keep, sync
        self._lock_seconds, self._clock = lock_seconds, clock
        self._descriptor: int | None = None
        self._file, self._size = (0, 0), 0
        self._seq, self._seal, self._segment = -1, NOTHING_BEFORE, 0
        self._lock = threading.Lock()
        _of_this_process.add(self)
        self._do(lambda: None)

    def append(self, kind: str, fields: dict[str, Any]) -> None:
        """Write one record. Raises as :meth:`write`."""
        self.write([(kind, fields)])

    def write(self, records: Sequence[tuple[str, dict[str, Any]]], *, wait: bool = True) -> None:
        """Write records, one behind the other.

        Raises ``DecisionLogError``, and counts the records as lost, if that is not possible. Without ``wait``, raises
        ``LogBusyError`` and counts nothing if somebody else is writing right now.
        """

        def write() -> None:
            if self.lost:
                self._put("gap", {"lost": self.lost})
                self.lost = 0
            for kind, fields in records:
                self._put(kind, fields)

        try:
            self._do(write, wait)
        except LogBusyError:
            raise
        except DecisionLogError:
            self.lost += len(records)
            raise

    def rotate(self) -> None:
        """Begin a new file now. Raises ``DecisionLogError``."""
        self._do(self._rotate)

    def head(self) -> Head:
        """The last record of now, for keeping it elsewhere. Raises ``DecisionLogError``."""
        self._do(lambda: None)
        return Head(self._seq, self._seal)

    def close(self) -> None:
        """Let go of the file. A closed log opens itself again."""
        with self._lock:
            self._forget()

    # Under the lock

    def _do(self, step: Callable[[], None], wait: bool = True) -> None:
        seconds = self._lock_seconds if wait else 0.0
        if not (self._lock.acquire(timeout=seconds) if seconds else self._lock.acquire(blocking=False)):
            raise self._locked("another thread keeps it locked", wait)
        try:
            with locked(f"{self.path}.lock", seconds):
                try:
                    self._catch_up()
                    step()
                except BaseException:
                    self._forget()  # whatever was half done is looked at anew
                    raise
        except Unusable as problem:
            raise self._error(str(problem)) from None
        except HeadError as problem:
            raise self._error(f"its head {problem}") from None
        except Locked as problem:
            raise self._locked(str(problem), wait) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise self._error(str(reason)[:1].lower() + str(reason)[1:]) from None
        finally:
            self._lock.release()

    def _catch_up(self) -> None:
        """Know the last record, whoever wrote it."""
        if self._descriptor is not None:
            with suppress(FileNotFoundError):
                now = os.stat(self.path, follow_symlinks=False)
                if (now.st_dev, now.st_ino) == self._file and now.st_size == self._size:
                    return
        known = self._seq
        self._forget()
        descriptor = self._descriptor = open_log(self.path)
        status = os.fstat(descriptor)
        self._file = (status.st_dev, status.st_ino)
        end = read_end(descriptor, self._sealer)
        self._size = end.size
        if end.line is not None:
            self._seq, self._seal = end.line.seq, end.line.seal
            self._segment = self._number(end.line.record.get("segment"))
        else:
            self._continue_rotated()
        if self._seq < known:
            raise Unusable("lost records that this process has written")
        self._compare_with_head()
        if end.unended:
            self._write(b"\n")
        if end.line is None:
            self._begin(end.torn)
        elif end.torn:
            self._put("recovered", _torn(end.torn), before=b"\n")

    def _continue_rotated(self) -> None:
        """The file that is written holds no record: go on where the last one that was rotated away ends."""
        segments = rotated(self.path)
        self._seq, self._seal, self._segment = -1, NOTHING_BEFORE, 0
        if segments:
            descriptor = os.open(segment_path(self.path, segments[-1]), os.O_RDONLY)
            try:
                end = read_end(descriptor, self._sealer)
            finally:
                os.close(descriptor)
            if end.line is None or end.torn:
                raise Unusable("continues a rotated file that does not end with a whole record")
            self._seq, self._seal, self._segment = end.line.seq, end.line.seal, segments[-1]

    def _compare_with_head(self) -> None:
        if self.head_path is None:
            return
        head = read_head(self.head_path, self._sealer)
        if head is None and self._seq >= 0:
            raise Unusable("has lost its head")
        if head is not None and (head.seq > self._seq or (head.seq == self._seq and head.last != self._seal)):
            raise Unusable("is not the one that its head speaks of: records are missing at its end")

    def _begin(self, torn: bytes = b"") -> None:
        """The first record of a file that holds none."""
        self._segment += 1
        self._put("open", self._opening() | (_torn(torn) if torn else {}), before=b"\n" if torn else b"")

    def _opening(self) -> dict[str, Any]:
        oldest = max(1, self._segment - self._keep)
        return {"algorithm": self._sealer.algorithm, "key_id": self._sealer.key_id, "oldest": oldest}

    def _rotate(self) -> None:
        """Give the file its number and put a new one in its place, in one step: at no time is there none, or an empty one."""
        away, fresh = segment_path(self.path, self._segment), f"{self.path}.new"
        if not os.path.lexists(away):
            os.link(self.path, away)
        elif not os.path.samefile(self.path, away):
            raise Unusable("cannot be rotated: the name for the old file is taken")
        with suppress(FileNotFoundError):
            os.unlink(fresh)  # of a writer that died here
        old, self._descriptor = self._descriptor, open_log(fresh, new=True)
        if old is not None:
            os.close(old)
        status = os.fstat(self._descriptor)
        self._file, self._size = (status.st_dev, status.st_ino), 0
        self._segment += 1
        line, seal = self._line("open", self._opening())
        self._write(line)
        os.rename(fresh, self.path)
        self._wrote(seal)
        for number in rotated(self.path):
            if number < self._segment - self._keep:
                os.unlink(segment_path(self.path, number))

    def _put(self, kind: str, fields: dict[str, Any], *, before: bytes = b"") -> None:
        line, seal = self._line(kind, fields)
        if self._size + len(line) > self._max_bytes and kind not in ("open", "recovered"):
            self._rotate()
            line, seal = self._line(kind, fields)
        self._write(before + line)
        self._wrote(seal)

    def _line(self, kind: str, fields: dict[str, Any]) -> tuple[bytes, str]:
        return self._sealer.write(
            {
                "version": 1,
                "seq": self._seq + 1,
                "segment": self._segment,
                "time": datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="microseconds"),
                "kind": kind,
                **fields,
                "prev": self._seal,
            }
        )

    def _wrote(self, seal: str) -> None:
        self._seq, self._seal = self._seq + 1, seal
        if self.head_path is not None:
            write_head(self.head_path, Head(self._seq, seal), self._sealer, new=self._seq == 0)

    def _write(self, data: bytes) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            raise Unusable("is closed")
        written = 0
        try:
            while written < len(data):
                written += os.write(descriptor, data[written:])
            if self._sync:
                os.fsync(descriptor)
        except BaseException:
            if written < len(data):
                with suppress(OSError):  # where it cannot be taken back, the next writer says that a line is torn
                    os.ftruncate(descriptor, self._size)
            raise
        self._size += len(data)

    def _number(self, segment: object) -> int:
        if type(segment) is not int or segment < 1:
            raise Unusable("ends with a record that names no segment")
        return segment

    def _forget(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = None
        self._file, self._size = (0, 0), 0

    def _locked(self, why: str, wait: bool) -> DecisionLogError:
        return self._error(why) if wait else LogBusyError(why)

    def _error(self, why: str) -> DecisionLogError:
        return DecisionLogError(f"the decision log cannot be written: {why}")

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        self._forget()


def _text(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    if type(text) is not str or not text or "\0" in text:
        raise TypeError("a path is text")
    return text


def _torn(torn: bytes) -> dict[str, Any]:
    """What is said of the bytes that a writer left when it died in the middle of a line."""
    return {"torn_bytes": len(torn), "torn_sha256": hashlib.sha256(torn).hexdigest()}


#: A child of ``fork`` inherits locks that nobody in it will ever release, and shares the parent's file descriptors.
_of_this_process: weakref.WeakSet[DecisionLog] = weakref.WeakSet()


def _after_fork() -> None:
    for log in _of_this_process:
        log._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
