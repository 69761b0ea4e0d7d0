"""Names in a catalog (SPEC 1): legal, each once, and none that runs into another tool's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.errors import CatalogError
from schemarouter.model.names import name_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemarouter.catalog.records import Tool

#: Characters of one name, as in a registry.
MAX_NAME = 512
#: Characters of a tool's key: a namespace, a dot and a name.
MAX_KEY = 2 * MAX_NAME + 1


def check_name(what: str, name: str, where: str | None = None, *, limit: int = MAX_NAME) -> None:
    """Refuse an illegal name with :class:`~schemarouter.errors.CatalogError`; ``what`` is the word for it."""
    problem = f"is longer than {limit} characters" if len(name) > limit else name_problem(name)
    if problem is not None:
        place = "" if where is None else f"{where}: "
        raise CatalogError(f"{place}{what} `{legible(name)}` {problem}", help="rename it where the tool is defined")


def check_collisions(tools: Iterable[Tool]) -> None:
    """Refuse two tools of one key, two operations of one name, and names that run into each other (SPEC 1)."""
    keys: set[str] = set()
    owners: dict[str, str] = {}
    for tool in tools:
        if tool.key in keys:
            raise CatalogError(
                f"two tools have the key `{legible(tool.key)}`", help="give one of them another name with `--name`"
            )
        keys.add(tool.key)
        for operation in tool.operations:
            if operation.operation in owners:
                raise CatalogError(
                    f"the operation `{legible(operation.operation)}` is there twice",
                    help="rename one of the two where it is defined, or give its tool another name",
                )
            owners[operation.operation] = tool.key
    for name, owner in owners.items():
        for prefix in _dotted(name):
            if prefix in keys and prefix != owner:
                raise CatalogError(
                    f"the operation `{legible(name)}` of the tool `{legible(owner)}` runs into the tool "
                    f"`{legible(prefix)}`, whose rules would reach it",
                    help="give one of the tools another name with `--name`",
                )


def _dotted(operation: str) -> Iterator[str]:
    """Every part of ``operation`` that ends before a dot, and the whole."""
    end = operation.find(".")
    while end != -1:
        yield operation[:end]
        end = operation.find(".", end + 1)
    yield operation


def legible(name: str) -> str:
    """A name that may be anything, as messages show it: on one line, in ASCII where it does not print, shortened."""
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= 100 else f"{text[:99]}…"
