"""Python functions as tools."""

import asyncio
import dataclasses
import datetime
import enum
import functools
from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

import pytest
from pydantic import BaseModel, Field

from schemarouter import InMemoryRegistry, NonRetryableInvocationError, RegistrationError, SchemaValidationError
from schemarouter.runtime.callables import callable_tool


class Weather(BaseModel):
    city: str = Field(description="Where")
    temperature: float
    at: datetime.date | None = None


class Unit(enum.Enum):
    CELSIUS = "c"


@dataclasses.dataclass
class Point:
    x: int


class Row(TypedDict):
    a: int


def weather(city: str, unit: Unit = Unit.CELSIUS) -> Weather:
    """Tell the weather."""
    assert isinstance(unit, Unit)
    return Weather(city=city, temperature=20.5, at=datetime.date(2026, 1, 2))


async def shift(point: Point, by: int = 1) -> Point:
    assert isinstance(point, Point)
    return Point(point.x + by)


def test_contract_of_a_function() -> None:
    tool = callable_tool(weather).spec
    (endpoint,) = tool.endpoints
    assert (tool.key, tool.remote, tool.description) == ("weather", False, "Tell the weather.")
    assert (endpoint.name, endpoint.read_only, endpoint.destructive) == ("call", None, None)
    assert endpoint.input_schema["properties"]["city"] == {"type": "string"}
    assert endpoint.input_schema["required"] == ["city"]
    assert endpoint.input_schema["additionalProperties"] is False
    assert [(each.name, each.required) for each in endpoint.parameters] == [("city", True), ("unit", False)]
    assert [(each.name, each.description) for each in endpoint.output_fields] == [
        ("city", "Where"),
        ("temperature", ""),
        ("at", ""),
    ]
    InMemoryRegistry().register(tool)


def test_classification_and_names_come_from_the_author() -> None:
    tool = callable_tool(weather, name="w", namespace="corp", description="d", read_only=True, destructive=False).spec
    assert (tool.key, tool.description) == ("corp.w", "d")
    assert (tool.endpoints[0].read_only, tool.endpoints[0].destructive) == (True, False)


def test_values_become_python_on_the_way_in_and_json_on_the_way_out() -> None:
    assert callable_tool(weather).invoker("call", {"city": "Seoul", "unit": "c"}) == {
        "city": "Seoul",
        "temperature": 20.5,
        "at": "2026-01-02",
    }
    assert asyncio.run(callable_tool(shift).invoker("call", {"point": {"x": 1}})) == {"x": 2}
    assert asyncio.run(callable_tool(shift).invoker("call", {"point": {"x": 1}, "by": 5})) == {"x": 6}


def test_every_kind_of_parameter() -> None:
    def function(a: int, b: int = 2, /, c: int = 3, *, d: int = 4, model_config: int = 5, _e: int = 6) -> list[int]:
        return [a, b, c, d, model_config, _e]

    invoke = callable_tool(function).invoker
    assert invoke("call", {"a": 1}) == [1, 2, 3, 4, 5, 6]
    assert invoke("call", {"d": 40, "a": 1, "c": 30, "_e": 60, "model_config": 50}) == [1, 2, 30, 40, 50, 60]
    assert invoke("call", {"a": 1, "b": 20, "c": 30, "d": 40}) == [1, 20, 30, 40, 5, 6]


@pytest.mark.parametrize(
    ("annotation", "schema", "value", "result"),
    [
        (int, {"type": "integer"}, 5, 5),
        (None, {"type": "null"}, None, None),
        (list[Row], None, [{"a": 1}], [{"a": 1}]),
        (tuple[int, ...], None, (1, 2), [1, 2]),
        (Any, {}, {"a": 1}, {"a": 1}),
        (Iterator, {}, [1], [1]),
        (object, {}, 5, 5),
    ],
)
def test_returns(annotation: Any, schema: dict[str, object] | None, value: object, result: object) -> None:
    def function() -> object:
        return value

    function.__annotations__["return"] = annotation
    tool = callable_tool(function)
    assert schema is None or tool.spec.endpoints[0].output_schema == schema
    assert tool.invoker("call", {}) == result
    InMemoryRegistry().register(tool.spec)


def test_a_value_that_does_not_fit_its_annotation_is_left_for_the_output_check() -> None:
    def wrong() -> int:
        return object()

    tool = callable_tool(wrong)
    registry = InMemoryRegistry()
    registry.register(tool.spec)
    with pytest.raises(
        SchemaValidationError, match=r"output from wrong\.call is not valid at `\$`: holds a Python `object`"
    ):
        registry.prepared("wrong", "call").check_output(tool.invoker("call", {}))


def test_refused_arguments_are_not_echoed() -> None:
    def function(day: datetime.date, even: Annotated[int, Field(multiple_of=2)] = 2) -> None:
        raise AssertionError("must not run")

    with pytest.raises(NonRetryableInvocationError) as caught:
        callable_tool(function).invoker("call", {"day": "s3cret"})
    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_callables_of_many_kinds() -> None:
    class Adder:
        """Adds."""

        def __init__(self) -> None:
            self.total = 0

        def add(self, n: int) -> int:
            """Add n."""
            self.total += n
            return self.total

        async def __call__(self, n: int) -> int:
            return self.add(n)

    adder = Adder()
    assert callable_tool(adder.add).spec.description == "Add n."
    assert callable_tool(adder.add).invoker("call", {"n": 2}) == 2
    assert asyncio.run(callable_tool(adder, name="adder").invoker("call", {"n": 2})) == 4
    partial = callable_tool(functools.partial(weather, "Seoul"))
    assert partial.spec.key == "weather"
    assert list(partial.spec.endpoints[0].input_schema["properties"]) == ["unit"]
    assert partial.invoker("call", {})["city"] == "Seoul"
    assert callable_tool(lambda n: n, name="same").invoker("call", {"n": [1]}) == [1]
    late = callable_tool(lambda: asyncio.sleep(0, 5), name="late")
    assert asyncio.run(late.invoker("call", {})) == 5


def generator() -> Iterator[int]:
    yield 1


def unknown(a: "NoSuchName") -> None:  # noqa: F821 - the point of the case
    raise AssertionError


def unsupported(a: InMemoryRegistry) -> None:
    raise AssertionError


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda *items: 1, r"takes `\*items`"),
        (lambda **items: 1, r"takes `\*\*items`"),
        (generator, "generator function"),
        (unknown, "NameError"),
        (unsupported, "no JSON Schema"),
        (5, "cannot be read"),
        (max, "cannot be read"),
    ],
)
def test_refused_functions(function: Any, message: str) -> None:
    with pytest.raises(RegistrationError, match=message):
        callable_tool(function, name="f")


def test_a_name_is_needed() -> None:
    with pytest.raises(RegistrationError, match="needs `name`"):
        callable_tool(lambda: 1)
