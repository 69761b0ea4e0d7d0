"""From contracts to a catalog: names, attributes, arguments, hints."""

from __future__ import annotations

import pytest

from schemarouter.catalog.building import DESCRIPTION, catalog_of, merged
from schemarouter.catalog.records import Argument, Hints
from schemarouter.errors import CatalogError
from schemarouter.model.tool import EndpointSpec, ParameterSpec, ToolSpec


def tool(name="files", *endpoints, **fields):
    return ToolSpec(name=name, endpoints=list(endpoints or [EndpointSpec(name="read")]), **fields)


def arguments(**endpoint):
    operation = next(iter(catalog_of([tool("t", EndpointSpec(name="e", **endpoint))])))
    return operation.arguments, operation.other_arguments


def test_the_order_of_tools_and_endpoints_does_not_matter():
    one = [
        tool("b", EndpointSpec(name="y"), EndpointSpec(name="x")),
        tool("a", namespace="n", remote=True, source_type="mcp"),
    ]
    other = [
        tool("a", namespace="n", remote=True, source_type="mcp"),
        tool("b", EndpointSpec(name="x"), EndpointSpec(name="y")),
    ]
    assert catalog_of(one) == catalog_of(other)
    assert hash(catalog_of(one)) == hash(catalog_of(other))
    assert list(catalog_of(one).operations) == ["b.x", "b.y", "n.a.read"]
    assert catalog_of(one).keys == {"b", "n.a"}
    assert len(catalog_of(one)) == 3


def test_attributes_are_those_of_the_contract():
    (operation,) = catalog_of([tool("t", EndpointSpec(name="e", read_only=False, destructive=True), remote=True)])
    assert operation.attributes == (True, False, True)


def test_metadata_sets_no_attribute_and_no_fingerprint():
    plain = EndpointSpec(name="e")
    boastful = EndpointSpec(name="e", metadata={"annotations": {"readOnlyHint": True, "destructiveHint": False}})
    (one,), (other,) = catalog_of([tool("t", plain)]), catalog_of([tool("t", boastful)])
    assert other.attributes == (False, None, None)
    assert other.hints == Hints(True, False)
    assert one.contract == other.contract


@pytest.mark.parametrize(
    ("annotations", "hints"),
    [
        ({"read_only_hint": True, "destructive_hint": True}, Hints(True, True)),
        ({"readOnlyHint": True, "read_only_hint": False}, Hints(None, None)),
        ({"readOnlyHint": "true", "destructiveHint": 0}, Hints()),
        ([], Hints()),
        (None, Hints()),
    ],
)
def test_hints(annotations, hints):
    (operation,) = catalog_of([tool("t", EndpointSpec(name="e", metadata={"annotations": annotations}))])
    assert operation.hints == hints


def test_the_head_stays_when_another_endpoint_comes():
    few = catalog_of([tool("t", EndpointSpec(name="a"))])
    more = catalog_of([tool("t", EndpointSpec(name="a"), EndpointSpec(name="b"))])
    assert few.operations["t.a"].contract == more.operations["t.a"].contract
    elsewhere = catalog_of([tool("t", EndpointSpec(name="a"), execution_metadata={"server": "other"})])
    assert elsewhere.operations["t.a"].fingerprint == few.operations["t.a"].fingerprint
    assert elsewhere.operations["t.a"].contract != few.operations["t.a"].contract


def test_descriptions_are_one_short_line():
    (operation,) = catalog_of([tool("t", EndpointSpec(name="e", description="one\n\n  two " + "x" * 500))])
    assert operation.description.startswith("one two x")
    assert len(operation.description) <= DESCRIPTION


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([tool("a"), tool("a")], "two tools have the key `a`"),
        ([tool("t", EndpointSpec(name="e"), EndpointSpec(name="e"))], "the operation `t.e` is there twice"),
        ([tool("b", EndpointSpec(name="c"), namespace="a"), tool("a", EndpointSpec(name="b.c"))], "is there twice"),
        ([tool("corp", EndpointSpec(name="db.write")), tool("db", namespace="corp")], "runs into the tool `corp.db`"),
        ([tool("db", namespace="corp"), tool("corp", EndpointSpec(name="db"))], "runs into the tool `corp.db`"),
        ([tool("")], "the name `` is empty"),
        ([tool("a\u202eb")], "hidden character"),
        ([tool("t", EndpointSpec(name=" e"))], "leading or trailing white space"),
        ([tool("t" * 513)], "longer than 512 characters"),
        ([tool("t", EndpointSpec(name="e", input_schema={"maximum": float("inf")}))], "the contract of `t.e` holds"),
        ([tool("t", EndpointSpec(name="e", description="\ud800"))], "not Unicode"),
    ],
)
def test_what_is_refused(tools, message):
    for order in (tools, tools[::-1]):
        with pytest.raises(CatalogError) as caught:
            catalog_of(order)
        assert message in str(caught.value)
        assert caught.value.help
        assert "\n" not in str(caught.value)


def test_merging_refuses_collisions_too():
    one, other = catalog_of([tool("corp", EndpointSpec(name="db.write"))]), catalog_of([tool("db", namespace="corp")])
    with pytest.raises(CatalogError, match="runs into"):
        merged([one, other])
    assert merged([catalog_of([tool("b")]), catalog_of([tool("a")])]) == catalog_of([tool("a"), tool("b")])


def test_arguments_of_parameters():
    found, others = arguments(
        parameters=[
            ParameterSpec(name="z", required=True, json_schema={"type": ["string", "null"]}),
            ParameterSpec(name="a", json_schema={"enum": [1]}),
        ]
    )
    assert found == (Argument("a", False), Argument("z", True, ("null", "string")))
    assert others is False


@pytest.mark.parametrize(
    ("schema", "found", "others"),
    [
        ({"type": "object", "properties": {}}, (), False),
        ({"type": "object", "additionalProperties": False}, (), False),
        ({"type": "object"}, (), True),
        ({"properties": {"a": True}}, (Argument("a", False),), False),
        (
            {"properties": {"a": {"type": "integer"}}, "additionalProperties": True},
            (Argument("a", False, ("integer",)),),
            True,
        ),
        (
            {"properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}},
            (Argument("a", False, ("string",)),),
            True,
        ),
        ({"required": ["a"], "additionalProperties": False}, (Argument("a", True),), False),
        (
            {
                "$ref": "#/$defs/in",
                "$defs": {
                    "in": {"properties": {"a": {"$ref": "#/$defs/s"}}, "required": ["a"]},
                    "s": {"type": "string"},
                },
            },
            (Argument("a", True, ("string",)),),
            False,
        ),
        ({"$ref": "https://elsewhere.example/s"}, (), True),
        ({"$ref": "#", "properties": {"a": {"$ref": "#/properties/a"}}}, (Argument("a", False),), False),
        (
            {
                "allOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "number"}}},
                ]
            },
            (Argument("a", True, ("string",)), Argument("b", False, ("number",))),
            False,
        ),
        (
            {
                "anyOf": [
                    {"properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"a": {"type": "number"}}},
                ]
            },
            (Argument("a", False, ("number", "string")),),
            False,
        ),
        (
            {
                "properties": {
                    "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "b": {"type": "string", "nullable": True},
                }
            },
            (Argument("a", False, ("null", "string")), Argument("b", False, ("null", "string"))),
            False,
        ),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {}]}}}, (Argument("a", False),), False),
        ({"properties": "nonsense", "required": "a"}, (), True),
    ],
)
def test_arguments_of_schemas(schema, found, others):
    assert arguments(input_schema=schema) == (found, others)


def test_a_schema_that_branches_without_end_is_read_in_bounded_time():
    schema = {"allOf": [{"$ref": "#/$defs/0"}], "$defs": {}}
    for number in range(40):
        inner = {"$ref": f"#/$defs/{number + 1}"}
        schema["$defs"][str(number)] = {"allOf": [dict(inner), dict(inner)], "anyOf": [dict(inner), dict(inner)]}
    schema["$defs"]["40"] = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert arguments(input_schema=schema) == ((Argument("a", True, ("string",)),), False)
    loop = {"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}] * 3}}}
    assert arguments(input_schema=loop) == ((Argument("a", False),), False)
