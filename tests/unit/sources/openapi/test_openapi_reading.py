"""Bytes to data: what is read, and what is refused whole, in bounded time and memory."""

import json
import os
import subprocess
import sys

import pytest

from schemarouter.sources.openapi import load_openapi
from schemarouter.sources.problem import SourceError
from support.openapi_documents import document, get, imported, write

YAML = """
openapi: 3.0.3
info: &info {title: Anchored, version: 1.0}
x-again: *info
paths:
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: "on"
      responses:
        200: {description: ok}
        default: {description: no}
"""


def test_yaml_with_anchors_and_unquoted_status_codes(tmp_path):
    tool = imported(tmp_path, YAML, "api.yaml").tool
    assert [(endpoint.name, endpoint.method, endpoint.path) for endpoint in tool.endpoints] == [
        ("on", "GET", "/things/{id}")
    ]
    assert tool.metadata == {"title": "Anchored", "version": "1.0"}


@pytest.mark.parametrize(
    ("name", "contents", "said"),
    [
        ("a.yaml", "a: &x [*x]", "the alias `*x` repeats itself without end"),
        ("a.yaml", "&x {a: *x}", "repeats itself without end"),
        ("a.yaml", "a: *x", "the alias `*x` has no anchor"),
        ("a.yaml", "a: 1\na: 2", "line 2: the key `a` stands twice"),
        ("a.yaml", "<<: {a: 1}", "the merge key"),
        ("a.yaml", "? [a]\n: b", "a key is no string"),
        ("a.yaml", "a: !!python/object/apply:os.system [x]", "the tag"),
        ("a.yaml", "a: !include x.yaml", "the tag `!include` is not supported"),
        ("a.yaml", "a: 1\n---\nb: 2", "a second document"),
        ("a.yaml", "a: \x00", "U+0000"),
        ("a.yaml", "a: b\u2028c: d", "U+2028"),
        ("a.yaml", "a: [", "is not YAML"),
        ("a.yaml", "[" * 100_000, "nested more than 200 deep"),
        ("a.yaml", "a: " + "1" * 5_000, "a number that is too long"),
        ("a.json", '{"a": 1, "a": 2}', "the key `a` stands twice"),
        ("a.json", '{"a": NaN}', "NaN"),
        ("a.json", '{"a": ' + "1" * 5_000 + "}", "a number that is too long"),
        ("a.json", '{"a":' * 1_000_000, "nested too deeply"),
        ("a.json", "[" * 1_000_000, "nested too deeply"),
        ("a.json", "[" + "[],0," * 2_000_000 + "0]", "more than 2000000 values"),
        ("a.json", '{"a": 1', "is not JSON (line 1, column 8)"),
        ("a.json", b'{"a": "\xff"}', "byte 8 is not UTF-8"),
        ("a.json", "[]", "it is no object"),
        ("a.yaml", "", "it is no object"),
        ("a.json", "{}", "it has no `openapi` field"),
        ("a.json", '{"openapi": "4.0.0"}', "OpenAPI `4.0.0` is not known"),
        ("a.json", '{"openapi": "3.10.0"}', "is not known"),
        ("a.json", '{"openapi": ["3.1.0"]}', "is not known"),
        ("a.json", '{"swagger": "2.0"}', "the document is Swagger 2.0"),
        ("a.json", '{"openapi": "3.1.0"}', "no operations to call"),
        ("a.json", '{"openapi": "3.1.0", "jsonSchemaDialect": "http://json-schema.org/draft-07/schema#"}', "a dialect"),
    ],
)
def test_what_is_no_document_is_refused_with_help(tmp_path, name, contents, said):
    with pytest.raises(SourceError) as caught:
        imported(tmp_path, contents, name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not str(caught.value).endswith(".")
    assert caught.value.help


def test_an_alias_bomb_is_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(SourceError, match="aliases repeat more than 100000 values"):
        imported(tmp_path, "\n".join(lines), "a.yaml")


def test_a_file_past_the_limit_is_not_read_on(tmp_path):
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no space
    with pytest.raises(SourceError, match="larger than 32 MiB"):
        load_openapi(path)


@pytest.mark.parametrize(
    ("name", "said"), [("missing.json", "there is no such file"), ("", "it is a directory"), ("a\0b", "no legal path")]
)
def test_what_is_no_file_is_refused(tmp_path, name, said):
    with pytest.raises(SourceError, match=said):
        load_openapi(f"{tmp_path}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_without_a_writer_is_refused(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    with pytest.raises(SourceError, match="cannot be read"):
        load_openapi(tmp_path / "a.json")


#: Runs in a process of its own, so that its memory is its own; prints what was said and the peak in MiB.
_MEASURED = """
import resource, sys
from schemarouter.sources.openapi import load_openapi
from schemarouter.sources.problem import SourceError
try:
    load_openapi(sys.argv[1])
    print("imported")
except SourceError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def _nested(depth: int) -> str:
    """Nested schemas in block style, where no bracket shows the depth."""
    return json.dumps(
        document({"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": 1}}}}}})
    ).replace('"schema": 1', '"schema": ' + '{"not":' * depth + "{}" + "}" * depth)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.json", _nested(1_000_000)),
        ("a.yaml", _nested(1_000_000)),
        ("a.json", '{"openapi": "3.1.0", "paths": {' + ",".join(f'"/{n}":{{}}' for n in range(400_000)) + "}}"),
        ("a.yaml", "a: " + "x" * 20_000_000),
        ("a.yaml", "- a\n" * 3_000_000),
        ("a.yaml", "- &a x\n" * 1_900_000),
    ],
    ids=["nested-json", "nested-yaml", "wide", "long-scalar", "long-list", "many-anchors"],
)
def test_hostile_documents_are_refused_in_bounded_memory(tmp_path, name, contents):
    path = write(tmp_path, contents, name)
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(path)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    said, peak = done.stdout.splitlines()
    assert said != "imported"
    assert int(peak) < 900


def test_deep_schemas_within_the_limit_move_into_definitions(tmp_path):
    schema: dict = {"type": "string"}
    for _ in range(150):
        schema = {"properties": {"a": schema}}
    contents = document({"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}})
    (endpoint,) = imported(tmp_path, contents).tool.endpoints
    value: dict = {}
    for _ in range(40):
        value = {"a": value}
    from schemarouter.contract.schema import CompiledSchema

    compiled = CompiledSchema(endpoint.input_schema)
    assert compiled.violation({"body": value}) is None
    wrong: object = 1
    for _ in range(150):
        wrong = {"a": wrong}
    assert compiled.violation({"body": wrong}) is not None


def test_the_default_name_is_the_files_and_not_the_documents(tmp_path):
    contents = document({"/x": get()})
    assert imported(tmp_path, contents, "GitHub REST.v3.json").tool.key == "github-rest-v3"
    assert imported(tmp_path, contents, name="Läden", namespace="corp").tool.key == "corp.Läden"
    with pytest.raises(SourceError, match="of the tool is empty"):
        imported(tmp_path, contents, "日本.json")
    with pytest.raises(SourceError, match="hidden character"):
        imported(tmp_path, contents, name="a\u200bb")


def _with_body(schema, media_type="application/json", **schemas):
    body = {"content": {media_type: {"schema": schema}}}
    return document({"/x": {"post": {"requestBody": body}}}, components={"schemas": schemas})


def _reference(name):
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (document({"/" + "a/" * 1_500: get()}), "more than 2048 characters"),
        (document({"/" + "a/" * 100: get()}), "more than 2048 characters or 64 segments"),
        (document({f"/{n}": get() for n in range(20_001)}), "more than 20000 operations"),
        (document({f"/{{a}}/{n}": get(parameters=[{"name": "a", "in": "path"}]) for n in range(2_000)}), "look alike"),
        (_with_body({"enum": list(range(95_000))}), "more than 90000 values"),
        (
            _with_body(
                _reference("A0"), **{f"A{n}": {"anyOf": [_reference(f"A{n + 1}")] * 2} for n in range(60)}, A60={}
            ),
            "more than 10000 subschemas",
        ),
        (
            _with_body(
                _reference("A0"),
                "multipart/form-data",
                **{f"A{n}": {"allOf": [_reference(f"A{n + 1}")] * 20} for n in range(12)},
                A12={},
            ),
            "more than 10000 subschemas",
        ),
    ],
    ids=["long-path", "many-segments", "many-operations", "lookalikes", "large-schema", "doubling", "doubling-form"],
)
def test_what_multiplies_is_refused(tmp_path, contents, said):
    with pytest.raises(SourceError, match=said):
        imported(tmp_path, contents)
