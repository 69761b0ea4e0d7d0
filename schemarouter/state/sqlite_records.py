"""Rows of the SQLite store and the records of the port. What a row holds is believed no further than its types."""

from __future__ import annotations

from schemarouter.state.port import Answer, Filed, Grant, Request, StandingGrant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Types: TypeAlias = tuple[type, ...]

_REQUEST = Request._fields
FILED_COLUMNS = ", ".join((*_REQUEST, "status", "approved", "answered", "answer_key", "signature"))
GRANT_COLUMNS = ", ".join("grant_key" if name == "key" else name for name in (*Grant._fields, "uses", "revoked"))

_STATUSES = frozenset({"pending", "approved", "denied", "spent", "expired"})
_TEXT: Types = (str,)
_MAYBE_TEXT: Types = (str, type(None))
_NUMBER: Types = (int,)
_REQUEST_TYPES: dict[str, Types] = {
    "remote": _NUMBER,
    "read_only": (int, type(None)),
    "destructive": (int, type(None)),
    "rule": _MAYBE_TEXT,
    "created": _NUMBER,
    "deadline": _NUMBER,
}
_GRANT_TYPES: dict[str, Types] = {
    "arguments_hash": _MAYBE_TEXT,
    "digest": _MAYBE_TEXT,
    "created": _NUMBER,
    "expires": _NUMBER,
    "max_uses": _NUMBER,
}


def row_of_request(request: Request) -> tuple[Any, ...]:
    """A request that nobody has answered."""
    return (*request, "pending", None, None, None, None)


def row_of_grant(grant: Grant) -> tuple[Any, ...]:
    """A grant that was never used."""
    return (*grant, 0, 0)


def filed_of(row: tuple[Any, ...], now: float) -> Filed:
    """A row as a record, with the status that holds at ``now``. Raises ``ValueError`` for other types."""
    size = len(_REQUEST)
    fields = dict(zip(_REQUEST, row[:size], strict=True))
    _check(fields, _REQUEST_TYPES)
    for name in ("remote", "read_only", "destructive"):
        fields[name] = _boolean(fields[name])
    request = Request(**fields)
    status, approved, answered, key, signature = row[size:]
    if status not in _STATUSES:
        raise ValueError
    answer = None
    if signature is not None:
        said = {"approved": approved, "answered": answered, "key": key, "signature": signature}
        _check(said, {"approved": _NUMBER, "answered": _NUMBER})
        answer = Answer(request.id, _boolean(approved) is True, answered, key, signature)
    if status in ("pending", "approved") and request.deadline <= now:
        status = "expired"
    return Filed(request, status, answer)


def standing_of(row: tuple[Any, ...]) -> StandingGrant:
    """A row as a record. Raises ``ValueError`` for other types."""
    size = len(Grant._fields)
    fields = dict(zip(Grant._fields, row[:size], strict=True))
    _check(fields, _GRANT_TYPES)
    uses, revoked = row[size:]
    _check({"uses": uses, "revoked": revoked}, {"uses": _NUMBER, "revoked": _NUMBER})
    return StandingGrant(Grant(**fields), uses, revoked != 0)


def _check(fields: dict[str, Any], types: dict[str, Types]) -> None:
    for name, value in fields.items():
        if type(value) not in types.get(name, _TEXT):
            raise ValueError(name)


def _boolean(value: int | None) -> bool | None:
    if value not in (None, 0, 1):
        raise ValueError
    return None if value is None else bool(value)
