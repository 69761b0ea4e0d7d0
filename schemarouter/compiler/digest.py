"""Canonical JSON of what a policy says, and its digest (SPEC 10). Standard library only.

One meaning has one text: object keys are sorted, no white space, ASCII with escapes, defaults written out, whole
numbers without a fraction, weights as decimal text, conditions in their normal form. Rules are rows, because a policy
may have ten thousand of them: ``[name, [pattern, ...], effect, reason, [remote, read_only, destructive, unclassified]
or null, conditions or null]``.
"""

from __future__ import annotations

from json import JSONEncoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from schemarouter.compiler.records import Content

    class Hash(Protocol):
        """What is needed of a hash object."""

        def hexdigest(self) -> str:
            """The digest in hexadecimal."""


FORMAT = "schemarouter.policy"
FORMAT_VERSION = 1
#: Bytes; OpenSSL is several times faster, which pays for its import beyond this.
_LITTLE = 256 * 1024

_encode = JSONEncoder(
    skipkeys=False, ensure_ascii=True, check_circular=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def canonical(value: object) -> str:
    """``value`` as canonical JSON. Raises ``ValueError`` or ``TypeError`` for what is not JSON."""
    return _encode(value)


def number(value: float) -> int | float:
    """The one spelling of a number: whole numbers are integers, so that ``15.0`` is ``15``."""
    whole = int(value)
    return whole if whole == value else value


def semantic(content: Content) -> dict[str, object]:
    """What a policy says, as plain JSON values; positions are left out."""
    budget, retry = content.budget, content.retry
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "name": content.name,
        "defaults": content.defaults._asdict(),
        "approval": content.approval._asdict(),
        "classify": [list(entry) for entry in content.classify],
        "rules": [
            (
                rule[0],
                rule[1],
                rule[2],
                rule[3],
                rule[4] if rule[4] != _ANY else None,
                None if rule[5] is None else rule[5].canonical(),
            )
            for rule in content.rules
        ],
        "budget": None
        if budget is None
        else budget._asdict() | {"per_tool_calls": dict(budget.per_tool_calls), "cost_units": dict(budget.cost_units)},
        "retry": None if retry is None else retry._asdict(),
        "hooks": content.hooks._asdict(),
        "invariants": [list(invariant) for invariant in content.invariants],
    }


_ANY = (None, None, None, None)


def digest_of_text(text: str) -> str:
    """SHA-256 in hexadecimal of canonical JSON text."""
    data = text.encode("utf-8", "surrogatepass")
    return _sha256(len(data))(data).hexdigest()


def _sha256(size: int) -> Callable[[bytes], Hash]:
    """SHA-256: for little data the built-in one, as ``random`` does, because importing OpenSSL takes 3 ms."""
    if size < _LITTLE:
        try:
            from _sha2 import sha256  # type: ignore[import-not-found]  # from Python 3.12 on
        except ImportError:
            pass
        else:
            return sha256  # type: ignore[no-any-return]  # without stubs
        try:
            from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
        except ImportError:
            pass
        else:
            return sha256  # type: ignore[no-any-return]  # without stubs
    import hashlib

    return hashlib.sha256


def digest_of(content: Content) -> str:
    """The digest of what a policy says."""
    return digest_of_text(canonical(semantic(content)))
