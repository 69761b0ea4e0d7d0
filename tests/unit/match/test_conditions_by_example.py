"""Argument conditions by example: each sentence of SPEC 2.6, and each problem with its help."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from schemarouter.errors import SchemaRouterError
from schemarouter.match.conditions import ConditionError, compile_conditions, condition_problems
from schemarouter.match.evaluate import Check
from schemarouter.match.keywords import FAMILIES, INSTEAD, KEYWORDS, MAX_DEPTH
from schemarouter.match.strings import plain_host, plain_path

NAN = float("nan")
NULL_OR_FEW = {"anyOf": [{"type": "null"}, {"type": "array", "maxItems": 3}]}


def judge(condition: dict[str, Any], value: object) -> bool | None:
    return compile_conditions({"x": condition}).evaluate({"x": value})


@pytest.mark.parametrize(
    ("condition", "value", "answer"),
    [
        # A value of a type that the condition is not about is indeterminate, also when `type` is given.
        ({"maximum": 100}, 5, True),
        ({"maximum": 100}, 500, False),
        ({"maximum": 100}, "5000", None),
        ({"type": "number", "maximum": 100}, "5000", None),
        ({"type": "integer"}, 1.5, None),
        ({"type": "integer"}, 1.0, True),
        ({"type": "integer"}, True, None),
        ({"type": "boolean"}, 1, None),
        ({"minimum": 0}, True, None),
        ({"const": 1}, 1.0, True),
        ({"const": 1}, True, None),
        ({"const": True}, 1, None),
        ({"const": "a"}, 1, None),
        ({"const": "a"}, "b", False),
        ({"enum": ["a", 1]}, 2, False),
        ({"enum": ["a", 1]}, None, None),
        ({"const": [1, True]}, [1.0, True], True),
        ({"const": [1, True]}, [1, 1], False),
        ({"const": {"a": [1]}}, {"a": [1.0]}, True),
        ({"enum": [2**53 + 1]}, float(2**53), False),
        # Inside `anyOf` and `not`, `type` is an ordinary test.
        (NULL_OR_FEW, None, True),
        (NULL_OR_FEW, [1], True),
        (NULL_OR_FEW, [1, 2, 3, 4], False),
        (NULL_OR_FEW, "x", False),
        ({"not": {"type": "string"}}, "x", False),
        ({"not": {"type": "string"}}, 1, True),
        ({"not": {"maximum": 100}}, "5000", None),
        ({"not": {"not": {"type": "integer"}}}, 1.5, False),
        ({"anyOf": [{"maximum": 1}, {"like": "a*"}]}, "ab", True),
        ({"anyOf": [{"maximum": 1}, {"like": "a*"}]}, "b", None),
        ({"anyOf": [{"properties": {"a": {"type": "string"}}}]}, {"a": 1}, False),
        ({"allOf": [{"type": "string"}]}, 1, None),
        # `type` may list several: a keyword about one of them lets the others pass.
        ({"type": ["number", "null"], "maximum": 5}, None, True),
        ({"type": ["number", "null"], "maximum": 5}, 6, False),
        ({"type": ["number", "null"], "maximum": 5}, "6", None),
        # Non-finite numbers, and what JSON does not have.
        ({"type": "number"}, NAN, None),
        ({"not": {"type": "string"}}, NAN, None),
        ({"not": {}}, float("inf"), None),
        ({"const": [1]}, [NAN], None),
        ({"const": {}}, {"a": NAN}, None),
        ({"type": "array"}, (1,), None),
        ({"like": "*"}, b"a", None),
        # Strings count in code points, and patterns match the whole string.
        ({"maxLength": 1}, "\U0001f600", True),
        ({"minLength": 2}, "é", False),
        ({"like": ["*@example.com", "ops-*"]}, "ops-1", True),
        ({"like": "*@example.com"}, "a@example.com\n", False),
        ({"like": "*"}, "a\nb", True),
        # Lists and maps.
        ({"items": {"maximum": 3}}, [1, 2], True),
        ({"items": {"maximum": 3}}, [1, "2"], None),
        ({"items": {"maximum": 3}}, [9, "2"], False),
        ({"items": {"maximum": 3}}, [], True),
        ({"contains": {"const": "a"}}, ["b", "a"], True),
        ({"contains": {"const": "a"}}, ["b", 1], None),
        ({"contains": {"const": "a"}}, [], False),
        ({"minItems": 1, "maxItems": 2}, [1, 2, 3], False),
        ({"required": ["a"]}, {}, False),
        ({"required": ["a"]}, [], None),
        ({"properties": {"a": {"const": 1}}, "additionalProperties": False}, {"a": 1, "b": 2}, False),
        ({"additionalProperties": False}, {}, True),
        # A member that is not there never widens.
        ({"properties": {"a": {"const": 1}}}, {}, None),
        ({"properties": {"a": {"const": 1}}, "required": ["a"]}, {}, False),
        ({"properties": {"a": {"const": 1, "absent": True}}}, {}, True),
        ({"properties": {"a": {"const": 1, "absent": False}}}, {}, False),
    ],
)
def test_answers(condition: dict[str, Any], value: object, answer: bool | None) -> None:
    assert judge(condition, value) is answer


@pytest.mark.parametrize(("says", "answer"), [({}, None), ({"absent": True}, True), ({"absent": False}, False)])
def test_a_missing_argument(says: dict[str, bool], answer: bool | None) -> None:
    conditions = compile_conditions({"x": {"maximum": 5, **says}})
    assert conditions.evaluate({}) is answer
    assert conditions.evaluate({"y": 1}) is answer
    assert conditions.evaluate(None) is None
    assert conditions.evaluate({"x": None}) is None


def test_an_argument_that_must_not_be_there() -> None:
    conditions = compile_conditions({"force": {"absent": True, "not": {}}})
    assert conditions.evaluate({}) is True
    assert conditions.evaluate({"force": False}) is False


@pytest.mark.parametrize(
    ("pointer", "answer"),
    [
        ("/a/b", True), ("/list/0", True), ("/list/1/c", True), ("/~1x~0y", True), ("/", True), ("/digits/0", True),
        ("/none", False), ("/a/none", False), ("/list/2", False), ("/list/99999999999999999999", False),
        ("/list/-", None), ("/list/00", None), ("/list/c", None), ("/list/\u0661", None), ("/scalar/0", None), ("/null/a", None),
    ],
)  # fmt: skip
def test_json_pointers(pointer: str, answer: bool | None) -> None:
    arguments = {
        "a": {"b": 1}, "list": [1, {"c": 1}], "/x~y": 1, "": 1, "digits": {"0": 1}, "scalar": "0", "null": None,
    }  # fmt: skip
    assert compile_conditions({pointer: {"const": 1, "absent": False}}).evaluate(arguments) is answer


class OwnDict(dict[str, object]):
    """Of a class of its own: it could answer anything."""


def test_values_of_other_classes_are_not_judged() -> None:
    assert compile_conditions({"/a/b": {"const": 1}}).evaluate({"a": OwnDict(b=1)}) is None
    assert judge({"required": ["b"]}, OwnDict(b=1)) is None
    assert compile_conditions({"a": {"const": 1}}).evaluate(OwnDict(a=1)) is True


def test_all_conditions_must_hold() -> None:
    conditions = compile_conditions({"a": {"maximum": 1}, "b": {"maximum": 1}})
    assert conditions.evaluate({"a": 1, "b": 1}) is True
    assert conditions.evaluate({"a": 1}) is None
    assert conditions.evaluate({"a": 2}) is False
    assert conditions.evaluate({"b": 2}) is False


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("/", "/"), ("/a", "/a"), ("/a/b/", "/a/b"), ("/a//b/./c", "/a/b/c"), ("/a/..b", "/a/..b"), ("/a b", "/a b"),
        ("/a/...", "/a/..."), ("", None), ("a", None), ("./a", None), ("~/a", None), ("//a/b", None), ("/a/../b", None),
        ("/a/..", None), ("/..", None), ("/a/.. /b", None), ("/a\x00", None), ("/a\\..\\b", None), ("/a/%2e%2e/b", None),
        ("/a\n", None), ("/a\u200b", None), ("C:/a", None), ("file:///a", None), (" /a", None),
        ("/a/..;x/b", None), ("/a/.. ;/b", None), ("/a/..b;/c", "/a/..b;/c"), ("/a/\u2025/b", None),
        ("/a/\uff0e\uff0e/b", None), ("/a/.\u2024/b", None), ("/a\uff0f..", None), ("/a\uff3cb", None), ("/a/\uff05", None),
        ("/a/so\u2026", "/a/so\u2026"), ("/\u00e9", "/\u00e9"), ("/e\u0301", "/e\u0301"),
    ],
)  # fmt: skip
def test_plain_paths(path: str, plain: str | None) -> None:
    assert plain_path(path) == plain
    if plain is None:
        assert judge({"under": "/"}, path) is None


@pytest.mark.parametrize(
    ("path", "answer"),
    [("/srv/data", True), ("/srv/data/a/b", True), ("/srv/database", False), ("/srv", False), ("/", False)],
)
def test_under_is_the_folder_or_inside_it(path: str, answer: bool) -> None:
    for folders in ("/srv/data", ["/x", "/srv//data/"]):
        assert judge({"under": folders}, path) is answer
        assert judge({"under": "/"}, path) is True


def test_under_cannot_tell_where_file_systems_could_disagree_about_letters() -> None:
    composed, decomposed = "/srv/caf\u00e9", "/srv/cafe\u0301"
    assert judge({"under": composed}, composed + "/a") is True
    assert judge({"under": composed}, decomposed + "/a") is None
    assert judge({"not": {"under": composed}}, decomposed) is None
    assert judge({"under": "/srv"}, decomposed) is True
    assert judge({"under": "/x"}, decomposed) is False


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.com/a?b=@c#d", "api.example.com"), ("HTTP://API.Example.COM:8080", "api.example.com"),
        ("http://localhost?x", "localhost"), ("http://127.0.0.1/", "127.0.0.1"), ("https://xn--e1afmkfd.xn--p1ai/", "xn--e1afmkfd.xn--p1ai"),
        ("https://ja.wikipedia.org/wiki/日本", "ja.wikipedia.org"), ("https://a.com/@b", "a.com"), ("https://a_b.com", "a_b.com"),
        ("a.com", None), ("//a.com", None), ("ftp://a.com", None), ("http:/a.com", None), ("http:a.com", None), ("http://", None),
        ("https://user@a.com", None), ("https://a.com:x@b.com", None), ("https://a.com?@b.com", None), ("https://a.com#@b.com", None),
        ("https://a.com\\@b.com", None), ("https://a.com\\.b.com", None), ("https://a.com.", None), ("https://a..com", None),
        ("https://.a.com", None), ("https://bücher.de", None), ("https://a\uff0ecom", None), ("https://a%2ecom", None),
        ("https://[::1]/", None), ("https://0x7f.1/", None), ("https://2130706433/", None), ("https://127.1/", None),
        ("https://0177.0.0.1/", None), ("https://256.0.0.1/", None), ("https://a.0x/", None), ("https://a.com:0", None),
        ("https://a.com:65536", None), ("https://a.com:", None), ("https://a.com:8\u0660", None), (" https://a.com", None),
        ("https://a.com\n", None), ("https://a.com/\t", None), ("https://a.com/\x00", None), ("https://a.com/\u202e", None),
        ("https://-a.com", None), ("https://a-.com", None), (f"https://{'a' * 64}.com", None), ("https://" + "a." * 130 + "com", None),
        ("https://\u212a.com", None), ("http\u017f://a.com", None),
    ],
)  # fmt: skip
def test_plain_hosts(url: str, host: str | None) -> None:
    assert plain_host(url) == host
    if host is None:
        assert judge({"host": "*"}, url) is None


def test_host_matches_patterns() -> None:
    for url, answer in (
        ("https://API.example.com/", True),
        ("https://example.com/", False),
        ("https://evil.com/x.example.com", False),
    ):
        assert judge({"host": ["*.example.com", "internal"]}, url) is answer


@pytest.mark.parametrize(
    ("arguments", "path", "kind", "advice"),
    [
        ({"a": {"pattern": "^x$"}}, ("a", "pattern"), "unknown-keyword", "`like`"),
        ({"a": {"format": "uri"}}, ("a", "format"), "unknown-keyword", "`host`"),
        ({"a": {"$ref": "#/x"}}, ("a", "$ref"), "unknown-keyword", "write the condition out"),
        ({"a": {"items": {"oneOf": []}}}, ("a", "items", "oneOf"), "unknown-keyword", "`anyOf`"),
        ({"a": {"minium": 1}}, ("a", "minium"), "unknown-keyword", "did you mean `minimum`?"),
        ({"a": {"zzz": 1}}, ("a", "zzz"), "unknown-keyword", "the keywords are"),
        ({"a": {1: 2}}, ("a",), "wrong-type", None),
        ({1: {}}, (), "wrong-type", None),
        ({}, (), "bad-value", "leave `arguments` out"),
        ([], (), "wrong-type", None),
        ({"a": 5}, ("a",), "wrong-type", "`const: ...`"),
        ({"a": ["x"]}, ("a",), "wrong-type", "`enum: [...]`"),
        ({"a": {}}, ("a",), "bad-value", "`absent: false`"),
        ({"a": {"absent": True}}, ("a", "absent"), "bad-value", "`not: {}`"),
        ({"a": {"absent": "yes", "type": "string"}}, ("a", "absent"), "wrong-type", None),
        ({"a": {"not": {"absent": True, "type": "string"}}}, ("a", "not", "absent"), "bad-value", "only arguments"),
        ({"/a~2": {"type": "string"}}, ("/a~2",), "bad-value", "`~0` for `~`"),
        ({"a": {"type": "str"}}, ("a", "type"), "bad-value", "the types are"),
        ({"a": {"type": None}}, ("a", "type"), "wrong-type", "in quotes"),
        ({"a": {"type": []}}, ("a", "type"), "bad-value", None),
        ({"a": {"type": ["string", "string"]}}, ("a", "type"), "bad-value", None),
        ({"a": {"enum": []}}, ("a", "enum"), "bad-value", None),
        ({"a": {"enum": "x"}}, ("a", "enum"), "wrong-type", "`const`"),
        ({"a": {"enum": [1, 1.0]}}, ("a", "enum", 1), "bad-value", None),
        ({"a": {"enum": [NAN]}}, ("a", "enum", 0), "bad-value", None),
        ({"a": {"const": NAN}}, ("a", "const"), "bad-value", None),
        ({"a": {"maximum": True}}, ("a", "maximum"), "wrong-type", None),
        ({"a": {"maximum": "5"}}, ("a", "maximum"), "wrong-type", None),
        ({"a": {"maximum": float("inf")}}, ("a", "maximum"), "bad-value", None),
        ({"a": {"minimum": 2, "maximum": 1}}, ("a", "minimum"), "bad-value", None),
        ({"a": {"minimum": 1, "exclusiveMaximum": 1}}, ("a", "minimum"), "bad-value", None),
        ({"a": {"minLength": 2, "maxLength": 1}}, ("a", "minLength"), "bad-value", None),
        ({"a": {"minLength": -1}}, ("a", "minLength"), "bad-value", None),
        ({"a": {"maxItems": 1.5}}, ("a", "maxItems"), "wrong-type", None),
        ({"a": {"maxItems": True}}, ("a", "maxItems"), "wrong-type", None),
        ({"a": {"like": []}}, ("a", "like"), "bad-value", None),
        ({"a": {"like": 5}}, ("a", "like"), "wrong-type", None),
        ({"a": {"like": ["x", 5]}}, ("a", "like", 1), "wrong-type", None),
        ({"a": {"under": "data"}}, ("a", "under"), "bad-value", "begins with one `/`"),
        ({"a": {"under": ["/a", "/a/../b"]}}, ("a", "under", 1), "bad-value", "without `..`"),
        ({"a": {"under": "/home/*"}}, ("a", "under"), "bad-value", "use `like`"),
        ({"a": {"host": "https://a.com"}}, ("a", "host"), "bad-value", "leave out scheme"),
        ({"a": {"host": ["a", "A.com"]}}, ("a", "host", 1), "bad-value", "`a.com`"),
        ({"a": {"host": "bücher.de"}}, ("a", "host"), "bad-value", "`xn--`"),
        ({"a": {"anyOf": []}}, ("a", "anyOf"), "bad-value", None),
        ({"a": {"anyOf": {}}}, ("a", "anyOf"), "wrong-type", None),
        ({"a": {"allOf": [5]}}, ("a", "allOf", 0), "wrong-type", None),
        ({"a": {"properties": []}}, ("a", "properties"), "wrong-type", None),
        ({"a": {"properties": {}}}, ("a", "properties"), "bad-value", None),
        ({"a": {"properties": {1: {}}}}, ("a", "properties"), "wrong-type", None),
        ({"a": {"properties": {"b": {"x": 1}}}}, ("a", "properties", "b", "x"), "unknown-keyword", None),
        ({"a": {"required": "b"}}, ("a", "required"), "wrong-type", None),
        ({"a": {"required": []}}, ("a", "required"), "bad-value", None),
        ({"a": {"required": ["b", "b"]}}, ("a", "required", 1), "bad-value", None),
        ({"a": {"required": [1]}}, ("a", "required", 0), "wrong-type", None),
        ({"a": {"additionalProperties": True}}, ("a", "additionalProperties"), "bad-value", "leave it out"),
        ({"a": {"required": ["b"], "additionalProperties": False}}, ("a", "required", 0), "bad-value", "add `b`"),
        ({"a": {"type": "string", "maximum": 5}}, ("a", "maximum"), "bad-value", None),
        ({"a": {"type": "string", "const": 5}}, ("a", "const"), "bad-value", None),
        ({"a": {"type": "integer", "enum": [1, 1.5]}}, ("a", "enum", 1), "bad-value", None),
        ({"a": {"maximum": 5, "maxLength": 5}}, ("a", "maxLength"), "bad-value", "`anyOf`"),
    ],
)  # fmt: skip
def test_problems(arguments: Any, path: tuple[str | int, ...], kind: str, advice: str | None) -> None:
    (problem,) = condition_problems(arguments)
    assert problem.path == path
    assert problem.kind == kind
    if advice is not None:
        assert problem.help is not None
        assert advice in problem.help
    with pytest.raises(ConditionError) as raised:
        compile_conditions(arguments)
    assert raised.value.problems == (problem,)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConditionError, match=r"unknown keyword `pattern` in a condition \(and 2 more\)") as raised:
        compile_conditions({"a": {"pattern": "x", "maximum": "5"}, "b": {"enum": []}})
    assert len(raised.value.problems) == 3
    assert isinstance(raised.value, SchemaRouterError)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.problems) == (str(raised.value), raised.value.problems)


def test_every_keyword_is_known_to_every_table() -> None:
    operands: dict[str, Any] = {
        "absent": False, "type": "string", "const": 1, "enum": [1], "allOf": [{}], "anyOf": [{}], "not": {},
        "like": "a", "under": "/a", "host": "a", "items": {}, "contains": {}, "properties": {"a": {"const": 1}},
        "required": ["a"], "additionalProperties": False,
    }  # fmt: skip
    for keyword in KEYWORDS:
        condition = {keyword: operands.get(keyword, 1)}
        assert condition_problems({"a": condition}) == []
        assert len(Check(condition).tests) == (keyword != "absent")
        assert compile_conditions({"a": condition}).canonical() == {"a": condition}
    assert set(FAMILIES) <= set(KEYWORDS)
    assert not set(INSTEAD) & set(KEYWORDS)


def nested(depth: int, keyword: str) -> dict[str, Any]:
    condition: dict[str, Any] = {"type": "string"}
    for _ in range(depth - 1):
        condition = {keyword: condition if keyword in ("not", "items") else [condition]}
    return condition


@pytest.mark.parametrize("keyword", ["not", "items", "anyOf", "allOf"])
def test_depth_is_limited_without_recursion_errors(keyword: str) -> None:
    assert condition_problems({"a": nested(MAX_DEPTH, keyword)}) == []
    for depth in (MAX_DEPTH + 1, 20_000):
        (problem,) = condition_problems({"a": nested(depth, keyword)})
        assert "levels deep" in problem.message


def test_deep_arguments_and_constants() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert judge({"const": [1]}, deep) is None
    assert judge({"items": {"items": {"type": "array"}}}, deep) is True
    (problem,) = condition_problems({"a": {"const": deep}})
    assert "levels deep" in problem.message
    while isinstance(deep, list):  # taken apart here, because the interpreter would recurse
        deep = deep.pop()


@pytest.mark.timeout(60)
def test_long_values_take_linear_time() -> None:
    conditions = compile_conditions(
        {
            "list": {"contains": {"enum": [f"v{number}" for number in range(20_000)]}, "items": {"type": "string"}},
            "text": {"like": "*a*a*a*a*a*a*b"},
            "path": {"under": [f"/f{number}" for number in range(1000)]},
        }
    )
    arguments = {"list": ["x"] * 200_000, "text": "a" * 1_000_000, "path": "/a" * 100_000}
    assert conditions.evaluate(arguments) is False
    assert [answer for _, answer, _ in conditions.why(arguments)] == [False, False, False]


def test_why_names_the_keyword_and_never_the_value() -> None:
    conditions = compile_conditions(
        {
            "amount": {"type": "number", "maximum": 500},
            "to": {"like": ["*@example.com", "ops-*"]},
            "/a/b": {"const": 1},
            "note": {"maxLength": 5, "absent": False},
        }
    )
    secret = "s3cr3t-value"
    reasons = {name: (answer, why) for name, answer, why in conditions.why({"amount": 9000, "to": secret, "a": secret})}
    assert reasons == {
        "amount": (False, "fails `maximum: 500`"),
        "to": (False, 'fails `like: ["*@example.com", "ops-*"]`'),
        "/a/b": (None, "cannot be looked up: a value on the way has no such part"),
        "note": (False, "is not there, and must be"),
    }
    reasons = {
        name: (answer, why) for name, answer, why in conditions.why({"amount": secret, "to": "ops-1", "note": NAN})
    }
    assert reasons["amount"] == (None, "is a string, of which `type: number` cannot tell")
    assert reasons["to"] == (True, "holds")
    assert reasons["note"] == (None, "is no JSON value, or not finite")
    assert {why for _, _, why in conditions.why(None)} == {"is not known"}


def test_describe_and_equality() -> None:
    one = compile_conditions({"b": {"maximum": 500.0, "type": "number"}, "a": {"like": ["x*", "x*"], "minLength": 1}})
    other = compile_conditions({"a": {"minLength": 1.0, "like": "x*"}, "b": {"type": ["number"], "maximum": 500}})
    assert one.describe() == 'a: {minLength: 1, like: "x*"}; b: {type: number, maximum: 500}'
    assert one == other
    assert hash(one) == hash(other)
    assert one != compile_conditions({"b": {"maximum": 500}})
    assert compile_conditions({"a": {"const": 1}}) != compile_conditions({"a": {"const": True}})
    assert compile_conditions({"a": {"const": "1"}}) != compile_conditions({"a": {"const": 1}})
    assert one != "something else"


def test_conditions_cannot_be_changed() -> None:
    source: dict[str, Any] = {"a": {"enum": ["x"]}}
    conditions = compile_conditions(source)
    source["a"]["enum"].append("y")
    conditions.canonical()["a"]["enum"].append("y")
    assert conditions.evaluate({"a": "y"}) is False
    with pytest.raises(AttributeError):
        conditions._checks = ()  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del conditions._normal


@pytest.mark.parametrize(("number", "same"), [(15.0, 15), (-0.0, 0), (1e22, 10**22), (1e300, int(1e300))])
def test_a_number_has_one_spelling(number: float, same: int) -> None:
    for write in (
        lambda value: {"const": value},
        lambda value: {"maximum": value},
        lambda value: {"enum": ["x", value]},
    ):
        one, other = compile_conditions({"a": write(number)}), compile_conditions({"a": write(same)})
        assert (one, hash(one), str(one.canonical())) == (other, hash(other), str(other.canonical()))
