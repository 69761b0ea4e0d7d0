"""The port of a state store: what several processes share about runs and approvals.

Plain values go in and come out, so that a server can stand behind the port. Every step is atomic, and bounded in time.
A store reads its own clock, in seconds since the epoch, and believes no clock that goes backwards. Standard library only.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, TypeAlias, final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from decimal import Decimal

    from schemarouter.engine.budget import Charges, Refusal

Status: TypeAlias = Literal["pending", "approved", "denied", "spent", "expired"]


@final
class Identity(NamedTuple):
    """A store's own: ``name`` tells it from other stores, ``secret`` goes into every hash of arguments."""

    name: str
    secret: bytes


@final
class Entry(NamedTuple):
    """One logical call that enters: ``key`` tells it from all others of its run, ``holder`` who executes it.

    The lease of the holder lasts ``seconds``, or until it commits or releases.
    """

    key: str
    holder: str
    seconds: float


@final
class Request(NamedTuple):
    """A call that waits for an answer. ``id`` is made from all other fields, so that none can be exchanged.

    ``arguments`` is their canonical JSON, ``arguments_hash`` what an answer is bound to. Times are seconds since the
    epoch. The attributes, ``rule`` and ``reason`` are what the person is shown.
    """

    id: str
    operation: str
    arguments: str
    arguments_hash: str
    digest: str
    run_id: str
    call_id: str
    remote: bool
    read_only: bool | None
    destructive: bool | None
    rule: str | None
    reason: str
    created: int
    deadline: int
    nonce: str


@final
class Answer(NamedTuple):
    """What an approver said. It counts only with a valid ``signature`` by ``key``, whatever a store holds."""

    request: str
    approved: bool
    answered: int
    key: str
    signature: str


@final
class Filed(NamedTuple):
    """A request as the store has it. ``status`` is only what the store says; an answer proves itself."""

    request: Request
    status: Status
    answer: Answer | None


@final
class Grant(NamedTuple):
    """A standing answer. It counts only with a valid ``signature`` by ``key``.

    ``id`` is random. ``arguments_hash`` ``None`` is any arguments, ``digest``
    ``None`` any policy. Times are seconds since the epoch.
    """

    id: str
    operation: str
    arguments_hash: str | None
    digest: str | None
    created: int
    expires: int
    max_uses: int
    key: str
    signature: str


@final
class StandingGrant(NamedTuple):
    """A grant as the store has it."""

    grant: Grant
    uses: int
    revoked: bool


class StateStore(Protocol):
    """Every method raises ``StateStoreError`` if the store cannot say; what it was asked for then counts as refused."""

    def identity(self) -> Identity:
        """What never changes about the store."""

    def now(self) -> float:
        """The store's time, which never goes backwards."""

    # Budgets of runs

    def begin(self, run: str) -> float:
        """Start the clock of ``run`` unless it runs; return the seconds since it started."""

    def enter(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """Take all of ``charges``, or none and say which did not fit.

        An ``entry`` whose key was entered before, is leased to nobody now and was never committed is the same logical
        call: its holder gets the lease, and nothing is charged again. The lease of a holder that is gone expires; what
        it was charged stays spent.
        """

    def commit(self, run: str, charges: Charges, entry: Entry | None = None) -> Refusal | None:
        """As :meth:`enter` for the charges of an attempt, and use up the lease in the same step.

        Raises ``StateStoreError`` if the holder has no lease any more because another one got it.
        """

    def release(self, run: str, entry: Entry) -> None:
        """Give a lease back that was not committed. Nothing is refunded. Other leases stay as they are."""

    def used(self, run: str) -> dict[str, int | Decimal]:
        """The counters of ``run``."""

    # Approvals

    def file(self, request: Request) -> Filed:
        """File a request, unless it is there already. Raises ``StateStoreError`` if too many wait."""

    def request(self, id_: str) -> Filed | None:
        """One request."""

    def requests(self) -> list[Filed]:
        """All requests that are kept, oldest first."""

    def requests_like(self, request: Request) -> list[Filed]:
        """Requests for the same logical call, oldest first."""

    def answer(self, answer: Answer) -> Status | None:
        """Keep an answer where the request is pending. Returns the status that holds then, ``None`` without request."""

    def spend(self, id_: str) -> bool:
        """Use an approved request up. ``True`` for exactly one caller, before the deadline."""

    def expire(self, id_: str) -> None:
        """Nobody waits for an answer any more."""

    # Standing grants

    def grant(self, grant: Grant) -> None:
        """Keep a grant, unless it is there already."""

    def grants(self, operation: str | None = None) -> list[StandingGrant]:
        """All grants that are kept, or those of an operation, oldest first."""

    def use(self, id_: str, max_uses: int) -> bool:
        """Count a use. ``False``, and nothing counted, at ``max_uses``, after its expiry, or if it was revoked."""

    def revoke(self, id_: str) -> bool:
        """Let a grant count no longer. ``False`` if there is none."""

    def close(self) -> None:
        """Let go of what the store holds. It opens again when it is used."""
