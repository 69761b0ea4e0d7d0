"""The models of tools and calls: shape, keys, fingerprints and field paths."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemarouter import (
    EndpointSpec,
    ExecutionPlan,
    FieldSpec,
    ParameterSpec,
    PlanRequest,
    ToolCall,
    ToolResult,
    ToolSpec,
)


def tool(**changes: object) -> ToolSpec:
    fields: dict[str, object] = {"name": "jobs", "endpoints": [EndpointSpec(name="create"), EndpointSpec(name="list")]}
    return ToolSpec(**{**fields, **changes})


def test_key_and_endpoint() -> None:
    assert tool().key == "jobs"
    assert tool(namespace="corp").key == "corp.jobs"
    assert tool().endpoint("list").name == "list"
    with pytest.raises(KeyError):
        tool().endpoint("delete")


@pytest.mark.parametrize(
    "model", [ToolSpec, EndpointSpec, ParameterSpec, FieldSpec, ToolCall, ToolResult, ExecutionPlan, PlanRequest]
)
def test_unknown_fields_are_refused(model: type) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        model(no_such_field=1)


@pytest.mark.parametrize("value", ["false", 0, 1, "yes", []])
@pytest.mark.parametrize("field", ["read_only", "destructive"])
def test_switches_take_booleans_only(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        EndpointSpec(name="x", **{field: value})


@pytest.mark.parametrize("value", ["false", 0, 1, None])
def test_remote_takes_booleans_only(value: object) -> None:
    with pytest.raises(ValidationError):
        tool(remote=value)


def test_equality_is_by_value() -> None:
    assert tool() == tool()
    assert tool() != tool(remote=True)


def test_fingerprint_covers_all_but_metadata() -> None:
    base = tool()
    described = tool(
        metadata={"a": 1}, endpoints=[EndpointSpec(name="create", metadata={"b": [2]}), EndpointSpec(name="list")]
    )
    assert base.fingerprint == described.fingerprint
    assert len(base.fingerprint) == 64
    others = [
        tool(name="job"),
        tool(namespace="corp"),
        tool(description="x"),
        tool(remote=True),
        tool(source_type="mcp"),
        tool(license="MIT"),
        tool(provider="x"),
        tool(execution_metadata={"a": 1}),
        tool(endpoints=[EndpointSpec(name="create")]),
        tool(endpoints=[EndpointSpec(name="list"), EndpointSpec(name="create")]),
    ]
    assert len({base.fingerprint, *(other.fingerprint for other in others)}) == len(others) + 1


@pytest.mark.parametrize(
    "change",
    [
        {"name": "b"},
        {"description": "b"},
        {"parameters": [ParameterSpec(name="p")]},
        {"input_schema": {"type": "object"}},
        {"input_schema": {"metadata": 1}},
        {"output_fields": [FieldSpec(name="f")]},
        {"output_schema": {"const": True}},
        {"output_schema": {"const": 1}},
        {"method": "GET"},
        {"path": "/"},
        {"read_only": True},
        {"read_only": False},
        {"destructive": False},
        {"execution_metadata": {"a": 1}},
    ],
)
def test_endpoint_fingerprint_sees_every_field(change: dict[str, object]) -> None:
    assert EndpointSpec(**{"name": "a", **change}).fingerprint != EndpointSpec(name="a").fingerprint


def test_fingerprint_follows_json_not_python() -> None:
    def print_of(schema: dict[str, object]) -> str:
        return EndpointSpec(name="a", input_schema=schema).fingerprint

    assert print_of({"a": 1, "b": 2}) == print_of({"b": 2, "a": 1})
    assert print_of({"maximum": 15}) == print_of({"maximum": 15.0})
    assert print_of({"const": 1}) != print_of({"const": True})
    assert print_of({"const": "1"}) != print_of({"const": 1})


def test_fingerprint_of_what_is_not_json() -> None:
    endpoint = EndpointSpec(name="a", input_schema={"maximum": float("nan")})
    with pytest.raises(ValueError, match="not finite"):
        _ = endpoint.fingerprint


def test_field_paths() -> None:
    assert FieldSpec(name="a").projection_path == ("a",)
    assert FieldSpec(name="a", path=["b", "c"]).projection_path == ("b", "c")
    assert FieldSpec(name="a", path=["b"]).result_projection_path == ("b",)
    assert FieldSpec(name="a", result_path=["c"]).result_projection_path == ("c",)


@pytest.mark.parametrize("field", ["path", "result_path"])
@pytest.mark.parametrize("path", [[""], ["a", ""], ["a", 1], [None]])
def test_field_paths_have_non_empty_segments(field: str, path: list[object]) -> None:
    with pytest.raises(ValueError, match="non-empty string segments"):
        FieldSpec(name="a", **{field: path})


@pytest.mark.parametrize(
    ("left", "right", "fragment"),
    [
        ({"path": ["a"]}, {"path": ["a"]}, "duplicate output field path"),
        ({"path": ["x"], "result_path": ["a"]}, {"path": ["y"], "result_path": ["a"]}, "duplicate output field path"),
        ({"path": ["a"]}, {"path": ["a", "b"]}, "overlapping output field paths"),
        ({"path": ["a", "b"]}, {"path": ["a"]}, "overlapping output field paths"),
        ({"result_path": ["a"]}, {"result_path": ["a", "b"]}, "overlapping output field paths"),
        ({}, {"path": ["left", "b"]}, "overlapping output field paths"),
    ],
)
def test_fields_stay_apart(left: dict[str, list[str]], right: dict[str, list[str]], fragment: str) -> None:
    fields = [FieldSpec(name="left", **left), FieldSpec(name="between", path=["a!"]), FieldSpec(name="right", **right)]
    with pytest.raises(ValueError, match=fragment):
        EndpointSpec(name="e", output_fields=fields)


def test_siblings_and_like_beginnings_are_no_overlap() -> None:
    fields = [
        FieldSpec(name="1", path=["a", "b"]),
        FieldSpec(name="2", path=["a", "c"]),
        FieldSpec(name="3", path=["ab"]),
    ]
    assert len(EndpointSpec(name="e", output_fields=fields).output_fields) == 3


def test_calls_and_plans_have_the_documented_defaults() -> None:
    call = ToolCall(tool="t", endpoint="e", schema_fingerprint="f")
    assert (call.arguments, call.fields, call.tool_fingerprint, call.missing_required_arguments) == ({}, [], None, [])
    assert ToolResult(tool="t", endpoint="e", data=None).projected_fields == []
    assert ExecutionPlan(query="q", registry_version=1).calls == []
    request = PlanRequest(query="q")
    assert (request.preferred_tools, request.arguments, request.max_calls) == ([], {}, 1)
    with pytest.raises(ValidationError):
        PlanRequest(query="q", max_calls=0)
