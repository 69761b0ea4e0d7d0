"""A catalog: tools, their operations, and what their *contracts* say of them. Immutable.

Hints and descriptions are what a server says of itself. They are kept for people to read; no decision looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Argument(NamedTuple):
    """A declared argument. ``types`` are the JSON types that its schema names, sorted; empty where it names none."""

    name: str
    required: bool
    types: tuple[str, ...] = ()


class Hints(NamedTuple):
    """What a server says of an operation, ``None`` where it says nothing. Description, never authority."""

    read_only: bool | None = None
    destructive: bool | None = None


class Operation(NamedTuple):
    """An operation and its contract. ``operation`` is the tool's key, a dot, and ``name``.

    ``remote``, ``read_only`` and ``destructive`` are the contract's, before any ``classify``. ``arguments`` are sorted by
    name; ``other_arguments`` says that the schema lets in arguments that it does not declare. ``fingerprint`` is that of
    the endpoint, ``head_fingerprint`` that of its tool without endpoints: it stays when the tool gets another endpoint.
    """

    operation: str
    tool: str
    name: str
    remote: bool
    read_only: bool | None
    destructive: bool | None
    fingerprint: str
    head_fingerprint: str
    arguments: tuple[Argument, ...] = ()
    other_arguments: bool = False
    hints: Hints = Hints()
    description: str = ""

    @property
    def attributes(self) -> tuple[bool, bool | None, bool | None]:
        """``(remote, read_only, destructive)`` of the contract."""
        return (self.remote, self.read_only, self.destructive)

    @property
    def contract(self) -> tuple[str, str]:
        """Both fingerprints: what has to be the same for the contract to be the same."""
        return (self.fingerprint, self.head_fingerprint)

    def argument(self, name: str) -> Argument | None:
        """The declared argument ``name``."""
        return next((argument for argument in self.arguments if argument.name == name), None)


class Tool(NamedTuple):
    """A tool and its operations, sorted by name. ``head_fingerprint`` is that of the tool without its endpoints."""

    key: str
    remote: bool
    source_type: str | None
    head_fingerprint: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, repr=False)
class Catalog:
    """Tools, sorted by key. Equal by value. Made by ``catalog_of`` or ``read_catalog``, which check the names."""

    tools: tuple[Tool, ...]

    @cached_property
    def operations(self) -> Mapping[str, Operation]:
        """Every operation by its full name, in order."""
        found = {each.operation: each for tool in self.tools for each in tool.operations}
        return MappingProxyType({name: found[name] for name in sorted(found)})

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the tools."""
        return frozenset(tool.key for tool in self.tools)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def __len__(self) -> int:
        return len(self.operations)

    def __reduce__(self) -> tuple[object, ...]:
        return (Catalog, (self.tools,))

    def __repr__(self) -> str:
        return f"<Catalog tools={len(self.tools)} operations={len(self)}>"
