"""Answers that a host's own pause gave: a question with a token, and a pass that lets one call through, once.

A host that can pause (an interrupt, a deferred tool call) does so before the call enters the boundary. What it is asked is
a :class:`Pending`, plain JSON that survives in the host's own checkpoint; what it says is bound by ``token`` to the
operation, the arguments, the policy, the run and the call. If any of them is another one when the host comes back, the
answer is to another question.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, NamedTuple

from schemarouter.model.json_value import JsonValueError, canonical_json, checked_copy


class Pending(NamedTuple):
    """One call that needs approval, for people and as a question that an answer is bound to.

    ``arguments`` is a copy of its own; ``reason`` why the policy asks, ``rule`` the name of the deciding rule.
    """

    token: str
    operation: str
    arguments: dict[str, Any]
    reason: str
    rule: str | None
    call_id: str

    def as_json(self) -> dict[str, Any]:
        """What a host shows, and keeps while it waits."""
        return {"schemarouter": "approval", **self._asdict(), "arguments": checked_copy(self.arguments)}


class Pass(NamedTuple):
    """A person said yes to the question ``token``; spent by the first call that it lets through."""

    token: str


def approve(pending: Pending | Mapping[str, Any]) -> dict[str, Any]:
    """The answer yes to a question, to hand to the host's resume."""
    return {"approved": True, "token": _token(pending)}


def reject(pending: Pending | Mapping[str, Any]) -> dict[str, Any]:
    """The answer no to a question."""
    return {"approved": False, "token": _token(pending)}


def read_answer(answer: object, pending: Pending) -> Pass | None:
    """The pass that an answer gives for exactly this question; ``None`` for everything else, ``True`` alone included.

    An answer says ``approved: true`` and repeats the token, so that it cannot be meant for another call, other arguments
    or another policy.
    """
    if not isinstance(answer, Mapping) or answer.get("approved") is not True:
        return None
    token = answer.get("token")
    return (
        Pass(pending.token)
        if type(token) is str and hmac.compare_digest(token.encode(), pending.token.encode())
        else None
    )


def token_of(operation: str, arguments: object, digest: str, run_id: str, call_id: str) -> str:
    """The token of a question. Raises ``JsonValueError`` for arguments that are not JSON."""
    text = canonical_json(["schemarouter pending 1", operation, arguments, digest, run_id, call_id])
    return hashlib.sha256(text.encode()).hexdigest()


def _token(pending: Pending | Mapping[str, Any]) -> str:
    token = pending.token if isinstance(pending, Pending) else pending.get("token")
    if type(token) is not str:
        raise TypeError("this is no question of the boundary: it has no token")
    return token


__all__ = ["JsonValueError", "Pass", "Pending", "approve", "read_answer", "reject", "token_of"]
