"""Laws of the contract layer, each against a plain model or the library that it stands on."""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Iterator

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemarouter import EndpointSpec, FieldSpec, InMemoryRegistry, RegistrationError, ToolSpec
from schemarouter.contract.detach import detach
from schemarouter.contract.projection import OutputError, Projection
from schemarouter.contract.ready import equality_key
from schemarouter.contract.schema import CompiledSchema
from schemarouter.model.json_value import JsonValueError, canonical_json, checked_copy

KEYS = st.sampled_from(["a", "b", "c"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, 1.5, -2.0])
    | st.sampled_from(["", "a", "ab", "1"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def containers(value: object) -> Iterator[object]:
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


def same(left: object, right: object) -> bool:
    """Equality that tells ``1``, ``1.0`` and ``True`` apart, and ``-0.0`` from ``0.0``."""
    return json.dumps(left) == json.dumps(right)


@given(JSON)
def test_checked_copy_is_deepcopy_is_json(value: object) -> None:
    got = checked_copy(value)
    assert same(got, copy.deepcopy(value))
    assert same(got, json.loads(json.dumps(value)))
    assert not {id(one) for one in containers(got)} & {id(one) for one in containers(value)}


@given(JSON, st.sampled_from([float("nan"), float("inf"), b"", (), {1}, object(), {1: 2}, "\ud800", 1j]), st.data())
def test_one_bad_value_anywhere_is_refused(value: object, bad: object, data: st.DataObject) -> None:
    places = [place for place in containers(value) if place]
    if not places:
        value = [bad]
    else:
        place = data.draw(st.sampled_from(places))
        if isinstance(place, dict):
            place[data.draw(st.sampled_from(sorted(place)))] = bad
        else:
            place[data.draw(st.integers(0, len(place) - 1))] = bad
    with pytest.raises(JsonValueError):
        checked_copy(value)


@given(JSON, JSON)
def test_canonical_text_is_equal_exactly_for_equal_json(left: object, right: object) -> None:
    for one, other in ((left, right), (left, copy.deepcopy(left))):
        equal = jsonschema.Draft202012Validator({"const": one}).is_valid(other)
        assert (canonical_json(one) == canonical_json(other)) is equal
        assert (equality_key(one) == equality_key(other)) is equal


@given(JSON, JSON)
def test_detached_copies_are_equal_and_apart(first: object, second: object) -> None:
    spec = ToolSpec(
        name="t", metadata={"m": first}, endpoints=[EndpointSpec(name="e", execution_metadata={"x": second})]
    )
    got = detach(spec)
    assert got == spec
    assert got.fingerprint == spec.fingerprint
    assert not {id(one) for one in containers(got.metadata)} & {id(one) for one in containers(spec.metadata)}


# --- projection -------------------------------------------------------------------------------------------------

PATHS = st.lists(st.lists(KEYS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4, unique=True).filter(
    lambda paths: not any(a != b and b[: len(a)] == a for a, b in itertools.permutations(paths, 2))
)


def leaves(value: object, place: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], str]]:
    """Every scalar and empty container with its place."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    empty = True
    for step, item in items:
        empty = False
        yield from leaves(item, (*place, step))
    if empty:
        yield place, json.dumps(value)


def keys_of(place: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(step for step in place if isinstance(step, str))


@settings(max_examples=400)
@given(VALUES, PATHS)
def test_exactly_the_requested_fields_cross(output: object, paths: list[tuple[str, ...]]) -> None:
    before = json.dumps(output)
    projection = Projection((FieldSpec(name=str(index), path=list(path)), None) for index, path in enumerate(paths))
    on_the_way = {path[:end] for path in paths for end in range(len(path))}
    try:
        result = projection.apply(output)
    except OutputError:
        # There is a scalar where a field leads on.
        assert any(keys_of(place) in on_the_way and text not in ("null", "{}", "[]") for place, text in leaves(output))
        return
    assert json.dumps(output) == before
    inside = {
        (place, text) for place, text in leaves(output) if any(keys_of(place)[: len(path)] == path for path in paths)
    }
    got = set(leaves(result))
    assert inside <= got, "a requested field is missing"
    for place, text in got - inside:
        assert keys_of(place) in on_the_way, "something crossed that was not asked for"
        assert text in ("null", "{}", "[]"), "more than the skeleton of the way crossed"


# --- schemas ----------------------------------------------------------------------------------------------------

TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])


def _schemas(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "const": VALUES,
            "minimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "multipleOf": st.sampled_from([1, 2, 0.5, 1.5]),
            "minLength": st.integers(0, 2),
            "uniqueItems": st.booleans(),
            "maxItems": st.integers(0, 3),
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "contains": inner,
            "properties": st.dictionaries(KEYS, inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["a", "^b", "c$"]), inner, max_size=2),
            "additionalProperties": inner,
            "propertyNames": inner,
            "required": st.lists(KEYS, max_size=2, unique=True),
            "anyOf": st.lists(inner, min_size=1, max_size=3),
            "oneOf": st.lists(inner, min_size=1, max_size=3),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
        },
    )


SCHEMAS = st.recursive(st.booleans() | _schemas(st.booleans()), _schemas, max_leaves=6).filter(
    lambda schema: isinstance(schema, dict)
)


@settings(max_examples=200)
@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=4))
def test_a_compiled_schema_agrees_with_the_library(schema: dict[str, object], values: list[object]) -> None:
    bare = jsonschema.Draft202012Validator(schema)
    compiled = CompiledSchema(schema)
    for value in values:
        assert (compiled.violation(value) is None) is bare.is_valid(value)


@given(SCHEMAS, SCHEMAS, VALUES)
def test_references_mean_what_they_refer_to(first: dict[str, object], second: dict[str, object], value: object) -> None:
    plain = CompiledSchema({"anyOf": [first, {"items": second}]})
    referring = CompiledSchema(
        {
            "anyOf": [{"$ref": "#/$defs/first"}, {"items": {"$ref": "#/$defs/se~1cond"}}],
            "$defs": {"first": first, "se/cond": second},
        }
    )
    assert (plain.violation(value) is None) is (referring.violation(value) is None)


PIECES = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", "(a|b)", "a*", "b+", "(ab)?", r"\.", "^", "$", "a{2}"])


@given(st.lists(PIECES, max_size=5).map("".join), st.text("ab1.\n", max_size=6))
def test_patterns_match_as_searches_do(pattern: str, text: str) -> None:
    end_is_end = pattern.replace("$", r"\Z")  # Python's `$` also matches before a last line break
    assert (CompiledSchema({"pattern": pattern}).violation(text) is None) is bool(re.search(end_is_end, text))


# --- registry ---------------------------------------------------------------------------------------------------

NAMES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(".".join)
TOOLS = st.tuples(NAMES, st.lists(NAMES, min_size=1, max_size=2, unique=True))


def collide(left: tuple[str, list[str]], right: tuple[str, list[str]]) -> bool:
    """The definition in SPEC 1, word by word, for two tools."""
    operations = [[f"{key}.{name}" for name in names] for key, names in (left, right)]
    if left[0] == right[0] or set(operations[0]) & set(operations[1]):
        return True
    return any(
        operation == key or operation.startswith(f"{key}.")
        for own, key in ((operations[0], right[0]), (operations[1], left[0]))
        for operation in own
    )


def spec(tool: tuple[str, list[str]]) -> ToolSpec:
    return ToolSpec(name=tool[0], endpoints=[EndpointSpec(name=name) for name in tool[1]])


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["register", "replace", "unregister"]), TOOLS), max_size=12))
def test_a_registry_never_holds_names_that_run_into_each_other(steps: list[tuple[str, tuple[str, list[str]]]]) -> None:
    registry = InMemoryRegistry()
    model: dict[str, tuple[str, list[str]]] = {}
    writes = 0
    for action, tool in steps:
        key = tool[0]
        if action == "unregister":
            if key in model:
                registry.unregister(key)
                del model[key]
                writes += 1
            continue
        others = [other for other in model.values() if other[0] != key or action == "register"]
        if any(collide(tool, other) for other in others):
            with pytest.raises(RegistrationError):
                registry.register(spec(tool), replace=action == "replace")
        else:
            registry.register(spec(tool), replace=action == "replace")
            model[key] = tool
            writes += 1
    assert registry.version == writes
    assert sorted(registry.keys()) == sorted(model)
    for left, right in itertools.combinations(model.values(), 2):
        assert not collide(left, right)


@given(TOOLS, TOOLS)
def test_a_collision_does_not_depend_on_the_order(left: tuple[str, list[str]], right: tuple[str, list[str]]) -> None:
    outcomes = []
    for order in ((left, right), (right, left)):
        registry = InMemoryRegistry()
        registry.register(spec(order[0]))
        try:
            registry.register(spec(order[1]))
        except RegistrationError:
            outcomes.append("refused")
        else:
            outcomes.append("registered")
    assert outcomes == (["refused"] * 2 if collide(left, right) else ["registered"] * 2)
