"""Text for a terminal: nothing in it moves the cursor, hides, or changes the order of what stands around it."""

from __future__ import annotations

import unicodedata

from schemarouter.model.names import HIDDEN

_UNSHOWABLE = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """``text`` on one line, with every character that would not be seen as itself written as ``<U+202E>``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"<U+{ord(one):04X}>" if HIDDEN.match(one) or unicodedata.category(one) in _UNSHOWABLE else one for one in text
    )
