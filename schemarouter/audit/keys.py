"""The key of a decision log, from a file: the same bytes for whoever writes and whoever verifies."""

from __future__ import annotations

import os

from schemarouter.audit.chain import MIN_KEY_BYTES
from schemarouter.reading import read_bounded

#: A longer file is no key.
_LIMIT = 65_536


def read_key(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a key file, without the line end that an editor leaves.

    Raises ``OSError`` as ``open`` does, ``ValueError`` for what is no key. No message says anything of the key.
    """
    raw = read_bounded(path, _LIMIT + 1)
    if len(raw) > _LIMIT:
        raise ValueError(f"a key has at most {_LIMIT} bytes")
    key = raw.rstrip(b"\r\n")
    if len(key) < MIN_KEY_BYTES:
        raise ValueError(f"a key needs at least {MIN_KEY_BYTES} bytes")
    return key
