"""What the servers' names are called in front. Decisions never go by these: they go by (local server name, real name).

With one server every name is as the server has it. With several, a tool or prompt is ``SERVER__NAME`` and a resource is
``mcp-proxy:SERVER:URI``. Both can be read in one way only: a server's name may hold no ``__`` and not end in ``_``, so the
first ``__`` ends it; and in a URI it is percent-encoded, so the second ``:`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from schemarouter.errors import RegistrationError

_BETWEEN = "__"
_SCHEME = "mcp-proxy:"


class FrontNames:
    """The mapping of names for the servers that are called ``servers``. Total, and injective.

    Raises ``RegistrationError`` for names that run into each other.
    """

    def __init__(self, servers: Iterable[str]) -> None:
        self.servers: Sequence[str] = tuple(servers)
        self._alone = len(self.servers) == 1
        if len(set(self.servers)) < len(self.servers):
            raise RegistrationError("two servers have the same local name")
        if self._alone:
            return
        for server in self.servers:
            if _BETWEEN in server or server.endswith("_"):
                raise RegistrationError(
                    f"the local name `{server}` holds `__` or ends in `_`, and of several servers the tools are called "
                    "`SERVER__TOOL`; choose another"
                )
            if any(other.startswith(f"{server}.") for other in self.servers):
                raise RegistrationError(f"operations of other servers begin like those of `{server}`; rename one")

    def front(self, server: str, name: str) -> str:
        """What the tool or prompt ``name`` of ``server`` is called in front."""
        return name if self._alone else f"{server}{_BETWEEN}{name}"

    def behind(self, front: str) -> tuple[str, str] | None:
        """The server and the real name, or ``None`` if no server is meant. Whether there is such a tool is not known here."""
        if self._alone:
            return self.servers[0], front
        server, between, name = front.partition(_BETWEEN)
        return (server, name) if between and name and server in self.servers else None

    def front_uri(self, server: str, uri: str) -> str:
        """What the resource or template ``uri`` of ``server`` is called in front."""
        return uri if self._alone else f"{_SCHEME}{quote(server, safe='')}:{uri}"

    def behind_uri(self, front: str) -> tuple[str, str] | None:
        """The server and the real URI, or ``None`` if no server is meant."""
        if self._alone:
            return self.servers[0], front
        encoded, between, uri = front.removeprefix(_SCHEME).partition(":")
        if not front.startswith(_SCHEME) or not between or not uri:
            return None
        server = unquote(encoded)
        # Only the spelling that is made here: two names of one resource would be two questions about it.
        return (server, uri) if server in self.servers and quote(server, safe="") == encoded else None
