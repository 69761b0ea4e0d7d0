"""Prepared contracts: what calls are checked against, and what messages may say."""

from __future__ import annotations

import pytest

from schemarouter import (
    EndpointSpec,
    FieldSpec,
    ParameterSpec,
    PlanValidationError,
    RegistrationError,
    SchemaValidationError,
    ToolSpec,
)
from schemarouter.contract.admission import MAX_NAME, admit
from schemarouter.contract.detach import detach
from schemarouter.contract.prepared import PreparedEndpoint

SCHEMA = {
    "type": "object",
    "properties": {
        "status": {"enum": ["open", "closed"]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    },
    "required": ["status"],
}


def prepared(**fields: object) -> PreparedEndpoint:
    return admit(ToolSpec(name="shop", endpoints=[EndpointSpec(name="order", **fields)])).endpoints["order"]


def refused(endpoint: PreparedEndpoint, arguments: object) -> PlanValidationError:
    with pytest.raises(PlanValidationError) as caught:
        endpoint.check_arguments(endpoint.copy_arguments(arguments))
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert "\n" not in str(caught.value)
    return caught.value


def test_arguments_against_the_input_schema() -> None:
    endpoint = prepared(input_schema=SCHEMA)
    endpoint.check_arguments({"status": "open", "items": [{"sku": "a"}], "undeclared": "the schema allows it"})
    error = refused(endpoint, {"status": "s3cret"})
    assert type(error) is SchemaValidationError
    assert str(error) == "arguments for shop.order are not valid at `$.status`: keyword 'enum'"
    assert "`$.items[1].sku`: keyword 'type'" in str(refused(endpoint, {"status": "open", "items": [{}, {"sku": 5}]}))


def test_missing_arguments_are_named() -> None:
    endpoint = prepared(
        input_schema=SCHEMA, parameters=[ParameterSpec(name="who", required=True), ParameterSpec(name="why")]
    )
    assert endpoint.missing_arguments({"why": 1}) == ["who", "status"]
    error = refused(endpoint, {})
    assert type(error) is PlanValidationError
    assert str(error) == "missing required arguments for shop.order: `who`, `status`"


def test_arguments_against_parameters() -> None:
    endpoint = prepared(
        parameters=[ParameterSpec(name="n", json_schema={"type": "integer"}, required=True), ParameterSpec(name="any")]
    )
    endpoint.check_arguments({"n": 1, "any": {"x": []}})
    assert "`$.n`: keyword 'type'" in str(refused(endpoint, {"n": "1"}))
    error = refused(endpoint, {"n": 1, "s3cret": 2})
    assert str(error) == "undeclared arguments for shop.order: it declares `n`, `any`"
    assert "undeclared arguments for shop.order: it declares none" in str(refused(prepared(), {"a": 1}))


@pytest.mark.parametrize(
    "arguments",
    [{"status": float("nan")}, {"status": {1, 2}}, {"status": "\ud800"}, {"s3cret": [float("inf")]}, [], None, "x"],
)
def test_arguments_that_are_not_json(arguments: object) -> None:
    error = refused(prepared(input_schema=SCHEMA), arguments)
    assert type(error) is SchemaValidationError
    assert "arguments for shop.order" in str(error)
    assert "s3cret" not in str(error)


def test_property_names_of_a_payload_are_not_echoed() -> None:
    endpoint = prepared(output_schema={"additionalProperties": {"type": "integer"}})
    with pytest.raises(SchemaValidationError) as caught:
        endpoint.check_output({"s3cret": "value"})
    assert str(caught.value) == "output from shop.order is not valid at `$.*`: keyword 'type'"


def test_output_is_detached_and_checked() -> None:
    endpoint = prepared(output_schema={"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"required": ["id"]}}})
    raw = {"id": [1]}
    output = endpoint.check_output(raw)
    raw["id"].append(2)
    assert output == {"id": [1]}
    for bad in ({}, (1,), object(), EndpointSpec(name="x")):
        with pytest.raises(SchemaValidationError, match=r"output from shop\.order"):
            endpoint.check_output(bad)


def test_fields() -> None:
    endpoint = prepared(output_fields=[FieldSpec(name="id"), FieldSpec(name="n")])
    endpoint.check_fields(["n", "id"])
    with pytest.raises(
        PlanValidationError, match=r"shop\.order needs an explicit output projection: it declares `id`, `n`"
    ):
        endpoint.check_fields([])
    with pytest.raises(PlanValidationError, match="undeclared output fields") as caught:
        endpoint.check_fields(["id", "s3cret"])
    assert "s3cret" not in str(caught.value)
    with pytest.raises(PlanValidationError, match="undeclared output fields"):
        prepared().check_fields(["id"])
    prepared().check_fields([])


def test_projection_of_an_endpoint() -> None:
    endpoint = prepared(output_fields=[FieldSpec(name="id"), FieldSpec(name="n", json_schema={"type": "string"})])
    assert endpoint.project({"id": 1, "n": 2, "x": 3}, ["id"]) == {"id": 1}
    assert endpoint.project({"id": 1, "n": "a"}, ["n", "n"]) == {"n": "a"}
    with pytest.raises(SchemaValidationError, match=r"output from shop\.order is not valid at `\$\.n`: keyword 'type'"):
        endpoint.project({"n": 2}, ["n"])
    with pytest.raises(SchemaValidationError, match=r"output from shop\.order is not valid at `\$`: is no object"):
        endpoint.project(5, ["n"])
    assert prepared().project(5, []) == 5


def test_many_projections_do_not_pile_up() -> None:
    names = [f"f{n}" for n in range(200)]
    endpoint = prepared(output_fields=[FieldSpec(name=name) for name in names])
    output = dict.fromkeys(names, 1)
    for name in names:
        assert endpoint.project(output, [name]) == {name: 1}
    assert len(endpoint._projections) <= 64


def test_a_prepared_contract_is_detached_from_the_spec() -> None:
    spec = ToolSpec(name="t", endpoints=[EndpointSpec(name="e", input_schema={"required": ["a"]})])
    tool = admit(spec)
    fingerprint = tool.fingerprint
    spec.endpoints[0].input_schema["required"].clear()
    spec.remote = True
    copy = tool.detached()
    copy.endpoints[0].input_schema["required"].append("b")
    copy.endpoints.clear()
    assert tool.detached().endpoints[0].input_schema == {"required": ["a"]}
    assert tool.detached().fingerprint == tool.fingerprint == fingerprint
    assert tool.endpoints["e"].detached().fingerprint == tool.endpoints["e"].fingerprint
    assert tool.endpoints["e"].missing_arguments({}) == ["a"]


def test_detach_is_a_deep_copy_of_a_model() -> None:
    spec = ToolSpec(
        name="t", endpoints=[EndpointSpec(name="e", parameters=[ParameterSpec(name="p", json_schema={"a": [{}]})])]
    )
    copy = detach(spec)
    assert copy == spec
    assert copy.model_fields_set == spec.model_fields_set
    assert copy.model_dump_json() == spec.model_dump_json()
    copy.endpoints[0].parameters[0].json_schema["a"][0]["b"] = 1
    copy.endpoints[0].name = "f"
    assert spec.endpoints[0].name == "e"
    assert spec.endpoints[0].parameters[0].json_schema == {"a": [{}]}


def mutated(**changes: object) -> ToolSpec:
    spec = ToolSpec(name="t", endpoints=[EndpointSpec(name="e")])
    for name, value in changes.items():
        setattr(spec, name, value)
    return spec


def endpoint_with(**changes: object) -> ToolSpec:
    return ToolSpec(name="t", endpoints=[EndpointSpec(**{"name": "e", **changes})])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (mutated(remote="false"), "`remote`: Input should be a valid boolean"),
        (mutated(remote=1), "`remote`"),
        (mutated(name=5), "`name`"),
        (mutated(endpoints=None), "`endpoints`"),
        (mutated(endpoints=[5]), "`endpoints.0`"),
        (mutated(metadata={"a": float("nan")}), "`metadata.a` holds a number that is not finite"),
        (mutated(execution_metadata={"a": (1,)}), "not JSON"),
        (mutated(execution_metadata={"a": object()}), "not JSON"),
        (
            endpoint_with(input_schema={"type": "x"}),
            "`t.e` cannot be used: `input_schema.type` is no valid JSON Schema",
        ),
        (endpoint_with(output_schema={"$ref": "http://x"}), "`output_schema.$ref` refers to another document"),
        (
            endpoint_with(parameters=[ParameterSpec(name="p", json_schema={"pattern": "(?=a)"})]),
            "`parameters.p` holds a reg",
        ),
        (endpoint_with(output_fields=[FieldSpec(name="f", json_schema={"items": 5})]), "`output_fields.f.items` is no"),
        (endpoint_with(input_schema={"minimum": float("nan")}), "not finite"),
        (endpoint_with(parameters=[ParameterSpec(name="p"), ParameterSpec(name="p")]), "`p` is declared twice"),
        (ToolSpec(name="t", endpoints=[EndpointSpec(name="e"), EndpointSpec(name="e")]), "`e` is declared twice"),
        (endpoint_with(name=""), "is empty"),
        (endpoint_with(name=" e"), "white space"),
        (endpoint_with(name="a\nb"), r"`a\nb` holds the hidden character U+000A"),
        (endpoint_with(name="a\u200bb"), "U+200B"),
        (endpoint_with(name="a\u202eb"), "U+202E"),
        (endpoint_with(name="e\u0301"), "NFC"),
        (mutated(name="\ud800"), "not Unicode"),
        (mutated(namespace=""), "the namespace `` is empty"),
        (mutated(name="x" * (MAX_NAME + 1)), "longer than 512"),
    ],
)
def test_invalid_contracts_are_refused(spec: ToolSpec, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        admit(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cyclic_contracts_are_refused() -> None:
    cycle: dict[str, object] = {}
    cycle["a"] = cycle
    with pytest.raises(RegistrationError, match="not JSON"):
        admit(mutated(execution_metadata=cycle))
    with pytest.raises(RegistrationError, match="expected a `ToolSpec`"):
        admit({"name": "t"})


def test_real_names_are_legal() -> None:
    for name in ("repos/delete", "two words", "v1.0.get", "größe", "検索", "a.b"):
        assert admit(endpoint_with(name=name)).endpoints[name].operation == f"t.{name}"
