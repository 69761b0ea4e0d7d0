"""A contract accepts exactly what the document's Schema Objects mean."""

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from oracle.openapi_schema import fits
from schemarouter.contract.schema import CompiledSchema
from schemarouter.sources.openapi import load_openapi
from schemarouter.sources.problem import SourceError

NAMES = ("A", "B", "C")
NOTHING: dict[str, Any] = {"A": {}, "B": {}, "C": {}}
KEYS = st.sampled_from(["a", "b", "readOnly", "$ref", "not"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.5, 2.0]) | st.sampled_from(["", "x", "xyz"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)
REFERENCE = st.sampled_from(NAMES).map(lambda name: {"$ref": f"#/components/schemas/{name}"})


def _optional(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=members)


def _schemas(modern: bool, odd: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    types = ["boolean", "integer", "number", "string", "array", "object"]
    limit = st.integers(-2, 2)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(types),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "minimum": limit,
        "maximum": limit,
        "maxLength": st.integers(0, 2),
        "minItems": st.integers(0, 2),
        "required": st.lists(KEYS, max_size=2, unique=True),
        "description": st.just("text"),
        "example": st.just({"$ref": "nowhere"}),
    }
    if modern:
        names = st.lists(st.sampled_from([*types, "null"]), min_size=1, max_size=3, unique=True)
        plain |= {"type": st.sampled_from([*types, "null"]) | names, "const": SCALARS, "exclusiveMinimum": limit}
    else:
        plain |= {
            "nullable": st.booleans(),
            "readOnly": st.booleans(),
            "exclusiveMinimum": st.booleans(),
            "exclusiveMaximum": st.booleans(),
        }

    if odd:
        plain |= {
            "pattern": st.just("^(?=x)"),
            "maxLength": st.sampled_from([1, -1]),
            "type": st.sampled_from(["string", "text"]),
            "maxContains": st.just(1),
        }

    def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
        many = st.lists(inner, min_size=1, max_size=2)
        members = {
            "items": inner,
            "properties": st.dictionaries(KEYS, inner, max_size=3),
            "additionalProperties": inner | st.booleans(),
            "allOf": many,
            "anyOf": many,
            "oneOf": many,
            "not": inner,
        }
        if modern:
            members |= {
                "prefixItems": many,
                "if": inner,
                "then": inner,
                "else": inner,
                "propertyNames": inner,
                "contains": inner,
            }
        if odd:
            members |= {
                "patternProperties": st.dictionaries(st.sampled_from(["^(?=a)", "^b"]), inner, max_size=2),
                "unevaluatedProperties": inner | st.booleans(),
                "unevaluatedItems": inner | st.booleans(),
                "dependentSchemas": st.dictionaries(KEYS, inner, max_size=2),
                "additionalProperties": inner | st.booleans() | st.just("yes"),
                "prefixItems": many | st.just({}),
            }
        return _optional(**plain, **members)

    return st.recursive(_optional(**plain) | REFERENCE, lambda inner: nested(inner) | REFERENCE, max_leaves=5)


def _contract(tmp_path: Any, version: str, schema: dict[str, Any], schemas: dict[str, Any]) -> CompiledSchema:
    document = {
        "openapi": version,
        "info": {"title": "t", "version": "1"},
        "paths": {"/x": {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}}}},
        "components": {"schemas": schemas},
    }
    path = tmp_path / "document.json"
    path.write_text(json.dumps(document), "utf-8")
    try:
        tool = load_openapi(path).tool
    except SourceError as error:
        # A schema that is itself without an end, or a reference that leads in a circle.
        assume(not re.search("refers to itself without an end|leads through more than", str(error)))
        raise
    return CompiledSchema(tool.endpoints[0].input_schema)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("schemas")


SETTINGS = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@SETTINGS
@given(schema=_schemas(False), schemas=st.fixed_dictionaries(dict.fromkeys(NAMES, _schemas(False))), value=VALUES)
@example(schema={"type": "string", "enum": ["x"], "nullable": True}, schemas=NOTHING, value=None)
@example(schema={"allOf": [{"type": "object"}], "nullable": True}, schemas=NOTHING, value=None)
@example(schema={"minimum": 1, "exclusiveMinimum": True}, schemas=NOTHING, value=1)
@example(
    schema={"properties": {"a": {"$ref": "#/components/schemas/A"}}, "required": ["a", "b"]},
    schemas={"A": {"readOnly": True}, "B": {}, "C": {}},
    value={"b": 1},
)
@example(
    schema={"$ref": "#/components/schemas/A"},
    schemas={"A": {"properties": {"a": {"$ref": "#/components/schemas/A"}}, "required": ["b"]}, "B": {}, "C": {}},
    value={"b": 1, "a": {}},
)
def test_a_schema_of_3_0_means_what_its_definition_says(folder, schema, schemas, value):
    contract = _contract(folder, "3.0.3", schema, schemas)
    assert (contract.violation({"body": value}) is None) == fits(schema, value, schemas)


@SETTINGS
@given(schema=_schemas(True), schemas=st.fixed_dictionaries(dict.fromkeys(NAMES, _schemas(True))), value=VALUES)
def test_a_schema_of_3_1_is_json_schema(folder, schema, schemas, value):
    contract = _contract(folder, "3.1.0", schema, schemas)
    whole = {"allOf": [schema], "components": {"schemas": schemas}}
    assert (contract.violation({"body": value}) is None) == jsonschema.Draft202012Validator(whole).is_valid(value)


def _mended(schema: Any) -> Any:
    """The schema with what is no JSON Schema in it left out: what its author may have meant at most."""
    wrong = {
        "maxLength": lambda each: each < 0,
        "type": lambda each: each == "text",
        "prefixItems": lambda each: each == {},
        "additionalProperties": lambda each: each == "yes",
    }
    if isinstance(schema, list):
        return [_mended(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _mended(each) for name, each in value.items()}
        if key in ("properties", "patternProperties", "dependentSchemas")
        else value
        if key in ("enum", "const", "example", "required")
        else _mended(value)
        for key, value in schema.items()
        if not (key in wrong and wrong[key](value))
    }


@settings(SETTINGS, max_examples=300)
@given(
    schema=_schemas(True, odd=True),
    schemas=st.fixed_dictionaries(dict.fromkeys(NAMES, _schemas(True, odd=True))),
    value=VALUES,
)
@example(
    schema={"not": {"$ref": "#/components/schemas/A"}},
    schemas={"A": {"pattern": "^(?=x)"}, "B": {}, "C": {}},
    value="y",
)
@example(schema={"patternProperties": {"^(?=a)": {}}, "additionalProperties": False}, schemas=NOTHING, value={"a": 1})
@example(schema={"contains": {"pattern": "^(?=x)"}, "maxContains": 1}, schemas=NOTHING, value=["x", "y"])
def test_what_cannot_be_taken_over_never_makes_a_contract_narrower(folder, schema, schemas, value):
    contract = _contract(folder, "3.1.0", schema, schemas)
    meant = {"allOf": [_mended(schema)], "components": {"schemas": {name: _mended(schemas[name]) for name in NAMES}}}
    try:
        valid = jsonschema.Draft202012Validator(meant).is_valid(value)
    except RecursionError:  # a schema without an end, which lost that end here
        valid = False
    if valid:
        assert contract.violation({"body": value}) is None
