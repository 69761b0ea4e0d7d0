"""Argument conditions agree with their plain definition, and with ``jsonschema`` wherever they are certain."""

from __future__ import annotations

import copy
import pickle
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from oracle.conditions import conditions_hold, kleene_and
from schemarouter.match.conditions import Conditions, compile_conditions, condition_problems

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 6),
    st.sampled_from([0.0, 1.0, 1.5, -0.5, 2.0**53, 2**53 + 1, 10**30, 1e30]),
    st.sampled_from(["", "a", "ab", "b", "1", "é", "\U0001f600", "null"]),
)
NAMES = st.sampled_from(["a", "b", "c"])
PLAIN = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
ODD = st.sampled_from(
    [float("nan"), float("inf"), (1,), b"a", [float("nan")], {"a": float("-inf")}, {"b": [float("nan")]}]
)
PATHS = [
    "/a",
    "/a/b",
    "/a/../b",
    "/ab",
    "/",
    "//a",
    "a/b",
    "/a//b/./c/",
    "/a/%2e",
    "/a\\b",
    "/a/\n",
    "/a/.. /b",
    "/a\u200b",
]
URLS = [
    "http://a.com",
    "HTTPS://A.com:443/x?y#z",
    "http://u@a.com/",
    "http://a.com./",
    "http://a.com\\@b",
    "http://[::1]/",
    "http://1.2.3.4/",
    "http://1.2.3/",
    "http://0x7f.1",
    "http://é.com",
    "http://a.com:0/",
    "http://a..com",
    "ftp://a.com",
    "http://a.com?@b.com",
    "http://a.com/@b",
    "http://-a.com",
    "http://a_b.com",
    "http://a.com:99999",
    "http://a.com:/",
    "http://a%2ecom",
    "http:/a.com",
    "http://",
]
STRINGS = st.sampled_from([*PATHS, *URLS, "http://a.com /", "http://a.com\n", " http://a.com", "http://a.com/\u00a0"])
#: Some of every family, so that each condition meets values that it is about.
POOL: list[Any] = [
    *(None, True, False, 0, 1, 1.0, 1.5, -1, 2, 3, 5, 10**30, "", "a", "ab", "abc", "é", "1"),
    *([], [1], [1, "a"], [1, 2, 3], ["a", "b"], [[1]], [None], [True], [{"a": 1}], [1.0, 1]),
    *({}, {"a": 1}, {"a": "a", "b": 2}, {"a": None, "c": []}, {"b": {"a": 1}}, {"a": 1, "b": 1, "c": 1}, {"a": [1]}),
]
VALUES = st.one_of(PLAIN, PLAIN, STRINGS, ODD)


def keywords(inner: st.SearchStrategy[Any], ours: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Conditions whose keywords are mostly about one family, so that most of them are free of problems."""
    count = st.integers(0, 3)
    number = st.integers(-2, 4) | st.sampled_from([0.5, 1.5, 1.0])
    number_words = dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), number)
    string_words: dict[str, Any] = {"minLength": count, "maxLength": count}
    if ours:
        string_words["like"] = st.lists(st.text("ab*?[]", max_size=3), min_size=1, max_size=2)
        string_words["under"] = st.sampled_from(["/a", ["/", "/x"], ["/a/b", "/ab/"]])
        string_words["host"] = st.sampled_from(["a.com", "*.com", ["1.*", "*_*"]])
    list_words = {"minItems": count, "maxItems": count, "items": inner, "contains": inner}
    member = st.tuples(inner, st.sampled_from([None, True, False]) if ours else st.none())
    members = member.map(lambda pair: pair[0] if pair[1] is None else {**pair[0], "absent": pair[1]})
    map_words = {
        "properties": st.dictionaries(NAMES, members, min_size=1, max_size=2),
        "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
        "additionalProperties": st.just(False),
    }
    common: dict[str, Any] = {
        "const": PLAIN,
        "enum": st.lists(PLAIN, min_size=1, max_size=3),
        "allOf": st.lists(inner, min_size=1, max_size=2),
        "anyOf": st.lists(inner, min_size=1, max_size=3),
        "not": inner,
    }
    families = [
        (number_words, ["number", "integer"]),
        (string_words, ["string"]),
        (list_words, ["array"]),
        (map_words, ["object"]),
    ]

    def of(words: dict[str, Any], types: list[str]) -> st.SearchStrategy[dict[str, Any]]:
        listed = st.sampled_from([*types, [types[0], "null"], [types[-1], "boolean"]])
        return st.fixed_dictionaries({}, optional={**words, "type": listed}).flatmap(
            lambda chosen: st.sampled_from(sorted(common)).flatmap(
                lambda word: st.one_of(st.just(chosen), common[word].map(lambda operand: {**chosen, word: operand}))
            )
        )

    return st.one_of([of(words, types) for words, types in families])


def conditions(ours: bool) -> st.SearchStrategy[dict[str, Any]]:
    leaf = st.sampled_from(
        [{"type": "string"}, {"type": "null"}, {"type": "integer"}, {"minimum": 1}, {"maxItems": 1}, {"const": 1}]
    )
    return keywords(st.recursive(leaf, lambda inner: keywords(inner, ours), max_leaves=4), ours)


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "/a/b", "/a/0", "/c/-", "/"]), conditions(ours=True), min_size=1, max_size=2
    ),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_conditions_hold_as_their_definition_says(arguments: dict[str, Any], data: st.DataObject) -> None:
    assume(not condition_problems(arguments))
    compiled = compile_conditions(arguments)
    for value in POOL:
        call = {"a": value, "b": value}
        assert compiled.evaluate(call) is kleene_and(conditions_hold(arguments, call))
    for _ in range(3):
        call = data.draw(st.none() | st.dictionaries(st.sampled_from(["a", "b", "c", ""]), VALUES, max_size=3))
        expected = kleene_and(conditions_hold(arguments, call))
        assert compiled.evaluate(call) is expected
        assert kleene_and(answer for _, answer, _ in compiled.why(call)) is expected


@given(conditions(ours=False), st.lists(PLAIN, max_size=3))
@settings(max_examples=300, deadline=None)
def test_conditions_agree_with_jsonschema_where_they_are_certain(
    condition: dict[str, Any], values: list[object]
) -> None:
    assume(not condition_problems({"x": condition}))
    validator = Draft202012Validator(condition)
    compiled = compile_conditions({"x": condition})
    for value in [*POOL, *values]:
        answer = compiled.evaluate({"x": value})
        if answer is not None:
            assert answer is validator.is_valid(value)


def reordered(value: Any) -> Any:
    """The same conditions with maps written the other way round and whole numbers as floats."""
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [reordered(item) for item in value]
    return float(value) if type(value) is int and abs(value) < 2**50 else value


@given(conditions(ours=True), st.lists(VALUES, max_size=3))
@settings(max_examples=300, deadline=None)
def test_the_normal_form_means_the_same_however_it_was_written(condition: dict[str, Any], values: list[object]) -> None:
    arguments = {"x": condition, "/y/0": condition}
    assume(not condition_problems(arguments))
    before = copy.deepcopy(arguments)
    one = compile_conditions(arguments)
    assert arguments == before
    for other in (
        compile_conditions(reordered(arguments)),
        Conditions(one.canonical()),
        pickle.loads(pickle.dumps(one)),
    ):
        assert other == one
        assert hash(other) == hash(one)
        assert repr(other.canonical()) == repr(one.canonical())
        assert other.describe() == one.describe()
        for value in values:
            assert other.evaluate({"x": value, "y": [value]}) is one.evaluate({"x": value, "y": [value]})


ANY_JSON = st.recursive(
    SCALARS | st.sampled_from([float("nan"), float("inf")]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "enum", "const", "like", "under", "host", "not", "anyOf", "items", "properties", "required"]
            )
            | st.sampled_from(["minimum", "maximum", "minLength", "absent", "additionalProperties", "pattern", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@given(ANY_JSON, VALUES)
@settings(max_examples=400, deadline=None)
def test_whatever_is_free_of_problems_compiles_and_answers(arguments: Any, value: object) -> None:
    problems = condition_problems(arguments)
    for problem in problems:
        here: Any = arguments
        for step in problem.path:
            here = here[step]
        assert "\n" not in problem.message
        assert not problem.message.endswith(".")
    if not problems:
        compiled = compile_conditions(arguments)
        assert compiled.evaluate(dict.fromkeys(arguments, value)) in (True, False, None)
        assert compiled.describe()
