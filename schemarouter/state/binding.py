"""What stored state is bound to: hashes of arguments, keys of logical calls, ids of requests. Standard library only."""

from __future__ import annotations

import json

from schemarouter.compiler.digest import digest_of_text
from schemarouter.model.json_value import canonical_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.state.port import Request

#: Bytes of a store's secret: a fixed length, so that no two pairs of secret and text make the same input of a hash.
SECRET_BYTES = 32


def arguments_hash(secret: bytes, arguments: object) -> str:
    """The hash that an answer is bound to. Raises ``JsonValueError`` for what is not JSON.

    The store's secret comes first: arguments are often few and short, and without it a hash that is shown elsewhere
    could be guessed.
    """
    return text_hash(secret, canonical_json(arguments))


def text_hash(secret: bytes, canonical: str) -> str:
    """As :func:`arguments_hash`, for arguments that are canonical JSON already. Raises ``ValueError`` for another secret."""
    if len(secret) != SECRET_BYTES:
        raise ValueError("the secret of a store has another length")
    return digest_of_text(f"schemarouter arguments 1 {secret.hex()} {canonical}")


def call_key(call_id: str, operation: str, hashed: str) -> str:
    """What tells a logical call from all others of its run."""
    return _hash("call", [call_id, operation, hashed])


def request_id(request: Request) -> str:
    """The id that ``request`` must have: it commits to every other field but the text of the arguments.

    That text is bound by its hash, so that it can be forgotten once it is not needed any more.
    """
    return _hash("request", [value for name, value in request._asdict().items() if name not in ("id", "arguments")])


def same_call(one: Request, other: Request) -> bool:
    """Whether both ask about the same logical call, under the same policy, for the same reason."""
    return _call(one) == _call(other)


def _call(request: Request) -> tuple[object, ...]:
    return (
        request.run_id,
        request.call_id,
        request.operation,
        request.arguments_hash,
        request.digest,
        request.remote,
        request.read_only,
        request.destructive,
        request.rule,
        request.reason,
    )


def _hash(kind: str, parts: list[object]) -> str:
    text = json.dumps([f"schemarouter {kind} 1", *parts], separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return digest_of_text(text)
