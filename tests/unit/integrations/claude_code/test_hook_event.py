"""What stands on the hook's standard input is believed in nothing but its form."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.integrations.claude_code import event as events
from schemarouter.integrations.claude_code.event import EventError, parse_event, read_input
from support.claude_code import event


def test_an_event() -> None:
    found = parse_event(event("Bash", {"command": "ls"}))
    assert found == ("Bash", {"command": "ls"}, "toolu_1", "session-1", "dontAsk")


def test_an_event_of_a_release_that_tells_no_mode() -> None:
    assert parse_event(event(permission_mode=None)).mode is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b"\xff",
        b"{",
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a": ' + b"9" * 5000 + b"}",
        event(hook_event_name="PostToolUse"),
        event(hook_event_name=None),
        event(tool_name=""),
        event(tool_name=7),
        event(tool_name="x" * 257),
        event(tool_name="\ud800"),
        event(tool_use_id=None),
        event(session_id=None),
        event(session_id=["a"]),
        event(tool_input=[1]),
        event(tool_input=None),
        event(tool_input={"a": "\udc00"}),
        event(tool_input={"a": 10**400}),
        event().replace(b'{"file_path": "a"}', b'{"file_path": "a", "file_path": "b"}'),
        event().replace(b'{"file_path": "a"}', b'{"a":' * 70 + b"1" + b"}" * 70),
        event().replace(b'{"file_path": "a"}', b'{"a": 1e999}'),
    ],
    ids=lambda data: data[:40].decode("latin-1"),
)
def test_what_is_no_event(data: bytes) -> None:
    with pytest.raises(EventError) as caught:
        parse_event(data)
    assert "\n" not in str(caught.value)


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps).map(str.encode)
)
def test_nothing_else_comes_of_anything(data: bytes) -> None:
    with pytest.raises(EventError):
        parse_event(data)


@given(st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)))
def test_arguments_are_a_copy_of_what_was_said(arguments: dict[str, Any]) -> None:
    assert parse_event(event("Bash", arguments)).arguments == arguments


def test_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_BYTES", 10)
    for length, fits in ((10, True), (11, False)):
        reader, writer = os.pipe()
        os.write(writer, b"x" * length)
        os.close(writer)
        try:
            if fits:
                assert read_input(reader) == b"x" * length
            else:
                with pytest.raises(EventError, match="more than 10 bytes"):
                    read_input(reader)
        finally:
            os.close(reader)
