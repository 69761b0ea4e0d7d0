"""What a record says of a call: names and keyed hashes, never a value that was not asked for."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Collection, Iterable
from typing import Any

from schemarouter.audit.chain import derive
from schemarouter.model.json_value import JsonValueError, canonical_json

#: Names and hashes that one record holds; of further arguments only the number is told.
MAX_NAMES = 64
#: Characters of a value that may be written, as JSON. A longer one is told as too long.
MAX_VALUE = 512
_NAME = 100


class Redactor:
    """Describes arguments.

    Hashes are HMAC-SHA-256 under a key that is made of the log's key. Without a key they are made with a random one that nobody keeps: within one
    process equal values have equal hashes, and nobody can try out what a hash stands for.
    """

    __slots__ = ("_included", "_key")

    def __init__(self, key: bytes | None, include_arguments: Iterable[str] = ()) -> None:
        """Raises ``TypeError`` for what is no list of names."""
        names = include_arguments if isinstance(include_arguments, str) else tuple(include_arguments)
        if isinstance(names, str) or not all(type(name) is str for name in names):
            raise TypeError("include_arguments is a list of argument names")
        self._included = frozenset(names)
        self._key = derive(key or os.urandom(32), "arguments")

    def arguments(self, arguments: dict[str, Any], declared: Collection[str]) -> dict[str, Any]:
        """Names that the contract declares, with their hashes, and one hash of everything. Never raises.

        A name that the contract does not declare was made up by whoever made the call, and is only counted.
        """
        named = sorted(name for name in arguments if name in declared)
        shown = named[:MAX_NAMES]
        found: dict[str, Any] = {
            "names": [name[:_NAME] for name in shown],
            "hashes": [self._hash(arguments[name]) for name in shown],
            "hash": self._hash(arguments),
            "unlisted": len(arguments) - len(shown),
        }
        values = {name[:_NAME]: self._value(arguments[name]) for name in shown if name in self._included}
        return {**found, "values": values} if values else found

    def _hash(self, value: Any) -> str | None:
        try:
            text = canonical_json(value)
        except (JsonValueError, RecursionError):
            return None
        return hmac.new(self._key, text.encode("ascii"), hashlib.sha256).hexdigest()[:32]

    def _value(self, value: Any) -> Any:
        try:
            short = len(json.dumps(value, allow_nan=False)) <= MAX_VALUE
        except (ValueError, TypeError, RecursionError):
            short = False
        return {"value": value} if short else {"too_long": True}
