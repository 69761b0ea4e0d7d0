"""A document to a tool: names, classification, parameters, bodies and what is noted."""

import pytest

from schemarouter.contract.schema import CompiledSchema
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.sources.openapi import Classification, Operation, load_openapi
from schemarouter.sources.problem import SourceError
from support.openapi_documents import document, get, imported, write


def _endpoint(tmp_path, item, path="/x", **members):
    options = members.pop("options", {})
    (endpoint,) = imported(tmp_path, document({path: item}, **members), **options).tool.endpoints
    return endpoint


def _notes(tmp_path, contents):
    return [note.message for note in imported(tmp_path, contents).notes]


def test_an_import_is_remote_and_can_be_registered(tmp_path):
    tool = imported(tmp_path, document({"/x": get(operationId="repos/delete", summary="s", description="d")})).tool
    assert (tool.remote, tool.source_type, tool.key) == (True, "openapi", "api")
    assert InMemoryRegistry().register(tool) == "api"
    (endpoint,) = tool.endpoints
    assert (endpoint.name, endpoint.method, endpoint.path, endpoint.description) == ("repos/delete", "GET", "/x", "d")
    assert endpoint.metadata["summary"] == "s"


def test_descriptions_of_the_document_are_no_part_of_the_fingerprint_but_what_calls_need_is(tmp_path):
    one = _endpoint(tmp_path, get(operationId="a", tags=["t"], summary="s", description="d"))
    other = _endpoint(tmp_path, get(operationId="a", tags=["u"], deprecated=True, description="d"))
    assert one.fingerprint == other.fingerprint
    styled = get(
        operationId="a",
        description="d",
        parameters=[{"name": "q", "in": "query", "style": "form", "explode": False, "schema": {}}],
    )
    plain = get(operationId="a", description="d", parameters=[{"name": "q", "in": "query", "schema": {}}])
    assert _endpoint(tmp_path, styled).fingerprint != _endpoint(tmp_path, plain).fingerprint


# Names


def test_what_has_no_name_is_called_by_method_and_path(tmp_path):
    tool = imported(
        tmp_path,
        document(
            {
                "/a/{id}": {**get(), "parameters": [{"name": "id", "in": "path", "required": True}]},
                "/b": {"post": {"operationId": ""}},
            }
        ),
    ).tool
    assert [endpoint.name for endpoint in tool.endpoints] == ["GET /a/{id}", "POST /b"]


def test_operations_that_share_a_name_all_lose_it(tmp_path):
    contents = document(
        {"/a": get(operationId="same"), "/b": {"get": {"operationId": "same"}, "put": {"operationId": "own"}}}
    )
    result = imported(tmp_path, contents)
    assert [endpoint.name for endpoint in result.tool.endpoints] == ["GET /a", "GET /b", "own"]
    assert [note.message for note in result.notes] == [
        "the `operationId` `same` is not unique: the operation is called `GET /a`",
        "the `operationId` `same` is not unique: the operation is called `GET /b`",
    ]


def test_an_operation_may_not_pose_as_another(tmp_path):
    contents = document({"/a": {"delete": {"operationId": "GET /b"}}, "/b": get()})
    # Both would be called `GET /b`: the one that chose it is called by what it is.
    assert [(each.name, each.method) for each in imported(tmp_path, contents).tool.endpoints] == [
        ("DELETE /a", "DELETE"),
        ("GET /b", "GET"),
    ]
    contents = document(
        {"/a": get(operationId="same"), "/b": get(operationId="same"), "/c": {"delete": {"operationId": "GET /a"}}}
    )
    with pytest.raises(SourceError, match="the name `GET /a` is also that of the operation at"):
        imported(tmp_path, contents)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a\nb", r"U\+000A"),
        ("a\u200bb", r"U\+200B"),
        ("\u202egpj", r"U\+202E"),
        (" a", "white space"),
        ("cafe\u0301", "NFC"),
        ("\ud800", r"U\+D800"),
        ("a" * 600, "longer than 512"),
        (5, "is no text"),
    ],
)
def test_names_that_no_registry_takes_are_refused_with_the_reason(tmp_path, name, said):
    with pytest.raises(SourceError, match=said) as caught:
        imported(tmp_path, document({"/x": get(operationId=name)}))
    assert "#/paths/~1x/get" in str(caught.value)
    assert str(caught.value).isprintable()


def test_select_leaves_out_what_cannot_be_taken(tmp_path):
    contents = document(
        {
            "/x": get(operationId="bad\n"),
            "/y": get(operationId="things.list", tags=["t"]),
            "/z#": get(operationId="things.odd"),
        }
    )
    assert len(imported(tmp_path, contents, select="things.l*").tool.endpoints) == 1
    assert len(imported(tmp_path, contents, select=["things.list", "other"]).tool.endpoints) == 1
    assert len(imported(tmp_path, contents, select=lambda operation: "t" in operation.tags).tool.endpoints) == 1
    with pytest.raises(SourceError, match="`select` takes none"):
        imported(tmp_path, contents, select="nothing")
    with pytest.raises(SourceError, match="gave no boolean"):
        imported(tmp_path, contents, select=lambda operation: 1)
    with pytest.raises(SourceError, match="the path holds a `#`"):
        imported(tmp_path, contents, select="things.odd")


# Classification


def test_methods_classify(tmp_path):
    methods = ("get", "head", "options", "post", "put", "patch", "delete", "trace", "query")
    item = {**{method: {} for method in methods}, "additionalOperations": {"PURGE": {}}}
    tool = imported(tmp_path, document({"/x": item}, version="3.2.0")).tool
    assert {each.method: (each.read_only, each.destructive) for each in tool.endpoints} == {
        **dict.fromkeys(("GET", "HEAD", "OPTIONS", "QUERY"), (True, False)),
        **dict.fromkeys(("POST", "PUT", "PATCH"), (False, None)),
        "DELETE": (False, True),
        "TRACE": (None, None),
        "PURGE": (None, None),
    }


def test_query_is_no_method_before_3_2(tmp_path):
    assert len(imported(tmp_path, document({"/x": {"get": {}, "query": {}}})).tool.endpoints) == 1


def test_the_application_corrects_a_classification_by_pattern(tmp_path):
    contents = document(
        {"/x": {"get": {"operationId": "exec/run"}, "post": {"operationId": "search"}, "put": {"operationId": "other"}}}
    )
    classify = {
        "exec/*": Classification(read_only=False, destructive=True),
        "search": {"read_only": True},
        "*": (None, None),
    }
    tool = imported(tmp_path, contents, classify=classify).tool
    assert {each.name: (each.read_only, each.destructive) for each in tool.endpoints} == {
        "exec/run": (False, True),
        "search": (True, None),
        "other": (None, None),
    }


def test_the_application_corrects_a_classification_by_what_the_document_says(tmp_path):
    contents = document(
        {"/x": {"get": {"operationId": "c", "x-kubernetes-action": "connect"}, "head": {"operationId": "h"}}}
    )

    def classify(operation: Operation):
        return (False, True) if operation.extensions.get("x-kubernetes-action") == "connect" else None

    tool = imported(tmp_path, contents, classify=classify).tool
    assert [(each.read_only, each.destructive) for each in tool.endpoints] == [(False, True), (True, False)]


@pytest.mark.parametrize(
    ("classify", "said"),
    [
        ({"gone": (True, False)}, "an entry for `gone`, which matches no operation"),
        ({"c": ("yes", None)}, "is no classification"),
        ({"c": (1, 0)}, "is no classification"),
        ({"c": {"remote": False}}, "a key that is none"),
        ({" c": (True, None)}, "white space"),
        (lambda operation: True, "is no classification"),
    ],
)
def test_a_classification_that_is_none_is_refused(tmp_path, classify, said):
    with pytest.raises(SourceError, match=said):
        imported(tmp_path, document({"/x": get(operationId="c")}), classify=classify)


def test_nothing_in_a_document_classifies(tmp_path):
    extensions = {
        "x-read-only": True,
        "readOnlyHint": True,
        "x-mcp": {"annotations": {"readOnlyHint": True, "destructiveHint": False}},
    }
    (endpoint,) = imported(tmp_path, document({"/x": {"delete": {"operationId": "get", **extensions}}})).tool.endpoints
    assert (endpoint.read_only, endpoint.destructive) == (False, True)


# Parameters


def test_parameters_of_the_path_are_overridden_by_those_of_the_operation(tmp_path):
    item = {
        "parameters": [
            {"name": "a", "in": "query", "schema": {"type": "string"}},
            {"name": "X-H", "in": "header", "schema": {}},
        ],
        "get": {
            "parameters": [
                {"name": "a", "in": "query", "required": True, "schema": {"type": "integer"}},
                {"name": "x-h", "in": "header", "schema": {"type": "integer"}},
            ]
        },
    }
    endpoint = _endpoint(tmp_path, item)
    assert endpoint.input_schema["properties"] == {"a": {"type": "integer"}, "x-h": {"type": "integer"}}
    assert endpoint.input_schema["required"] == ["a"]
    assert [(each.name, each.location, each.required) for each in endpoint.parameters] == [
        ("a", "query", True),
        ("x-h", "header", False),
    ]


def test_arguments_that_would_share_a_name_are_called_by_their_place(tmp_path):
    parameters = [
        {"name": "id", "in": "path", "required": True},
        {"name": "id", "in": "query"},
        {"name": "body", "in": "query"},
        {"name": "c", "in": "cookie"},
    ]
    item = {"post": {"parameters": parameters, "requestBody": {"content": {"application/json": {}}}}}
    endpoint = _endpoint(tmp_path, item, path="/x/{id}")
    assert [each.name for each in endpoint.parameters] == ["path.id", "query.id", "query.body", "c", "body"]
    assert endpoint.execution_metadata["parameters"]["query.id"] == {"name": "id"}


def test_headers_and_credentials_that_an_application_sets_are_no_arguments(tmp_path):
    names = [
        "Authorization",
        "Accept",
        "Content-Type",
        "Host",
        "Cookie",
        "content_length",
        "X-HTTP-Method-Override",
        "X-Forwarded-Host",
        "Proxy-Authorization",
        "X-Key",
        "X-Fine",
    ]
    parameters = [{"name": name, "in": "header", "required": True, "schema": {}} for name in names]
    parameters += [
        {"name": "api_key", "in": "query"},
        {"name": "session", "in": "cookie"},
        {"name": "API_KEY", "in": "query"},
    ]
    schemes = {
        "a": {"type": "apiKey", "in": "header", "name": "x-key"},
        "b": {"type": "apiKey", "in": "query", "name": "api_key"},
        "c": {"type": "apiKey", "in": "cookie", "name": "session"},
    }
    result = imported(tmp_path, document({"/x": get(parameters=parameters)}, components={"securitySchemes": schemes}))
    (endpoint,) = result.tool.endpoints
    assert [each.name for each in endpoint.parameters] == ["X-Fine", "API_KEY"]
    assert len(result.notes) == len(names) - 1 + 2


@pytest.mark.parametrize(
    ("path", "operation", "said"),
    [
        ("/x/{id}", {}, "the path holds `{id}`, which is no declared parameter"),
        ("/x/{id}", {"parameters": [{"name": "id", "in": "query"}]}, "no declared parameter"),
        ("/x", {"parameters": [{"name": "a", "in": "query"}, {"name": "a", "in": "query"}]}, "is declared twice"),
        ("/x", {"parameters": [{"name": "A", "in": "header"}, {"name": "a", "in": "header"}]}, "is declared twice"),
        ("/x", {"parameters": {}}, "`parameters` is no list"),
        ("/x", {"parameters": [5]}, "no `name` or no `in`"),
        ("/x", {"parameters": [{"name": "a", "in": "query", "style": "matrix"}]}, "the style of the parameter"),
        ("/x", {"parameters": [{"name": "a", "in": "query", "style": ["form"]}]}, "the style of the parameter"),
        ("/x", {"parameters": [{"name": "a", "in": "query", "explode": "yes"}]}, "is no boolean"),
        ("/x", {"parameters": [{"name": "a", "in": "query", "content": {}}]}, "names no single media type"),
        ("/x", {"parameters": [{"name": "a\n", "in": "query"}]}, "hidden character"),
        ("/x", {"parameters": [{"name": "a b", "in": "header"}]}, "is no name of a header"),
        ("/x", {"parameters": [{"name": "a;b", "in": "cookie"}]}, "is no name of a cookie"),
        (
            "/x",
            {
                "parameters": [
                    {"name": "a", "in": "query"},
                    {"name": "b", "in": "querystring", "content": {"application/json": {}}},
                ]
            },
            "stands beside another",
        ),
        ("/x?a=1", {"parameters": [{"name": "a", "in": "query"}]}, "beside a fixed query"),
        ("/x?a={b}", {"parameters": [{"name": "b", "in": "query"}]}, "no fixed text"),
        ("/x?a=\r\nb", {}, "hidden character"),
        ("/x#y", {}, "holds a `#`"),
        ("/x/../y", {}, "segment of dots"),
        ("/x/%2E%2e/y", {}, "segment of dots"),
        ("/x/{a", {}, "holds a `{`"),
        ("x", {}, "does not start with `/`"),
        ("/x", {"requestBody": {}}, "names no media type"),
        ("/x", {"requestBody": {"content": []}}, "names no media type"),
        ("/x", {"requestBody": {"required": "yes", "content": {"text/plain": {}}}}, "no boolean"),
        ("/x", [], "the operation is no object"),
        ("/x", {"parameters": [{"name": f"p{n}", "in": "query"} for n in range(1_001)]}, "more than 1000 parameters"),
    ],
)
def test_what_cannot_be_sent_as_described_is_refused(tmp_path, path, operation, said):
    with pytest.raises(SourceError) as caught:
        imported(tmp_path, document({path: {"get": operation}}))
    assert said in str(caught.value).replace("that is not fixed text", "no fixed text")
    assert caught.value.help
    assert str(caught.value).isprintable()


def test_a_fixed_query_is_part_of_the_path(tmp_path):
    tool = imported(tmp_path, document({"/x?beta=true": get(operationId="beta"), "/x": get(operationId="plain")})).tool
    assert [(each.name, each.path) for each in tool.endpoints] == [("beta", "/x?beta=true"), ("plain", "/x")]


def test_parameters_that_have_no_place_are_left_out_and_noted(tmp_path):
    parameters = [{"name": "id", "in": "path", "required": True}, {"name": "f", "in": "formData"}]
    assert _notes(tmp_path, document({"/x": get(parameters=parameters)})) == [
        "the parameter is sent in no place that is known, and is left out",
        "the path has no `{id}`, and the parameter is left out",
    ]


# Bodies


@pytest.mark.parametrize(
    ("types", "chosen", "kind"),
    [
        (["application/xml", "application/json"], "application/json", "json"),
        (["application/json; charset=utf-8"], "application/json", "json"),
        (["*/*"], "application/json", "json"),
        (["application/json-patch+json", "application/merge-patch+json"], "application/merge-patch+json", "json"),
        (["application/vnd.github+json"], "application/vnd.github+json", "json"),
        (["multipart/form-data", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded", "form"),
        (["multipart/form-data"], "multipart/form-data", "multipart"),
        (["text/plain", "text/x-markdown"], "text/plain", "text"),
        (["text/*"], "text/plain", "text"),
        (["application/xml"], "application/xml", "text"),
        (["application/octet-stream"], "application/octet-stream", "binary"),
        (["image/png"], "image/png", "binary"),
    ],
)
def test_one_media_type_is_chosen(tmp_path, types, chosen, kind):
    endpoint = _endpoint(
        tmp_path, {"post": {"requestBody": {"required": True, "content": {each: {} for each in types}}}}
    )
    assert endpoint.execution_metadata["body"] == {"media_type": chosen, "kind": kind}
    assert endpoint.input_schema["required"] == ["body"]


def test_what_cannot_be_sent_is_imported_with_the_reason(tmp_path):
    result = imported(tmp_path, document({"/x": {"post": {"requestBody": {"content": {"application/protobuf": {}}}}}}))
    (endpoint,) = result.tool.endpoints
    assert (
        endpoint.execution_metadata["unsendable"]
        == "none of the media types of its body can be sent: `application/protobuf`"
    )
    assert [note.message for note in result.notes] == [
        "the operation cannot be called: " + endpoint.execution_metadata["unsendable"]
    ]


# Schemas


def test_what_a_schema_loses_is_noted(tmp_path):
    schema = {
        "type": "text",
        "pattern": "(?=look)",
        "minLength": -1,
        "properties": {"a": {"type": "object", "$id": "https://x/y", "properties": {"b": {"$ref": "#/c"}}}, "n": 5},
        "enum": [],
        "required": True,
        "minimum": "1",
    }
    result = imported(
        tmp_path, document({"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}})
    )
    place = "api.json#/paths/~1x/post/requestBody/content/application~1json/schema"
    assert sorted(str(note).removeprefix(place) for note in result.notes) == sorted(
        [
            ": `type` names no type of JSON, and is left out",
            ": `pattern` cannot be matched in linear time (RE2 syntax), and is left out",
            ": `minLength` is no count, and is left out",
            ": `enum` is no list of values, and is left out",
            ": `minimum` is no finite number, and is left out",
            "/properties/a: the schema has an `$id` that its references count from, and is taken as one that allows everything",
            "/properties/n: the schema is no schema and is taken as one that allows everything",
        ]
    )
    assert InMemoryRegistry().register(result.tool)


def test_what_is_left_out_never_makes_a_schema_narrower(tmp_path):
    odd = {"type": "string", "pattern": "(?=look)"}
    schema = {
        "properties": {
            "not": {"not": odd},
            "one": {"oneOf": [odd, {"type": "string", "maxLength": 3}]},
            "if": {"if": odd, "then": {"const": 1}, "else": {"const": 2}},
        }
    }
    endpoint = _endpoint(tmp_path, {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}})
    compiled = CompiledSchema(endpoint.input_schema)
    for value in ({"not": "x"}, {"one": "x"}, {"if": "x"}, {"if": 2}):
        assert compiled.violation({"body": value}) is None, value


def test_keywords_that_do_not_go_together_are_parted(tmp_path):
    schemas = {"A": {"patternProperties": {"^x": {"type": "integer"}}}}
    schema = {
        "allOf": [{"$ref": "#/components/schemas/A"}],
        "unevaluatedProperties": False,
        "properties": {"unevaluatedProperties": {"type": "string"}},
    }
    contents = document(
        {"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}},
        components={"schemas": schemas},
    )
    result = imported(tmp_path, contents)
    assert InMemoryRegistry().register(result.tool)
    assert "`unevaluatedProperties` is left out" in result.notes[0].message
    compiled = CompiledSchema(result.tool.endpoints[0].input_schema)
    assert compiled.violation({"body": {"unevaluatedProperties": 5}}) is not None
    assert compiled.violation({"body": {"x1": "s"}}) is not None


def test_dynamic_references_mean_the_schema_around_them(tmp_path):
    schemas = {
        "Tree": {
            "$dynamicAnchor": "node",
            "type": "object",
            "properties": {"kids": {"type": "array", "items": {"$dynamicRef": "#node"}}, "v": {"type": "integer"}},
        }
    }
    contents = document(
        {
            "/x": {
                "post": {
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Tree"}}}}
                }
            }
        },
        components={"schemas": schemas},
    )
    compiled = CompiledSchema(imported(tmp_path, contents).tool.endpoints[0].input_schema)
    assert compiled.violation({"body": {"kids": [{"kids": [{"v": 1}]}]}}) is None
    assert compiled.violation({"body": {"kids": [{"kids": [{"v": "1"}]}]}}) is not None


def test_outputs_are_taken_over_only_when_asked_for(tmp_path):
    responses = {
        "200": {
            "content": {
                "application/json": {
                    "schema": {"type": "object", "required": ["w"], "properties": {"w": {"writeOnly": True}}}
                }
            }
        },
        "204": {"description": "none"},
        "default": {"content": {"application/json": {"schema": {"type": "string"}}}},
    }
    contents = document(
        {
            "/x": get(operationId="a", responses=responses),
            "/y": get(operationId="b", responses={"200": {"content": {"text/csv": {}}}}),
        }
    )
    assert [each.output_schema for each in imported(tmp_path, contents).tool.endpoints] == [{}, {}]
    a, b = imported(tmp_path, contents, outputs=True).tool.endpoints
    assert b.output_schema == {}
    compiled = CompiledSchema(a.output_schema)
    assert compiled.violation({}) is None
    assert compiled.violation(None) is None
    assert compiled.violation("an error") is not None


def test_where_calls_go_is_part_of_the_contract_and_only_the_application_says_it(tmp_path):
    contents = document({"/x": get(operationId="a")}, servers=[{"url": "https://evil.example/{v}"}])
    result = imported(tmp_path, contents)
    assert result.servers == ("https://evil.example/{v}",)
    assert "evil" not in str(result.tool.model_dump())
    bound = imported(tmp_path, contents, server_url="https://good.example/v1/")
    assert bound.tool.execution_metadata == {"openapi": "3.1.0", "server_url": "https://good.example/v1"}
    assert bound.tool.fingerprint != result.tool.fingerprint


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://x",
        "//x",
        "http://",
        "https://u:p@x",
        "https://x?y",
        "https://x#",
        "https://x/{v}",
        "https://x/../y",
        "https://x:0",
        "https://x:99999",
        "https://x/\r\n",
        "https://é.example",
        "x",
    ],
)
def test_a_server_url_that_is_none_is_refused(tmp_path, url):
    path = write(tmp_path, document({"/x": get()}))
    with pytest.raises(ValueError, match="`server_url`"):
        load_openapi(path, server_url=url)
