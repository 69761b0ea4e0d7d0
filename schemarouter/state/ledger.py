"""A run's ledger on a state store: the counters that all processes with the same run id share."""

from __future__ import annotations

import os

from schemarouter.state.binding import arguments_hash, call_key
from schemarouter.state.port import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.engine.budget import Charges, LogicalCall, Refusal
    from schemarouter.state.port import StateStore

#: Seconds that a call may take from being counted to its first attempt before it counts as left behind.
LEASE_SECONDS = 60.0


class StoreLedger:
    """The shared ledger of the run ``run``. Implements ``engine.budget.SharedLedger``."""

    __slots__ = ("_lease_seconds", "_run", "_store")

    def __init__(self, store: StateStore, run: str, lease_seconds: float = LEASE_SECONDS) -> None:
        self._store = store
        self._run = run
        self._lease_seconds = lease_seconds

    def begin(self) -> float:
        """See ``SharedLedger``."""
        return self._store.begin(self._run)

    def enter(self, charges: Charges, call: LogicalCall) -> Refusal | str | None:
        """See ``SharedLedger``. The lease is text: the key of the call, and who holds it."""
        if call.call_id is None:
            return self._store.enter(self._run, charges)
        hashed = arguments_hash(self._store.identity().secret, call.arguments)
        lease = f"{call_key(call.call_id, call.operation, hashed)} {os.urandom(16).hex()}"
        refusal = self._store.enter(self._run, charges, self._entry(lease))
        return lease if refusal is None else refusal

    def commit(self, charges: Charges, lease: str | None) -> Refusal | None:
        """See ``SharedLedger``."""
        return self._store.commit(self._run, charges, None if lease is None else self._entry(lease))

    def release(self, lease: str) -> None:
        """See ``SharedLedger``."""
        self._store.release(self._run, self._entry(lease))

    def _entry(self, lease: str) -> Entry:
        key, holder = lease.split(" ")
        return Entry(key, holder, self._lease_seconds)
