"""What the name of an operation says that it does: English verbs, whole words, at the beginning or the end of the last part."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READING = _words(
    "check compare count describe diff download export fetch find get has head inspect is list lookup peek preview"
    " query read search show stat status validate verify view watch"
)
DESTROYING = _words(
    "delete destroy drop erase kill purge remove revoke rm shred terminate truncate uninstall unlink wipe"
)
MUTATING = DESTROYING | _words(
    "add append approve cancel close commit create deploy disable edit enable execute insert install merge modify move"
    " patch pay post publish push put refund rename replace send set submit transfer update upload upsert write"
)
#: Verbs that also count at the end of a name: `issue_write`. Others there are mostly nouns: `list_pull_request`.
_LAST = DESTROYING | {"create", "update", "write"}

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words_of(name: str) -> list[str]:
    """The words of the last part of a name, in lower case: ``jobs.deleteAll`` gives ``delete``, ``all``."""
    return [word.lower() for word in _WORD.findall(re.split(r"[./]", name)[-1])]


def contradicting_verb(words: list[str], *, read_only: bool | None, destructive: bool | None) -> str | None:
    """The verb among ``words`` (of a name) that speaks against calling the operation read-only or not destructive.

    A name that begins with a reading verb (``get_deleted_files``) is never in doubt.
    """
    if not words or words[0] in READING or not (read_only is True or destructive is False):
        return None
    suspected = MUTATING if read_only is True else DESTROYING
    verb = words[0] if words[0] in suspected else words[-1]
    return verb if verb in suspected and (verb == words[0] or verb in _LAST) else None


def suspicious_verb(words: list[str], *, read_only: bool | None, destructive: bool | None) -> str | None:
    """As :func:`contradicting_verb`, for names that a server chose: a verb behind a prefix counts too (``gmail_send_mail``).

    The first verb in the name decides, whatever stands before it, so that ``gmail_list_send_jobs`` is not suspected.
    """
    plain = contradicting_verb(words, read_only=read_only, destructive=destructive)
    if plain is not None or not (read_only is True or destructive is False):
        return plain
    first = next((word for word in words if word in READING or word in MUTATING), None)
    return first if first in (MUTATING if read_only is True else DESTROYING) else None
