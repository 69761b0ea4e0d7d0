"""Schema Objects to JSON Schema 2020-12, every reference to a local ``$defs`` entry.

Each place that a reference leads to is converted once and shared by all operations. What cannot be taken over is left
out and noted, which makes a schema wider, never narrower: the server still checks, and the note says what to look at.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

from schemarouter.sources.openapi.files import Files, Place, shown
from schemarouter.sources.openapi.keywords import (
    DESCRIPTIVE,
    MANY,
    MAP,
    NESTED,
    NESTED_31,
    PLAIN,
    PLAIN_31,
    TYPES,
    Unusable,
)
from schemarouter.sources.openapi.limits import MAX_CHAIN, MAX_CONTRACT_VALUES, MAX_NESTING, MAX_SCHEMA_VALUES
from schemarouter.sources.openapi.notes import Notes
from schemarouter.sources.problem import SourceError

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")
#: Keywords under which a wider schema makes what is around it narrower, and those that see what others looked at.
_DELICATE: Final = frozenset({"not", "if", "oneOf", "contains"})
_LOOKING: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
#: Keywords whose value maps names to schemas, and those whose value is none.
_MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_DATA: Final = frozenset({"const", "enum", "default"})
_Key = tuple[str, tuple[str, ...]]


@dataclass(slots=True)
class Piece:
    """A converted schema. ``values`` counts what it holds; the flags are for what does not go together.

    ``relaxed``: something was left out. ``delicate``: a wider schema behind a reference could make this one narrower.
    """

    schema: Any
    references: dict[str, None] = field(default_factory=dict)
    values: int = 0
    patterns: bool = False
    unevaluated: bool = False
    relaxed: bool = False
    delicate: bool = False
    lost: set[tuple[int, str]] = field(default_factory=set)


class Schemas:
    """The schemas of one document for one direction: ``response`` forgets ``writeOnly`` demands, else ``readOnly`` ones."""

    def __init__(self, files: Files, notes: Notes, *, modern: bool, response: bool) -> None:
        self._files, self._notes = files, notes
        self._modern, self._response = modern, response
        self._plain = {**PLAIN, **PLAIN_31} if modern else PLAIN
        self._nested = {**NESTED, **NESTED_31} if modern else NESTED
        self._names: dict[_Key, str] = {}
        self._pieces: dict[str, Piece] = {}
        self._waiting: deque[tuple[str, Place]] = deque()
        self._total = 0

    def piece(self, place: Place) -> Piece:
        """The schema at ``place``. Its references are names of ``$defs`` that :meth:`definitions` gives."""
        piece = Piece(None)
        piece.schema = self._convert(place, piece, 0)
        return piece

    def definitions(self, pieces: list[Piece], place: Place) -> dict[str, Any]:
        """What the references of ``pieces`` lead to, all the way. Raises ``SourceError`` past the limit."""
        self._drain()
        needed: dict[str, None] = {}
        waiting = [name for piece in pieces for name in piece.references]
        values = sum(piece.values for piece in pieces)
        members = list(pieces)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed[name] = None
                piece = self._pieces[name]
                members.append(piece)
                values += piece.values
                if values > MAX_SCHEMA_VALUES:
                    break
                waiting.extend(piece.references)
        if values > MAX_SCHEMA_VALUES:
            raise SourceError(
                f"the schemas of the operation hold more than {MAX_SCHEMA_VALUES} values",
                where=str(place),
                help="leave the operation out with `select`, or simplify its schemas",
            )
        self._total += values
        if self._total > MAX_CONTRACT_VALUES:
            raise SourceError(
                f"the schemas of all operations hold more than {MAX_CONTRACT_VALUES} values",
                where=str(place),
                help="take a part of the operations with `select`",
            )
        made = {name: self._pieces[name].schema for name in sorted(needed)}
        if any(piece.patterns for piece in members) and any(piece.unevaluated for piece in members):
            self._notes.add(place, "`unevaluatedProperties` is left out: it stands beside `patternProperties`")
            self._rewrite(pieces, made, frozenset({"unevaluatedProperties"}))
        if any(piece.relaxed for piece in members) and any(piece.delicate for piece in members):
            message = "`not`, `if`, `oneOf` and the like are left out or widened: what they refer to could not be taken over whole"
            self._notes.add(place, message)
            self._rewrite(pieces, made, frozenset({"not", "if", "oneOf", "maxContains", *_LOOKING}))
        return made

    def _rewrite(self, pieces: list[Piece], definitions: dict[str, Any], keywords: frozenset[str]) -> None:
        for name, schema in definitions.items():
            definitions[name] = _without(schema, keywords)
        for piece in pieces:
            piece.schema = _without(piece.schema, keywords)

    def _drain(self) -> None:
        while self._waiting:
            name, place = self._waiting.popleft()
            piece = self.piece(place)
            self._pieces[name] = piece

    def _name(self, place: Place) -> str:
        """The name of the ``$defs`` entry for ``place``, which depends on nothing but the place."""
        key = (place.file, place.tokens)
        name = self._names.get(key)
        if name is None:
            plain = place.tokens[:2] == ("components", "schemas") and len(place.tokens) == 3
            stem = place.tokens[-1] if place.tokens else place.file.rpartition("/")[2].partition(".")[0]
            name = _UNSAFE.sub("_", stem)[:80]
            if not plain or name != stem or place.file != self._files.path.name:
                digest = hashlib.sha256("\0".join((place.file, *place.tokens)).encode("utf-8", "surrogatepass"))
                name = f"{name}-{digest.hexdigest()[:12]}"
            self._names[key] = name
            self._waiting.append((name, place))
        return name

    def _reference(self, place: Place, piece: Piece) -> dict[str, Any]:
        name = self._name(place)
        piece.references[name] = None
        piece.values += 2
        return {"$ref": f"#/$defs/{name}"}

    def _convert(self, place: Place, piece: Piece, depth: int) -> Any:
        value = place.value
        piece.values += 1
        if value is True or value is False:
            return value if self._modern or depth else {}
        if not isinstance(value, dict):
            return self._relax(place, piece, "is no schema and is taken as one that allows everything")
        if depth > MAX_NESTING:
            return self._reference(place, piece)
        made: dict[str, Any] = {}
        if "$ref" in value:
            made = self._reference(self._target(place), piece)
            if not self._modern:
                return made  # nothing that stands beside a reference counts in 3.0
        if "$id" in value and _refers_locally(value):
            return self._relax(
                place, piece, "has an `$id` that its references count from, and is taken as one that allows everything"
            )
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if self._modern and keyword in value:
                made.update(self._dynamic(place, keyword, piece))
        self._add_type(place, made, piece)
        for keyword, check in self._plain.items():
            if keyword in value and keyword not in made:
                self._add_plain(place, keyword, check, made, piece)
        for keyword, shape in self._nested.items():
            if keyword in value:
                self._add_nested(place, keyword, shape, made, piece, depth)
        self._mend(place, made, piece)
        self._add_limits(place, made, piece)
        self._forget_required(place, made)
        return self._nullable(place, made, piece)

    def _relax(self, place: Place, piece: Piece, why: str) -> dict[str, Any]:
        self._notes.add(place, f"the schema {why}")
        piece.relaxed = True
        return {}

    def _target(self, place: Place) -> Place:
        """Where a reference leads in the end: through those that are nothing but a reference."""
        target = self._files.follow(place.value["$ref"], place)
        for _ in range(MAX_CHAIN):
            value = target.value
            if not (isinstance(value, dict) and "$ref" in value and (len(value) == 1 or not self._modern)):
                return target
            target = self._files.follow(value["$ref"], target)
        raise SourceError(
            f"the reference leads through more than {MAX_CHAIN} others, or back to itself",
            where=str(place),
            help="refer to the schema itself",
        )

    def _dynamic(self, place: Place, keyword: str, piece: Piece) -> dict[str, Any]:
        """A dynamic reference as a plain one to the schema around it that it means where nothing extends it."""
        reference = place.value[keyword]
        anchor = reference.removeprefix("#") if isinstance(reference, str) and reference.startswith("#") else None
        around = self._files.whole(place.file)
        found: Place | None = None
        for token in place.tokens:
            value = around.value
            if isinstance(value, dict):
                recursive = keyword == "$recursiveRef" and anchor == "" and value.get("$recursiveAnchor") is True
                dynamic = keyword == "$dynamicRef" and anchor and value.get("$dynamicAnchor") == anchor
                if found is None and (recursive or dynamic):
                    found = around
                around = around.child(token)
            else:
                around = Place(around.file, (*around.tokens, token), value[int(token)])
        if found is None:
            return self._relax(place, piece, f"has a `{keyword}` that leads to nothing around it, which is left out")
        self._notes.add(place, f"`{keyword}` is taken as a reference to `{shown(found.pointer)}`")
        return self._reference(found, piece)

    def _add_type(self, place: Place, made: dict[str, Any], piece: Piece) -> None:
        given = place.value.get("type")
        if given is None:
            return
        names = given if isinstance(given, list) else [given]
        if not names or not all(isinstance(name, str) and name in TYPES for name in names):
            self._lost(place, "type", "names no type of JSON", piece)
            return
        made["type"] = list(dict.fromkeys(names)) if isinstance(given, list) else given
        piece.values += 1

    def _add_plain(self, place: Place, keyword: str, check: Any, made: dict[str, Any], piece: Piece) -> None:
        given = place.value[keyword]
        try:
            made[keyword] = check(given)
        except Unusable as problem:
            if keyword == "required" and type(given) is bool:
                return  # a habit from parameters, which says nothing here
            self._lost(place, keyword, str(problem), piece)
        else:
            piece.values += 1 + (len(made[keyword]) if isinstance(made[keyword], list | dict) else 0)

    def _lost(self, place: Place, keyword: str, why: str, piece: Piece) -> None:
        self._notes.add(place, f"`{keyword}` {why}, and is left out")
        if keyword not in DESCRIPTIVE:
            piece.relaxed = True
            piece.lost.add((id(place.value), keyword))

    def _add_nested(
        self, place: Place, keyword: str, shape: str, made: dict[str, Any], piece: Piece, depth: int
    ) -> None:
        inner, before, references = place.child(keyword), piece.relaxed, len(piece.references)
        piece.relaxed = False
        result: Any
        if shape is MAP:
            if not isinstance(inner.value, dict):
                self._lost(place, keyword, "is no map of schemas", piece)
                return
            names = list(inner.value)
            if keyword == "patternProperties":
                names = [name for name in names if self._usable_pattern(place, name, piece)]
            result = {name: self._convert(inner.child(name), piece, depth + 1) for name in names}
        elif shape is MANY:
            if not isinstance(inner.value, list) or not inner.value:
                self._lost(place, keyword, "is no list of schemas", piece)
                return
            result = [self._convert(inner.child(index), piece, depth + 1) for index in range(len(inner.value))]
            piece.values += 1
        else:
            result = self._convert(inner, piece, depth + 1)
        relaxed, piece.relaxed = piece.relaxed, piece.relaxed or before
        piece.delicate = piece.delicate or (keyword in _DELICATE and len(piece.references) > references)
        if relaxed and keyword in ("not", "if"):
            self._notes.add(inner, f"`{keyword}` is left out, because a part of it could not be taken over")
            return
        if relaxed and keyword == "oneOf":
            # What was widened may now fit beside another alternative.
            made["allOf"] = [*made.get("allOf", ()), {"anyOf": result}]
            return
        if keyword == "patternProperties":
            piece.patterns = True
        elif keyword == "unevaluatedProperties":
            piece.unevaluated = True
        made[keyword] = result

    def _mend(self, place: Place, made: dict[str, Any], piece: Piece) -> None:
        """Leave out keywords that would take in more than they should, because another one beside them is gone."""
        piece.delicate = piece.delicate or any(keyword in made for keyword in _LOOKING)
        if piece.relaxed:
            for keyword in (*_LOOKING, "maxContains"):
                made.pop(keyword, None)
        for keyword, rest in (
            ("properties", "additionalProperties"),
            ("patternProperties", "additionalProperties"),
            ("prefixItems", "items"),
        ):
            if (id(place.value), keyword) in piece.lost:
                made.pop(rest, None)

    def _usable_pattern(self, place: Place, name: str, piece: Piece) -> bool:
        try:
            PLAIN["pattern"](name)
        except Unusable as problem:
            self._lost(place, "patternProperties", f"has a name that {problem}", piece)
            return False
        return True

    def _add_limits(self, place: Place, made: dict[str, Any], piece: Piece) -> None:
        """The exclusive limits: numbers, or, as in 3.0, booleans about the other limit."""
        for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            given = place.value.get(exclusive)
            if given is True and limit in made:
                made[exclusive] = made.pop(limit)
            elif type(given) in (int, float):
                self._add_plain(place, exclusive, PLAIN[limit], made, piece)
            elif given is not None and type(given) is not bool:
                self._lost(place, exclusive, "is no number", piece)

    def _forget_required(self, place: Place, made: dict[str, Any]) -> None:
        """Do not demand what is only sent the other way."""
        properties = place.value.get("properties")
        if "required" not in made or not isinstance(properties, dict):
            return
        marker = "writeOnly" if self._response else "readOnly"
        kept = []
        for name in made["required"]:
            own = properties.get(name)
            if isinstance(own, dict) and "$ref" in own and own.get(marker) is not True:
                own = self._target(place.child("properties", name)).value
            if not (isinstance(own, dict) and own.get(marker) is True):
                kept.append(name)
        if kept or self._modern:
            made["required"] = kept
        else:
            del made["required"]

    def _nullable(self, place: Place, made: dict[str, Any], piece: Piece) -> Any:
        """``nullable: true`` as authors mean it: null as well, also beside ``enum``, ``allOf`` and the like."""
        if place.value.get("nullable") is not True or not made:
            return made
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        if made.keys() & {"allOf", "anyOf", "oneOf", "not", "$ref", "const", "if"}:
            piece.values += 3
            outer = {name: made.pop(name) for name in ("description", "title", "default") if name in made}
            return {**outer, "anyOf": [made, {"type": "null"}]}
        given = made.get("type")
        if given is not None and given != "null" and "null" not in given:
            made["type"] = [*given, "null"] if isinstance(given, list) else [given, "null"]
        return made


def _refers_locally(value: Any) -> bool:
    """Whether a reference below counts from the nearest ``$id`` and not from the document."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if isinstance(item.get("$ref"), str):
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _without(schema: Any, keywords: frozenset[str]) -> Any:
    """A copy without ``keywords``; of ``oneOf`` it keeps that one alternative fits."""
    if isinstance(schema, list):
        return [_without(item, keywords) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, item in schema.items():
        if key in _MAPS:
            made[key] = {name: _without(each, keywords) for name, each in item.items()}
        elif key in _DATA:
            made[key] = item
        elif key not in keywords:
            made[key] = _without(item, keywords)
    if "oneOf" in keywords and "oneOf" in schema:
        made["allOf"] = [*made.get("allOf", ()), {"anyOf": _without(schema["oneOf"], keywords)}]
    return made
