"""One file of SQLite, such that every step is one transaction, bounded in time, and every failure one sentence.

* **WAL**, so that readers and the one writer do not wait for each other.
* **synchronous = FULL**: a transaction is on the disk before its step returns. With NORMAL, which is usual for WAL, the last
  transactions may be undone by a power failure; a spent approval would be unspent, and a budget would be used twice.
* **BEGIN IMMEDIATE** for all that writes: a step that reads first and writes then never fails in its middle.
* Waiting for a lock ends after ``timeout`` seconds.

Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time

from schemarouter.errors import StateStoreError
from schemarouter.state.sqlite_files import check_file, checked_path, prepare_file
from schemarouter.state.sqlite_schema import is_ours, make

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Value = TypeVar("Value")

#: Bytes of one value or statement: what SQLite may read into memory at once from a file that anybody may have written.
_LONGEST = 8_000_000
#: Connections of a parent process. One that is closed in a child would let go of the parent's locks.
_LEFT_TO_PARENTS: list[sqlite3.Connection] = []

_REASONS = {
    "BUSY": "it is locked by another process",
    "LOCKED": "it is locked by another process",
    "FULL": "the disk is full",
    "READONLY": "it is read-only",
    "CORRUPT": "it is damaged",
    "NOTADB": "it is damaged, or no database",
    "CANTOPEN": "it cannot be opened",
    "PERM": "it cannot be opened: permission denied",
    "IOERR": "it cannot be read or written",
    "PROTOCOL": "it is locked by another process",
    "NOMEM": "it needs more memory than there is",
    "TOOBIG": "it is damaged: it holds a value that is too long",
}


class Database:
    """A file that is opened when it is used first. Safe for threads, and after a fork."""

    def __init__(self, path: str | os.PathLike[str], *, timeout: float, create: bool) -> None:
        self.path = checked_path(path)
        self._timeout = timeout
        self._create = create
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._process = 0

    def write(self, step: Callable[[sqlite3.Connection], Value]) -> Value:
        """Run ``step`` in a transaction that excludes all other writers. Raises ``StateStoreError``."""
        return self._transaction("BEGIN IMMEDIATE", step)

    def read(self, step: Callable[[sqlite3.Connection], Value]) -> Value:
        """Run ``step``, which writes nothing, on one state of the file. Raises ``StateStoreError``."""
        return self._transaction("BEGIN", step)

    def close(self) -> None:
        """Close the file. It is opened again when it is used."""
        with self._lock:
            self._drop()

    def _transaction(self, begin: str, step: Callable[[sqlite3.Connection], Value]) -> Value:
        if not self._lock.acquire(timeout=self._timeout):
            raise self._failure("it is locked by another thread")
        try:
            connection = self._open()
            try:
                connection.execute(begin)
                value = step(connection)
                connection.execute("COMMIT")
            except BaseException:
                self._undo(connection)
                raise
        except StateStoreError as error:
            raise self._failure(str(error)) from None
        except sqlite3.Error as error:
            raise self._failure(_reason(error)) from None
        except OSError as error:
            raise self._failure(f"it cannot be opened: {(error.strerror or type(error).__name__).lower()}") from None
        except (ValueError, TypeError, OverflowError, ArithmeticError, MemoryError):
            raise self._failure("it is damaged: it holds a value that is none") from None
        else:
            return value
        finally:
            self._lock.release()

    def _failure(self, reason: str) -> StateStoreError:
        shown = self.path if self.path.isprintable() else ascii(self.path)[1:-1]
        return StateStoreError(f"the state store `{shown}` cannot be used: {reason}")

    def _open(self) -> sqlite3.Connection:
        connection = self._connection
        if connection is not None and self._process != os.getpid():
            _LEFT_TO_PARENTS.append(connection)
            connection = self._connection = None
        if connection is not None:
            if check_file(self.path) != self._file:
                self._drop()
                raise StateStoreError("it was replaced by another file while it was in use")
            return connection
        if self._file is not None and prepare_file(self.path, create=False) != self._file:
            raise StateStoreError("it was replaced by another file while it was in use")
        file = prepare_file(self.path, create=self._create)
        connection = self._connect()
        try:
            if check_file(self.path) != file:
                raise StateStoreError("it was replaced by another file while it was opened")
            self._settle(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._file, self._process = connection, file, os.getpid()
        return connection

    def _connect(self) -> sqlite3.Connection:
        name = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        if os.name == "nt":
            name = "/" + name.replace("\\", "/")
        return sqlite3.connect(
            f"file:{name}?mode=rw", uri=True, timeout=self._timeout, isolation_level=None, check_same_thread=False
        )

    def _settle(self, connection: sqlite3.Connection) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA secure_delete = ON")  # arguments that are forgotten leave the file
        self._use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # where a plain fsync stops at the disk's cache
        connection.execute("BEGIN")
        ours = is_ours(connection)
        connection.execute("COMMIT")
        if not ours:  # one of those that find the file empty makes the tables
            connection.execute("BEGIN IMMEDIATE")
            if not is_ours(connection):
                make(connection)
            connection.execute("COMMIT")

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """Switching needs the file alone, and does not wait for it by itself."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            else:
                if mode == "wal":
                    return
                if time.monotonic() >= until:
                    raise StateStoreError("it lies where SQLite cannot use its write-ahead log")
            time.sleep(0.005)

    def _undo(self, connection: sqlite3.Connection) -> None:
        """Take back what the step did; where even that fails, the file is opened anew next time."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except BaseException:
            self._drop()
            raise

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._process != os.getpid():
            _LEFT_TO_PARENTS.append(connection)
            return
        with contextlib.suppress(sqlite3.Error):
            connection.close()

    def __del__(self) -> None:
        """A store that nobody closed: its file is closed with it, and in a child of its process left alone."""
        with contextlib.suppress(Exception):  # at the end of the interpreter, or of one that was never made
            self._drop()


def _reason(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", None)
    if name is None:  # the module itself says so: of text that is none, and the like
        return "it is damaged: it holds a value that is none"
    kind = name.removeprefix("SQLITE_").split("_")[0]
    return _REASONS.get(kind, f"SQLite says {name}")
