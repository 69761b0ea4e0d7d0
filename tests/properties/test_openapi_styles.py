"""What is sent is what was meant: a server that reads requests by the document alone gets the arguments back."""

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from schemarouter.errors import NonRetryableInvocationError
from schemarouter.model.call import ToolCall
from schemarouter.sources.openapi import HttpInvoker, load_openapi
from support.openapi_server import EchoServer, serving

pytest.importorskip("httpx")

STRING = {"type": "string"}
ARRAY = {"type": "array", "items": STRING}
OBJECT = {"type": "object", "additionalProperties": STRING}
#: Every combination of location, style and explode that has a form for the kind of value.
COMBINATIONS = [
    *(
        (("path", style, explode, kind))
        for style in ("simple", "label", "matrix")
        for explode in (False, True)
        for kind in ("string", "array", "object")
    ),
    *((("query", "form", explode, kind)) for explode in (False, True) for kind in ("string", "array", "object")),
    ("query", "spaceDelimited", False, "array"),
    ("query", "spaceDelimited", False, "object"),
    ("query", "spaceDelimited", True, "array"),
    ("query", "pipeDelimited", False, "array"),
    ("query", "pipeDelimited", False, "object"),
    ("query", "pipeDelimited", True, "array"),
    ("query", "deepObject", True, "object"),
    *((("header", "simple", explode, kind)) for explode in (False, True) for kind in ("string", "array", "object")),
    *((("cookie", "form", explode, kind)) for explode in (False, True) for kind in ("string", "array", "object")),
    ("cookie", "cookie", True, "string"),
]
SCHEMAS = {"string": STRING, "array": ARRAY, "object": OBJECT}


def _name(location: str, style: str, explode: bool, kind: str) -> str:
    return f"{location}-{style}-{'exploded' if explode else 'plain'}-{kind}"


def _document() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for location, style, explode, kind in COMBINATIONS:
        name = _name(location, style, explode, kind)
        parameter = {"name": "p", "in": location, "style": style, "explode": explode, "schema": SCHEMAS[kind]}
        if location == "path":
            parameter["required"] = True
        path = (
            f"/{name}/x{{p}}y"
            if location == "path" and style == "simple"
            else f"/{name}" + ("/{p}" if location == "path" else "")
        )
        paths[path] = {"get": {"operationId": name, "parameters": [parameter]}}
        if location == "query":
            reserved = {**parameter, "allowReserved": True}
            paths[f"/reserved/{name}"] = {"get": {"operationId": f"reserved-{name}", "parameters": [reserved]}}
    whole = {"name": "q", "in": "querystring", "content": {"application/x-www-form-urlencoded": {"schema": OBJECT}}}
    paths["/whole"] = {"get": {"operationId": "whole", "parameters": [whole]}}
    as_json = {"name": "q", "in": "querystring", "content": {"application/json": {}}}
    paths["/whole-json"] = {"get": {"operationId": "whole-json", "parameters": [as_json]}}
    content = [{"name": "j", "in": "query", "content": {"application/json": {}}}]
    paths["/content"] = {"query": {"operationId": "content", "parameters": content}}
    for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
        schema = {"type": "string"} if kind == "text/plain" else {}
        paths[f"/body/{kind}"] = {"post": {"operationId": kind, "requestBody": {"content": {kind: {"schema": schema}}}}}
    return {"openapi": "3.2.0", "info": {"title": "styles", "version": "1"}, "paths": paths}


@pytest.fixture(scope="module")
def server():
    with serving(_document()) as running:
        yield running


async def _entered(invoker: HttpInvoker) -> HttpInvoker:
    return await invoker.__aenter__()


@pytest.fixture(scope="module")
def invoke(server: EchoServer, tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.mktemp("styles") / "styles.json"
    path.write_text(json.dumps(server.document), "utf-8")
    tool = load_openapi(path).tool
    with asyncio.Runner() as runner:
        invoker = runner.run(_entered(HttpInvoker(tool, base_url=server.url)))

        def run(endpoint: str, **arguments: Any) -> Any:
            spec = tool.endpoint(endpoint)
            call = ToolCall(tool=tool.key, endpoint=endpoint, arguments=arguments, schema_fingerprint=spec.fingerprint)
            return runner.run(invoker.invoke_call(call))

        yield run
        runner.run(invoker.__aexit__())


def _texts(*, ascii_only: bool = False) -> st.SearchStrategy[str]:
    odd = "%/?#[]@!$&'()*+,;=.| \"\\<>^`{}~-_aZ0"
    letters = st.sampled_from(odd) if ascii_only else st.sampled_from(odd) | st.characters(codec="utf-8")
    return st.text(letters, max_size=8)


VALUES = st.one_of(
    _texts(), _texts(ascii_only=True), st.lists(_texts(), max_size=4), st.dictionaries(_texts(), _texts(), max_size=4)
)


def _kind(value: Any) -> str:
    return {str: "string", list: "array", dict: "object"}[type(value)]


@pytest.mark.parametrize("combination", COMBINATIONS, ids=lambda each: _name(*each))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES)
@example(value="..")
@example(value="a/../b")
@example(value="x\r\nHost: evil")
@example(value=["a,b", "c d", "e|f", "g.h", ""])
@example(value={"p": "q", "a=b": "c,d"})
@example(value="&p=2")
def test_arguments_arrive_as_they_were_or_are_not_sent(invoke, server, combination, value):
    location, _style, _explode, kind = combination
    if _kind(value) != kind:
        return
    name = _name(*combination)
    server.seen.clear()
    try:
        read = invoke(name, p=value)
    except NonRetryableInvocationError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert re.search("cannot be called: the arguments? ", refused)
        assert server.seen == []
        # Plain values are never refused.
        plain = [value] if kind == "string" else list(value) if kind == "array" else [*value, *value.values()]
        assert not (plain and all(text.isascii() and text.isalnum() for text in plain)), "a plain value was refused"
        return
    expected = {} if value in ([], {}) else {f"{location}:p": value}
    assert read["operation"] == name
    assert read["arguments"] == expected
    assert len(server.seen) == 1


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_texts(), items=st.lists(_texts(), min_size=1, max_size=3))
def test_reserved_characters_never_end_a_parameter(invoke, value, items):
    assert invoke("reserved-query-form-plain-string", p=value)["arguments"] == {"query:p": value}
    assert invoke("reserved-query-form-plain-array", p=items)["arguments"] == {"query:p": items}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(members=st.dictionaries(_texts(), _texts(), max_size=4))
def test_a_whole_query_arrives(invoke, members):
    read = invoke("whole", q=members)["arguments"]
    assert read == ({"querystring:q": members} if members else {})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=JSON)
def test_json_arrives_in_a_query_and_in_a_body(invoke, value):
    if value is not None:
        assert invoke("whole-json", q=value)["arguments"] == {"querystring:q": value}
        read = invoke("content", j=value)
        assert read["arguments"] == {"query:j": value}
        assert read["method"] == "QUERY"
    assert invoke("application/json", body=value)["body"] == value


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(members=st.dictionaries(_texts(), _texts() | st.lists(_texts(), max_size=3), max_size=3), text=_texts())
def test_forms_and_texts_arrive(invoke, members, text):
    pairs = [
        [name, item] for name, value in members.items() for item in (value if isinstance(value, list) else [value])
    ]
    read = invoke("application/x-www-form-urlencoded", body=members)["body"]
    assert read == pairs
    assert invoke("text/plain", body=text)["body"] == text
    if text.isalnum():
        assert [part[0] for part in invoke("multipart/form-data", body={"a": text, "b": [text, text]})["body"]] == [
            "a",
            "b",
            "b",
        ]
