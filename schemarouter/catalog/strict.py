"""Reading a JSON file of ours: bounded, without duplicate keys, every value of exactly its type, every error with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from schemarouter.catalog.naming import legible
from schemarouter.errors import CatalogError

#: Bytes of one file.
SIZE_LIMIT = 64 * 1024 * 1024
_FINGERPRINT = re.compile("[0-9a-f]{64}")


class StrictReader:
    """The members of one kind of file: ``what`` is the word for it, ``again`` says how to make a new one."""

    def __init__(self, what: str, format_: str, version: int, again: str) -> None:
        self.what = what
        self.format = format_
        self.version = version
        self.again = again

    def parse(self, data: bytes) -> dict[str, Any]:
        """The object in ``data``, if it is of this format and version. Raises :class:`CatalogError` for everything else."""
        if len(data) > SIZE_LIMIT:
            self.refuse(f"has more than {SIZE_LIMIT} bytes")
        try:
            document = json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_constant)
        except UnicodeDecodeError:
            self.refuse("is not UTF-8")
        except json.JSONDecodeError as error:
            self.refuse(
                f"is no JSON: line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"
            )
        except RecursionError:
            self.refuse("is nested too deeply")
        except ValueError as error:  # a key twice, a number without end
            self.refuse(f"is no JSON that can be used: {legible(str(error))}")
        if not isinstance(document, dict) or document.get("format") != self.format:
            self.refuse(f"says nowhere that it is one (`format` is not `{self.format}`)")
        version = document.get("version")
        if type(version) is not int or version < 1:
            self.refuse("has a version that is no positive integer", "version")
        if version > self.version:
            raise CatalogError(
                f"the {self.what} has format version {version}, and this release reads up to {self.version}",
                help="upgrade schemarouter, or write it again with this release",
            )
        return document

    def refuse(self, problem: str, where: str = "") -> NoReturn:
        """Raise the error for a problem at ``where``."""
        place = f", at `{where}`," if where else ""
        raise CatalogError(f"the {self.what}{place} {problem}", help=self.again) from None

    def members(self, value: object, where: str, names: Mapping[str, bool]) -> dict[str, Any]:
        """An object with members of ``names`` only, and all of those that map to ``True``."""
        if type(value) is not dict:
            self.refuse("is no object", where)
        for name in value:
            if name not in names:
                self.refuse(f"has the unknown member `{legible(name)}`", where)
        for name, needed in names.items():
            if needed and name not in value:
                self.refuse(f"lacks the member `{name}`", where)
        return value

    def objects(self, value: object, where: str, limit: int) -> list[Any]:
        """A list of at most ``limit`` items."""
        if type(value) is not list:
            self.refuse("is no list", where)
        if len(value) > limit:
            self.refuse(f"has more than {limit} items", where)
        return value

    def text(self, value: object, where: str, limit: int = 1_000) -> str:
        """A string of at most ``limit`` characters."""
        if type(value) is not str:
            self.refuse("is no string", where)
        if len(value) > limit:
            self.refuse(f"has more than {limit} characters", where)
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            self.refuse("holds text that is not Unicode (a lone surrogate)", where)
        return value

    def flag(self, value: object, where: str) -> bool:
        """``true`` or ``false``."""
        if value is not True and value is not False:
            self.refuse("is neither `true` nor `false`", where)
        return value

    def flag_or_null(self, value: object, where: str) -> bool | None:
        """``true``, ``false`` or ``null``."""
        return None if value is None else self.flag(value, where)

    def fingerprint(self, value: object, where: str) -> str:
        """A SHA-256 in lower-case hexadecimal."""
        if type(value) is not str or not _FINGERPRINT.fullmatch(value):
            self.refuse("is no SHA-256 in lower-case hexadecimal", where)
        return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def _constant(text: str) -> NoReturn:
    raise ValueError(f"`{text}` is no number of JSON")
