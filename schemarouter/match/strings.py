"""What the string keywords ``under`` and ``host`` read out of a value, or that it cannot be read safely.

Both ask about a meaning that other programs give to the text. Where two of them could disagree the answer is ``None``:
the condition is then indeterminate, never a quiet no. Standard library only.
"""

from __future__ import annotations

import re
import unicodedata

from schemarouter.model.names import HIDDEN

#: The scheme and the authority of a URL, strictly: no user-info, no percent-encoding, no IPv6 literal, ASCII only.
_URL = re.compile(r"https?://([A-Za-z0-9_.-]+)(?::([0-9]{1,5}))?(?=[/?#]|\Z)", re.IGNORECASE | re.ASCII)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_OCTET = re.compile(r"(?:0|[1-9][0-9]{0,2})\Z")
_NUMBER = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)\Z")
_LONGEST_HOST = 253


def plain_path(text: str) -> str | None:
    """``text`` as an absolute path without ``.`` segments and doubled or trailing slashes; ``None`` if it is not plain.

    Not plain: relative, doubled slashes at the beginning, a ``..`` segment (also with blanks around it, or a ``;`` and more
    behind it), NUL and other hidden characters, a backslash, a per-cent sign, and letters that compatibility folding (NFKC)
    turns into any of these, such as full-width dots and slashes. Purely lexical: no link is followed and no file is looked at.
    """
    if not text.startswith("/") or text.startswith("//") or not _is_plain(text):
        return None
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", text)
        if folded.count("/") != text.count("/") or not _is_plain(folded):
            return None
    return "/" + "/".join(segment for segment in text.split("/") if segment not in ("", "."))


def _is_plain(text: str) -> bool:
    if "\\" in text or "%" in text or HIDDEN.search(text):
        return False
    return not any(segment.partition(";")[0].strip() == ".." for segment in text.split("/"))


def is_under(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies inside it; both as :func:`plain_path` gives them."""
    return path == folder or folder == "/" or (path.startswith(folder) and path.startswith("/", len(folder)))


def is_under_any(path: str, folders: list[str]) -> bool | None:
    """Whether ``path`` is or lies inside one of ``folders``; all of them plain.

    ``None`` where that depends on whether letters are composed (NFC): some file systems tell the two apart, some do not.
    """
    answer = any(is_under(path, folder) for folder in folders)
    if path.isascii():
        return answer
    composed = unicodedata.normalize("NFC", path)
    same = composed == path or answer is any(is_under(composed, folder) for folder in folders)
    return answer if same else None


def plain_host(text: str) -> str | None:
    """The lower-cased host of ``text`` if that is a plain http or https URL, else ``None``.

    Not plain: another scheme, user-info or anything like it, blanks, control and hidden characters, a backslash, a
    trailing dot, an empty or overlong label, a non-ASCII or percent-encoded host, an IPv6 literal, an IPv4 address in
    other than dotted decimal form, a port that is none.
    """
    found = _URL.match(text)
    if found is None or "\\" in text or HIDDEN.search(text) or any(map(str.isspace, text)):
        return None
    # An "@" before the first slash of the path is read as user-info by some, as part of a query by others.
    if "@" in text[found.end() :].partition("/")[0]:
        return None
    host, port = found[1].lower(), found[2]
    if len(host) > _LONGEST_HOST or (port is not None and not 0 < int(port) < 65536):
        return None
    labels = host.split(".")
    if not all(map(_LABEL.match, labels)):
        return None
    if _NUMBER.match(labels[-1]) and not (
        len(labels) == 4 and all(_OCTET.match(label) and int(label) < 256 for label in labels)
    ):
        return None
    return host
