"""Invokers for the operations of an OpenAPI document, over httpx.

Calls go to the URL that the application gives, with the credentials that it gives. Redirects are followed for reads,
to the same origin, and a few times only. Time, and the size of a response after decompression, are bounded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import unquote

from schemarouter.errors import NonRetryableInvocationError
from schemarouter.model.call import ToolCall
from schemarouter.model.tool import ToolSpec
from schemarouter.sources.openapi.answer import Collector, Unreadable, read_value, status_error, transport_error
from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.model import OpenApiImport
from schemarouter.sources.openapi.request import build_request
from schemarouter.sources.openapi.route import Route, make_routes
from schemarouter.sources.openapi.settings import BaseUrl, Provided, Settings, base_urls, check_slashes, provided
from schemarouter.sources.openapi.styles import Unsendable
from schemarouter.sources.problem import SourceError

if TYPE_CHECKING:
    import httpx

#: Seconds for one call, redirects included.
TIMEOUT: Final = 30.0
#: Bytes of one response, decompressed.
MAX_RESPONSE_BYTES: Final = 8 * 1024 * 1024
MAX_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class HttpInvoker:
    """Runs calls with httpx: hand it to ``SchemaRouter.add_bound_tool(tool, invoker)``.

    Each call opens a connection of its own, because an application may run each of them in an event loop of its own.
    Inside ``async with invoker:`` calls share the connections of one client.
    """

    def __init__(
        self,
        source: OpenApiImport | ToolSpec,
        *,
        base_url: BaseUrl | None = None,
        headers: Provided | None = None,
        params: Provided | None = None,
        cookies: Provided | None = None,
        auth: Any = None,
        slashes: Mapping[str, Collection[str]] | None = None,
        timeout: float = TIMEOUT,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        verify: Any = True,
        transport: Any = None,
        client: Any = None,
    ) -> None:
        """An invoker for the tool that was imported.

        ``base_url`` is where calls go; it may be left out if the document was imported with ``server_url``. A mapping
        gives URLs by the server that operations name for themselves (``""`` is the document's own).
        ``headers``, ``params``, ``cookies`` (mappings, or functions that give one for each call) and ``auth`` (as httpx
        takes it) are the application's credentials; no argument overrides them.
        ``slashes`` names, by endpoint, path arguments that may hold ``/``. ``timeout`` is in seconds for one call,
        ``max_response_bytes`` counts after decompression. ``verify`` and ``transport`` are passed to httpx; or give a
        ``client`` of your own, whose redirects and cookies are not used, and which you close yourself.

        Raises ``ValueError`` and ``TypeError`` for what cannot be meant, and ``SourceError`` without httpx.
        """
        try:
            import httpx
        except ImportError:
            raise SourceError("httpx is not installed", help="install `schemarouter[openapi]`") from None
        self._httpx = httpx
        tool = source.tool if isinstance(source, OpenApiImport) else source
        self._routes = make_routes(tool)
        confirmed = tool.execution_metadata.get("server_url")
        self._base_urls = base_urls(base_url, confirmed, self._routes.values())
        self._settings = Settings(headers or {}, params or {}, cookies or {})
        self._settings.check()
        self._auth = auth
        self._slashes = check_slashes(slashes, self._routes)
        if type(timeout) not in (int, float) or not 0 < timeout < float("inf"):
            raise ValueError("`timeout` is a positive number of seconds")
        if type(max_response_bytes) is not int or max_response_bytes < 1:
            raise ValueError("`max_response_bytes` is a positive number of bytes")
        self._timeout = float(timeout)
        self._limit = max_response_bytes
        self._transport, self._given = transport, client
        self._shared: httpx.AsyncClient | None = None
        if verify is True:
            # Once, not for each call; and not at all where nothing is encrypted: a redirect stays with its origin.
            encrypted = any(url.startswith("https:") for url in self._base_urls.values())
            verify = client is None and transport is None and encrypted and httpx.create_ssl_context(trust_env=False)
        self._verify = verify

    def _client_options(self) -> dict[str, Any]:
        """For a client of ours: no proxies and no passwords from the environment, and no memory for cookies."""
        jar = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
        return {
            "verify": self._verify,
            "transport": self._transport,
            "trust_env": False,
            "follow_redirects": False,
            "cookies": jar,
        }

    def _prepare(self, call: ToolCall) -> tuple[Route, httpx.Request]:
        route = self._routes.get(call.endpoint)
        if route is None or route.fingerprint != call.schema_fingerprint:
            raise NonRetryableInvocationError(
                f"this invoker was made for another contract than that of `{shown(call.endpoint)}`: make a new one"
            )
        problem = route.unsendable
        base = self._base_urls.get(route.server)
        if problem is None and base is None:
            problem = "it has a server of its own, for which `base_url` gives no URL"
        if problem is not None or base is None:
            raise NonRetryableInvocationError(f"`{shown(route.name)}` cannot be called: {problem}")
        try:
            params = provided(self._settings.params, "params")
            outgoing = build_request(route, call.arguments, slashes=self._slashes.get(route.name, ()), taken=params)
            query, headers = self._settings.complete(outgoing, params)
        except Unsendable as why:
            raise NonRetryableInvocationError(f"`{shown(route.name)}` cannot be called: {why}") from None
        target = f"{base}{outgoing.path}" + (f"?{query}" if query else "")
        return route, self._request(route.method, target, headers, outgoing.content)

    def _request(self, method: str, url: str, headers: Any, content: bytes | None) -> httpx.Request:
        """A request to exactly ``url``: whatever a library would make another one of is refused."""
        try:
            request = self._httpx.Request(method, url, headers=headers, content=content)
        except (self._httpx.InvalidURL, ValueError, TypeError):
            raise NonRetryableInvocationError("a request cannot be written: its URL is none") from None
        if request.url.raw_path.decode("ascii") != "/" + url.partition("://")[2].partition("/")[2]:
            raise NonRetryableInvocationError("a request cannot be written: its URL has another normal form")
        request.extensions = {"timeout": self._httpx.Timeout(self._timeout).as_dict()}
        return request

    def _redirected(self, route: Route, request: httpx.Request, response: httpx.Response, hops: int) -> httpx.Request:
        """The next request of a read. Raises where the redirect leads anywhere else, or does not end."""
        problem = None
        if request.method not in ("GET", "HEAD"):
            problem = "a redirect of a call that does not only read is not followed"
        elif hops >= MAX_REDIRECTS:
            problem = f"the server redirects more than {MAX_REDIRECTS} times"
        else:
            try:
                target = request.url.join(response.headers.get("location", "")).copy_with(fragment=None)
            except (self._httpx.InvalidURL, ValueError):
                problem = "the server redirects to what is no URL"
            else:
                if _origin(target) != _origin(request.url) or target.userinfo:
                    problem = "a redirect to another origin is not followed"
                elif any(unquote(part) in (".", "..") for part in target.path.split("/")):
                    problem = "the server redirects to what is no URL"
        if problem is not None:
            raise NonRetryableInvocationError(f"`{shown(route.name)}` failed: {problem}")
        next_request: httpx.Request = self._httpx.Request(request.method, target, headers=_kept(request))
        next_request.extensions = request.extensions
        return next_request

    def _collector(self, response: httpx.Response) -> Collector:
        return Collector(response.headers, self._limit)

    def _value(self, route: Route, response: httpx.Response, content: bytes) -> Any:
        return None if route.method == "HEAD" or response.status_code == 204 else read_value(content, response.headers)

    def _check_status(self, route: Route, response: httpx.Response) -> None:
        if not 200 <= response.status_code < 300:
            raise status_error(route, response.status_code)

    @contextmanager
    def _failures(self, route: Route) -> Iterator[None]:
        """Failures of the transport and of what came back, as ours: without a URL, a header or a payload."""
        httpx = self._httpx
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise transport_error(route, type(error).__name__, reached=False) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise transport_error(route, type(error).__name__, reached=True) from None
        except Unreadable as problem:
            raise NonRetryableInvocationError(f"`{shown(route.name)}` failed: the response {problem}") from None

    async def __aenter__(self) -> Self:
        if self._given is None:
            self._shared = self._httpx.AsyncClient(**self._client_options())
        return self

    async def __aexit__(self, *_exc: object) -> None:
        shared, self._shared = self._shared, None
        if shared is not None:
            await shared.aclose()

    async def invoke_call(self, call: ToolCall) -> Any:
        """Send the call and return the value of its response.

        Raises ``TransientInvocationError`` where a retry makes sense, and ``NonRetryableInvocationError`` for every
        other failure, also for any status but 2xx.
        """
        route, request = self._prepare(call)
        with self._failures(route):
            try:
                async with asyncio.timeout(self._timeout) as scope:
                    client = self._given or self._shared
                    if client is not None:
                        return await self._exchange(client, route, request)
                    async with self._httpx.AsyncClient(**self._client_options()) as own:
                        return await self._exchange(own, route, request)
            except TimeoutError:
                if not scope.expired():
                    raise
                raise transport_error(route, "timeout", reached=True) from None

    async def _exchange(self, client: httpx.AsyncClient, route: Route, request: httpx.Request) -> Any:
        for hops in range(MAX_REDIRECTS + 1):
            response = await client.send(request, stream=True, follow_redirects=False, **_auth(self._auth))
            try:
                if response.status_code in _REDIRECTS:
                    request = self._redirected(route, request, response, hops)
                    continue
                self._check_status(route, response)
                collector = self._collector(response)
                async for chunk in response.aiter_raw():  # as it comes: a size would be waited for
                    collector.feed(chunk)
                return self._value(route, response, collector.content())
            finally:
                await response.aclose()
        raise AssertionError("the last redirect was refused")


class SyncHttpInvoker:
    """The same for callers without an event loop; it takes the options of :class:`HttpInvoker`, but no ``client``.

    Each call runs in a loop of its own, so that its time is bounded as strictly. Safe to use from several threads.
    """

    def __init__(self, source: OpenApiImport | ToolSpec, **options: Any) -> None:
        if options.get("client") is not None:
            raise TypeError("`client` belongs to an event loop: use `HttpInvoker`")
        self._invoker = HttpInvoker(source, **options)

    def invoke_call(self, call: ToolCall) -> Any:
        """As :meth:`HttpInvoker.invoke_call`. Inside a running loop, it blocks that loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._invoker.invoke_call(call))
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, self._invoker.invoke_call(call)).result()


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port


def _kept(request: httpx.Request) -> list[tuple[str, str]]:
    dropped = ("host", "content-length", "content-type", "transfer-encoding")
    return [(name, value) for name, value in request.headers.multi_items() if name.lower() not in dropped]


def _auth(auth: Any) -> dict[str, Any]:
    return {} if auth is None else {"auth": auth}
