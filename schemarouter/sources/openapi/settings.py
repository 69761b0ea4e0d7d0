"""What an application gives an invoker, checked once: where calls go, and with which credentials."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.parameters import HEADER_NAME
from schemarouter.sources.openapi.request import Outgoing
from schemarouter.sources.openapi.route import Route
from schemarouter.sources.openapi.servers import check_server_url
from schemarouter.sources.openapi.styles import Unsendable, encoded

#: Names and values, or a function that gives them for each call (a token that changes).
Provided: TypeAlias = Mapping[str, str] | Callable[[], Mapping[str, str]]
#: A URL for all operations, or URLs by the server that the document names: ``""`` is the document's own.
BaseUrl: TypeAlias = str | Mapping[str, str]

_OURS: Final = frozenset(
    {"host", "content-length", "transfer-encoding", "content-type", "accept-encoding", "connection", "cookie"}
)


@dataclass(frozen=True, slots=True)
class Settings:
    """``headers``, ``params`` and ``cookies`` are the application's; no argument overrides them."""

    headers: Provided
    params: Provided
    cookies: Provided

    def check(self) -> None:
        """Check what is known before a call. Raises ``ValueError`` and ``TypeError``."""
        if not callable(self.headers):
            self._headers()
        if not callable(self.cookies):
            self._own_cookies()
        if not callable(self.params):
            provided(self.params, "params")

    def complete(self, outgoing: Outgoing, params: Mapping[str, str]) -> tuple[str, list[tuple[str, str]]]:
        """The query and the headers of a request with what the application adds. Raises ``Unsendable``."""
        added = [f"{encoded(name)}={encoded(value)}" for name, value in params.items()]
        query = "&".join([outgoing.query, *added] if outgoing.query else added)
        own = self._headers()
        fixed = {name.lower(): value for name, value in own.items()}
        headers = list(own.items())
        for name, value in outgoing.headers:
            if name.lower() not in fixed:
                headers.append((name, value))
            elif fixed[name.lower()] != value:
                raise Unsendable(f"the header `{name}` is set by the application")
        cookies = self._cookies(outgoing)
        if cookies:
            headers.append(("Cookie", cookies))
        if "accept" not in fixed:
            headers.append(("Accept", "application/json, */*;q=0.5"))
        if "user-agent" not in fixed:
            headers.append(("User-Agent", "schemarouter"))
        headers.append(("Accept-Encoding", "gzip"))
        return query, headers

    def _headers(self) -> dict[str, str]:
        own = provided(self.headers, "headers")
        for name, value in own.items():
            if not HEADER_NAME.fullmatch(name) or name.lower() in _OURS or not _is_header_text(value):
                raise ValueError(
                    f"`headers` holds `{shown(name)}`, which cannot be set, or has a value that cannot be sent"
                )
        return own

    def _own_cookies(self) -> dict[str, str]:
        own = provided(self.cookies, "cookies")
        for name, value in own.items():
            if not HEADER_NAME.fullmatch(name) or not _is_header_text(value) or set(value) & set('";, \\'):
                raise ValueError(f"`cookies` holds `{shown(name)}`, which cannot be sent")
        return own

    def _cookies(self, outgoing: Outgoing) -> str:
        own = self._own_cookies()
        if any(name in own for name, _ in outgoing.cookies):
            raise Unsendable("a cookie among the arguments is set by the application")
        return "; ".join(f"{name}={value}" for name, value in (*own.items(), *outgoing.cookies))


def provided(given: Provided, option: str) -> dict[str, str]:
    """The names and values of now. Raises ``TypeError`` for what is no text."""
    values: dict[Any, Any] = dict(given() if callable(given) else given)
    if not all(isinstance(name, str) and isinstance(value, str) for name, value in values.items()):
        raise TypeError(f"`{option}` maps text to text")
    return values


def _is_header_text(value: str) -> bool:
    return value.isascii() and (value.isprintable() or not value) and value == value.strip()


def base_urls(given: BaseUrl | None, confirmed: str | None, routes: Collection[Route]) -> dict[str | None, str]:
    """The URL for each server that the routes name; ``None`` is the document's own.

    Raises ``ValueError`` where the application named none, or two that differ.
    """
    if given is None:
        given = confirmed
    elif confirmed is not None and isinstance(given, str) and given.rstrip("/") != confirmed:
        raise ValueError("`base_url` is not the `server_url` that the document was imported with")
    if given is None:
        raise ValueError("no `base_url`: calls go only where the application says, never where a document does")
    servers = {route.server for route in routes}
    if isinstance(given, str):
        # A document may name its one server at every path instead of once.
        only = servers.pop() if len(servers) == 1 else None
        return {only: check_server_url(given, "base_url")}
    urls = {(server or None): check_server_url(url, "base_url") for server, url in given.items()}
    unknown = set(urls) - servers - {None}
    if unknown:
        raise ValueError(
            f"`base_url` has an entry for `{shown(str(min(map(str, unknown))))}`, which no operation names"
        )
    return urls


def check_slashes(
    given: Mapping[str, Collection[str]] | None, routes: Mapping[str, Route]
) -> dict[str, frozenset[str]]:
    """The path arguments that may hold ``/``, by endpoint. Raises ``ValueError`` for what is none."""
    slashes: dict[str, frozenset[str]] = {}
    for endpoint, arguments in (given or {}).items():
        if isinstance(arguments, str):
            raise TypeError("`slashes` maps an endpoint to a list of arguments")
        known = (
            {wire.argument for wire in routes[endpoint].parameters if wire.location == "path"}
            if endpoint in routes
            else set()
        )
        if not set(arguments) <= known:
            raise ValueError(f"`slashes` names what is no path argument of `{shown(endpoint)}`")
        slashes[endpoint] = frozenset(arguments)
    return slashes
