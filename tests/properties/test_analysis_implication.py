"""What is said of two conditions holds for every value that can be thought of, in all three answers."""

import random

from schemarouter.analysis.implication import excludes, implies
from schemarouter.match.conditions import ConditionError, compile_conditions

TEXTS = ("", "a", "b", "ab", "abc", "ops-1", "x@example.com", "/a", "/a/b", "/ab", "/a/../b", "https://a.example/x")
VALUES = (
    *TEXTS,
    *("http://b.a.example", "https://example", "zq", "/", "é", "/é"),
    *(0, 1, 2, 3, 5, 10, -1, 0.5, 1.5, 2.0, 4.999, True, False, None),
    *([], [1], [1, 2], ["a"], [1, "a", None], [[]], {}, {"m": 1}, {"m": 5}, {"m": "a", "n": 1}, {"n": 2}),
)


def one(choose, depth=0):
    """A condition, most often about one family."""
    kind = choose.choice(("number", "string", "string", "array", "object", "members", "mixed", "words"))
    made = {}
    if kind == "number":
        for keyword in choose.sample(
            ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], choose.choice((1, 1, 2))
        ):
            made[keyword] = choose.choice((0, 1, 2, 3, 5, 1.5))
        if choose.random() < 0.6:
            made["type"] = choose.choice(("number", "integer", ["number", "null"], ["integer", "string"]))
    elif kind == "string":
        keyword = choose.choice(("like", "under", "host", "minLength", "maxLength"))
        made[keyword] = {
            "like": lambda: choose.sample(
                ["a*", "*b", "*", "ab*", "ops-*", "*@example.com", "a"], choose.choice((1, 2))
            ),
            "under": lambda: choose.sample(["/a", "/a/b", "/", "/ab", "/é"], choose.choice((1, 2))),
            "host": lambda: choose.choice(("a.example", "*.example", "*.a.example", "example")),
        }.get(keyword, lambda: choose.choice((0, 1, 2, 3)))()
        if choose.random() < 0.6:
            made["type"] = choose.choice(("string", ["string", "null"]))
    elif kind == "array":
        keyword = choose.choice(("minItems", "maxItems", "items", "contains"))
        made[keyword] = (
            one(choose, depth + 1) if keyword in ("items", "contains") and depth < 2 else choose.choice((0, 1, 2))
        )
        if keyword in ("items", "contains") and type(made[keyword]) is int:
            made = {"maxItems": 1}
    elif kind == "object":
        if depth < 2 and choose.random() < 0.6:
            made["properties"] = {"m": one(choose, depth + 1)}
            if choose.random() < 0.3:
                made["additionalProperties"] = False
        else:
            made["required"] = choose.sample(["m", "n"], choose.choice((1, 2)))
    elif kind == "members":
        made["enum"] = choose.sample([0, 1, 2, 5, "a", "ab", "/a/b", True, None], choose.choice((1, 2, 3)))
    elif kind == "words":
        made["enum"] = choose.sample(["a", "ab", "b", "/a/b", "ops-1"], choose.choice((1, 2, 3)))
    elif depth < 2:
        keyword = choose.choice(("anyOf", "allOf", "not"))
        made[keyword] = one(choose, depth + 1) if keyword == "not" else [one(choose, depth + 1), one(choose, depth + 1)]
    else:
        made["type"] = choose.choice(("string", "number", "array"))
    if depth == 0 and choose.random() < 0.2:
        made["absent"] = choose.random() < 0.5
    return made


def pairs(count):
    for seed in range(count):
        choose = random.Random(seed)
        first = {"x": one(choose)}
        second = {"x": one(choose)}
        if choose.random() < 0.5:  # near misses
            second = {"x": dict(first["x"])}
            keyword = choose.choice(list(second["x"]))
            other = one(choose)
            if keyword in other:
                second["x"][keyword] = other[keyword]
            elif len(second["x"]) > 1:
                del second["x"][keyword]
        if choose.random() < 0.2:
            second["y"] = one(choose)
        if choose.random() < 0.3:
            first["y"] = one(choose)
        try:
            yield compile_conditions(first), compile_conditions(second)
        except ConditionError:
            continue


def calls():
    for value in VALUES:
        yield {"x": value}
    for place, value in enumerate(VALUES):
        yield {"x": value, "y": VALUES[-1 - place]}
        yield {"y": value}
    yield {}


CALLS = tuple(calls())


def test_what_follows_follows_and_what_excludes_excludes():
    followed = excluded = 0
    for one_side, other_side in pairs(6000):
        for first, second in ((one_side, other_side), (other_side, one_side)):
            follows, apart = implies(first, second), excludes(first, second)
            assert apart == excludes(second, first)
            followed += follows and first != second
            excluded += apart
            if not follows and not apart:
                continue
            for call in CALLS:
                mine, theirs = first.evaluate(call), second.evaluate(call)
                if follows:
                    assert mine is not True or theirs is True, (first, second, call)
                    assert theirs is not False or mine is False, (first, second, call)
                if apart:
                    assert mine is not True or theirs is False, (first, second, call)
                    assert theirs is not True or mine is False, (first, second, call)
    assert followed > 150
    assert excluded > 150


def test_the_plain_cases_are_seen():
    def conditions(**arguments):
        return compile_conditions(arguments)

    assert implies(
        conditions(amount={"type": "number", "maximum": 100}), conditions(amount={"type": "number", "maximum": 500})
    )
    assert not implies(conditions(amount={"maximum": 500}), conditions(amount={"maximum": 100}))
    assert implies(conditions(to={"like": "ops-a*"}), conditions(to={"like": ["ops-*", "x"]}))
    assert implies(conditions(path={"under": "/a/b"}), conditions(path={"under": "/a"}))
    assert implies(conditions(to={"enum": ["a"]}), conditions(to={"enum": ["a", "b"]}))
    assert implies(conditions(to={"const": 3}, x={"minimum": 1}), conditions(to={"maximum": 5}))
    assert excludes(conditions(amount={"maximum": 100}), conditions(amount={"exclusiveMinimum": 100}))
    assert excludes(conditions(to={"const": "a"}), conditions(to={"const": "b"}))
    assert not excludes(conditions(to={"const": "a"}), conditions(to={"const": 1}))
