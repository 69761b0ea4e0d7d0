"""Where an MCP server is: a command to start, or an address. Credentials come from the application alone."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from schemarouter.sources.problem import SourceError


@dataclass(frozen=True, slots=True)
class StdioServer:
    """A server that is started as a process and speaks over its standard input and output.

    No shell is involved. The process gets ``env`` beside a few harmless variables (``PATH``, ``HOME`` and the like),
    and nothing else of this process's environment. ``stderr`` is ``"discard"``, or ``"inherit"`` for the
    terminal, which then shows whatever the server writes there.

    Raises ``SourceError`` for an empty command and for text that holds NUL.
    """

    command: str
    args: Sequence[str] = field(default=(), repr=False)  # may hold credentials, as may the environment
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | os.PathLike[str] | None = None
    stderr: str = "discard"

    def __post_init__(self) -> None:
        if isinstance(self.args, str):
            raise SourceError("the arguments of a server are a list of texts, not one text")
        texts = [self.command, *self.args, *self.env, *self.env.values()]
        if any(type(text) is not str or "\0" in text for text in texts) or not self.command:
            raise SourceError(
                "a server needs a command, and its arguments and variables must be text without NUL",
                help='write `StdioServer("mcp-server-git", ["--repository", "."])`',
            )
        if self.stderr not in ("discard", "inherit"):
            raise SourceError("`stderr` of a server must be `discard` or `inherit`")
        object.__setattr__(self, "args", tuple(self.args))
        object.__setattr__(self, "env", dict(self.env))


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A server at an address that speaks streamable HTTP. ``headers`` go with every request, to its own origin only.

    Raises ``SourceError`` for what is no http(s) URL, and for one that holds a user name, a password or a fragment.
    """

    url: str = field(repr=False)  # its query may hold a key
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            legal = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            plain = self.url.isascii() and self.url.isprintable() and " " not in self.url
        except (ValueError, TypeError, AttributeError):
            legal = False
        if not legal or not plain:
            raise SourceError("the address of a server must be a plain http or https URL")
        if parts.username is not None or parts.password is not None or parts.fragment:
            raise SourceError(
                "the address of a server holds a user name, a password or a fragment",
                help="put credentials into `headers`",
            )
        for name, value in self.headers.items():
            if not (_plain(name) and _plain(value)) or not name:
                raise SourceError("a header of a server must be printable ASCII text")
        object.__setattr__(self, "headers", dict(self.headers))


McpServer = StdioServer | HttpServer


def _plain(text: object) -> bool:
    return type(text) is str and text.isascii() and (text.isprintable() or not text)
