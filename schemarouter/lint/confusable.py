"""Which names look alike: a *skeleton* is what remains of a name when case and look-alike letters do not count."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

#: Letters that most fonts show like a Latin one. Of both cases where they look like different Latin letters.
_LOOK_ALIKES = {
    # Cyrillic
    "а": "a", "в": "b", "е": "e", "ё": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t",
    "у": "y", "х": "x", "ѕ": "s", "і": "i", "ї": "i", "ј": "j", "һ": "h", "ԁ": "d", "ԛ": "q", "ԝ": "w", "ӏ": "l",
    "ү": "y", "ѵ": "v", "ԍ": "g",
    # Greek
    "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u",
    "χ": "x", "γ": "y", "ϲ": "c", "ϳ": "j", "Η": "h", "Μ": "m", "Ν": "n", "Υ": "y", "Ζ": "z",
    # Armenian
    "ա": "w", "հ": "h", "ո": "n", "ս": "u", "օ": "o", "ց": "g", "զ": "q", "ք": "p", "յ": "j",
    # Latin letters of other shapes
    "ı": "i", "ȷ": "j", "ɑ": "a", "ɡ": "g", "ɩ": "i", "ʀ": "r", "ᴄ": "c", "ᴏ": "o", "ᴠ": "v", "ᴡ": "w", "ᴢ": "z",
}  # fmt: skip
#: Scripts whose letters pass for Latin ones; a word that mixes them with Latin is suspicious.
_SCRIPTS = frozenset({"CYRILLIC", "GREEK", "ARMENIAN"})
_WORD = r"[^\W\d_]+"
#: Marks that mean something in patterns and names; others of them that look so: those that NFKC knows, and these.
_MARKS = frozenset(".*?/[]-_ ")
_LIKE_MARKS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-") | {
    "\u2217": "*",
    "\u204e": "*",
    "\u2215": "/",
    "\u2044": "/",
}


class Odd(NamedTuple):
    """A character that does not belong where it stands, and where: its index."""

    character: str
    at: int
    looks_like: str


def skeleton(name: str) -> str:
    """Equal for two names that differ only in case, in look-alike letters, or in full-width forms."""
    if not name.isascii():
        name = "".join(_plain(character) for character in unicodedata.normalize("NFKC", name))
    return name.casefold()


def odd_letter(name: str) -> Odd | None:
    """The first character of ``name`` that passes for another: a mark such as a full-width dot or a no-break space, or
    else a letter that passes for a Latin one in a word which also has Latin letters.

    Full-width and other compatibility forms of Latin letters are odd in any word.
    """
    if name.isascii():
        return None
    for index, mark in enumerate(name):
        if not mark.isascii() and not mark.isalnum():
            alike = _LIKE_MARKS.get(mark) or unicodedata.normalize("NFKC", mark)
            if alike in _MARKS:
                return Odd(mark, index, alike)
    for word in re.finditer(_WORD, name):
        letters = word[0]
        mixed = any(_script(letter) == "LATIN" for letter in letters)
        for index, letter in enumerate(letters, word.start()):
            if letter.isascii():
                continue
            compatible = unicodedata.normalize("NFKC", letter)
            if compatible.isascii() and compatible.isalpha():
                return Odd(letter, index, compatible)
            alike = _plain(letter)
            if alike != letter and mixed and _script(letter) in _SCRIPTS:
                return Odd(letter, index, alike)
    return None


def _plain(letter: str) -> str:
    return _LOOK_ALIKES.get(letter) or _LOOK_ALIKES.get(letter.lower()) or letter


def _script(letter: str) -> str:
    """The script of a letter as its Unicode name gives it; enough to tell :data:`_SCRIPTS` apart."""
    return unicodedata.name(letter, "").partition(" ")[0]
