"""YAML 1.2 to plain data for documents of others: keys as they are written, anchors within limits, nothing composed.

The reader of policy files (``schemarouter.document``) is stricter and keeps every position. OpenAPI documents have
unquoted status codes as keys, use anchors, and hold long texts; what they share is the loop over libyaml's events,
which is the only safe way in.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from _ruamel_yaml import CParser
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from schemarouter.document.yaml_scalars import SUSPECT, resolve
from schemarouter.sources.openapi.limits import MAX_ALIAS_NODES, MAX_VALUES, MAX_YAML_DEPTH

_STRING_TAGS: Final = frozenset({"!", "!!str", "tag:yaml.org,2002:str"})
#: In place of an anchored collection that is still open.
_OPEN: Final = object()
_NO_KEY: Final = object()


class YamlProblem(Exception):  # noqa: N818 - the caller makes its error of it
    """The text is YAML, and no document that can be taken. ``line`` counts from 1."""

    def __init__(self, message: str, event: Any, advice: str) -> None:
        super().__init__(message)
        self.line: int = event.start_mark.line + 1
        self.help = advice


class _Frame:
    __slots__ = ("anchor", "before", "data", "key")

    def __init__(self, data: Any, anchor: str | None, before: int) -> None:
        self.data, self.anchor, self.before = data, anchor, before
        self.key: Any = _NO_KEY


def load(text: str) -> Any:
    """The data of the one document in ``text``. Aliases share the data of their anchor, which stays unchanged.

    Raises :class:`YamlProblem`, ``TooManyDigitsError`` and the library's ``YAMLError``.
    """
    next_event = CParser(text).get_event
    root: list[Any] = []
    stack = [_Frame(root, None, 0)]
    anchors: dict[str, tuple[Any, int]] = {}
    nodes = repeated = documents = 0
    while True:
        event = next_event()
        kind = event.__class__
        frame = stack[-1]
        data = frame.data
        if kind is ScalarEvent:
            value: Any = event.value
            is_key = data.__class__ is dict and frame.key is _NO_KEY
            if event.tag is not None or event.anchor is not None:
                value = _marked(event, is_key)
                if event.anchor is not None:
                    anchors[event.anchor] = (value, 1)
            elif not is_key and not event.style and (not value or value[0] in SUSPECT):
                value = resolve(value)
            nodes += 1
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            stack.pop()
            if frame.anchor is not None:
                anchors[frame.anchor] = (data, nodes - frame.before)
            continue
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            value = {} if kind is MappingStartEvent else []
            if event.tag is not None:
                _refuse_tag(event)
            if len(stack) > MAX_YAML_DEPTH:
                raise YamlProblem(f"the text is nested more than {MAX_YAML_DEPTH} deep", event, "flatten it")
            nodes += 1
        elif kind is AliasEvent:
            value, added = anchors.get(event.anchor, (None, -1))
            if added < 0:
                raise YamlProblem(f"the alias `*{event.anchor[:100]}` has no anchor", event, "write the value out")
            if value is _OPEN:
                raise YamlProblem(
                    f"the alias `*{event.anchor[:100]}` repeats itself without end", event, "write it out"
                )
            repeated += added
            nodes += added
            if repeated > MAX_ALIAS_NODES:
                message = f"aliases repeat more than {MAX_ALIAS_NODES} values"
                raise YamlProblem(message, event, "use `$ref` in their place")
        elif kind is DocumentStartEvent:
            documents += 1
            if documents > 1:
                raise YamlProblem("a second document starts here", event, "keep each document in a file of its own")
            continue
        elif kind is StreamEndEvent:
            return root[0] if root else None
        else:
            continue
        if nodes > MAX_VALUES:
            raise YamlProblem(f"the text holds more than {MAX_VALUES} values", event, "split the document")
        if data.__class__ is list:
            data.append(value)
        elif frame.key is _NO_KEY:
            frame.key = _key(value, event, data)
        else:
            data[frame.key] = value
            frame.key = _NO_KEY
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.anchor is not None:
                anchors[event.anchor] = (_OPEN, 0)
            stack.append(_Frame(value, event.anchor, nodes - 1))


def _key(value: Any, event: Any, data: dict[str, Any]) -> str:
    if value.__class__ is not str:
        raise YamlProblem("a key is no string", event, "write a string")
    if value == "<<" and not event.style:
        raise YamlProblem("the merge key `<<` is no part of YAML 1.2", event, "write the keys out")
    if value in data:
        shown = value if value.isprintable() else ascii(value)[1:-1]
        raise YamlProblem(f"the key `{shown[:100]}` stands twice in one mapping", event, "remove one of the two")
    return value


def _marked(event: Any, is_key: bool) -> Any:
    """The value of a scalar with a tag or an anchor."""
    if event.tag is not None and event.tag not in _STRING_TAGS:
        _refuse_tag(event)
    plain = event.tag is None and not event.style and not is_key
    value: str = event.value
    return resolve(value) if plain and (not value or value[0] in SUSPECT) else value


def _refuse_tag(event: Any) -> NoReturn:
    raise YamlProblem(f"the tag `{str(event.tag)[:100]}` is not supported", event, "remove it, or quote the value")
