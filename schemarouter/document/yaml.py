"""YAML 1.2 to plain data and spans, in one loop over libyaml's events.

The loop is the only safe way in: libyaml's own composer recurses (100 kB of ``[`` is a segmentation fault), and no
constructor of the library follows the core schema. Events pass duplicate keys, aliases, tags and further documents
silently; all of them are checked here.
"""

from __future__ import annotations

import gc
import re
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, cast

from _ruamel_yaml import CParser
from ruamel.yaml.error import YAMLError
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

from schemarouter.document.limits import MAX_DEPTH, MAX_KEY, MAX_LISTED, MAX_NODES, MAX_REREAD, MAX_SCALAR
from schemarouter.document.positions import SHIFT, Lines, ListNode, MapNode, Node, ParsedSource
from schemarouter.document.yaml_errors import Repair, error_offset, find_repair, syntax_problem
from schemarouter.document.yaml_nodes import PLACEHOLDER, SLOW_KEYS, SLOW_VALUES, Anchor, Frame, NodeChecks, Stop
from schemarouter.document.yaml_scalars import comments, written
from schemarouter.model.diagnostic import Problem


def read_yaml(text: str, path: str, lines: Lines) -> tuple[ParsedSource | None, list[Problem]]:
    """The pass "tree" for YAML. ``text`` holds no character that ``document.text`` refuses. Never raises."""
    collecting = gc.isenabled()
    gc.disable()  # a hundred thousand small objects, none of them garbage: collecting doubles the time
    try:
        source, problems = _read(text, path, lines)
    finally:
        if collecting:
            gc.enable()
    return source, [*_odd_line_ends(text, lines), *problems]


def _odd_line_ends(text: str, lines: Lines) -> list[Problem]:
    """SR009 for carriage returns that end a line of their own among ordinary lines: to YAML a line ends there, and most
    editors, terminals and reviews show it as one, or what follows in the place of what stands before."""
    if "\r" not in text or "\n" not in text:
        return []
    message, advice = "the text contains a carriage return without a line feed", "end lines with LF or CR LF"
    found = islice(re.finditer("\r(?!\n)", text), MAX_LISTED)
    return [Problem("SR009", message, lines.span(*match.span()), help=advice) for match in found]


def _read(text: str, path: str, lines: Lines) -> tuple[ParsedSource | None, list[Problem]]:
    repairs: dict[int, Repair] = {}
    failures: list[tuple[YAMLError, Repair]] = []
    parsed, reread = text, 0
    while True:
        checks = NodeChecks(text, lines, repairs)
        try:
            _build(checks, parsed)
        except Stop:
            return None, [*_said(checks), *checks.problems]
        except YAMLError as error:
            at = error_offset(error, text)
            if failures and (at < failures[-1][1].end or at <= error_offset(failures[-1][0], text)):
                # Quotes around that scalar did not help: it is not what is wrong.
                error, repair = failures.pop()
                del repairs[repair.start]
                return None, [*_said(checks), *checks.problems, syntax_problem(error, text, lines)]
            found = find_repair(error, text, checks.in_flow, lines)
            reread += len(text)
            if found is None or any(found.start < old.end and old.start < found.end for old in repairs.values()):
                return None, [*_said(checks), *checks.problems, syntax_problem(error, text, lines)]
            repairs[found.start] = found
            if len(repairs) > MAX_LISTED or (reread > MAX_REREAD and len(repairs) > 1):
                return None, [*_said(checks), *checks.problems]
            failures.append((error, found))
            parsed = parsed[: found.start] + PLACEHOLDER * (found.end - found.start) + parsed[found.end :]
            continue
        if len(checks.applied) < len(repairs):
            return None, [*_said(checks), *checks.problems]  # a placeholder became part of something else
        root = checks.stack[0]
        # A text without a document is an empty value at its start.
        data, node = (root.data[0], cast(ListNode, root.node).items[0]) if root.data else (None, 0)
        source = ParsedSource(path, "yaml", text, data, node, lines, partial(comments, until=checks.end), written)
        return source, [*_said(checks), *checks.problems]


def _said(checks: NodeChecks) -> list[Problem]:
    """The problems of repaired scalars; without a fix where quotes around the repaired part would not be enough."""
    return [
        replace(repair.problem, fix=None) if start in checks.longer else repair.problem
        for start, repair in checks.repairs.items()
    ]


def _build(checks: NodeChecks, parsed: str) -> None:
    """Read ``parsed``, which has placeholders where the text has repaired scalars, into the frames of ``checks``.

    Raises:
        YAMLError: libyaml gives up.
        Stop: a limit is exceeded; the problem is recorded.
    """
    next_event = CParser(parsed).get_event
    padded = parsed + "\n"  # an empty scalar may stand behind the last character
    slow_values, slow_keys = SLOW_VALUES, SLOW_KEYS
    stack = checks.stack
    frame = stack[0]
    # Of the open collection: its data, its spans (one of the two is in use), the key whose value comes next.
    data: Any = frame.data
    items: list[Node] = cast(ListNode, frame.node).items
    entries: dict[str | int, tuple[int, Node]] = {}
    key: Any = None
    is_map = False
    nodes = end = keyspan = documents = 0
    # Ordinary scalars, nearly all of the events, pass through this loop without a call.
    while True:
        event = next_event()
        kind = event.__class__
        if kind is ScalarEvent:
            start, end, value = event.start_mark.index, event.end_mark.index, event.value
            nodes += 1
            if key is None and is_map:
                key = value
                keyspan = start << SHIFT | end
                if padded[start] in slow_keys or not value or value in entries or end - start > MAX_KEY:
                    key = checks.key(event, start, end)
                continue
            if padded[start] in slow_values or not value or end - start > MAX_SCALAR:
                frame.key = key
                value = checks.value(event, start, end)
            if is_map:
                entries[key] = (keyspan, start << SHIFT | end)
                if key.__class__ is str:
                    data[key] = value
                key = None
            else:
                data.append(value)
                items.append(start << SHIFT | end)
            if nodes > MAX_NODES:
                checks.too_many(start, end)
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            # A block collection ends where its last scalar does; libyaml would say: where the next token starts.
            if frame.flow and padded[event.end_mark.index - 1] in "]}":
                end = event.end_mark.index
            frame.node.end = end
            if frame.anchor is not None:
                frame.anchor.close(data, frame.node, nodes - frame.before)
            stack.pop()
            frame = stack[-1]
            data, key, keyspan, frame.after = frame.data, frame.after, frame.keyspan, None
            is_map = isinstance(frame.node, MapNode)
            if isinstance(frame.node, MapNode):
                entries = frame.node.entries
            else:
                items = frame.node.items
        elif kind is MappingStartEvent or kind is SequenceStartEvent or kind is AliasEvent:
            start, end = event.start_mark.index, event.end_mark.index
            frame.key = key
            child: Node
            anchor: Anchor | None = None
            if kind is AliasEvent:
                value, child, added = checks.alias(event, start, end)
                nodes += added
            else:
                nodes += 1
                if start != end:
                    if padded[start] in "&!":
                        anchor = checks.properties(event, start, end)
                    # Behind anchor and tag; a flow collection's mark ends behind its bracket.
                    start = end - 1 if padded[end - 1] in "[{" else start if event.flow_style else end
                is_map_next = kind is MappingStartEvent
                value, child = ({}, MapNode(start)) if is_map_next else ([], ListNode(start))
            if not is_map:
                data.append(value)
                items.append(child)
            elif key is not None:
                entries[key] = (keyspan, child)
                if key.__class__ is str:
                    data[key] = value
                key = None
            else:
                key = checks.odd_key(value, child, start, end)
                keyspan = start << SHIFT | end
                if kind is AliasEvent:
                    continue
                frame.key, frame.after, frame.keyspan = key, key, start << SHIFT | start
            if nodes > MAX_NODES:
                checks.too_many(start, end)
            if isinstance(child, (MapNode, ListNode)):
                if len(stack) > MAX_DEPTH:
                    checks.stop(f"the text is nested more than {MAX_DEPTH} deep", start, start + 1)
                frame = Frame(value, child, bool(event.flow_style), anchor, nodes - 1)
                stack.append(frame)
                data, key, is_map = value, None, isinstance(child, MapNode)
                if isinstance(child, MapNode):
                    entries = child.entries
                else:
                    items = child.items
        elif kind is DocumentStartEvent:
            documents += 1
            if not checks.document(event, documents):
                break
        elif kind is StreamEndEvent:
            break
    checks.finish()
