"""Reserve and commit on one SQLite store from several processes, and bare transactions of the same size.

Both keep to the same settings: WAL, every transaction on the disk before it returns, waits for the lock. What is bare says only
the SQL: it checks no limit, no clock, no file, and turns no failure into a sentence.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import Timed
from schemarouter.engine.budget import Charge
from schemarouter.state.port import Entry
from schemarouter.state.sqlite import SqliteStore

_FOLDER = tempfile.TemporaryDirectory(prefix="schemarouter-bench-")
#: So many a process at least, or starting together would be what is timed.
_FEWEST = 10
_WAIT = 60.0

Pair = Callable[[], None]


def together(path: str, processes: int, open_: Callable[[str, int], Pair]) -> Timed:
    """So many processes, each with a connection of its own, begin at once; timed until the last one has ended."""

    def timed(loops: int) -> float:
        each = max(_FEWEST, -(-loops // processes))
        ready, go, done = os.pipe(), os.pipe(), os.pipe()
        children = []
        for number in range(processes):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    pair = open_(path, number)
                    pair()
                    os.write(ready[1], b"x")
                    os.read(go[0], 1)
                    for _ in range(each):
                        pair()
                    os.write(done[1], b"x")
                    code = 0
                finally:
                    os._exit(code)
            children.append(child)
        os.close(ready[1])
        os.close(done[1])
        _await(ready[0], processes)
        start = time.perf_counter()
        os.write(go[1], b"x" * processes)
        _await(done[0], processes)
        taken = time.perf_counter() - start
        for child in children:
            os.waitpid(child, 0)
        for descriptor in (ready[0], done[0], *go):
            os.close(descriptor)
        return taken * loops / (each * processes)

    return timed


def _await(descriptor: int, count: int) -> None:
    for _ in range(count):
        if not os.read(descriptor, 1):
            raise RuntimeError("a process of the benchmark failed")


def reserve_and_commit(processes: int, lease: bool = False) -> Timed:
    """A logical call is counted, then its attempt: two transactions. With ``lease`` the call has an id."""
    path = str(Path(_FOLDER.name, f"ours-{processes}-{lease}.db"))
    SqliteStore(path).begin("run")
    call = (Charge("calls", 1, 10**9, "max_tool_calls"),)
    attempt = (Charge("attempts", 1, 10**9, "max_attempts"),)

    def open_(path: str, _number: int) -> Pair:
        store = SqliteStore(path, timeout=_WAIT)

        def pair() -> None:
            entry = Entry(os.urandom(32).hex(), os.urandom(16).hex(), 60.0) if lease else None
            assert store.enter("run", call, entry) is None
            assert store.commit("run", attempt, entry) is None

        return pair

    return together(path, processes, open_)


def bare_transactions(processes: int, lease: bool = False) -> Timed:
    """The same rows, read and written in two transactions."""
    path = str(Path(_FOLDER.name, f"bare-{processes}-{lease}.db"))
    made = sqlite3.connect(path, isolation_level=None)
    made.execute("PRAGMA journal_mode = WAL")
    made.execute("CREATE TABLE IF NOT EXISTS clock (latest REAL NOT NULL)")
    made.execute(
        "CREATE TABLE IF NOT EXISTS counters (run TEXT, counter TEXT, used TEXT, PRIMARY KEY (run, counter)) WITHOUT ROWID"
    )
    made.execute(
        "CREATE TABLE IF NOT EXISTS leases (run TEXT, entry TEXT, holder TEXT, until REAL, "
        "PRIMARY KEY (run, entry, holder)) WITHOUT ROWID"
    )
    made.execute("INSERT INTO clock VALUES (1.0)")
    made.close()

    def open_(path: str, _number: int) -> Pair:
        connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
        connection.execute("PRAGMA synchronous = FULL")
        execute = connection.execute

        def count(counter: str) -> None:
            execute("SELECT latest FROM clock").fetchone()
            row = execute("SELECT used FROM counters WHERE run = ? AND counter = ?", ("run", counter)).fetchone()
            used = str(int(row[0]) + 1 if row else 1)
            execute("INSERT OR REPLACE INTO counters VALUES (?, ?, ?)", ("run", counter, used))

        def pair() -> None:
            held = ("run", os.urandom(32).hex(), os.urandom(16).hex()) if lease else None
            execute("BEGIN IMMEDIATE")
            count("calls")
            if held:
                execute("SELECT holder FROM leases WHERE run = ? AND entry = ?", held[:2]).fetchone()
                execute("INSERT INTO leases VALUES (?, ?, ?, 1.0)", held)
            execute("COMMIT")
            execute("BEGIN IMMEDIATE")
            count("attempts")
            if held:
                execute("SELECT 1 FROM leases WHERE run = ? AND entry = ? AND holder = ?", held).fetchone()
                execute("DELETE FROM leases WHERE run = ? AND entry = ? AND holder = ?", held)
            execute("COMMIT")

        weakref.finalize(pair, connection.close)

        return pair

    return together(path, processes, open_)


CASES = {"reserve_and_commit": reserve_and_commit, "bare_transactions": bare_transactions}
