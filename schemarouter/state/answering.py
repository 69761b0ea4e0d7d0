"""The approver's side: look at requests as they are bound, answer them, and give standing grants.

A store can be written by the process that asks. So nothing is shown or signed before its id, and the hash of its
arguments, are made again from what is shown.
"""

from __future__ import annotations

import json
import os
import re
import time

from schemarouter.errors import SchemaRouterError
from schemarouter.state.binding import arguments_hash, request_id, text_hash
from schemarouter.state.port import Answer, Grant
from schemarouter.state.signatures import answer_statement, grant_statement, is_signed, key_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from schemarouter.state.port import Filed, StandingGrant, StateStore, Status
    from schemarouter.state.signatures import Signer

LONGEST_GRANT = 365 * 86_400
MOST_USES = 1_000_000
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHORTEST_PREFIX = 8


class AnswerError(SchemaRouterError, ValueError):
    """There is nothing that can be answered like this. ``help`` says what to do."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in the other errors
        super().__init__(message)
        self.help = help


def find_request(store: StateStore, id_: str, *, whole: bool = False) -> Filed:
    """The request with that id, or the only one whose id begins so.

    ``whole``: only the whole id will do, because beginnings can be imitated. Raises ``AnswerError`` if there is no such
    request, if several fit, and if it is not what its id says.
    """
    wanted = id_.strip().lower()
    filed = store.request(wanted)
    if filed is None and not whole and len(wanted) >= _SHORTEST_PREFIX:
        fitting = [one for one in store.requests() if one.request.id.startswith(wanted)]
        if len(fitting) > 1:
            raise AnswerError("several requests begin like this", "write the whole id")
        filed = fitting[0] if fitting else None
    if filed is None:
        raise AnswerError("there is no such request", "`schemarouter approvals list` shows their ids")
    check(store, filed)
    return filed


def check(store: StateStore, filed: Filed) -> None:
    """Raise ``AnswerError`` unless a request is what its id says, and its arguments are those that were hashed."""
    request = filed.request
    if request_id(request) != request.id:
        raise AnswerError("the request was changed in the store: its id does not fit", "deny it by not answering")
    if request.arguments:
        if text_hash(store.identity().secret, request.arguments) != request.arguments_hash:
            raise AnswerError("the arguments in the store are not those that were hashed", "deny it by not answering")
        if arguments_of(filed) is None:
            raise AnswerError("the arguments in the store are no JSON object", "deny it by not answering")
    elif filed.status in ("pending", "approved"):
        raise AnswerError("the arguments of the request are gone from the store", "deny it by not answering")


def arguments_of(filed: Filed) -> dict[str, Any] | None:
    """The arguments of a request; ``None`` once they are forgotten."""
    try:
        value = json.loads(filed.request.arguments)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def answer(store: StateStore, filed: Filed, signer: Signer, *, approved: bool) -> Status:
    """Sign an answer to a request that :func:`find_request` gave, and keep it. Returns the status that holds then."""
    given = Answer(filed.request.id, approved, int(time.time()), "", "")
    status = store.answer(signer.sign_answer(store.identity().name, given))
    if status is None:
        raise AnswerError("the request is gone from the store")
    return status


def give(
    store: StateStore,
    signer: Signer,
    *,
    operation: str,
    arguments: dict[str, Any] | None,
    arguments_hashed: str | None = None,
    digest: str | None,
    seconds: int,
    max_uses: int,
) -> Grant:
    """Sign a standing grant and keep it.

    ``arguments`` are the only ones that it is for, or ``arguments_hashed`` is the store's hash of them; both ``None`` is
    any. ``digest`` ``None`` is any policy. Raises ``AnswerError`` for values out of range.
    """
    if not 1 <= seconds <= LONGEST_GRANT:
        raise AnswerError(f"a grant lasts from a second to {LONGEST_GRANT // 86_400} days")
    if not 1 <= max_uses <= MOST_USES:
        raise AnswerError(f"a grant has from 1 to {MOST_USES} uses")
    if digest is not None and not _DIGEST.fullmatch(digest):
        raise AnswerError("a policy's digest is 64 hexadecimal digits", "`schemarouter compile` prints it")
    identity, now = store.identity(), int(store.now())
    if arguments is not None:
        arguments_hashed = arguments_hash(identity.secret, arguments)
    made = Grant(os.urandom(16).hex(), operation, arguments_hashed, digest, now, now + seconds, max_uses, "", "")
    made = signer.sign_grant(identity.name, made)
    store.grant(made)
    return made


def answer_is_signed(store: StateStore, filed: Filed, publics: Iterable[bytes]) -> bool | None:
    """Whether one of ``publics`` signed the answer to a request; ``None`` without an answer."""
    given = filed.answer
    if given is None:
        return None
    statement = answer_statement(store.identity().name, given)
    return given.request == filed.request.id and any(
        key_id(public) == given.key and is_signed(public, statement, given.signature) for public in publics
    )


def grant_is_signed(store: StateStore, standing: StandingGrant, publics: Iterable[bytes]) -> bool:
    """Whether one of ``publics`` signed a grant, as it stands there."""
    grant = standing.grant
    statement = grant_statement(store.identity().name, grant)
    return any(key_id(public) == grant.key and is_signed(public, statement, grant.signature) for public in publics)
