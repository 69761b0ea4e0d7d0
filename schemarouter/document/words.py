"""How messages show what the user wrote, and what they guess that was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.model.names import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath

_LONGEST = 60
_KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "list",
    dict: "mapping",
    type(None): "null",
}


def shown(text: str) -> str:
    """``text`` in back-ticks, on one line: shortened, and with every hidden character written as an escape."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    return "`" + legible(text).replace("`", "'") + "`"


def legible(text: str) -> str:
    """``text`` with every hidden character and line end written as an escape."""
    return text if text.isprintable() else HIDDEN.sub(_escape, text)


def _escape(found: object) -> str:
    character = ord(found.group())  # type: ignore[attr-defined]  # a match object; naming its type costs an import
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def kind(value: object) -> str:
    """What ``value`` is, in words, with its article: ``an integer``."""
    word = _KINDS[type(value)]
    return "null" if value is None else f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def written(value: object, source: Source, path: DocPath) -> str:
    """The scalar at ``path`` in back-ticks, as it stands in the file: quotes and the writing of numbers are kept."""
    scalar = source.scalar(path)
    if scalar is None:
        return shown(str(value))
    return shown(scalar.text if scalar.plain else f'"{scalar.text}"')


def label(path: DocPath) -> str:
    """What stands at ``path``, in words: its key, or the number of the item in its list."""
    if not path:
        return "the file"
    if isinstance(path[-1], str):
        return shown(path[-1])
    return f"item {path[-1] + 1} of {label(path[:-1])}"


def listed(words: Iterable[str], conjunction: str = "or") -> str:
    """``words`` in back-ticks, as in a sentence: with commas, and ``conjunction`` before the last."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def closest(word: str, words: Iterable[str]) -> str | None:
    """The one of ``words`` that was most likely meant by ``word``, if any comes close; case does not count."""
    from difflib import get_close_matches  # here, because a clean file needs none

    by_folded = {candidate.lower(): candidate for candidate in words}
    near = get_close_matches(word[:_LONGEST].lower().replace("-", "_"), by_folded, n=1, cutoff=0.7)
    return by_folded[near[0]] if near else None
