"""Requests and answers as files, for approvers who cannot reach the store: another user, another machine.

A request in a file is believed no more than one in a store: its id and the hash of its arguments are made again before it is shown.
An answer in a file is signed; whoever carries it can lose it and nothing else. Standard library only.
"""

from __future__ import annotations

import json

from schemarouter.state.answering import AnswerError, check
from schemarouter.state.binding import SECRET_BYTES
from schemarouter.state.memory import MemoryStore
from schemarouter.state.port import Answer, Filed, Identity, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from schemarouter.state.port import StateStore

#: Bytes of a file: arguments as long as they may be, every character escaped, and the rest.
LIMIT = 2_000_000

_OPTIONAL: dict[str, tuple[type, ...]] = {
    "remote": (bool,),
    "read_only": (bool, type(None)),
    "destructive": (bool, type(None)),
    "rule": (str, type(None)),
    "created": (int,),
    "deadline": (int,),
    "approved": (bool,),
    "answered": (int,),
}


def write_request(store: StateStore, filed: Filed) -> str:
    """A request that was checked, with what its hash is made with, as ``schemas/approval-request.v1`` has it."""
    identity = store.identity()
    document = {
        "version": 1,
        "store": {"name": identity.name, "secret": identity.secret.hex()},
        "request": filed.request._asdict(),
    }
    return json.dumps(document, indent=2) + "\n"


def read_request(data: bytes) -> tuple[MemoryStore, Filed]:
    """A store that holds nothing but the request in ``data``, and the request. Raises ``AnswerError``."""
    document = _document(data, "request")
    given = document.get("store")
    try:
        if not isinstance(given, dict) or type(given["name"]) is not str:
            raise ValueError
        identity = Identity(given["name"], bytes.fromhex(given["secret"]))
        if len(identity.secret) != SECRET_BYTES:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise _no("request") from None
    store = MemoryStore(identity=identity)
    request = Request(**_fields(document["request"], Request._fields, "request"))
    check(store, Filed(request, "pending", None))
    return store, store.file(request)


def write_answer(answer: Answer) -> str:
    """A signed answer, as ``schemas/approval-answer.v1`` has it."""
    return json.dumps({"version": 1, "answer": answer._asdict()}, indent=2) + "\n"


def read_answer(data: bytes) -> Answer:
    """The answer in ``data``; whether it is validly signed is for those to say who execute. Raises ``AnswerError``."""
    return Answer(**_fields(_document(data, "answer")["answer"], Answer._fields, "answer"))


def _document(data: bytes, kind: str) -> dict[str, Any]:
    if len(data) > LIMIT:
        raise AnswerError(f"this is no {kind}: it is too long")
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _no(kind) from None
    if not isinstance(document, dict) or kind not in document:
        raise _no(kind)
    if document.get("version") != 1 or type(document["version"]) is not int:
        raise AnswerError(f"the {kind} has another version than 1", "use the version of SchemaRouter that wrote it")
    return document


def _fields(value: object, names: tuple[str, ...], kind: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise _no(kind)
    for name in names:
        if type(value[name]) not in _OPTIONAL.get(name, (str,)):
            raise _no(kind)
        if isinstance(value[name], str) and not _is_unicode(value[name]):
            raise _no(kind)
        if type(value[name]) is int and not -(2**62) < value[name] < 2**62:
            raise _no(kind)
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _no(kind: str) -> AnswerError:
    return AnswerError(
        f"this is no {kind}", f"`schemarouter approvals {'export' if kind == 'request' else 'sign'}` writes one"
    )
