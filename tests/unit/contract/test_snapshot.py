"""A snapshot is a detached copy, whatever is done with it first; it is only made later."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from schemarouter.contract.admission import admit
from schemarouter.model.tool import EndpointSpec, FieldSpec, ParameterSpec, ToolSpec

TOOL = admit(
    ToolSpec(
        name="tool",
        namespace="ns",
        remote=True,
        metadata={"a": [1, {"b": 2}]},
        endpoints=[
            EndpointSpec(
                name=name,
                read_only=True,
                parameters=[ParameterSpec(name="p", json_schema={"type": "string"})],
                output_fields=[FieldSpec(name="f", aliases=["g"])],
                input_schema={"type": "object", "properties": {"p": {"type": "string"}}},
            )
            for name in ("one", "two", "three")
        ],
    )
)


class Holder(BaseModel):
    tool: ToolSpec


def tool() -> Any:
    return TOOL.snapshot(TOOL.endpoints["two"])[0]


def endpoint() -> Any:
    return TOOL.snapshot(TOOL.endpoints["two"])[1]


MAKERS = pytest.mark.parametrize(
    ("make", "plain"),
    [(tool, TOOL.detached), (endpoint, TOOL.endpoints["two"].detached)],
    ids=["tool", "endpoint"],
)


def renamed(model: Any) -> Any:
    model.name = "other"
    return model


def shortened(model: Any) -> Any:
    del model.name
    return model.__dict__


USES: dict[str, Callable[[Any], Any]] = {
    "repr": repr,
    "str": str,
    "list": list,
    "vars": vars,
    "dir": dir,
    "class": lambda model: model.__class__,
    "fields set": lambda model: model.model_fields_set,
    "model_dump": lambda model: model.model_dump(),
    "model_dump of what was set": lambda model: model.model_dump(exclude_unset=True),
    "model_dump_json": lambda model: model.model_dump_json(),
    "fingerprint": lambda model: model.fingerprint,
    "model_copy": lambda model: model.model_copy(),
    "deep model_copy": lambda model: model.model_copy(deep=True),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, 2)),
    "python pickle": lambda model: pickle.loads(pickle._dumps(model)),
    "in a list": lambda model: copy.deepcopy([model, model]),
    "assignment": renamed,
    "deletion": shortened,
    "adapter": lambda model: TypeAdapter(Any).dump_python(model),
    "adapter to JSON": lambda model: TypeAdapter(Any).dump_json(model),
    "name": lambda model: model.name,
    "description": lambda model: model.description,
    "endpoints or parameters": lambda model: getattr(model, "endpoints", None) or model.parameters,
    "key or method": lambda model: model.key if hasattr(model, "endpoints") else model.method,
    "what is not there": lambda model: getattr(model, "nothing", "absent"),
    "extra": lambda model: (model.model_extra, model.__pydantic_private__),
}


@MAKERS
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_every_use_of_a_snapshot_is_that_of_a_copy(make: Any, plain: Any, use: Callable[[Any], Any]) -> None:
    snapshot = make()
    used = use(snapshot)
    assert used == use(plain())
    assert type(used) is type(use(plain()))
    assert use(make()) == use(make())


@MAKERS
def test_a_snapshot_equals_a_copy_from_both_sides(make: Any, plain: Any) -> None:
    assert make() == plain()
    assert plain() == make()
    assert make() == make()
    assert make() != renamed(plain())
    with pytest.raises(TypeError):
        hash(make())
    with pytest.raises(ValueError, match="nothing"):
        make().nothing = 1


@MAKERS
def test_a_snapshot_is_of_its_class_before_and_after(make: Any, plain: Any) -> None:
    kind = type(plain())
    snapshot = make()
    assert isinstance(snapshot, kind)
    assert snapshot.name
    assert snapshot.metadata is snapshot.metadata
    assert type(snapshot) is kind
    gc.collect()


def test_pydantic_takes_a_snapshot_as_the_model_that_it_is() -> None:
    assert Holder(tool=tool()).model_dump() == Holder(tool=TOOL.detached()).model_dump()
    assert Holder(tool=tool()).model_dump_json() == Holder(tool=TOOL.detached()).model_dump_json()
    assert ToolSpec.model_validate(tool()) == TOOL.detached()
    assert ToolSpec.model_dump(tool()) == ToolSpec.model_dump(TOOL.detached())


def test_the_endpoint_is_that_of_the_tool() -> None:
    first, second = TOOL.snapshot(TOOL.endpoints["two"])
    second.metadata["mine"] = True
    assert first.endpoint("two") is second
    assert first.endpoints[1] is second
    assert [each.name for each in first.endpoints] == ["one", "two", "three"]


@MAKERS
def test_what_is_done_to_a_snapshot_reaches_nobody_else(make: Any, plain: Any) -> None:
    snapshot, before = make(), plain().model_dump()
    snapshot.metadata["new"] = 1
    snapshot.name = "other"
    if isinstance(snapshot, ToolSpec):
        snapshot.metadata["a"][1]["b"] = 3
        snapshot.endpoints[0].parameters.clear()
        snapshot.endpoints.pop()
    else:
        snapshot.input_schema["properties"]["p"]["type"] = "number"
        snapshot.output_fields[0].aliases.append("h")
    assert make().model_dump() == plain().model_dump() == before


def test_threads_that_look_at_once_see_one_copy() -> None:
    for _ in range(50):
        snapshot, start, seen = tool(), threading.Barrier(8), []

        def look(snapshot: Any = snapshot, start: Any = start, seen: list[int] = seen) -> None:
            start.wait()
            seen.append(id(snapshot.endpoints))

        threads = [threading.Thread(target=look) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 8
        assert len(set(seen)) == 1
