"""Calls against a real server on loopback: what comes back, what fails and how, and what never leaves."""

import asyncio
import base64
import gzip
import json
import re
import threading
import zlib

import pytest

from schemarouter import (
    ExecutionPlan,
    ExecutionPolicy,
    RetryPolicy,
    RunConfig,
    SchemaRouter,
    SchemaValidationError,
    ToolResult,
)
from schemarouter.errors import NonRetryableInvocationError, PolicyViolationError, TransientInvocationError
from schemarouter.sources.openapi import HttpInvoker, SyncHttpInvoker, load_openapi, openapi_tool
from support.openapi_documents import call_of, document, get, write
from support.openapi_server import serving

httpx = pytest.importorskip("httpx")

SECRET = "c4n4ry-s3cret"
DOCUMENT = document(
    {
        "/items/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": "items/get",
                "parameters": [
                    {"name": "q", "in": "query", "schema": {"type": "string"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "theme", "in": "cookie", "schema": {"type": "string"}},
                    {
                        "name": "filter",
                        "in": "query",
                        "schema": {"type": "object", "additionalProperties": {"type": "string"}},
                    },
                ],
            },
            "delete": {"operationId": "items/delete"},
            "head": {"operationId": "items/head"},
        },
        "/items": {
            "post": {
                "operationId": "items/create",
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
            }
        },
        "/upload": {
            "servers": [{"url": "https://uploads.example"}],
            "put": {"operationId": "upload", "requestBody": {"content": {"application/octet-stream": {}}}},
        },
        "/odd": {"post": {"operationId": "odd", "requestBody": {"content": {"application/protobuf": {}}}}},
        "/both?mode=on": {"get": {"operationId": "both"}},
    },
    servers=[{"url": "https://document.example"}],
)


@pytest.fixture
def server():
    with serving(DOCUMENT) as running:
        yield running


@pytest.fixture
def path(tmp_path):
    return write(tmp_path, DOCUMENT)


@pytest.fixture(params=["async", "sync"])
def invoke(request, server, path):
    """Run one endpoint with the async or the sync invoker, made with these options."""
    tool = load_openapi(path).tool
    classes = {"async": HttpInvoker, "sync": SyncHttpInvoker}

    def run(endpoint, arguments, **options):
        invoker = classes[request.param](tool, **{"base_url": server.url, **options})
        result = invoker.invoke_call(call_of(tool, endpoint, **arguments))
        return asyncio.run(result) if request.param == "async" else result

    run.kind = request.param
    return run


def answering(server, status=200, content=b"{}", **headers):
    """Let the server answer everything like this."""
    server.answer = lambda handler, read: handler.reply(status, content, **headers) or True


# Through the boundary


def test_a_call_goes_through_the_boundary_and_a_denied_one_sends_nothing(server, path):
    tool, invoker = openapi_tool(path, base_url=server.url, headers={"Authorization": f"Bearer {SECRET}"})
    router = SchemaRouter(policy=ExecutionPolicy())
    router.add_bound_tool(tool, invoker)

    def run(endpoint, **arguments):
        plan = ExecutionPlan(
            query="q", registry_version=router.registry.version, calls=[call_of(tool, endpoint, **arguments)]
        )
        return asyncio.run(router.execute(plan))

    (result,) = run("items/get", id="7", q="a&b=c")
    assert isinstance(result, ToolResult)
    assert result.data["operation"] == "items/get"
    assert result.data["arguments"] == {"path:id": "7", "query:q": "a&b=c"}
    assert result.data["headers"]["authorization"] == f"Bearer {SECRET}"
    server.seen.clear()
    with pytest.raises(PolicyViolationError, match="allow_destructive"):
        run("items/delete", id="7")
    with pytest.raises(SchemaValidationError):
        run("items/get", id="7", other="undeclared")
    with pytest.raises(SchemaValidationError):
        run("items/get", id=7)
    assert server.seen == []


def test_a_read_is_retried_and_a_write_is_not(server, path):
    tool, invoker = openapi_tool(path, base_url=server.url)
    router = SchemaRouter(policy=ExecutionPolicy(allow_mutations=True))
    router.add_bound_tool(tool, invoker)
    answering(server, 503, SECRET.encode())
    config = RunConfig(retry=RetryPolicy(max_attempts=3))
    for endpoint, arguments, attempts in (("items/get", {"id": "1"}, 3), ("items/create", {"body": {}}, 1)):
        server.seen.clear()
        plan = ExecutionPlan(
            query="q", registry_version=router.registry.version, calls=[call_of(tool, endpoint, **arguments)]
        )
        with pytest.raises((TransientInvocationError, NonRetryableInvocationError)) as caught:
            asyncio.run(router.execute(plan, config=config))
        assert len(server.seen) == attempts
        assert SECRET not in repr(caught.value)


def test_one_client_serves_many_calls_inside_a_block(server, path):
    tool = load_openapi(path).tool

    async def run():
        async with HttpInvoker(tool, base_url=server.url) as invoker:
            calls = (invoker.invoke_call(call_of(tool, "items/get", id=str(n))) for n in range(20))
            return await asyncio.gather(*calls)

    assert sorted(int(read["arguments"]["path:id"]) for read in asyncio.run(run())) == list(range(20))


# What comes back


@pytest.mark.parametrize(
    ("content", "media_type", "value"),
    [
        (b'{"a": [1, 2.5, null]}', "application/json; charset=utf-8", {"a": [1, 2.5, None]}),
        (b'"x"', "application/vnd.x+json", "x"),
        ("é".encode(), "text/plain; charset=utf-8", "é"),
        (b"\xe9", "text/plain", "é"),
        (b"<a/>", "application/xml", "<a/>"),
        (b"", "application/json", None),
        (b"\x00\x01", "image/png", {"media_type": "image/png", "base64": "AAE="}),
    ],
)
def test_values_by_media_type(invoke, server, content, media_type, value):
    answering(server, 200, content, Content_Type=media_type)
    assert invoke("items/get", {"id": "1"}) == value


def test_no_content_is_none_and_head_has_none(invoke, server):
    answering(server, 204, b"")
    assert invoke("items/delete", {"id": "1"}) is None
    answering(server, 200, b"{}")
    assert invoke("items/head", {"id": "1"}) is None


@pytest.mark.parametrize("content", [b"{", b"NaN", b"[" * 100_000, b"\xff", b"1" * 5_000, b'{"a": Infinity}'])
def test_what_is_no_json_is_a_failure(invoke, server, content):
    answering(server, 200, content)
    with pytest.raises(NonRetryableInvocationError, match="is no JSON, though it says so"):
        invoke("items/get", {"id": "1"})


@pytest.mark.parametrize("status", [301, 304, 400, 401, 403, 404, 409, 418, 500, 501])
def test_any_other_status_is_a_failure_without_payload(invoke, server, status):
    answering(server, status, json.dumps({"secret": SECRET}).encode(), X_Secret=SECRET)
    with pytest.raises(NonRetryableInvocationError) as caught:
        invoke("items/get", {"id": SECRET})
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("status", [408, 425, 429, 502, 503, 504])
def test_what_may_pass_is_transient_for_reads(invoke, server, status):
    answering(server, status, SECRET.encode())
    with pytest.raises(TransientInvocationError, match=f"status {status}"):
        invoke("items/get", {"id": "1"})
    expected = TransientInvocationError if status == 429 else NonRetryableInvocationError
    with pytest.raises(expected, match=f"status {status}"):
        invoke("items/create", {"body": {}})


# Limits


@pytest.mark.parametrize("compressed", [False, True])
def test_a_response_has_a_limit_after_decompression(invoke, server, compressed):
    content = b'"' + b"a" * 100_000 + b'"'
    headers = {"Content_Encoding": "gzip"} if compressed else {}
    answering(server, 200, gzip.compress(content) if compressed else content, **headers)
    assert len(invoke("items/get", {"id": "1"})) == 100_000
    with pytest.raises(NonRetryableInvocationError, match="larger than 100000 bytes"):
        invoke("items/get", {"id": "1"}, max_response_bytes=100_000)


def test_a_compression_bomb_is_never_unpacked(invoke, server):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(400)) + packer.flush()
    answering(server, 200, bomb, Content_Encoding="gzip")
    import tracemalloc

    tracemalloc.start()
    try:
        with pytest.raises(NonRetryableInvocationError, match="larger than"):
            invoke("items/get", {"id": "1"})
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("content", "encoding"),
    [(b"x", "br"), (b"x", "gzip, gzip"), (b"no gzip", "gzip"), (gzip.compress(b"{}", mtime=0)[:-9], "gzip")],
)
def test_odd_compression_is_a_failure(invoke, server, content, encoding):
    answering(server, 200, content, Content_Encoding=encoding)
    with pytest.raises(NonRetryableInvocationError, match="the response"):
        invoke("items/get", {"id": "1"})


def test_an_endless_response_without_length_ends_at_the_limit(invoke, server):
    def endless(handler, _read):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Connection", "close")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65_536)
        except OSError:
            handler.close_connection = True
            return True

    server.answer = endless
    with pytest.raises(NonRetryableInvocationError, match="larger than"):
        invoke("items/get", {"id": "1"})


@pytest.mark.parametrize(
    ("endpoint", "kind"), [("items/get", TransientInvocationError), ("items/create", NonRetryableInvocationError)]
)
def test_a_server_that_drips_is_cut_off(invoke, server, endpoint, kind):
    done = threading.Event()

    def drip(handler, _read):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        try:
            while not done.wait(0.02):
                handler.wfile.write(b" ")
        except OSError:
            pass
        handler.close_connection = True
        return True

    server.answer = drip
    arguments = {"id": "1"} if endpoint == "items/get" else {"body": {}}
    try:
        with pytest.raises(kind, match="no answer from the server"):
            invoke(endpoint, arguments, timeout=0.3)
    finally:
        done.set()


def test_a_server_that_is_not_there(invoke):
    with pytest.raises(TransientInvocationError, match=r"no answer from the server \(ConnectError\)"):
        invoke("items/create", {"body": {}}, base_url="http://127.0.0.1:1")


def test_a_connection_that_breaks_is_transient_for_reads_only(invoke, server):
    def breaking(handler, _read):
        handler.close_connection = True
        handler.connection.close()
        return True

    server.answer = breaking
    with pytest.raises(TransientInvocationError, match="no answer"):
        invoke("items/get", {"id": "1"})
    with pytest.raises(NonRetryableInvocationError, match="no answer"):
        invoke("items/create", {"body": {}})


# Redirects


def _redirecting(server, target, status=302):
    def answer(handler, read):
        if "moved" in read["target"]:
            return False
        handler.reply(status, b"", Location=target)
        return True

    server.answer = answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_read_follows_a_redirect_to_the_same_origin(invoke, server, status):
    _redirecting(server, "/items/moved?q=1", status)
    read = invoke("items/get", {"id": "1"}, headers={"Authorization": SECRET})
    assert read["arguments"]["path:id"] == "moved"
    assert read["headers"]["authorization"] == SECRET
    with pytest.raises(NonRetryableInvocationError, match="a redirect of a call that does not only read"):
        invoke("items/create", {"body": {}})


def test_no_redirect_leads_to_another_origin(invoke, server):
    with serving(DOCUMENT) as other:
        host = server.url.removeprefix("http://")
        for target in (
            f"{other.url}/items/moved",
            f"//{other.url.removeprefix('http://')}/items/moved",
            f"https://{host}/items/moved",
            f"http://user:{SECRET}@{host}/items/moved",
            f"http://localhost:{server.server_address[1]}/items/moved",
            f"http://{host}\\@{other.url.removeprefix('http://')}/moved",
            "file:///etc/passwd",
            "/\\evil.example/moved",
            "http://[::1/moved",
        ):
            _redirecting(server, target)
            try:
                read = invoke("items/get", {"id": "1"}, headers={"Authorization": SECRET})
            except (NonRetryableInvocationError, TransientInvocationError) as error:
                said = str(error)
            else:
                said = "a path on the same server"
                assert read["operation"] is None
            assert SECRET not in said
            assert other.seen == []


def test_redirects_end(invoke, server):
    server.answer = lambda handler, read: handler.reply(302, b"", Location="/items/again") or True
    with pytest.raises(NonRetryableInvocationError, match="redirects more than 5 times"):
        invoke("items/get", {"id": "1"})
    assert len(server.seen) == 6


# What no argument can do


@pytest.mark.parametrize(
    "value",
    [
        "..",
        ".",
        "",
        "../admin",
        "a/../../admin",
        "a/b",
        "/",
        "a\\b",
        "%2e%2e",
        "..%2fadmin",
        "%2F",
        "%5c",
        "%00",
        "%252e",
        "a\r\nHost: evil",
        "a\x00",
        "..;/admin\n",
        "\x85",
    ],
)
def test_a_path_argument_stays_in_its_segment(invoke, server, value):
    with pytest.raises(NonRetryableInvocationError, match="cannot be called") as caught:
        invoke("items/get", {"id": value})
    assert server.seen == []
    assert value not in str(caught.value) or value in ("", ".", "/", "..")


@pytest.mark.parametrize(
    "value", ["a?b=c", "a#b", "a;b=c", "@evil.example", "http:evil", "a b", "%zz", "é日", "a&b", "...", ":", "*"]
)
def test_odd_path_arguments_arrive_as_they_were(invoke, server, value):
    read = invoke("items/get", {"id": value})
    assert read["arguments"] == {"path:id": value}
    assert read["headers"]["host"] == server.url.removeprefix("http://")


@pytest.mark.parametrize(
    ("endpoint", "arguments", "other"),
    [
        ("one", {"id": "public"}, "/gists/public"),
        ("one", {"id": "PUBLIC"}, "/gists/public"),
        ("part", {"id": "x", "part": "stars"}, "/gists/{gist}/stars"),
        ("part", {"id": "all", "part": "x"}, "/gists/all/{part}"),
        ("one", {"id": "publi"}, None),
        ("part", {"id": "public", "part": "public"}, None),
        ("range", {"range": "a...b"}, None),
    ],
)
def test_no_argument_makes_an_operation_another_one(tmp_path, endpoint, arguments, other):
    paths = {
        "/gists/{id}": "one",
        "/gists/public": "public",
        "/gists/{id}/{part}": "part",
        "/gists/{gist}/stars": "stars",
        "/gists/all/{part}": "all",
        "/compare/{range}": "range",
        "/compare/{a}...{b}": "two",
    }
    string = {"in": "path", "required": True, "schema": {"type": "string"}}
    contents = document(
        {
            path: get(operationId=name, parameters=[{"name": each, **string} for each in re.findall("{(.*?)}", path)])
            for path, name in paths.items()
        }
    )
    # Also where the other operation was not taken over.
    tool = load_openapi(write(tmp_path, contents), select=["one", "part", "range"]).tool
    with serving(contents) as server:
        invoker = SyncHttpInvoker(tool, base_url=server.url)
        if other is None:
            assert invoker.invoke_call(call_of(tool, endpoint, **arguments))["operation"] in (endpoint, "two")
            return
        with pytest.raises(NonRetryableInvocationError) as caught:
            invoker.invoke_call(call_of(tool, endpoint, **arguments))
        assert f"another operation, `{other}`" in str(caught.value)
        assert server.seen == []


def test_slashes_are_for_the_application_to_allow(invoke, server):
    options = {"slashes": {"items/get": ["id"]}}
    assert invoke("items/get", {"id": "a/b.c"}, **options)["target"] == "/items/a%2Fb.c"
    for value in ("a/../b", "/a", "a/", "a//b", "./a", "a/%2e%2e/b"):
        with pytest.raises(NonRetryableInvocationError, match="cannot be called"):
            invoke("items/get", {"id": value}, **options)
    with pytest.raises(ValueError, match="no path argument"):
        invoke("items/get", {"id": "1"}, slashes={"items/get": ["q"]})
    with pytest.raises(ValueError, match="no path argument"):
        invoke("items/get", {"id": "1"}, slashes={"gone": ["q"]})


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\x00", " a", "a ", "é", "\t"])
def test_a_header_argument_stays_in_its_header(invoke, server, value):
    with pytest.raises(NonRetryableInvocationError, match="the argument `X-Trace` holds what no header may hold"):
        invoke("items/get", {"id": "1", "X-Trace": value})
    assert server.seen == []


def test_no_argument_overrides_what_the_application_sets(invoke, server):
    options = {"headers": {"x-trace": "ours"}, "params": {"key": SECRET}, "cookies": {"theme": "dark"}}
    assert invoke("items/get", {"id": "1", "X-Trace": "ours"}, **options)["headers"]["x-trace"] == "ours"
    for arguments, said in (
        ({"X-Trace": "theirs"}, "the header `X-Trace` is set by the application"),
        ({"theme": "light"}, "a cookie among the arguments is set by the application"),
        ({"filter": {"key": "x"}}, "a name that belongs to another parameter"),
        ({"filter": {"q": "x"}}, "a name that belongs to another parameter"),
    ):
        with pytest.raises(NonRetryableInvocationError, match=said) as caught:
            invoke("items/get", {"id": "1", **arguments}, **options)
        assert SECRET not in str(caught.value)
    read = invoke("items/get", {"id": "1", "filter": {"other": "x&key=y"}}, **options)
    assert read["target"] == f"/items/1?other=x%26key%3Dy&key={SECRET}"


def test_a_fixed_query_is_sent(invoke):
    assert invoke("both", {})["target"] == "/both?mode=on"


# Where calls go, and with what


def test_nothing_goes_where_only_the_document_says(path):
    with pytest.raises(ValueError, match="no `base_url`"):
        HttpInvoker(load_openapi(path))


def test_an_operation_with_a_server_of_its_own_needs_the_applications_word(invoke, server):
    body = {"body": base64.b64encode(b"\x00data").decode()}
    with pytest.raises(
        NonRetryableInvocationError, match="it has a server of its own, for which `base_url` gives no URL"
    ):
        invoke("upload", body)
    assert server.seen == []
    read = invoke("upload", body, base_url={"": "http://127.0.0.1:1", "https://uploads.example": server.url})
    assert base64.b64decode(read["body"]) == b"\x00data"
    with pytest.raises(ValueError, match="which no operation names"):
        invoke("upload", body, base_url={"https://other.example": server.url})
    with pytest.raises(NonRetryableInvocationError, match="no base64"):
        invoke("upload", {"body": "?"}, base_url={"https://uploads.example": server.url})


def test_what_cannot_be_sent_says_why(invoke):
    with pytest.raises(NonRetryableInvocationError, match="none of the media types of its body can be sent"):
        invoke("odd", {})


def test_credentials_come_from_the_application_alone(invoke, server, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login x password {SECRET}\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.answer = lambda handler, read: (
        handler.reply(200, json.dumps(read).encode(), Set_Cookie="session=theirs") or True
    )
    for _ in range(2):
        read = invoke("items/get", {"id": "1"})
        assert not read["headers"].keys() & {"authorization", "cookie"}
    assert invoke("items/get", {"id": "1"}, auth=("user", "pass"))["headers"]["authorization"].startswith("Basic ")
    tokens = iter(["one", "two"])
    options = {"headers": lambda: {"X-Token": next(tokens)}, "cookies": {"session": "ours"}}
    assert invoke("items/get", {"id": "1"}, **options)["headers"]["x-token"] == "one"
    read = invoke("items/get", {"id": "1", "theme": "a;b"}, **options)
    assert (read["headers"]["x-token"], read["headers"]["cookie"]) == ("two", "session=ours; theme=a%3Bb")


def test_cookies_of_a_server_are_forgotten_between_calls(server, path):
    tool = load_openapi(path).tool
    server.answer = lambda handler, read: (
        handler.reply(200, json.dumps(read).encode(), Set_Cookie="session=theirs") or True
    )

    async def run():
        async with HttpInvoker(tool, base_url=server.url) as invoker:
            return [await invoker.invoke_call(call_of(tool, "items/get", id="1")) for _ in range(2)]

    assert all("cookie" not in read["headers"] for read in asyncio.run(run()))


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"Host": "x"}},
        {"headers": {"Content-Length": "1"}},
        {"headers": {"Cookie": "a=b"}},
        {"headers": {"X": "a\r\nb"}},
        {"headers": {"a b": "x"}},
        {"headers": {"X": 5}},
        {"cookies": {"a": "b;c"}},
        {"params": {"a": 1}},
        {"timeout": 0},
        {"timeout": True},
        {"timeout": float("nan")},
        {"max_response_bytes": 0},
        {"base_url": "ftp://x"},
        {"base_url": "https://u:p@x"},
        {"base_url": None},
    ],
)
def test_settings_that_cannot_be_meant_are_refused_at_once(path, options):
    with pytest.raises((ValueError, TypeError)):
        HttpInvoker(load_openapi(path), **{"base_url": "https://api.example", **options})


def test_an_invoker_runs_only_the_contract_that_it_was_made_for(server, path):
    tool = load_openapi(path).tool
    invoker = SyncHttpInvoker(tool, base_url=server.url)
    changed = tool.model_copy(deep=True)
    changed.endpoint("items/get").path = "/admin/{id}"
    with pytest.raises(NonRetryableInvocationError, match="another contract"):
        invoker.invoke_call(call_of(changed, "items/get", id="1"))
    assert server.seen == []


def test_changing_the_tool_afterwards_changes_nothing(server, path):
    tool = load_openapi(path).tool
    call = call_of(tool, "items/get", id="1")
    invoker = SyncHttpInvoker(tool, base_url=server.url)
    tool.endpoint("items/get").path = "/admin/{id}"
    assert invoker.invoke_call(call)["target"] == "/items/1"


def test_a_document_with_one_server_at_every_path_needs_one_url(server, tmp_path):
    contents = document(
        {"/x": {**get(operationId="a"), "servers": [{"url": "https://one.example"}]}},
        servers=[{"url": "https://root.example"}],
    )
    tool = load_openapi(write(tmp_path, contents)).tool
    with serving(contents) as own:
        assert SyncHttpInvoker(tool, base_url=own.url).invoke_call(call_of(tool, "a"))["operation"] == "a"


def test_cancelling_a_call_passes_unchanged(server, path):
    waiting = threading.Event()
    server.answer = lambda handler, read: waiting.wait(5) and False
    tool = load_openapi(path).tool
    invoker = HttpInvoker(tool, base_url=server.url)

    async def run():
        task = asyncio.create_task(invoker.invoke_call(call_of(tool, "items/get", id="1")))
        await asyncio.sleep(0.1)
        task.cancel()
        await task

    try:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(run())
    finally:
        waiting.set()


def test_the_sync_invoker_also_works_inside_a_loop(server, path):
    tool = load_openapi(path).tool
    invoker = SyncHttpInvoker(tool, base_url=server.url)

    async def run():
        return invoker.invoke_call(call_of(tool, "items/get", id="1"))

    assert asyncio.run(run())["operation"] == "items/get"
    with pytest.raises(TypeError, match="`client`"):
        SyncHttpInvoker(tool, base_url=server.url, client=object())


def test_headers_that_drip_are_cut_off(invoke, server):
    done = threading.Event()

    def drip(handler, _read):
        try:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-A: ")
            while not done.wait(0.02):
                handler.wfile.write(b"a")
        except OSError:
            pass
        handler.close_connection = True
        return True

    server.answer = drip
    try:
        with pytest.raises(TransientInvocationError, match="no answer"):
            invoke("items/get", {"id": "1"}, timeout=0.3)
    finally:
        done.set()
