"""What Claude Code tells a ``PreToolUse`` hook on standard input. Standard library only.

Everything in it but the event's name comes from a model or its host, and is believed in nothing but its form.
"""

from __future__ import annotations

import json
import os
from collections import namedtuple

from schemarouter.model.json_value import JsonValueError, checked_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple, NoReturn

    class Event(NamedTuple):
        """One call that is about to run; ``arguments`` is a checked copy."""

        tool: str
        arguments: dict[str, Any]
        call_id: str
        session: str
        mode: str | None
else:
    Event = namedtuple("Event", "tool arguments call_id session mode")

#: Bytes of one event: four million characters, each escaped, and the rest.
MAX_BYTES = 32 * 1024 * 1024
_MAX_ID = 256


class EventError(ValueError):
    """This is no event that can be decided about. The message holds nothing of it."""


def read_input(descriptor: int = 0) -> bytes:
    """All of standard input. Raises :class:`EventError` where it is longer than an event may be, ``OSError``."""
    parts: list[bytes] = []
    left = MAX_BYTES
    while part := os.read(descriptor, 1 << 20):
        left -= len(part)
        if left < 0:
            raise EventError(f"it has more than {MAX_BYTES} bytes")
        parts.append(part)
    return b"".join(parts)


def parse_event(data: bytes) -> Event:
    """The event in ``data``. Raises :class:`EventError`."""
    try:
        event = json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise EventError("it is no JSON") from None
    if not isinstance(event, dict):
        raise EventError("it is no object")
    if event.get("hook_event_name") != "PreToolUse":
        raise EventError("it is no `PreToolUse` event")
    arguments = event.get("tool_input")
    if not isinstance(arguments, dict):
        raise EventError("its `tool_input` is no object")
    try:
        arguments = checked_copy(arguments)
    except (JsonValueError, RecursionError) as error:
        raise EventError(f"its `tool_input` {getattr(error, 'reason', 'is nested too deeply')}") from None
    mode = event.get("permission_mode")
    return Event(
        _text(event, "tool_name"),
        arguments,
        _text(event, "tool_use_id"),
        _text(event, "session_id"),
        mode if isinstance(mode, str) else None,
    )


def _text(event: dict[str, Any], name: str) -> str:
    value = event.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_ID:
        raise EventError(f"its `{name}` is no text of 1 to {_MAX_ID} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise EventError(f"its `{name}` is not Unicode") from None
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _constant(_: str) -> NoReturn:
    raise ValueError
