"""Approvals through a store: a person answers in another process, with a key that this one does not hold.

A row of the store is never believed. What counts is a signature over the id of a request, which commits to everything
that was asked; the id is made again from what *this* process wants to do now. A valid answer is spent in the store before
the callback returns, so that the call revalidates, and runs, after that.

Standard library only; ``asyncio`` and `cryptography` are imported where they are needed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from functools import partial

from schemarouter.errors import StateStoreError
from schemarouter.model.approval import Approver, Denied, Question
from schemarouter.model.json_value import JsonValueError, canonical_json
from schemarouter.state.binding import request_id, same_call, text_hash
from schemarouter.state.limits import MAX_ARGUMENTS
from schemarouter.state.port import Request
from schemarouter.state.signatures import (
    KeyFileError,
    answer_statement,
    grant_statement,
    is_signed,
    key_id,
    parse_public,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import Any, TypeAlias

    from schemarouter.state.port import Filed, Grant, Identity, StandingGrant, StateStore

    #: A step on the store, whose value is sent back; or seconds to wait.
    Step: TypeAlias = Callable[[], Any] | float
    Script: TypeAlias = Generator[Step, Any, bool | Denied]

#: Seconds. A request that nobody answers ends; a person needs a quarter of an hour to be found.
LIFETIME = 900
LONGEST_LIFETIME = 7 * 86_400

_NO_APPROVER = "there is no approver (no public key) and no terminal"
_DENIED = "an approver said no"
_LATE = "nobody answered in time"


class StoredApprovals(Approver):
    """The approval callback that asks approvers through ``store``; give it to ``approval_callback``.

    ``verify_keys``: public keys of all who may approve (the lines that ``schemarouter approvals keygen`` prints). Keep them in
    code or in a file that the agent cannot write. Without any, ``terminal`` is asked, and without that everything is
    denied at once. ``lifetime``: seconds in which a request can be answered. ``wait``: seconds for which a call waits here
    (default: the lifetime); 0 files the request and denies at once, for hosts that come again with the same run and call
    id once it is answered. ``poll``: seconds between two looks at the store.

    Raises ``KeyFileError`` for what is no key, ``ValueError`` for other values.
    """

    def __init__(
        self,
        store: StateStore,
        verify_keys: str | Iterable[str] = (),
        *,
        terminal: Approver | None = None,
        lifetime: int = LIFETIME,
        wait: float | None = None,
        poll: float = 0.25,
    ) -> None:
        if type(lifetime) is not int or not 1 <= lifetime <= LONGEST_LIFETIME:
            raise ValueError(f"lifetime must be a whole number of seconds from 1 to {LONGEST_LIFETIME}")
        wait = float(lifetime) if wait is None else wait
        if type(wait) not in (int, float) or not 0 <= wait <= LONGEST_LIFETIME:
            raise ValueError("wait must be a number of seconds, at least 0")
        if type(poll) not in (int, float) or not 0.01 <= poll <= 60:
            raise ValueError("poll must be a number of seconds from 0.01 to 60")
        if terminal is not None and not isinstance(terminal, Approver):
            raise TypeError(f"terminal must be an Approver, not `{type(terminal).__name__}`")
        texts = (verify_keys,) if isinstance(verify_keys, str) else tuple(verify_keys)
        publics = [parse_public(text) for text in texts]
        self._store = store
        self._keys = {key_id(public): public for public in publics}
        self._terminal = terminal
        self._lifetime = lifetime
        self._wait = float(wait)
        self._poll = float(poll)

    def ask(self, question: Question) -> bool | Denied:
        """See :class:`Approver`. Blocks the thread, for at most ``wait`` seconds and what steps on the store take."""
        if not self._keys:
            return Denied(_NO_APPROVER) if self._terminal is None else self._terminal.ask(question)
        with contextlib.closing(self._guarded(question)) as script:
            return _drive(script)

    async def ask_async(self, question: Question) -> bool | Denied:
        """See :class:`Approver`. Steps on the store run in a thread."""
        if not self._keys:
            return Denied(_NO_APPROVER) if self._terminal is None else await self._terminal.ask_async(question)
        with contextlib.closing(self._guarded(question)) as script:
            return await _drive_async(script)

    def _guarded(self, question: Question) -> Script:
        """Every failure that is expected is a denial that says why."""
        try:
            return (yield from self._script(question))
        except (StateStoreError, KeyFileError) as error:
            return Denied(str(error))
        except JsonValueError as error:
            return Denied(f"its arguments cannot be shown: the value {error.reason}")

    def _script(self, question: Question) -> Script:
        store = self._store
        identity: Identity = yield store.identity
        now: float = yield store.now
        text = canonical_json(question.arguments)
        if len(text) > MAX_ARGUMENTS:
            return Denied("its arguments are longer than a person can read")
        wanted = self._request(question, text, text_hash(identity.secret, text), now)
        for standing in (yield partial(store.grants, question.operation)):
            holds = self._holds(standing, wanted, identity, now)
            if holds and (yield partial(store.use, standing.grant.id, standing.grant.max_uses)):
                return True
        request = wanted
        if question.run_id is not None and question.call_id is not None:
            for filed in (yield partial(store.requests_like, wanted)):
                answer = self._answer(filed, wanted, identity, now)
                if answer is False:
                    return Denied(_DENIED)
                if answer is True and (yield partial(store.spend, filed.request.id)):
                    return True
                if filed.status == "pending" and request_id(filed.request) == filed.request.id:
                    request = filed.request
        return (yield from self._await(request, wanted, identity, question))

    def _await(self, request: Request, wanted: Request, identity: Identity, question: Question) -> Script:
        try:
            if request is wanted:
                yield partial(self._store.file, request)
            return (yield from self._look(request, wanted, identity, question))
        except GeneratorExit:
            if question.run_id is None or question.call_id is None:
                self._abandon(request.id)
            raise

    def _abandon(self, id_: str) -> None:
        """The call was given up, and no other will ever be this one. Not waited for: a person is shown less, that is all."""

        def expire() -> None:
            with contextlib.suppress(StateStoreError):
                self._store.expire(id_)

        threading.Thread(target=expire, name="schemarouter-expire", daemon=True).start()

    def _look(self, request: Request, wanted: Request, identity: Identity, question: Question) -> Script:
        store, seconds = self._store, question.seconds
        until = time.monotonic() + (self._wait if seconds is None else min(self._wait, seconds))
        while True:
            now: float = yield store.now
            filed: Filed | None = yield partial(store.request, request.id)
            if filed is None:
                return Denied("its request is gone from the store")
            answer = self._answer(filed, wanted, identity, now)
            if answer is False:
                return Denied(_DENIED)
            if answer is True:
                spent = yield partial(store.spend, request.id)
                return True if spent else Denied("its approval was spent by another process")
            if filed.status in ("expired", "spent"):
                return Denied(_LATE if filed.status == "expired" else "its approval was spent by another process")
            left = until - time.monotonic()
            if left <= 0:
                break
            yield min(self._poll, left)
        if question.run_id is None or question.call_id is None:
            yield partial(store.expire, request.id)  # no other call will ever be this one
            return Denied(_LATE)
        return Denied(f"it waits for an answer: `schemarouter approvals show {request.id}`")

    def _request(self, question: Question, text: str, hashed: str, now: float) -> Request:
        request = Request(
            "",
            question.operation,
            text,
            hashed,
            question.digest,
            _unique() if question.run_id is None else question.run_id,
            _unique() if question.call_id is None else question.call_id,
            question.remote,
            question.read_only,
            question.destructive,
            question.rule,
            question.reason,
            int(now),
            int(now) + self._lifetime,
            _unique(),
        )
        return request._replace(id=request_id(request))

    def _answer(self, filed: Filed, wanted: Request, identity: Identity, now: float) -> bool | None:
        """What an approver said about the very call that is wanted: yes, no, or nothing that counts."""
        request, answer = filed.request, filed.answer
        if answer is None or filed.status == "spent" or request.deadline <= now or answer.request != request.id:
            return None
        if request_id(request) != request.id or not same_call(request, wanted):
            return None
        public = self._keys.get(answer.key)
        if public is None or not is_signed(public, answer_statement(identity.name, answer), answer.signature):
            return None
        return answer.approved

    def _holds(self, standing: StandingGrant, wanted: Request, identity: Identity, now: float) -> bool:
        grant: Grant = standing.grant
        if standing.revoked or grant.expires <= now or grant.operation != wanted.operation:
            return False
        if grant.arguments_hash not in (None, wanted.arguments_hash) or grant.digest not in (None, wanted.digest):
            return False
        public = self._keys.get(grant.key)
        return public is not None and is_signed(public, grant_statement(identity.name, grant), grant.signature)


def _drive(script: Script) -> bool | Denied:
    reply: Any = None
    error: Exception | None = None
    while True:
        try:
            step = script.send(reply) if error is None else script.throw(error)
        except StopIteration as end:
            verdict: bool | Denied = end.value
            return verdict
        reply, error = None, None
        if isinstance(step, float):
            time.sleep(step)
            continue
        try:
            reply = step()
        except Exception as raised:  # noqa: BLE001 - the script says what it means
            error = raised


async def _drive_async(script: Script) -> bool | Denied:
    import asyncio

    reply: Any = None
    error: Exception | None = None
    while True:
        try:
            step = script.send(reply) if error is None else script.throw(error)
        except StopIteration as end:
            verdict: bool | Denied = end.value
            return verdict
        reply, error = None, None
        if isinstance(step, float):
            await asyncio.sleep(step)
            continue
        try:
            reply = await asyncio.to_thread(step)
        except Exception as raised:  # noqa: BLE001 - the script says what it means
            error = raised


def _unique() -> str:
    return os.urandom(16).hex()
