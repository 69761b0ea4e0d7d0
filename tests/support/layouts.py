"""Random documents in YAML and TOML, laid out piece by piece, so that every place in them is known beforehand.

A layout is drawn from a tree of plain data. While the text grows, the writer notes where each key and value and each
comment stands; a reader of positions can be held against the notes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import Any


@dataclass
class Layout:
    """A text, the data that it says, and offsets: path -> (key or None, value); comments as (start, end)."""

    random: Random
    newline: str = "\n"
    blanks: tuple[str, ...] = (" ", "  ")
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    places: dict[tuple[str | int, ...], tuple[tuple[int, int] | None, tuple[int, int]]] = field(default_factory=dict)
    comments: list[tuple[int, int]] = field(default_factory=list)
    #: Tables with a header: their value starts there, and ends with their last statement.
    tables: set[tuple[str | int, ...]] = field(default_factory=set)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def write(self, text: str) -> tuple[int, int]:
        start = self.size
        self.pieces.append(text)
        self.size += len(text)
        return start, self.size

    def line_end(self) -> None:
        """A line end, sometimes behind a comment, sometimes followed by lines without content."""
        if self.random.random() < 0.2:
            self.write(self.random.choice(self.blanks))
            self.comment()
        self.write(self.newline)
        while self.random.random() < 0.1:
            if self.random.random() < 0.5:
                self.write(self.random.choice(("", "  ")))
                self.comment()
            self.write(self.newline)

    def line_end_plain(self) -> None:
        """A line end without a comment: in a block scalar, ``#`` is text."""
        self.write(self.newline)

    def comment(self) -> None:
        text = self.random.choice(("", " plain", " a: b", " 'quoted", ' "', "#", " [x]", " é😀 # twice"))
        self.comments.append(self.write("#" + text))


LEAVES: tuple[Any, ...] = (
    1,
    -7,
    0.25,
    True,
    False,
    "x",
    "a # b",
    "it's",
    'say "hi"',
    "é😀",
    "jobs.*",
    "",
    "a: b",
    "[x]",
)
KEYS = ("a", "name", "operation", "x-1", "with space", "é", "*", "a.b", "1")


def tree(random: Random, depth: int = 0) -> dict[str, Any]:
    """A mapping of mappings, lists and scalars."""
    keys = random.sample(KEYS, random.randint(1, 4))
    return {key: _value(random, depth) for key in keys}


def _value(random: Random, depth: int) -> Any:
    roll = random.random()
    if depth < 3 and roll < 0.25:
        return tree(random, depth + 1)
    if depth < 3 and roll < 0.45:
        return [_value(random, depth + 1) for _ in range(random.randint(1, 3))]
    return random.choice(LEAVES)


def yaml_layout(data: dict[str, Any], random: Random) -> Layout:
    layout = Layout(random, random.choice(("\n", "\n", "\r\n")))
    if random.random() < 0.3:
        layout.write("---")
        layout.line_end()
    start, end = _yaml_mapping(layout, data, (), 0)
    layout.places[()] = (None, (start, end))
    return layout


def _yaml_mapping(layout: Layout, data: dict[str, Any], path: tuple[str | int, ...], indent: int) -> tuple[int, int]:
    """A block mapping; the caller has written the indentation of its first line."""
    first = end = layout.size
    for index, (key, value) in enumerate(data.items()):
        if index:
            layout.write(" " * indent)
        span = layout.write(key if key in ("a", "name", "operation", "x-1") else _yaml_quoted(layout, key))
        layout.write(":")
        place = _yaml_value(layout, value, (*path, key), indent)
        layout.places[(*path, key)] = (span, place)
        end = place[1]
    return first, end


def _yaml_value(layout: Layout, value: Any, path: tuple[str | int, ...], indent: int) -> tuple[int, int]:
    """What stands behind a colon or a dash, with the end of its line."""
    random = layout.random
    if isinstance(value, (dict, list)) and value and random.random() < 0.7:
        layout.line_end()
        deeper = indent + random.choice((2, 3))
        layout.write(" " * deeper)
        if isinstance(value, dict):
            return _yaml_mapping(layout, value, path, deeper)
        start = end = layout.size
        for index, item in enumerate(value):
            if index:
                layout.write(" " * deeper)
            layout.write("-")
            place = _yaml_value(layout, item, (*path, index), deeper)
            layout.places[(*path, index)] = (None, place)
            end = place[1]
        return start, end
    if isinstance(value, str) and value.strip() and "\n" not in value and random.random() < 0.2:
        layout.write(" ")
        start, _end = layout.write(random.choice(("|-", ">-")))
        if random.random() < 0.3:
            layout.write(" ")
            layout.comment()
        layout.write(layout.newline)
        _start, end = layout.write(" " * (indent + 2) + value)
        layout.line_end_plain()
        return start, end
    layout.write(" ")
    place = _yaml_flow(layout, value, path)
    layout.line_end()
    return place


def _yaml_flow(layout: Layout, value: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
    if isinstance(value, dict):
        start, _ = layout.write("{")
        for index, (key, inner) in enumerate(value.items()):
            layout.write(", " if index else "")
            span = layout.write(_yaml_quoted(layout, key))
            layout.write(": ")
            layout.places[(*path, key)] = (span, _yaml_flow(layout, inner, (*path, key)))
        return start, layout.write("}")[1]
    if isinstance(value, list):
        start, _ = layout.write("[")
        for index, inner in enumerate(value):
            layout.write(", " if index else "")
            layout.places[(*path, index)] = (None, _yaml_flow(layout, inner, (*path, index)))
        return start, layout.write("]")[1]
    if isinstance(value, str):
        return layout.write("x" if value == "x" else _yaml_quoted(layout, value))
    return layout.write(json.dumps(value))


def _yaml_quoted(layout: Layout, text: str) -> str:
    if layout.random.random() < 0.5:
        return json.dumps(text, ensure_ascii=layout.random.random() < 0.2 and text.isascii())
    return "'" + text.replace("'", "''") + "'"


def toml_layout(data: dict[str, Any], random: Random) -> Layout:
    layout = Layout(random, random.choice(("\n", "\n", "\r\n")), blanks=(" ", "", "\t"))
    _toml_table(layout, data, (), ())
    return layout


def _toml_key(layout: Layout, key: str) -> tuple[int, int]:
    if key in ("a", "name", "operation", "x-1", "1") and layout.random.random() < 0.8:
        return layout.write(key)
    return layout.write(json.dumps(key, ensure_ascii=False) if layout.random.random() < 0.5 else f"'{key}'")


def _toml_table(layout: Layout, data: dict[str, Any], path: tuple[str | int, ...], header: tuple[str, ...]) -> None:
    """The statements of a table, then its sub-tables with headers of their own."""
    random = layout.random
    later: list[str] = []
    for key, value in data.items():
        if (isinstance(value, dict) and value and random.random() < 0.6) or (
            isinstance(value, list) and value and all(isinstance(one, dict) for one in value) and random.random() < 0.7
        ):
            later.append(key)
        else:
            layout.write(random.choice(("", "", "  ")))
            span = _toml_key(layout, key)
            layout.write(random.choice((" = ", "=", "\t= ")))
            layout.places[(*path, key)] = (span, _toml_value(layout, value, (*path, key)))
            layout.line_end()
    for key in later:
        value = data[key]
        for index, table in enumerate(value if isinstance(value, list) else [value]):
            array = isinstance(value, list)
            start = layout.write("[[" if array else "[")[0]
            for part in header:
                _toml_key(layout, part)
                layout.write(".")
            span = _toml_key(layout, key)
            end = layout.write("]]" if array else "]")[1]
            inner = (*path, key, index) if array else (*path, key)
            layout.places[inner] = ((start, end) if array else span, (start, end))
            layout.tables.add(inner)
            layout.line_end()
            _toml_table(layout, table, inner, (*header, key))


def _toml_value(layout: Layout, value: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
    random = layout.random
    if isinstance(value, dict):
        start, _ = layout.write("{")
        for index, (key, inner) in enumerate(value.items()):
            layout.write(", " if index else " ")
            span = _toml_key(layout, key)
            layout.write(" = ")
            layout.places[(*path, key)] = (span, _toml_value(layout, inner, (*path, key)))
        return start, layout.write("}")[1]
    if isinstance(value, list):
        start, _ = layout.write("[")
        for index, inner in enumerate(value):
            layout.write(random.choice((", ", ",")) if index else "")
            if random.random() < 0.2:
                layout.line_end()
            layout.places[(*path, index)] = (None, _toml_value(layout, inner, (*path, index)))
        layout.write(random.choice(("", ",")))
        return start, layout.write("]")[1]
    if isinstance(value, str):
        plain = [json.dumps(value, ensure_ascii=False)]
        if "'" not in value:
            plain += [f"'{value}'", f"'''{value}'''", f"'''\n{value}'''"]
        if '"' not in value:
            plain += [f'"""{value}"""']
        return layout.write(random.choice(plain))
    return layout.write(json.dumps(value))
