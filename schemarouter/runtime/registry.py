"""The registry: contracts by key. Readers see one consistent state without waiting; writers take turns."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from schemarouter.contract.admission import admit
from schemarouter.contract.prepared import PreparedEndpoint, PreparedTool
from schemarouter.errors import RegistrationError
from schemarouter.model.tool import EndpointSpec, ToolSpec


class RegistrySnapshot(NamedTuple):
    """One state of a registry: ``tools`` by key, in the order of registration. Neither is ever changed."""

    version: int
    tools: dict[str, PreparedTool]


class InMemoryRegistry:
    """Contracts of tools, checked and prepared when they are registered. Safe to use from several threads.

    Everything that is handed out is a detached copy. ``version`` grows by one with every write.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot = RegistrySnapshot(0, {})
        #: For every operation and every part of one that ends before a dot: how many tools it belongs to.
        self._prefixes: Counter[str] = Counter()

    @property
    def version(self) -> int:
        """How many writes there were."""
        return self._snapshot.version

    def register(self, tool: ToolSpec, *, replace: bool = False) -> str:
        """Add ``tool`` and return its key. ``replace`` also takes the place of a tool with the same key.

        Raises ``RegistrationError``, and changes nothing, for an invalid contract, for a key that is taken, and for
        names that run into those of another tool (SPEC 1), whichever of both came first.
        """
        return self.add(admit(tool), replace=replace)

    def add(self, prepared: PreparedTool, *, replace: bool = False) -> str:
        """As :meth:`register`, for a contract that was admitted before."""
        key = prepared.key
        with self._lock:
            version, tools = self._snapshot
            old = tools.get(key)
            if old is not None and not replace:
                raise RegistrationError(f"the tool `{key}` is already registered")
            self._refuse_collision(prepared, old)
            self._prefixes.subtract(_prefixes(old))
            self._prefixes.update(_prefixes(prepared))
            self._snapshot = RegistrySnapshot(version + 1, {**tools, key: prepared})
        return key

    def _refuse_collision(self, tool: PreparedTool, old: PreparedTool | None) -> None:
        own = 1 if old is not None and old.endpoints else 0
        if self._prefixes[tool.key] > own:
            raise RegistrationError(
                f"the key `{tool.key}` is the beginning of operations of another tool, whose rules would reach it"
            )
        tools = self._snapshot.tools
        for prefix in _prefixes(tool):
            if prefix in tools and prefix != tool.key:
                raise RegistrationError(
                    f"operations of `{tool.key}` begin like those of the registered tool `{prefix}`, whose rules would reach them"
                )

    def unregister(self, key: str) -> None:
        """Remove a tool; raise ``KeyError`` if there is none of that key."""
        with self._lock:
            version, tools = self._snapshot
            rest = dict(tools)
            self._prefixes.subtract(_prefixes(rest.pop(key)))
            self._prefixes = +self._prefixes
            self._snapshot = RegistrySnapshot(version + 1, rest)

    def get(self, key: str) -> ToolSpec:
        """Return a detached copy of a tool; raise ``KeyError`` if there is none of that key."""
        return self._snapshot.tools[key].detached()

    def endpoint(self, key: str, name: str) -> EndpointSpec:
        """Return a detached copy of an endpoint; raise ``KeyError`` if there is no such tool or endpoint."""
        return self.prepared(key, name).detached()

    def keys(self) -> list[str]:
        """Return the keys in the order of registration."""
        return list(self._snapshot.tools)

    def tools(self) -> list[ToolSpec]:
        """Return detached copies of all tools in the order of registration."""
        return [tool.detached() for tool in self._snapshot.tools.values()]

    def snapshot(self) -> RegistrySnapshot:
        """Return the state of now, for readers that need several answers from one state. Not for changing."""
        return self._snapshot

    def prepared(self, key: str, name: str) -> PreparedEndpoint:
        """Return the prepared contract of an operation; raise ``KeyError`` if there is no such tool or endpoint."""
        return self._snapshot.tools[key].endpoints[name]


def _prefixes(tool: PreparedTool | None) -> set[str]:
    """Return every operation of ``tool`` and every part of one that ends before a dot."""
    return {prefix for endpoint in tool.endpoints.values() for prefix in _dotted(endpoint.operation)} if tool else set()


def _dotted(operation: str) -> Iterator[str]:
    end = operation.find(".")
    while end != -1:
        yield operation[:end]
        end = operation.find(".", end + 1)
    yield operation
