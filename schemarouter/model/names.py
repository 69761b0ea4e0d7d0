"""Which names are legal (SPEC 1), for registries and for patterns alike. Standard library only."""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Characters that a reader cannot see or that change how the text around them is shown: C0, DEL, C1 and line
#: separators, surrogates, bidi controls, annotation controls, and the default-ignorable code points of Unicode 16
#: (DerivedCoreProperties, Default_Ignorable_Code_Point).
HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)

_PRINTABLE = bytes(range(0x20, 0x7F))


def hidden_character(text: str) -> int | None:
    """Return the index of the first hidden character in ``text``, or ``None``."""
    found = HIDDEN.search(text)
    return found.start() if found else None


def name_problem(text: str) -> str | None:
    """Say why ``text`` is no legal name or pattern, as an end of a sentence, or return ``None`` if it is legal.

    Legal names may hold dots, slashes, inner spaces and letters of any script; see SPEC 1 for what they may not hold.
    """
    if not text:
        return "is empty"
    if text.isascii() and text.isprintable():
        return "has leading or trailing white space" if text[0] == " " or text[-1] == " " else None
    index = hidden_character(text)
    if index is not None:
        return f"holds the hidden character U+{ord(text[index]):04X} at position {index + 1}"
    if text != text.strip():
        return "has leading or trailing white space"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode normalization form NFC"
    return None


def all_plain(texts: Iterable[str]) -> bool:
    """Whether all of ``texts`` are legal for sure, in one pass: printable ASCII, not empty, no white space at an end.

    ``False`` means that :func:`name_problem` has to look at each.
    """
    edge = "\\"
    joined = edge + edge.join(texts) + edge
    if joined.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE):
        return False
    return not any(bad in joined for bad in (edge + " ", " " + edge, edge + edge))


def split_operation(operation: str) -> bool:
    """Whether ``operation`` can be an operation: a non-empty key, a dot, a non-empty endpoint name."""
    return "." in operation[1:-1]
