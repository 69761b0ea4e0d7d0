"""Tickets: what a question leaves with the client while it is answered, on the protocol that has no open requests.

On 2026-07-28 a call ends with a question, and the client comes again with the answer and with the ``requestState`` that
the question had. A client can send an answer to a question that nobody asked, so the state is sealed: with a key that
only the store has, over the operation, the arguments, the policy, the contract and the run. It is spent by its first use.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from schemarouter.engine.budget import Charge
from schemarouter.model.json_value import canonical_json

if TYPE_CHECKING:
    from schemarouter.state.port import StateStore

#: Seconds in which a question can be answered.
LIFETIME = 900
#: Characters of a state; it holds the server's own, if a server asked.
_LONGEST = 1_000_000

Kind = Literal["approval", "input"]


class Bound(NamedTuple):
    """What a ticket is good for, and nothing else."""

    operation: str
    arguments: dict[str, Any]
    digest: str
    contract: str
    run: str


class Ticket(NamedTuple):
    """One question. ``keys`` are the names of its parts, ``state`` is what the server behind wants to have back.

    ``approved``: the call was approved before the server asked, so nobody is asked that again.
    """

    kind: Kind
    keys: tuple[str, ...]
    state: str | None = None
    approved: bool = False


class TicketError(Exception):
    """The answer is to no question that was asked. The message says why, for the model to read."""


class Tickets:
    """Issues tickets for questions, and redeems each once in all processes that share ``store``."""

    def __init__(self, store: StateStore) -> None:
        self._store = store

    def issue(self, bound: Bound, ticket: Ticket) -> str:
        """The state to send along with the question."""
        body = {
            "nonce": os.urandom(16).hex(),
            "until": self._store.now() + LIFETIME,
            **ticket._asdict(),
        }
        text = json.dumps(body, separators=(",", ":"), sort_keys=True)
        return f"{base64.urlsafe_b64encode(text.encode()).decode()}.{self._seal(text, bound)}"

    def redeem(self, state: str | None, bound: Bound) -> Ticket:
        """The question that ``state`` was issued with; it is spent. Raises :class:`TicketError`, ``StateStoreError``."""
        if state is None:
            raise TicketError("the answer belongs to no question: nothing was asked")
        encoded, _, seal = state[:_LONGEST].partition(".")
        try:
            text = base64.urlsafe_b64decode(encoded.encode("ascii")).decode()
        except (UnicodeError, binascii.Error, ValueError):
            raise TicketError("the answer belongs to no question that was asked here") from None
        if not hmac.compare_digest(self._seal(text, bound).encode(), seal.encode("utf-8", "replace")):
            raise TicketError(
                "the answer is to another question: the call, its arguments, the policy or the tool are not what was asked about"
            )
        body = json.loads(text)
        if self._store.now() > body["until"]:
            raise TicketError("the answer came too late")
        once = (Charge(f"answer {body['nonce']}", 1, 1, "answer"),)
        if self._store.commit(bound.run, once) is not None:
            raise TicketError("the answer was used before")
        return Ticket(body["kind"], tuple(body["keys"]), body["state"], body["approved"])

    def _seal(self, text: str, bound: Bound) -> str:
        sealed = canonical_json(["schemarouter mcp ticket 1", text, *bound])
        return hmac.new(self._store.identity().secret, sealed.encode(), hashlib.sha256).hexdigest()
