"""Text for a terminal: nothing in it moves the cursor, hides, or changes the order of what stands around it."""

from __future__ import annotations

from schemarouter.model.names import HIDDEN


def visible(text: str) -> str:
    """``text`` on one line, with every character that would not be seen as itself written as ``<U+202E>``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one.isprintable() and not HIDDEN.match(one) else f"<U+{ord(one):04X}>" for one in text)
