"""The tables of the SQLite store, and how an empty file becomes a store."""

from __future__ import annotations

import os

from schemarouter.errors import StateStoreError
from schemarouter.state.binding import SECRET_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

#: Tells our files from other databases: "SRst".
APPLICATION = 0x53527374
#: Of the tables below. A store of a later version is refused; an earlier one would be converted here.
VERSION = 1

TABLES = (
    "CREATE TABLE identity (name TEXT NOT NULL, secret BLOB NOT NULL)",
    "CREATE TABLE clock (latest REAL NOT NULL)",
    "CREATE TABLE runs (run TEXT NOT NULL PRIMARY KEY, started REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE counters (run TEXT NOT NULL, counter TEXT NOT NULL, used TEXT NOT NULL, PRIMARY KEY (run, counter)) WITHOUT ROWID",
    "CREATE TABLE leases (run TEXT NOT NULL, entry TEXT NOT NULL, holder TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (run, entry, holder)) WITHOUT ROWID",
    "CREATE TABLE requests (id TEXT NOT NULL PRIMARY KEY, operation TEXT NOT NULL, arguments TEXT NOT NULL, "
    "arguments_hash TEXT NOT NULL, digest TEXT NOT NULL, run_id TEXT NOT NULL, call_id TEXT NOT NULL, "
    "remote INTEGER NOT NULL, read_only INTEGER, destructive INTEGER, rule TEXT, reason TEXT NOT NULL, "
    "created INTEGER NOT NULL, deadline INTEGER NOT NULL, nonce TEXT NOT NULL, status TEXT NOT NULL, "
    "approved INTEGER, answered INTEGER, answer_key TEXT, signature TEXT) WITHOUT ROWID",
    "CREATE INDEX requests_by_call ON requests (run_id, call_id)",
    "CREATE TABLE grants (id TEXT NOT NULL PRIMARY KEY, operation TEXT NOT NULL, arguments_hash TEXT, digest TEXT, "
    "created INTEGER NOT NULL, expires INTEGER NOT NULL, max_uses INTEGER NOT NULL, grant_key TEXT NOT NULL, "
    "signature TEXT NOT NULL, uses INTEGER NOT NULL, revoked INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX grants_by_operation ON grants (operation)",
)


def is_ours(connection: sqlite3.Connection) -> bool:
    """Whether the tables are there; ``False`` for an empty file. In a transaction of the caller's.

    Raises ``StateStoreError`` for another database, a later version, and tables or triggers that are not ours.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    found = {
        sql
        for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name LIMIT 64")
    }
    if not found and application == 0 and version == 0:
        return False
    if application != APPLICATION:
        raise StateStoreError("it is another kind of database")
    if version > VERSION:
        raise StateStoreError(
            f"it was written by a newer version of SchemaRouter (format {version}, known is {VERSION})"
        )
    if version != VERSION or found != set(TABLES):
        raise StateStoreError("it is damaged: its tables are not those of a state store")
    return True


def make(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file. In a transaction of the caller's that may write."""
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO identity VALUES (?, ?)", (os.urandom(16).hex(), os.urandom(SECRET_BYTES)))
    connection.execute("INSERT INTO clock VALUES (0.0)")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
