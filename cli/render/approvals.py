"""Requests for approval and standing grants, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter.state.answering import AnswerError, answer_is_signed, arguments_of, check, grant_is_signed
from schemarouter.state.masking import MASK, masked
from schemarouter_cli.durations import in_words
from schemarouter_cli.render.plain import attributes_text, dump
from schemarouter_cli.text import count, printable

if TYPE_CHECKING:
    from rich.text import Text

    from schemarouter.state.port import Filed, StandingGrant, StateStore

_STYLES = {"pending": "bold yellow", "approved": "bold green", "spent": "green", "denied": "bold red", "expired": "dim"}


class RequestView(NamedTuple):
    """One request as it is shown. ``signed``: whether the answer is; ``None`` if that was not checked."""

    filed: Filed
    signed: bool | None
    #: Why it must not be answered; it is shown without what cannot be believed.
    problem: str | None
    #: What of the arguments is shown; ``None`` where that is only their names.
    arguments: dict[str, Any] | None
    is_masked: bool


class GrantView(NamedTuple):
    """One grant as it is shown."""

    standing: StandingGrant
    signed: bool | None


class View(NamedTuple):
    """What a command shows."""

    path: str
    now: float
    requests: list[RequestView]
    grants: list[GrantView]
    #: Whether this is one request, asked for by its id.
    single: bool


def survey(store: StateStore, publics: list[bytes], *, everything: bool) -> View:
    """What waits, or everything that the store keeps."""
    now = store.now()
    requests = [
        _request(store, filed, publics, shows=False, reveal=False)
        for filed in store.requests()
        if everything or filed.status == "pending"
    ]
    grants = [
        GrantView(standing, grant_is_signed(store, standing, publics) if publics else None)
        for standing in store.grants()
        if everything or _counts(standing, now)
    ]
    return View(getattr(store, "path", ""), now, requests, grants, single=False)


def single(store: StateStore, filed: Filed, publics: list[bytes], *, reveal: bool) -> View:
    """One request with its arguments."""
    return View(
        getattr(store, "path", ""),
        store.now(),
        [_request(store, filed, publics, shows=True, reveal=reveal)],
        [],
        single=True,
    )


def _request(store: StateStore, filed: Filed, publics: list[bytes], *, shows: bool, reveal: bool) -> RequestView:
    problem = None
    try:
        check(store, filed)
    except AnswerError as error:
        problem = str(error)
    shown = arguments_of(filed) if shows and problem is None else None
    hidden = shown is not None and not reveal
    arguments = masked(shown) if hidden else shown
    signed = answer_is_signed(store, filed, publics) if publics else None
    return RequestView(filed, signed, problem, arguments, hidden and arguments != shown)


def _counts(standing: StandingGrant, now: float) -> bool:
    return not standing.revoked and standing.grant.expires > now and standing.uses < standing.grant.max_uses


# JSON


def render_json(view: View) -> str:
    """The document that ``schemas/approvals.v1.schema.json`` describes."""
    document = {
        "version": 1,
        "store": printable(view.path),
        "requests": [_request_record(one) for one in view.requests],
        "grants": [_grant_record(one) for one in view.grants],
    }
    return dump(document, indent=2) + "\n"


def _request_record(one: RequestView) -> dict[str, Any]:
    request, status, answer = one.filed
    return {
        "id": request.id,
        "status": status,
        "problem": one.problem,
        "operation": request.operation,
        "remote": request.remote,
        "read_only": request.read_only,
        "destructive": request.destructive,
        "rule": request.rule,
        "reason": request.reason,
        "argument_names": _names(one),
        "arguments": one.arguments,
        "masked": one.is_masked,
        "arguments_hash": request.arguments_hash,
        "digest": request.digest,
        "run_id": request.run_id,
        "call_id": request.call_id,
        "created": _moment(request.created),
        "deadline": _moment(request.deadline),
        "answer": None
        if answer is None
        else {
            "approved": answer.approved,
            "answered": _moment(answer.answered),
            "key": answer.key,
            "signed": one.signed,
        },
    }


def _grant_record(one: GrantView) -> dict[str, Any]:
    grant, uses, revoked = one.standing
    return {
        "id": grant.id,
        "operation": grant.operation,
        "arguments_hash": grant.arguments_hash,
        "digest": grant.digest,
        "created": _moment(grant.created),
        "expires": _moment(grant.expires),
        "uses": uses,
        "max_uses": grant.max_uses,
        "revoked": revoked,
        "key": grant.key,
        "signed": one.signed,
    }


def _names(one: RequestView) -> list[str] | None:
    arguments = None if one.problem else arguments_of(one.filed)
    return None if arguments is None else sorted(masked(dict.fromkeys(arguments)))


def _moment(seconds: int) -> str | None:
    """RFC 3339 in UTC; ``None`` for a number that is no time."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


# For people


def render_full(view: View, *, color: bool, width: int) -> str:
    """Blocks of a few lines, one fact a line."""
    from schemarouter_cli.render.console import render

    return render(_lines(view), color=color, width=width)


def _lines(view: View) -> Iterator[Text]:
    from rich.text import Text

    for one in view.requests:
        yield from _request_lines(one, view)
        yield Text()
    for grant in view.grants:
        yield from _grant_lines(grant, view)
        yield Text()
    if not view.single:
        waiting = sum(one.filed.status == "pending" for one in view.requests)
        yield Text(f"{count(waiting, 'request')} waiting, {count(len(view.grants), 'standing grant')}")


def _request_lines(one: RequestView, view: View) -> Iterator[Text]:
    from rich.text import Text

    request, status, answer = one.filed
    yield Text.assemble((status, _STYLES[status]), "  ", (printable(request.operation), "bold"))
    yield _fact("id", request.id)
    if one.problem is not None:
        yield _fact("do not answer", one.problem)
        return
    yield _fact("attributes", attributes_text(request.remote, request.read_only, request.destructive))
    yield _fact("because", request.reason)
    yield from _argument_lines(one, view.single)
    yield _fact("run", f"{request.run_id}, call {request.call_id}")
    yield _fact("policy", request.digest)
    yield _fact("asked", _ago(view.now - request.created))
    if status == "pending":
        yield _fact("can wait", in_words(request.deadline - view.now))
    if answer is not None:
        signed = {True: "signed by", False: "not validly signed by", None: "signature not checked, by"}[one.signed]
        said = "approved" if answer.approved else "denied"
        yield _fact("answer", f"{said} {_ago(view.now - answer.answered)}, {signed} key {answer.key}")


def _argument_lines(one: RequestView, whole: bool) -> Iterator[Text]:
    from rich.text import Text

    if one.arguments is None:
        names = _names(one)
        yield _fact("arguments", "forgotten" if names is None else ", ".join(names) or "none")
        return
    if not whole:
        return
    yield _fact("arguments", "" if one.arguments else "none")
    for line in json.dumps(one.arguments, ensure_ascii=False, indent=2).splitlines()[1:-1]:
        yield Text(f"  {printable(line)}")
    if one.is_masked:
        yield Text(f"    what looks like a secret is {MASK}; --reveal shows it", style="dim")


def _grant_lines(one: GrantView, view: View) -> Iterator[Text]:
    from rich.text import Text

    grant, uses, revoked = one.standing
    state = "revoked grant" if revoked else "grant" if _counts(one.standing, view.now) else "used-up grant"
    yield Text.assemble((state, "bold cyan"), "  ", (printable(grant.operation), "bold"))
    yield _fact("id", grant.id)
    yield _fact("arguments", "any" if grant.arguments_hash is None else f"those with the hash {grant.arguments_hash}")
    yield _fact("policy", "any" if grant.digest is None else grant.digest)
    yield _fact("uses", f"{uses} of {grant.max_uses}")
    left = grant.expires - view.now
    yield _fact("ends", f"in {in_words(left)}" if left > 0 else "over")
    signed = {True: "", False: ", not validly signed: it does not count", None: ", signature not checked"}[one.signed]
    yield _fact("given by", f"key {grant.key}{signed}")


def _fact(word: str, text: str) -> Text:
    from rich.text import Text

    return Text.assemble((f"  {word}: ", "bold"), printable(text))


def _ago(seconds: float) -> str:
    return "just now" if seconds < 1 else f"{in_words(seconds)} ago"
