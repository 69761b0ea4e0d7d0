"""Projection: nested objects, arrays, moved fields, and outputs of another shape."""

from __future__ import annotations

import pytest

from schemarouter.contract.projection import OutputError, Projection
from schemarouter.contract.schema import CompiledSchema
from schemarouter.model.tool import FieldSpec


def project(output: object, *fields: FieldSpec) -> object:
    return Projection(
        (field, CompiledSchema(field.json_schema) if field.json_schema else None) for field in fields
    ).apply(output)


ID = FieldSpec(name="id")
OWNER = FieldSpec(name="owner", path=["owner", "name"])
TAG = FieldSpec(name="tag", path=["tags", "label"])
BY = FieldSpec(name="by", path=["owner", "name"], result_path=["by"])
LABELS = FieldSpec(name="labels", path=["tags", "label"], result_path=["labels"])


@pytest.mark.parametrize(
    ("output", "fields", "result"),
    [
        ({"id": 1, "secret": 2}, [ID], {"id": 1}),
        ({"id": 1, "owner": {"name": "a", "mail": "b"}}, [ID, OWNER], {"id": 1, "owner": {"name": "a"}}),
        ([{"id": 1, "x": 0}, {"id": 2}], [ID], [{"id": 1}, {"id": 2}]),
        ([[{"id": 1, "x": 0}]], [ID], [[{"id": 1}]]),
        ({"tags": [{"label": "a", "x": 0}, {"label": "b"}]}, [TAG], {"tags": [{"label": "a"}, {"label": "b"}]}),
        ({"id": {"deep": [1]}}, [ID], {"id": {"deep": [1]}}),
        ({"other": 1}, [ID, OWNER, TAG, BY], {}),
        ({"owner": {}}, [OWNER], {"owner": {}}),
        ({"owner": None, "id": None}, [ID, OWNER], {"id": None, "owner": None}),
        (None, [ID], None),
        ([None, {"id": 1}], [ID], [None, {"id": 1}]),
        ([], [ID], []),
        ({"owner": {"name": "a", "mail": "b"}, "id": 1}, [BY, ID], {"id": 1, "by": "a"}),
        ([{"owner": {"name": "a"}}, {}], [BY], [{"by": "a"}, {}]),
        ({"tags": [{"label": "a"}, {}, {"label": "b"}]}, [LABELS], {"labels": ["a", "b"]}),
        ({"tags": [[{"label": "a"}], []]}, [LABELS], {"labels": [["a"], []]}),
        ({"owner": None}, [BY], {"by": None}),
        (
            {"tags": [{"label": "a", "x": 1}]},
            [FieldSpec(name="t", path=["tags", "label"], result_path=["tags", "text"])],
            {"tags": [{"text": "a"}]},
        ),
        (
            {"a": {"b": 1}, "c": 2},
            [FieldSpec(name="1", path=["a", "b"]), FieldSpec(name="2", path=["c"], result_path=["a", "c"])],
            {"a": {"b": 1, "c": 2}},
        ),
        ({"id": 1}, [FieldSpec(name="id", result_path=["deep", "er", "id"])], {"deep": {"er": {"id": 1}}}),
    ],
)
def test_projection(output: object, fields: list[FieldSpec], result: object) -> None:
    assert project(output, *fields) == result


@pytest.mark.parametrize(
    ("output", "fields", "path"),
    [
        (5, [ID], ()),
        ("text", [ID], ()),
        ([1], [ID], (0,)),
        ({"owner": "name"}, [OWNER], ("owner",)),
        ({"tags": [{}, True]}, [TAG], ("tags", 1)),
        ({"owner": 5}, [BY], ("owner",)),
        (
            {"a": [{"b": 1}], "c": 2},
            [FieldSpec(name="1", path=["a", "b"]), FieldSpec(name="2", path=["c"], result_path=["a", "c"])],
            (),
        ),
    ],
)
def test_another_shape_is_no_result(output: object, fields: list[FieldSpec], path: tuple[object, ...]) -> None:
    with pytest.raises(OutputError) as caught:
        project(output, *fields)
    assert caught.value.violation.path == path
    assert caught.value.violation.reason is not None


def test_the_schema_of_a_field_is_about_the_value_at_its_end() -> None:
    whole = FieldSpec(name="tags", json_schema={"type": "array", "items": {"type": "string"}})
    each = FieldSpec(name="label", path=["tags", "label"], json_schema={"type": "string"})
    moved = FieldSpec(name="label", path=["tags", "label"], result_path=["labels"], json_schema={"type": "string"})
    assert project({"tags": ["a"]}, whole) == {"tags": ["a"]}
    assert project({"tags": [{"label": "a"}]}, each) == {"tags": [{"label": "a"}]}
    for output, field, path in (
        ({"tags": ["a", 1]}, whole, ("tags", 1)),
        ({"tags": [{"label": "a"}, {"label": 1}]}, each, ("tags", 1, "label")),
        ({"tags": [{"label": "a"}, {"label": 1}]}, moved, ("tags", 1, "label")),
    ):
        with pytest.raises(OutputError) as caught:
            project(output, field)
        assert caught.value.violation == (path, "type", None)


def test_the_output_is_not_changed() -> None:
    output = {"id": 1, "owner": {"name": "a", "mail": "b"}}
    project(output, OWNER, ID)
    assert output == {"id": 1, "owner": {"name": "a", "mail": "b"}}
