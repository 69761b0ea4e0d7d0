"""A state store in one SQLite file: the default where several processes of one machine meet.

Standard library only. What each step does in time is in :mod:`schemarouter.state.sqlite_database`.
"""

from __future__ import annotations

import re
import time
from decimal import Decimal

from schemarouter.engine.budget import MemoryLedger
from schemarouter.errors import StateStoreError
from schemarouter.state.binding import SECRET_BYTES
from schemarouter.state.clock import forward, is_news
from schemarouter.state.limits import KEEP_SECONDS, LEASE_IS_LOST, MAX_WAITING, TOO_MANY_WAIT
from schemarouter.state.port import Identity
from schemarouter.state.sqlite_database import Database
from schemarouter.state.sqlite_records import (
    FILED_COLUMNS,
    GRANT_COLUMNS,
    filed_of,
    row_of_grant,
    row_of_request,
    standing_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Callable

    from schemarouter.engine.budget import Charges, Refusal
    from schemarouter.state.port import Answer, Entry, Filed, Grant, Request, StandingGrant, Status

_COUNT = re.compile(r"[0-9]{1,2000}", re.ASCII)
_COST = re.compile(r"[0-9]{1,1300}(?:\.[0-9]{1,1300})?(?:E[+-]?[0-9]{1,6})?", re.ASCII)
#: Requests and grants that are read at once.
_MANY = 10_000


class SqliteStore:
    """See :class:`~schemarouter.state.port.StateStore`.

    ``timeout``: seconds that a step waits for other processes, at most twice (a thread, then a process); reading and
    writing itself cannot be bounded. The file is made with mode 600 unless ``create`` is false; then a missing one is
    refused, so that deleting it does not empty the counters. ``clock`` gives seconds since the epoch.

    Raises ``TypeError`` and ``ValueError`` for other values, ``StateStoreError`` for what is no file name. The file is
    opened when it is used.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float = 5.0,
        create: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if type(timeout) not in (int, float) or not 0 < timeout <= 60:
            raise ValueError("timeout must be a number of seconds, above 0 and at most 60")
        self._database = Database(path, timeout=float(timeout), create=create)
        self._clock = clock
        self._identity: Identity | None = None

    @property
    def path(self) -> str:
        """Where the file is."""
        return self._database.path

    def identity(self) -> Identity:
        """See the port."""
        if self._identity is None:
            self._identity = self._database.read(_identity)
        return self._identity

    def now(self) -> float:
        """See the port."""
        return self._database.read(self._now)

    def close(self) -> None:
        """See the port."""
        self._database.close()

    # Budgets of runs

    def begin(self, run: str) -> float:
        """See the port."""

        def step(connection: sqlite3.Connection) -> float:
            now = self._tick(connection)
            connection.execute("INSERT OR IGNORE INTO runs VALUES (?, ?)", (run, now))
            started = _number(connection.execute("SELECT started FROM runs WHERE run = ?", (run,)).fetchone()[0])
            return max(0.0, now - started)

        return self._database.write(step)

    def enter(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> Refusal | None:
            now = self._tick(connection)
            if entry is None:
                return _charge(connection, run, charges)
            lease = (now + entry.seconds, run, entry.key)
            free = connection.execute(
                "SELECT holder FROM leases WHERE run = ? AND entry = ? AND until <= ? ORDER BY holder LIMIT 1",
                (run, entry.key, now),
            ).fetchone()
            if free is not None:
                connection.execute(
                    "UPDATE leases SET until = ?, holder = ? WHERE run = ? AND entry = ? AND holder = ?",
                    (lease[0], entry.holder, *lease[1:], free[0]),
                )
                return None
            refusal = _charge(connection, run, charges)
            if refusal is None:
                connection.execute(
                    "INSERT OR REPLACE INTO leases (until, run, entry, holder) VALUES (?, ?, ?, ?)",
                    (*lease, entry.holder),
                )
            return refusal

        return self._database.write(step)

    def commit(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> Refusal | None:
            self._tick(connection)
            if entry is None:
                return _charge(connection, run, charges)
            lease = (run, entry.key, entry.holder)
            held = connection.execute("SELECT 1 FROM leases WHERE run = ? AND entry = ? AND holder = ?", lease)
            if held.fetchone() is None:
                raise StateStoreError(LEASE_IS_LOST)
            refusal = _charge(connection, run, charges)
            if refusal is None:
                connection.execute("DELETE FROM leases WHERE run = ? AND entry = ? AND holder = ?", lease)
            return refusal

        return self._database.write(step)

    def release(self, run: str, entry: Entry) -> None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> None:
            self._tick(connection)
            connection.execute(
                "UPDATE leases SET until = 0.0 WHERE run = ? AND entry = ? AND holder = ?",
                (run, entry.key, entry.holder),
            )

        self._database.write(step)

    def used(self, run: str) -> dict[str, int | Decimal]:
        """See the port."""

        def step(connection: sqlite3.Connection) -> dict[str, int | Decimal]:
            self._now(connection)
            rows = connection.execute("SELECT counter, used FROM counters WHERE run = ?", (run,))
            return {counter: _amount(used) for counter, used in rows}

        return self._database.read(step)

    # Approvals

    def file(self, request: Request) -> Filed:
        """See the port."""

        def step(connection: sqlite3.Connection) -> Filed:
            now = self._tick(connection)
            connection.execute("DELETE FROM requests WHERE deadline <= ?", (now - KEEP_SECONDS,))
            connection.execute("UPDATE requests SET arguments = '' WHERE deadline <= ? AND arguments != ''", (now,))
            filed = _filed(connection, request.id, now)
            if filed is not None:
                return filed
            waiting = connection.execute(
                "SELECT count(*) FROM requests WHERE status = 'pending' AND deadline > ?", (now,)
            ).fetchone()[0]
            if waiting >= MAX_WAITING:
                raise StateStoreError(TOO_MANY_WAIT)
            row = row_of_request(request)
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO requests ({FILED_COLUMNS}) VALUES ({marks})", row)  # noqa: S608 - no input
            return _just(_filed(connection, request.id, now))

        return self._database.write(step)

    def request(self, id_: str) -> Filed | None:
        """See the port."""
        return self._database.read(lambda connection: _filed(connection, id_, self._now(connection)))

    def requests(self) -> list[Filed]:
        """See the port."""
        return self._database.read(lambda connection: _all_filed(connection, self._now(connection), "", ()))

    def requests_like(self, request: Request) -> list[Filed]:
        """See the port."""
        where = (
            "WHERE run_id = ? AND call_id = ? AND operation = ? AND arguments_hash = ? AND digest = ? AND remote IS ? "
            "AND read_only IS ? AND destructive IS ? AND rule IS ? AND reason = ?"
        )
        values = (
            *(request.run_id, request.call_id, request.operation, request.arguments_hash, request.digest),
            *(request.remote, request.read_only, request.destructive, request.rule, request.reason),
        )
        return self._database.read(lambda connection: _all_filed(connection, self._now(connection), where, values))

    def answer(self, answer: Answer) -> Status | None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> Status | None:
            now = self._tick(connection)
            connection.execute(
                "UPDATE requests SET status = ?, approved = ?, answered = ?, answer_key = ?, signature = ?, "
                "arguments = CASE WHEN ? THEN arguments ELSE '' END "
                "WHERE id = ? AND status = 'pending' AND deadline > ?",
                (
                    *("approved" if answer.approved else "denied", answer.approved, answer.answered, answer.key),
                    *(answer.signature, answer.approved, answer.request, now),
                ),
            )
            filed = _filed(connection, answer.request, now)
            return None if filed is None else filed.status

        return self._database.write(step)

    def spend(self, id_: str) -> bool:
        """See the port."""

        def step(connection: sqlite3.Connection) -> bool:
            now = self._tick(connection)
            done = connection.execute(
                "UPDATE requests SET status = 'spent', arguments = '' "
                "WHERE id = ? AND status = 'approved' AND deadline > ?",
                (id_, now),
            )
            return done.rowcount == 1

        return self._database.write(step)

    def expire(self, id_: str) -> None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> None:
            self._tick(connection)
            connection.execute(
                "UPDATE requests SET status = 'expired', arguments = '' "
                "WHERE id = ? AND status IN ('pending', 'approved')",
                (id_,),
            )

        self._database.write(step)

    # Standing grants

    def grant(self, grant: Grant) -> None:
        """See the port."""

        def step(connection: sqlite3.Connection) -> None:
            now = self._tick(connection)
            connection.execute("DELETE FROM grants WHERE expires <= ?", (now - KEEP_SECONDS,))
            row = row_of_grant(grant)
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT OR IGNORE INTO grants ({GRANT_COLUMNS}) VALUES ({marks})", row)  # noqa: S608 - no input

        self._database.write(step)

    def grants(self, operation: str | None = None) -> list[StandingGrant]:
        """See the port."""

        def step(connection: sqlite3.Connection) -> list[StandingGrant]:
            self._now(connection)
            rows = connection.execute(
                f"SELECT {GRANT_COLUMNS} FROM grants WHERE ? IS NULL OR operation = ? ORDER BY created, id LIMIT ?",  # noqa: S608 - no input
                (operation, operation, _MANY),
            )
            return [standing_of(row) for row in rows]

        return self._database.read(step)

    def use(self, id_: str, max_uses: int) -> bool:
        """See the port."""

        def step(connection: sqlite3.Connection) -> bool:
            now = self._tick(connection)
            done = connection.execute(
                "UPDATE grants SET uses = uses + 1 WHERE id = ? AND uses < ? AND expires > ? AND revoked = 0",
                (id_, max_uses, now),
            )
            return done.rowcount == 1

        return self._database.write(step)

    def revoke(self, id_: str) -> bool:
        """See the port."""

        def step(connection: sqlite3.Connection) -> bool:
            self._tick(connection)
            return connection.execute("UPDATE grants SET revoked = 1 WHERE id = ?", (id_,)).rowcount == 1

        return self._database.write(step)

    # Time

    def _now(self, connection: sqlite3.Connection) -> float:
        return forward(self._clock(), _number(connection.execute("SELECT latest FROM clock").fetchone()[0]))

    def _tick(self, connection: sqlite3.Connection) -> float:
        """The time of a step that writes."""
        latest = _number(connection.execute("SELECT latest FROM clock").fetchone()[0])
        now = forward(self._clock(), latest)
        if is_news(now, latest):
            connection.execute("UPDATE clock SET latest = ?", (now,))
        return now


def _identity(connection: sqlite3.Connection) -> Identity:
    name, secret = connection.execute("SELECT name, secret FROM identity").fetchone()
    if type(name) is not str or type(secret) is not bytes or len(secret) != SECRET_BYTES:
        raise ValueError
    return Identity(name, secret)


def _charge(connection: sqlite3.Connection, run: str, charges: Charges) -> Refusal | None:
    """Reserve as a ledger in memory does, that begins with what the file says was used."""
    used: dict[str, int | Decimal] = {}
    for charge in charges:
        row = connection.execute(
            "SELECT used FROM counters WHERE run = ? AND counter = ?", (run, charge.counter)
        ).fetchone()
        if row is not None:
            used[charge.counter] = _amount(row[0])
    ledger = MemoryLedger(used)
    refusal = ledger.reserve(charges)
    if refusal is None:
        connection.executemany(
            "INSERT OR REPLACE INTO counters VALUES (?, ?, ?)",
            [(run, counter, str(amount)) for counter, amount in ledger.used.items()],
        )
    return refusal


def _amount(text: object) -> int | Decimal:
    if type(text) is str:
        if _COUNT.fullmatch(text):
            return int(text)
        if _COST.fullmatch(text):
            return Decimal(text)
    raise ValueError


def _number(value: object) -> float:
    if type(value) is not float or not 0 <= value < 1e11:
        raise ValueError
    return value


def _filed(connection: sqlite3.Connection, id_: str, now: float) -> Filed | None:
    row = connection.execute(f"SELECT {FILED_COLUMNS} FROM requests WHERE id = ?", (id_,)).fetchone()  # noqa: S608 - no input
    return None if row is None else filed_of(row, now)


def _all_filed(connection: sqlite3.Connection, now: float, where: str, values: tuple[object, ...]) -> list[Filed]:
    rows = connection.execute(
        f"SELECT {FILED_COLUMNS} FROM requests {where} ORDER BY created, id LIMIT ?",  # noqa: S608 - no input
        (*values, _MANY),
    )
    return [filed_of(row, now) for row in rows]


def _just(filed: Filed | None) -> Filed:
    if filed is None:
        raise ValueError
    return filed
