"""Text from files as it may be shown: nothing that a file holds reaches a terminal as a control character."""

from __future__ import annotations

import unicodedata

from schemarouter.model.names import HIDDEN

#: Controls, format characters, surrogates, line and paragraph separators.
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def is_hidden(character: str) -> bool:
    """Whether ``character`` is invisible, or changes how the text around it is shown."""
    return HIDDEN.match(character) is not None or unicodedata.category(character) in _UNSHOWABLE


def escape(character: str) -> str:
    """A hidden character, made visible: ``<U+202E>``."""
    return f"<U+{ord(character):04X}>"


def printable(text: str) -> str:
    """``text`` with every hidden character escaped; a single line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(escape(character) if is_hidden(character) else character for character in text)


def display_path(path: str) -> str:
    """A file name as text that every output format can carry: bytes that are no UTF-8 become ``\\xff``."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def count(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
