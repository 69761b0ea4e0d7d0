"""Schemas at registration and at work: what is refused, and what the replaced keywords mean."""

from __future__ import annotations

import sys
import threading
import urllib.request

import pytest

from schemarouter.contract.keywords import MAX_STEPS, TooMuchWork
from schemarouter.contract.ready import equality_key
from schemarouter.contract.scan import SchemaError
from schemarouter.contract.schema import CompiledSchema, render_path

DRAFTS = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
]


def keyword(schema: dict[str, object], value: object) -> str | None:
    violation = CompiledSchema(schema).violation(value)
    return violation and (violation.keyword or violation.reason)


@pytest.mark.parametrize(
    ("schema", "path", "reason"),
    [
        ({"type": 5}, ("type",), "no valid JSON Schema"),
        ({"properties": {"a": {"minimum": "1"}}}, ("properties", "a", "minimum"), "no valid JSON Schema"),
        ({"multipleOf": 0}, ("multipleOf",), "no valid JSON Schema"),
        ({"$ref": "https://example.com/a"}, ("$ref",), "another document"),
        ({"$ref": "other.json#/a"}, ("$ref",), "another document"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, ("$ref",), "another document"),
        ({"items": {"$ref": "#/nowhere"}}, ("items", "$ref"), "no schema in the document"),
        ({"$ref": "#/title", "title": "x"}, ("$ref",), "no schema in the document"),
        ({"$ref": "#anchor"}, ("$ref",), "no schema in the document"),
        ({"$ref": "#/extra", "extra": {"type": 5}}, ("$ref", "type"), "no valid JSON Schema"),
        ({"$ref": "#"}, (), "refers to itself"),
        ({"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]}, (), "refers to itself"),
        ({"$dynamicRef": "#a"}, ("$dynamicRef",), "use `$ref`"),
        ({"$schema": "https://example.com/draft"}, ("$schema",), "no JSON Schema draft"),
        ({"properties": {"a": {"$schema": DRAFTS[2]}}}, ("properties", "a"), "names itself or its draft"),
        ({"properties": {"a": {"$id": "https://example.com/a"}}}, ("properties", "a"), "names itself or its draft"),
        ({"pattern": "(?=a)"}, (), "linear time"),
        ({"properties": {"a": {"pattern": r"(a)\1"}}}, ("properties", "a"), "linear time"),
        ({"patternProperties": {"(?<!a)b": True}}, (), "linear time"),
        ({"patternProperties": {"a": True}, "unevaluatedProperties": False}, (), "unsupported"),
        ({"maximum": float("nan")}, ("maximum",), "not finite"),
        ({"enum": [(1, 2)]}, ("enum", 0), "`tuple`"),
    ],
)
def test_bad_schemas_are_refused_with_their_place(
    schema: dict[str, object], path: tuple[object, ...], reason: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        CompiledSchema(schema)
    assert reason in caught.value.reason
    assert caught.value.path[: len(path)] == path


def test_references_that_multiply_are_refused() -> None:
    steps: dict[str, object] = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)}
    with pytest.raises(SchemaError, match="more than 10000 subschemas"):
        CompiledSchema({"$ref": "#/$defs/s0", "$defs": {**steps, "s40": True}})


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*_: object, **__: object) -> None:
        raise AssertionError("a schema made the library open a connection")

    monkeypatch.setattr(urllib.request, "urlopen", fetch)
    for reference in ("http://127.0.0.1:9/schema.json", "file:///etc/passwd", "//host/x"):
        with pytest.raises(SchemaError):
            CompiledSchema({"$ref": reference})


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.timeout(60)
def test_every_draft_uses_the_replaced_keywords(draft: str) -> None:
    schema = {
        "$schema": draft,
        "type": "object",
        "properties": {"p": {"pattern": "^(a+)+$"}, "self": {"$ref": "#"}, "u": {"uniqueItems": True}},
        "patternProperties": {"^x": {"type": "string"}},
        "additionalProperties": False,
    }
    compiled = CompiledSchema(schema)
    assert compiled.violation({"self": {"p": "a" * 5000 + "!"}}) == (("self", "p"), "pattern", None)
    assert compiled.violation({"self": {"u": [1, 1.0]}}) == (("self", "u"), "uniqueItems", None)
    assert compiled.violation({"x1": 1}) == (("x1",), "type", None)
    assert compiled.violation({"y": 1}) == ((), "additionalProperties", None)
    assert compiled.violation({"self": {"self": {"x": "ok", "p": "aa"}}}) is None


def test_pattern_is_a_search_and_the_end_is_the_end() -> None:
    schema = {"pattern": "b"}
    assert keyword(schema, "abc") is None
    assert keyword({"pattern": "^a$"}, "a") is None
    assert keyword({"pattern": "^a$"}, "a\n") == "pattern"
    assert keyword({"pattern": "^\\p{L}+$"}, "größe") is None
    assert keyword(schema, 5) is None


@pytest.mark.parametrize(
    ("value", "unique"),
    [
        ([1, True], True),
        ([0, False], True),
        ([1, 1.0], False),
        (["1", 1], True),
        ([[1], [True]], True),
        ([[1], [1.0]], False),
        ([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], False),
        ([{"a": None}, {}], True),
        (["null", None], True),
        ([2**60, float(2**60)], False),
        ([], True),
    ],
)
def test_unique_items(value: list[object], unique: bool) -> None:
    assert (keyword({"uniqueItems": True}, value) is None) is unique
    assert keyword({"uniqueItems": False}, value) is None


@pytest.mark.parametrize(
    ("value", "member"),
    [
        (1.0, True),
        (True, False),
        ("a", True),
        (None, True),
        ([1], True),
        ({"a": 1}, True),
        ("1", False),
        ([True], False),
    ],
)
def test_enum(value: object, member: bool) -> None:
    assert (keyword({"enum": [1, "a", None, [1.0], {"a": 1}]}, value) is None) is member


@pytest.mark.parametrize(
    ("value", "unit", "fits"),
    [
        (19.99, 0.01, True),
        (0.3, 0.1, True),
        (19.999, 0.01, False),
        (7, 7, True),
        (7, 2, False),
        (1e300, 3, False),
        (4.0, 2, True),
        (2**1000, 0.5, True),
        (1e-7, 1e-8, True),
    ],
)
def test_multiples_are_counted_in_decimals(value: object, unit: object, fits: bool) -> None:
    assert (keyword({"multipleOf": unit}, value) is None) is fits
    assert keyword({"multipleOf": unit}, "text") is None
    assert keyword({"multipleOf": unit}, True) is None


@pytest.mark.parametrize(
    ("value", "any_of", "one_of"), [(1, None, None), ("x", None, None), (1.5, "anyOf", "oneOf"), (12, None, "oneOf")]
)
def test_alternatives(value: object, any_of: str | None, one_of: str | None) -> None:
    alternatives = [{"type": "integer"}, {"type": "string"}, {"type": "integer", "minimum": 10}]
    assert keyword({"anyOf": alternatives}, value) == any_of
    assert keyword({"oneOf": alternatives}, value) == one_of


def test_additional_properties_with_a_schema() -> None:
    schema = {"properties": {"a": True}, "patternProperties": {"^b": True}, "additionalProperties": {"type": "string"}}
    compiled = CompiledSchema(schema)
    assert compiled.violation({"a": 1, "b1": 2, "c": "x"}) is None
    assert compiled.violation({"c": 1}) == (("c",), "type", None)


def test_format_describes_only() -> None:
    assert keyword({"format": "email"}, "no address") is None


def test_boolean_schemas() -> None:
    compiled = CompiledSchema({"properties": {"never": False, "ever": True}})
    assert compiled.violation({"ever": 1}) is None
    assert compiled.violation({"never": 1}) == (("never",), "false", None)


def test_references_inside_of_the_document() -> None:
    schema = {
        "$id": "https://example.com/tree",
        "$defs": {
            "a/b~c": {
                "$anchor": "node",
                "type": "object",
                "properties": {"next": {"$ref": "#node"}, "n": {"type": "integer"}},
            }
        },
        "properties": {"tree": {"$ref": "https://example.com/tree#/$defs/a~1b~0c"}},
    }
    compiled = CompiledSchema(schema)
    assert compiled.violation({"tree": {"next": {"next": {"n": 1}}}}) is None
    assert compiled.violation({"tree": {"next": {"next": {"n": "1"}}}}) == (("tree", "next", "next", "n"), "type", None)


@pytest.mark.parametrize("draft", DRAFTS[3:])
def test_unevaluated_properties_follow_references(draft: str) -> None:
    schema = {
        "$schema": draft,
        "$ref": "#/$defs/base",
        "$defs": {"base": {"properties": {"a": {"type": "integer"}}}},
        "properties": {"b": True},
        "unevaluatedProperties": False,
    }
    compiled = CompiledSchema(schema)
    assert compiled.violation({"a": 1, "b": 2}) is None
    assert compiled.violation({"a": 1, "c": 2}) == ((), "unevaluatedProperties", None)
    assert compiled.violation({"a": "1"}) == (("a",), "type", None)


@pytest.mark.parametrize(
    ("draft", "alone"), [*((draft, True) for draft in DRAFTS[:3]), *((draft, False) for draft in DRAFTS[3:])]
)
def test_what_stands_beside_a_reference(draft: str, alone: bool) -> None:
    """Up to draft 7 it does not count, also where a pointer leads to it."""
    schema = {
        "$schema": draft,
        "properties": {
            "x": {"$ref": "#/properties/y", "maximum": 5, "definitions": {"z": {"type": "integer"}}},
            "y": {"$ref": "#/properties/x/definitions/z"},
        },
    }
    compiled = CompiledSchema(schema)
    assert compiled.violation({"x": "9"}) == (("x",), "type", None)
    assert (compiled.violation({"x": 9}) is None) is alone


@pytest.mark.parametrize("draft", DRAFTS)
def test_items_of_every_draft(draft: str) -> None:
    pairs = (
        {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}
        if draft == DRAFTS[4]
        else {
            "items": [{"type": "integer"}],
            "additionalItems": {"type": "string"},
        }
    )
    compiled = CompiledSchema({"$schema": draft, "properties": {"all": {"items": {"type": "null"}}, "pair": pairs}})
    assert compiled.violation({"all": [None, None], "pair": [1, "a", "b"]}) is None
    assert compiled.violation({"all": [None, 0]}) == (("all", 1), "type", None)
    assert compiled.violation({"pair": ["a"]}) == (("pair", 0), "type", None)
    assert compiled.violation({"pair": [1, "a", 2]}) == (("pair", 2), "type", None)
    assert compiled.violation({"all": 5, "pair": {}}) is None


def test_the_schema_given_is_left_alone() -> None:
    schema = {
        "$schema": DRAFTS[2],
        "$id": "https://example.com/x",
        "enum": ["a"],
        "properties": {"a": {"pattern": "x"}},
    }
    before = repr(schema)
    compiled = CompiledSchema(schema)
    schema["enum"].append("b")
    assert repr(schema) == before.replace("['a']", "['a', 'b']")
    assert compiled.violation("b") == ((), "enum", None)


@pytest.mark.parametrize("limit", [200, sys.getrecursionlimit()])
def test_deep_values_are_invalid_and_no_crash(limit: int) -> None:
    value: dict[str, object] = {}
    for _ in range(63):
        value = {"a": value}
    compiled = CompiledSchema({"allOf": [{"allOf": [{"properties": {"a": {"$ref": "#"}}}]}]})
    found = []
    before = sys.getrecursionlimit()
    thread = threading.Thread(target=lambda: found.append(compiled.violation(value)))
    sys.setrecursionlimit(limit)
    try:
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(before)
    assert found in ([None], [((), None, "is nested too deeply to be checked")])
    assert limit > 200 or found != [None]


HOSTILE = [
    pytest.param(
        {"anyOf": [{"properties": {"a": {"$ref": "#"}}, "required": [name]} for name in "xyz"]},
        lambda: __import__("functools").reduce(lambda inner, _: {"a": inner}, range(60), {}),
        id="branches that double with depth",
    ),
    pytest.param(
        {"items": {"required": [f"r{n}" for n in range(20_000)], "properties": {f"p{n}": True for n in range(20_000)}}},
        lambda: [{} for _ in range(50_000)],
        id="many names times many objects",
    ),
    pytest.param(
        {"additionalProperties": True, "unevaluatedProperties": False},
        lambda: {f"k{n}": 0 for n in range(90_000)},
        id="quadratic unevaluatedProperties",
    ),
    pytest.param(
        {"items": {"anyOf": [{"const": n} for n in range(1000)]}},
        lambda: [-1] * 90_000,
        id="many alternatives times many items",
    ),
    pytest.param(
        {"additionalProperties": False, "patternProperties": {f"a{n}": True for n in range(1000)}},
        lambda: {f"k{n}": 0 for n in range(90_000)},
        id="many patterns times many keys",
    ),
]


@pytest.mark.parametrize(("schema", "value"), HOSTILE)
@pytest.mark.timeout(60)
def test_hostile_pairs_end(schema: dict[str, object], value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = CompiledSchema(schema)
    # A tenth of the real limit keeps the suite fast; the time is proportional to it.
    monkeypatch.setattr("schemarouter.contract.keywords.MAX_STEPS", MAX_STEPS // 10)
    violation = compiled.violation(value())
    assert violation is not None
    assert violation.keyword is not None or violation.reason == "takes too much work to be checked"


@pytest.mark.timeout(60)
def test_long_enumerations_and_lists_take_linear_time() -> None:
    objects = [{"a": n} for n in range(8000)]
    assert keyword({"$schema": DRAFTS[0], "enum": objects}, {"a": 7999}) is None
    assert keyword({"uniqueItems": True}, objects) is None


def test_counting_starts_anew_for_every_check_and_thread() -> None:
    compiled = CompiledSchema({"items": {"anyOf": [{"type": "integer"}] * 100}})
    value = [1.5] * (MAX_STEPS // 200)
    for _ in range(3):
        assert compiled.violation(value) == ((0,), "anyOf", None)
    assert issubclass(TooMuchWork, Exception)


def test_equality_key_tells_types_apart() -> None:
    values = [1, "1", True, "true", None, "null", [], "[]", {}, "{}", '"', 1.5]
    assert len({equality_key(value) for value in values}) == len(values)


def test_paths_show_declared_names_only() -> None:
    declared = frozenset({"a", "b c", "größe"})
    assert render_path(("a", 0, "secret", "größe"), declared) == "$.a[0].*.größe"
    assert render_path(("b c",), declared) == "$['b c']"
