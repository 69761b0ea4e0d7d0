"""A state store in memory: for one process, and the plain definition that the one on disk is held equal to."""

from __future__ import annotations

import os
import threading
import time

from schemarouter.engine.budget import MemoryLedger
from schemarouter.errors import StateStoreError
from schemarouter.state.binding import SECRET_BYTES, same_call
from schemarouter.state.clock import forward, is_news
from schemarouter.state.limits import KEEP_SECONDS, LEASE_IS_LOST, MAX_WAITING, TOO_MANY_WAIT
from schemarouter.state.port import Filed, Identity, StandingGrant, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from schemarouter.engine.budget import Charges, Refusal
    from schemarouter.state.port import Answer, Entry, Grant, Request


class MemoryStore:
    """See :class:`~schemarouter.state.port.StateStore`. For any number of threads; it ends with the process.

    ``clock`` gives seconds since the epoch. ``identity`` is that of a store for which this one stands elsewhere.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time, identity: Identity | None = None) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._latest = 0.0
        self._identity = identity or Identity(os.urandom(16).hex(), os.urandom(SECRET_BYTES))
        self._started: dict[str, float] = {}
        self._used: dict[str, MemoryLedger] = {}
        #: (run, key, holder) -> the time until which the lease lasts.
        self._leases: dict[tuple[str, str, str], float] = {}
        self._requests: dict[str, Filed] = {}
        self._grants: dict[str, StandingGrant] = {}

    def identity(self) -> Identity:
        """See the port."""
        return self._identity

    def now(self) -> float:
        """See the port."""
        with self._lock:
            return self._now()

    def close(self) -> None:
        """Nothing to let go of."""

    # Budgets of runs

    def begin(self, run: str) -> float:
        """See the port."""
        with self._lock:
            now = self._tick()
            return max(0.0, now - self._started.setdefault(run, now))

    def enter(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """See the port."""
        with self._lock:
            now = self._tick()
            if entry is not None:
                free = [
                    lease for lease, until in self._leases.items() if lease[:2] == (run, entry.key) and until <= now
                ]
                if free:
                    del self._leases[min(free)]
                    self._leases[run, entry.key, entry.holder] = now + entry.seconds
                    return None
            refusal = self._charge(run, charges)
            if refusal is None and entry is not None:
                self._leases[run, entry.key, entry.holder] = now + entry.seconds
            return refusal

    def commit(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """See the port."""
        with self._lock:
            self._now()
            if entry is not None and (run, entry.key, entry.holder) not in self._leases:
                raise StateStoreError(LEASE_IS_LOST)
            self._tick()
            refusal = self._charge(run, charges)
            if refusal is None and entry is not None:
                del self._leases[run, entry.key, entry.holder]
            return refusal

    def release(self, run: str, entry: Entry) -> None:
        """See the port."""
        with self._lock:
            self._tick()
            lease = (run, entry.key, entry.holder)
            if lease in self._leases:
                self._leases[lease] = 0.0

    def used(self, run: str) -> dict[str, int | Decimal]:
        """See the port."""
        with self._lock:
            self._now()
            return self._used[run].used if run in self._used else {}

    def _charge(self, run: str, charges: Charges) -> Refusal | None:
        return self._used.setdefault(run, MemoryLedger()).reserve(charges)

    # Approvals

    def file(self, request: Request) -> Filed:
        """See the port."""
        with self._lock:
            now = self._tick()
            for id_, filed in list(self._requests.items()):
                if filed.request.deadline <= now - KEEP_SECONDS:
                    del self._requests[id_]
                elif filed.request.deadline <= now:
                    self._forget(id_)
            if request.id not in self._requests:
                waiting = sum(
                    filed.status == "pending" and filed.request.deadline > now for filed in self._requests.values()
                )
                if waiting >= MAX_WAITING:
                    raise StateStoreError(TOO_MANY_WAIT)
                self._requests[request.id] = Filed(request, "pending", None)
            return self._as_of(self._requests[request.id], now)

    def request(self, id_: str) -> Filed | None:
        """See the port."""
        with self._lock:
            now = self._now()
            return self._as_of(self._requests[id_], now) if id_ in self._requests else None

    def requests(self) -> list[Filed]:
        """See the port."""
        with self._lock:
            now = self._now()
            return sorted((self._as_of(filed, now) for filed in self._requests.values()), key=_age)

    def requests_like(self, request: Request) -> list[Filed]:
        """See the port."""
        return [filed for filed in self.requests() if same_call(filed.request, request)]

    def answer(self, answer: Answer) -> Status | None:
        """See the port."""
        with self._lock:
            now = self._tick()
            filed = self._requests.get(answer.request)
            if filed is None:
                return None
            if self._as_of(filed, now).status == "pending":
                self._requests[answer.request] = filed._replace(answer=answer)
                self._change(answer.request, "approved" if answer.approved else "denied")
            return self._as_of(self._requests[answer.request], now).status

    def spend(self, id_: str) -> bool:
        """See the port."""
        with self._lock:
            now = self._tick()
            if id_ not in self._requests or self._as_of(self._requests[id_], now).status != "approved":
                return False
            self._change(id_, "spent")
            return True

    def expire(self, id_: str) -> None:
        """See the port."""
        with self._lock:
            self._tick()
            if id_ in self._requests and self._requests[id_].status in ("pending", "approved"):
                self._change(id_, "expired")

    def _change(self, id_: str, status: Status) -> None:
        self._requests[id_] = self._requests[id_]._replace(status=status)
        if status != "approved":
            self._forget(id_)

    def _forget(self, id_: str) -> None:
        filed = self._requests[id_]
        self._requests[id_] = filed._replace(request=filed.request._replace(arguments=""))

    @staticmethod
    def _as_of(filed: Filed, now: float) -> Filed:
        over = filed.status in ("pending", "approved") and filed.request.deadline <= now
        return filed._replace(status="expired") if over else filed

    # Standing grants

    def grant(self, grant: Grant) -> None:
        """See the port."""
        with self._lock:
            now = self._tick()
            for id_, standing in list(self._grants.items()):
                if standing.grant.expires <= now - KEEP_SECONDS:
                    del self._grants[id_]
            self._grants.setdefault(grant.id, StandingGrant(grant, 0, revoked=False))

    def grants(self, operation: str | None = None) -> list[StandingGrant]:
        """See the port."""
        with self._lock:
            self._now()
            chosen = (one for one in self._grants.values() if operation in (None, one.grant.operation))
            return sorted(chosen, key=lambda one: (one.grant.created, one.grant.id))

    def use(self, id_: str, max_uses: int) -> bool:
        """See the port."""
        with self._lock:
            now = self._tick()
            standing = self._grants.get(id_)
            if standing is None or standing.revoked or standing.grant.expires <= now or standing.uses >= max_uses:
                return False
            self._grants[id_] = standing._replace(uses=standing.uses + 1)
            return True

    def revoke(self, id_: str) -> bool:
        """See the port."""
        with self._lock:
            self._tick()
            if id_ not in self._grants:
                return False
            self._grants[id_] = self._grants[id_]._replace(revoked=True)
            return True

    # Time

    def _now(self) -> float:
        return forward(self._clock(), self._latest)

    def _tick(self) -> float:
        """The time of a step that writes."""
        now = self._now()
        if is_news(now, self._latest):
            self._latest = now
        return now


def _age(filed: Filed) -> tuple[int, str]:
    return filed.request.created, filed.request.id
