"""From a host's name of a tool to an operation: total, injective, and settled before anything runs.

A host often has one flat list of names, and renames what comes from elsewhere. Policy speaks of operations, a tool's key
and an endpoint's name. What has no place in the mapping is denied; two names for one operation are refused.
"""

from __future__ import annotations

from collections import namedtuple

from schemarouter.errors import RegistrationError
from schemarouter.model.names import name_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NamedTuple

    class _Pair(NamedTuple):
        tool: str
        endpoint: str
else:
    _Pair = namedtuple("_Pair", "tool endpoint")  # a hook process imports this module, and `typing` costs milliseconds


class Operation(_Pair):
    """A tool's key and an endpoint's name."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self.tool}.{self.endpoint}"


class HostNames:
    """The mapping of one host.

    ``tool``: the key under which every name of the host stands that nothing else says of, so ``send`` is ``tool.send``; with
    ``None`` such names are unknown. ``explicit``: operations of single names. ``servers``: local names of MCP servers, whose
    tools the host calls ``mcp__SERVER__NAME``; a name that begins so, and names no configured server, is unknown. Of several
    servers the longest that fits counts, and one name that could be split in two ways is refused when the mapping is made.

    Raises :class:`~schemarouter.errors.RegistrationError` for names that no operation may have, and for two names of one
    operation.
    """

    PREFIX = "mcp__"

    def __init__(
        self,
        tool: str | None = None,
        *,
        explicit: Mapping[str, Operation] | None = None,
        servers: Iterable[str] = (),
    ) -> None:
        self._tool = None if tool is None else _checked(tool)
        self._servers = tuple(sorted({_checked(server) for server in servers}, key=len, reverse=True))
        for server in self._servers:
            for other in self._servers:
                if other != server and other.startswith(f"{server}__"):
                    raise RegistrationError(
                        f"the servers `{server}` and `{other}` cannot be told apart in `{self.PREFIX}{other}__...`"
                    )
        keys = [*self._servers, *(() if self._tool is None else (self._tool,))]
        for place, one in enumerate(keys):
            for other in keys[:place] + keys[place + 1 :]:
                if other == one or other.startswith(f"{one}."):
                    raise RegistrationError(f"operations of `{one}` and `{other}` run into each other; rename one")
        self._explicit: dict[str, Operation] = {}
        taken: dict[str, str] = {}
        for name, operation in (explicit or {}).items():
            tool_key, endpoint = operation
            made = Operation(_checked(tool_key), _checked(endpoint))
            if str(made) in taken:
                raise RegistrationError(f"`{name}` and `{taken[str(made)]}` are both names of `{made}`")
            taken[str(made)] = name
            self._explicit[name] = made
        self._taken = taken

    def operation(self, name: str) -> Operation | None:
        """The operation of a host's name, or ``None`` if it is unknown."""
        found = self._explicit.get(name)
        if found is not None:
            return found
        made = self._split(name) if name.startswith(self.PREFIX) else self._plain(name)
        # What is said of one name only is that name's: no other spelling reaches it.
        return None if made is None or self._taken.get(str(made), name) != name else made

    def name(self, operation: Operation) -> str:
        """The host's name of an operation that the mapping has: the way back."""
        taken = self._taken.get(str(operation))
        if taken is not None:
            return taken
        if operation.tool == self._tool:
            return operation.endpoint
        return f"{self.PREFIX}{operation.tool}__{operation.endpoint}"

    def _plain(self, name: str) -> Operation | None:
        return Operation(self._tool, name) if self._tool is not None and name_problem(name) is None else None

    def _split(self, name: str) -> Operation | None:
        rest = name.removeprefix(self.PREFIX)
        for server in self._servers:
            endpoint = rest.removeprefix(f"{server}__")
            if endpoint != rest and endpoint and name_problem(endpoint) is None:
                # A host's own tool of that spelling would be the same operation under the same name, so nothing is lost.
                return Operation(server, endpoint)
        return None


def _checked(name: str) -> str:
    problem = name_problem(name)
    if problem is not None:
        raise RegistrationError(f"the name `{ascii(name)[1:-1]}` {problem}")
    return name
