"""Which attribute classes a test is about: what it says, else what is known of the operation, else each value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from schemarouter.testkit.model import Attributes

_BOTH = (False, True)
_ANY = (None, False, True)

AttributeClass = tuple[bool, bool | None, bool | None]


class Values(NamedTuple):
    """The values that are left for each attribute; ``None`` where nothing is said about it."""

    remote: tuple[bool, ...] | None = None
    read_only: tuple[bool | None, ...] | None = None
    destructive: tuple[bool | None, ...] | None = None

    def over(self, known: Values) -> Values:
        """These values, and where nothing is said those that are ``known``."""
        return Values(*(known[index] if own is None else own for index, own in enumerate(self)))  # type: ignore[arg-type]  # a pair of the same field

    def classes(self) -> Iterator[AttributeClass]:
        """Every combination that is left."""
        return product(self.remote or _BOTH, self.read_only or _ANY, self.destructive or _ANY)


def values_of(attributes: Attributes) -> Values:
    """What ``attributes`` leave."""
    read_only: tuple[bool | None, ...] | None = None
    if attributes.read_only is not None:
        read_only = (attributes.read_only,)
    elif attributes.unclassified is not None:
        read_only = (None,) if attributes.unclassified else _BOTH
    return Values(
        None if attributes.remote is None else (attributes.remote,),
        read_only,
        None if attributes.destructive is None else (attributes.destructive,),
    )


def exactly(attributes: AttributeClass) -> Values:
    """The values of one class."""
    remote, read_only, destructive = attributes
    return Values((remote,), (read_only,), (destructive,))


def words(attributes: Attributes) -> str:
    """What ``attributes`` say, in words, for the name of a case."""
    said = []
    if attributes.remote is not None:
        said.append("remote" if attributes.remote else "local")
    if attributes.read_only is not None:
        said.append("read-only" if attributes.read_only else "mutating")
    elif attributes.unclassified is not None:
        said.append("unclassified" if attributes.unclassified else "classified")
    if attributes.destructive is not None:
        said.append("destructive" if attributes.destructive else "not destructive")
    return ", ".join(said)
