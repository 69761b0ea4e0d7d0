"""The checked copy: what is JSON passes and is detached, everything else is refused with its place."""

from __future__ import annotations

import enum
import threading

import pytest

from schemarouter.model.json_value import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_NODES,
    JsonValueError,
    canonical_json,
    checked_copy,
)


class Text(str):
    __slots__ = ()


class Colour(enum.IntEnum):
    RED = 1


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def test_copy_shares_nothing_mutable() -> None:
    inner = {"b": [1, 2.5, None, True, "x"]}
    value = {"a": inner, "again": inner}
    copy = checked_copy(value)
    assert copy == value
    assert copy["a"] is not inner
    assert copy["a"] is not copy["again"], "an alias would let one change show in two places"
    assert copy["a"]["b"] is not inner["b"]
    inner["b"].append(3)
    assert copy["a"]["b"] == [1, 2.5, None, True, "x"]


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ({"a": [0, float("nan")]}, ("a", 1), "not finite"),
        (float("-inf"), (), "not finite"),
        ({"a": {1: 2}}, ("a",), "a key that is not a string"),
        ([(1, 2)], (0,), "`tuple`"),
        ({"a": b"x"}, ("a",), "`bytes`"),
        ({"a": {1, 2}}, ("a",), "`set`"),
        (Text("x"), (), "`Text`"),
        ([Colour.RED], (0,), "`Colour`"),
        ({Text("a"): 1}, (), "a key that is not a string"),
        ({"a": object()}, ("a",), "`object`"),
        ({"a": "\ud800"}, ("a",), "not Unicode"),
        ({"\udfff": 1}, (), "not Unicode"),
        ({"n": 2**1023}, ("n",), "1023 bits"),
        (nested(MAX_DEPTH + 1), (0,) * MAX_DEPTH, "deeper than 64"),
        ([0] * MAX_NODES, (), "more than 100000 values"),
        ({"a": "x" * (MAX_CHARACTERS + 1)}, ("a",), "more than 4000000 characters"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(value: object, path: tuple[object, ...], reason: str) -> None:
    with pytest.raises(JsonValueError, match=reason) as caught:
        checked_copy(value)
    assert caught.value.path == path


def test_limits_are_reached_and_not_passed() -> None:
    assert checked_copy(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    assert len(checked_copy([0] * (MAX_NODES - 1))) == MAX_NODES - 1
    assert checked_copy(2**1023 - 1) == 2**1023 - 1


def test_cycles_and_alias_bombs_end() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(JsonValueError, match="or holds itself"):
        checked_copy(cycle)
    bush: dict[str, object] = {}
    bush.update(a=bush, b=bush)
    with pytest.raises(JsonValueError):
        checked_copy(bush)
    bomb: object = "x"
    for _ in range(40):
        bomb = [bomb, bomb]
    with pytest.raises(JsonValueError, match="more than 100000 values"):
        checked_copy(bomb)


def test_message_holds_nothing_of_the_value() -> None:
    with pytest.raises(JsonValueError) as caught:
        checked_copy({"secret-key": ["secret-value", float("nan")]})
    assert "secret" not in str(caught.value)


def test_a_writer_in_another_thread_does_no_harm() -> None:
    shared: dict[str, object] = {str(index): index for index in range(200)}
    stop = threading.Event()

    def write() -> None:
        index = 0
        while not stop.is_set():
            index += 1
            shared[f"new{index % 50}"] = index
            shared.pop(f"new{(index + 25) % 50}", None)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(500):
            assert checked_copy(shared)["7"] == 7
    finally:
        stop.set()
        writer.join()


def test_canonical_text() -> None:
    assert canonical_json({"b": 1.0, "a": [True, None, 1.5, "ü"]}) == '{"a":[true,null,1.5,"\\u00fc"],"b":1}'
    assert canonical_json(1) == canonical_json(1.0) != canonical_json(True)
    assert canonical_json(-0.0) == canonical_json(0)
    with pytest.raises(JsonValueError):
        canonical_json({"a": float("nan")})
