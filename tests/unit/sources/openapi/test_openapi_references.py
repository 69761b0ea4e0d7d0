"""References: local, to files of the same folder, in circles, and never anywhere else."""

import json
import os

import pytest

from schemarouter.contract.schema import CompiledSchema
from schemarouter.sources.problem import SourceError
from support.openapi_documents import document, get, imported, write


def _body(schema):
    return {"post": {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}}


def test_every_operation_may_stand_in_another_file(tmp_path):
    write(
        tmp_path,
        "get:\n  operationId: list things\n  parameters: [{$ref: '../common.yaml#/limit'}]\n",
        "paths/things.yaml",
    )
    write(tmp_path, {"operationId": "one", "requestBody": {"$ref": "../common.yaml#/body"}}, "ops/one.json")
    common = """
limit: {name: limit, in: query, schema: {$ref: 'schemas/limit.json'}}
body: {content: {application/json: {schema: {$ref: '#/thing'}}}}
thing: {type: object, properties: {parent: {$ref: '#/thing'}, limit: {$ref: 'schemas/limit.json#'}}, required: [limit]}
"""
    write(tmp_path, common, "common.yaml")
    write(tmp_path, {"type": "integer", "maximum": 5}, "schemas/limit.json")
    contents = document({"/things": {"$ref": "paths/things.yaml"}, "/one": {"post": {"$ref": "ops/one.json"}}})
    tool = imported(tmp_path, contents).tool
    assert [endpoint.name for endpoint in tool.endpoints] == ["list things", "one"]
    listed, one = (CompiledSchema(endpoint.input_schema) for endpoint in tool.endpoints)
    assert listed.violation({"limit": 5}) is None
    assert listed.violation({"limit": 6}) is not None
    assert one.violation({"body": {"limit": 1, "parent": {"limit": 2}}}) is None
    assert one.violation({"body": {"limit": 1, "parent": {"limit": 6}}}) is not None
    assert "http" not in json.dumps([endpoint.input_schema for endpoint in tool.endpoints])


def test_a_circular_schema_stays_finite_and_is_checked_all_the_way(tmp_path):
    schemas = {
        "Node": {
            "type": "object",
            "properties": {"next": {"$ref": "#/components/schemas/Node"}, "v": {"type": "integer"}},
        }
    }
    contents = document({"/x": _body({"$ref": "#/components/schemas/Node"})}, components={"schemas": schemas})
    (endpoint,) = imported(tmp_path, contents).tool.endpoints
    assert list(endpoint.input_schema["$defs"]) == ["Node"]
    compiled = CompiledSchema(endpoint.input_schema)
    assert compiled.violation({"body": {"next": {"next": {"v": 1}}}}) is None
    assert compiled.violation({"body": {"next": {"next": {"v": "1"}}}}) is not None


def test_a_schema_may_refer_into_a_path(tmp_path):
    pointer = "#/paths/~1x/post/requestBody/content/application~1json/schema"
    schema = {"type": "object", "properties": {"again": {"$ref": pointer}}, "additionalProperties": False}
    (endpoint,) = imported(tmp_path, document({"/x": _body(schema)})).tool.endpoints
    compiled = CompiledSchema(endpoint.input_schema)
    assert compiled.violation({"body": {"again": {"again": {}}}}) is None
    assert compiled.violation({"body": {"again": {"other": {}}}}) is not None


def test_definitions_are_named_by_their_place_alone(tmp_path):
    """A contract does not change because the document names something else, or the same in another order."""
    schemas = {"A": {"type": "string"}, "a b": {"type": "integer"}, "a/b": {"type": "boolean"}}
    reference = {"properties": {"p": {"$ref": "#/components/schemas/a b"}, "q": {"$ref": "#/components/schemas/a~1b"}}}
    first = document(
        {"/y": _body({"$ref": "#/components/schemas/A"}), "/x": _body(reference)}, components={"schemas": schemas}
    )
    second = document({"/x": _body(reference)}, components={"schemas": dict(reversed(schemas.items()))})
    one = imported(tmp_path, first).tool.endpoint("POST /x")
    other = imported(tmp_path, second).tool.endpoint("POST /x")
    assert one.fingerprint == other.fingerprint
    assert len(one.input_schema["$defs"]) == 2


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("http://example.com/x.json", "leads to another host"),
        ("HTTPS://example.com/x.json#/a", "leads to another host"),
        ("//example.com/x.json", "leads to another host"),
        ("file:///etc/passwd", "leads to another host or to an absolute path"),
        ("/etc/passwd", "absolute path"),
        ("%2fetc%2fpasswd", "absolute path"),
        ("C:/windows/win.ini", "another host or to an absolute path"),
        ("../secret.json", "leads outside the folder"),
        ("a/../../secret.json", "leads outside the folder"),
        ("%2e%2e/secret.json", "leads outside the folder"),
        ("..\\secret.json", "no plain relative path"),
        ("link.json", "leads outside the folder"),
        ("linked/secret.json", "leads outside the folder"),
        ("sub", "no regular file"),
        ("missing.json", "a file that is not there"),
        ("x.json?y", "no plain relative path"),
        ("a\0b", "no plain relative path"),
        ("a" * 5_000, "too long"),
        ("x" * 300, "a file that is not there"),
        ("#/nowhere", "leads nowhere"),
        ("#nowhere", "leads nowhere"),
        ("#/paths/~1x/post/requestBody/content/application~1json/schema", "back to itself"),
        ("#/components/schemas/Circle", "back to itself"),
        ("#/components/schemas/Circle/properties/a", "back to itself"),
        (7, "no text"),
        (None, "no text"),
        ("broken.json", "is not JSON"),
        ("#/components/schemas/InPlace", "refers to itself without an end"),
    ],
)
def test_a_reference_leads_nowhere_else(tmp_path, reference, said):
    write(tmp_path, {"type": "object"}, "secret.json")
    folder = tmp_path / "api"
    (folder / "sub").mkdir(parents=True)
    write(folder, "{", "broken.json")
    write(folder, "{}", "x.json")
    os.symlink(tmp_path / "secret.json", folder / "link.json")
    os.symlink(tmp_path, folder / "linked")
    schemas = {
        "Circle": {"$ref": "#/components/schemas/Round"},
        "Round": {"$ref": "#/components/schemas/Circle"},
        "InPlace": {"anyOf": [{"$ref": "#/components/schemas/InPlace"}, {}]},
    }
    contents = document({"/x": _body({"$ref": reference})}, components={"schemas": schemas})
    with pytest.raises(SourceError, match=said) as caught:
        imported(folder, contents)
    assert caught.value.help
    assert "\n" not in str(caught.value)


def test_a_symbolic_link_inside_the_folder_is_followed(tmp_path):
    write(tmp_path, {"type": "integer"}, "real.json")
    os.symlink("real.json", tmp_path / "link.json")
    (endpoint,) = imported(tmp_path, document({"/x": _body({"$ref": "link.json"})})).tool.endpoints
    assert CompiledSchema(endpoint.input_schema).violation({"body": "x"}) is not None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_reference_to_a_pipe_does_not_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(SourceError, match="no regular file"):
        imported(tmp_path, document({"/x": _body({"$ref": "pipe.json"})}))


@pytest.mark.parametrize("value", ["paths", "item", "operation", "parameter", "body", "components"])
def test_a_circle_of_references_anywhere_is_refused(tmp_path, value):
    circle = {"$ref": "#/x-circle"}
    contents = document({"/x": {"post": {"parameters": []}}}, **{"x-circle": circle})
    if value == "paths":
        contents["paths"] = circle
    elif value == "item":
        contents["paths"]["/x"] = circle
    elif value == "operation":
        contents["paths"]["/x"]["post"] = circle
    elif value == "parameter":
        contents["paths"]["/x"]["post"]["parameters"] = [circle]
    elif value == "body":
        contents["paths"]["/x"]["post"]["requestBody"] = circle
    else:
        contents["components"] = {"securitySchemes": {"a": circle}}
    with pytest.raises(SourceError, match="back to itself"):
        imported(tmp_path, contents)


def test_pointers_through_references_end(tmp_path):
    """`a/x` leads through `b`, which leads through `a`: each way is looked for a bounded number of times."""
    components = {"schemas": {"a": {"$ref": "#/components/schemas/b/x/y"}, "b": {"$ref": "#/components/schemas/a/x/y"}}}
    with pytest.raises(SourceError, match="back to itself"):
        imported(tmp_path, document({"/x": _body({"$ref": "#/components/schemas/a/z"})}, components=components))


def test_a_long_chain_of_files_is_bounded(tmp_path):
    for number in range(100):
        write(tmp_path, {"$ref": f"f{number + 1}.json"}, f"f{number}.json")
    write(tmp_path, {}, "f100.json")
    with pytest.raises(SourceError, match="more than 64 others"):
        imported(tmp_path, document({"/x": _body({"$ref": "f0.json"})}))


def test_many_operations_over_large_schemas_are_bounded(tmp_path):
    """Each contract is self-contained; what all of them hold together has a limit."""
    schemas = {f"S{n}": {"properties": {"a": {"$ref": f"#/components/schemas/S{n + 1}"}}} for n in range(9_999)} | {
        "S9999": {}
    }
    paths = {f"/{n}": _body({"$ref": "#/components/schemas/S0"}) for n in range(2_000)}
    with pytest.raises(SourceError, match="the schemas of all operations hold more than 1000000 values"):
        imported(tmp_path, document(paths, components={"schemas": schemas}))


def test_a_path_item_with_members_beside_its_reference(tmp_path):
    write(tmp_path, {"get": {"operationId": "a"}, "parameters": [{"name": "q", "in": "query"}]}, "item.json")
    contents = document({"/x": {"$ref": "item.json", "post": {"operationId": "b"}}})
    tool = imported(tmp_path, contents).tool
    assert {endpoint.name: [each.name for each in endpoint.parameters] for endpoint in tool.endpoints} == {
        "a": ["q"],
        "b": ["q"],
    }
    contents["paths"]["/x"]["get"] = {"operationId": "other"}
    with pytest.raises(SourceError, match="`get` stands both beside the `\\$ref` and behind it"):
        imported(tmp_path, contents)


def test_anchors_are_found(tmp_path):
    schemas = {"A": {"$anchor": "here", "type": "integer"}}
    contents = document({"/x": _body({"$ref": "#here"})}, components={"schemas": schemas})
    (endpoint,) = imported(tmp_path, contents).tool.endpoints
    assert CompiledSchema(endpoint.input_schema).violation({"body": "x"}) is not None


def test_what_is_no_operation_is_left_out(tmp_path):
    contents = document({"/x": {**get(operationId="a"), "x-get": {}, "summary": "s", "servers": []}, "x-paths": {}})
    assert [endpoint.name for endpoint in imported(tmp_path, contents).tool.endpoints] == ["a"]
