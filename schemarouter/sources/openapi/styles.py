"""Arguments to text by ``style`` and ``explode`` (OpenAPI 3.2, Style Values). Pure, and standard library only.

What has no form in a style, or one that the other side would read as something else, is refused: an item that holds
the delimiter of an unquoted list, a nested value, a null. Messages never hold a value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

DEFAULT_STYLES: Final[Mapping[str, str]] = {
    "path": "simple",
    "query": "form",
    "header": "simple",
    "cookie": "form",
    "querystring": "content",
}
ALLOWED_STYLES: Final[Mapping[str, frozenset[str]]] = {
    "path": frozenset({"simple", "label", "matrix"}),
    "query": frozenset({"form", "spaceDelimited", "pipeDelimited", "deepObject"}),
    "header": frozenset({"simple"}),
    "cookie": frozenset({"form", "cookie"}),
    "querystring": frozenset({"content"}),
}
#: What ``allowReserved`` leaves as it is: reserved, and no delimiter of a query, a fragment or an escape.
_RESERVED: Final = ":/?@!$'()*,;"

Pair = tuple[str, str]


class Unsendable(ValueError):  # noqa: N818 - the request builder makes its error of it
    """A value has no form in its place; the text is an end of a sentence about the argument."""


def primitive(value: Any) -> str:
    """A boolean, number or text as it is sent."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, int | float):
        return json.dumps(value, allow_nan=False)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Unsendable("is not Unicode") from None
        return value
    raise Unsendable("holds a null" if value is None else "holds a nested value, which has no form in its style")


def encoded(text: str, *, reserved: bool = False) -> str:
    """Percent-encoded, everything but unreserved characters; see ``allowReserved``."""
    return quote(text, safe=_RESERVED if reserved else "")


def _plain(text: str) -> str:
    return text


def _without(delimiters: str, encode: Callable[[str], str]) -> Callable[[Any], str]:
    """The text of a primitive that holds no delimiter, where an encoded delimiter is read as one too."""

    def write(value: Any) -> str:
        text = primitive(value)
        if any(character in text for character in delimiters):
            raise Unsendable("holds the delimiter of its style inside an item")
        return encode(text)

    return write


def _joined(value: Any, item: Callable[[Any], str], comma: str, equals: str) -> str:
    """An array or object in one text: items with ``comma`` between them, and ``equals`` between name and value."""
    if isinstance(value, list):
        return comma.join(map(item, value))
    return comma.join(f"{item(name)}{equals}{item(each)}" for name, each in value.items())


def path_text(name: str, value: Any, style: str, explode: bool) -> str:
    """The text for a path expression, percent-encoded."""

    def item(each: Any) -> str:
        return encoded(primitive(each))

    prefix = {"simple": "", "label": ".", "matrix": ";"}[style]
    if not isinstance(value, list | dict):
        text = item(value)
        return f";{encoded(name)}={text}" if style == "matrix" else prefix + text
    if not value:
        raise Unsendable("is empty, which would name another path")
    if style == "simple":
        return _joined(value, item, ",", "=" if explode else ",")
    if style == "label":
        # A dot needs no encoding anywhere, so that nobody can tell one of ours from one of the value's.
        return "." + (_joined(value, _without(".", encoded), ".", "=") if explode else _joined(value, item, ",", ","))
    if not explode:
        return f";{encoded(name)}={_joined(value, item, ',', ',')}"
    if isinstance(value, list):
        return "".join(f";{encoded(name)}={item(each)}" for each in value)
    return "".join(f";{item(key)}={item(each)}" for key, each in value.items())


def query_pairs(name: str, value: Any, style: str, explode: bool, *, reserved: bool = False) -> list[Pair]:
    """Names and values for a query or a form, both percent-encoded. Empty arrays and objects are not sent."""

    def encode(text: str) -> str:
        return encoded(text, reserved=reserved)

    def item(each: Any) -> str:
        return encode(primitive(each))

    if not isinstance(value, list | dict):
        if style != "form":
            raise Unsendable("is no array or object, which its style needs")
        return [(encoded(name), item(value))]
    if style == "deepObject":
        return _deep(name, value, item)
    if style == "form":
        if isinstance(value, list):
            if explode:
                return [(encoded(name), item(each)) for each in value]
        elif explode:
            return [(encoded(key), item(each)) for key, each in value.items()]
        # Inside a value a comma is encoded, also where reserved characters are not: else nobody could tell.
        own = _comma_encoded(item)
        return [(encoded(name), _joined(value, own, ",", ","))] if value else []
    if explode and isinstance(value, list):
        return [(encoded(name), item(each)) for each in value]
    if explode:
        raise Unsendable("is an object, which has no exploded form in its style")
    delimiter, sent = {"spaceDelimited": (" ", "%20"), "pipeDelimited": ("|", "%7C")}[style]
    text = _joined(value, _without(delimiter, encode), sent, sent)
    return [(encoded(name), text)] if value else []


def _comma_encoded(item: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda each: item(each).replace(",", "%2C")


def _deep(name: str, value: Any, item: Callable[[Any], str]) -> list[Pair]:
    if not isinstance(value, dict):
        raise Unsendable("is no object, which its style needs")
    pairs: list[Pair] = []

    def walk(prefix: str, members: dict[str, Any]) -> None:
        for key, each in members.items():
            if "[" in key or "]" in key:
                raise Unsendable("holds a bracket in a name, where brackets are the delimiters")
            inner = f"{prefix}%5B{encoded(key)}%5D"
            if isinstance(each, dict):
                walk(inner, each)
            else:
                pairs.append((inner, item(each)))

    walk(encoded(name), value)
    return pairs


def header_text(value: Any, explode: bool) -> str:
    """The text of a header, style ``simple``, which knows no encoding."""
    if not isinstance(value, list | dict):
        return primitive(value)
    return _joined(
        value, _without(",=" if explode and isinstance(value, dict) else ",", _plain), ",", "=" if explode else ","
    )


def cookie_pairs(name: str, value: Any, style: str, explode: bool) -> list[Pair]:
    """Names and values for the ``Cookie`` header: percent-encoded, also with the style ``cookie`` of 3.2, which

    leaves that to the application; without an encoding, a value could end its cookie and begin another one.
    """
    if style == "cookie" and isinstance(value, list | dict) and not explode:
        raise Unsendable("is no primitive, which its style needs without `explode`")
    return query_pairs(name, value, "form", explode)
