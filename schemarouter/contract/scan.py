"""The look at a schema when it is registered: sound, local, finite, and matchable in linear time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from referencing import Registry
from referencing.exceptions import Unresolvable

from schemarouter.contract.ready import PatternError, Reference, prepare

#: Subschemas that may apply to one and the same value, references followed.
MAX_IN_PLACE = 10_000

_ONE, _MANY, _MAP = "one", "many", "map"
#: Keyword -> shape of its value, and whether its subschemas apply to the same value.
_APPLICATORS: dict[str, tuple[str, bool]] = {
    "allOf": (_MANY, True),
    "anyOf": (_MANY, True),
    "oneOf": (_MANY, True),
    "not": (_ONE, True),
    "if": (_ONE, True),
    "then": (_ONE, True),
    "else": (_ONE, True),
    "dependentSchemas": (_MAP, True),
    "dependencies": (_MAP, True),
    "properties": (_MAP, False),
    "patternProperties": (_MAP, False),
    "additionalProperties": (_ONE, False),
    "propertyNames": (_ONE, False),
    "items": (_ONE, False),
    "prefixItems": (_MANY, False),
    "additionalItems": (_ONE, False),
    "contains": (_ONE, False),
    "unevaluatedItems": (_ONE, False),
    "unevaluatedProperties": (_ONE, False),
    "$defs": (_MAP, False),
    "definitions": (_MAP, False),
}
#: Keywords that change where references lead while a value is checked, and more than one document needs.
_DYNAMIC = ("$dynamicRef", "$recursiveRef")

Path = tuple[str | int, ...]


class SchemaError(ValueError):
    """A schema that cannot be used: ``reason`` is an end of a sentence, ``path`` leads to the place."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


class _Node(NamedTuple):
    schema: dict[str, Any]
    path: Path
    in_place: list[int]


def scan(document: dict[str, Any], draft: Any, meta: Any, *, lone_references: bool) -> frozenset[str]:
    """Check ``document``, put prepared keywords into it, and return every property name that it declares.

    ``draft`` is the ``referencing`` specification of the document's draft, ``meta`` a function from a schema to the
    path of what is wrong with its form, or ``None``; ``lone_references`` as for ``prepare``. Raises
    :class:`SchemaError`.
    """
    own_id = (draft.id_of(document) or "").removesuffix("#")
    for name in ("$id", "id"):  # every reference becomes one into a nameless document
        if isinstance(document.get(name), str):
            del document[name]
    lookup: Any = Registry().with_resource("", draft.create_resource(document)).resolver().lookup
    nodes: dict[int, _Node] = {}
    waiting: deque[tuple[Any, Path, bool]] = deque([(document, (), True)])
    while waiting:
        schema, path, unchecked = waiting.pop()
        if not isinstance(schema, dict) or id(schema) in nodes:
            continue
        if unchecked and (wrong := meta(schema)) is not None:
            raise SchemaError(path + wrong, "is no valid JSON Schema")
        node = nodes[id(schema)] = _Node(schema, path, [])
        _refuse_unsupported(schema, path, draft)
        for child, step, in_place in _children(schema):
            if in_place and isinstance(child, dict):
                node.in_place.append(id(child))
            waiting.append((child, path + step, False))
        if "$ref" in schema:
            target = _target(schema, own_id, path, lookup)
            if isinstance(target, dict):
                node.in_place.append(id(target))
            # Last in line: a target that no keyword leads to has not been checked against the draft yet.
            waiting.appendleft((target, (*path, "$ref"), True))
    _refuse_loops(nodes)
    keywords = {keyword for node in nodes.values() for keyword in node.schema}
    if "unevaluatedProperties" in keywords and "patternProperties" in keywords:
        raise SchemaError((), "uses `unevaluatedProperties` together with `patternProperties`, which is unsupported")
    for node in nodes.values():
        try:
            prepare(node.schema, lone_references=lone_references)
        except PatternError as error:
            raise SchemaError(node.path, f"holds a regular expression that {error}") from None
    return frozenset(name for node in nodes.values() for name in _declared(node.schema))


def _refuse_unsupported(schema: dict[str, Any], path: Path, draft: Any) -> None:
    if draft.id_of(schema) is not None or "$schema" in schema:
        raise SchemaError(path, "names itself or its draft inside the document, which is unsupported")
    for name in _DYNAMIC:
        if name in schema:
            raise SchemaError((*path, name), f"uses `{name}`, which is unsupported: use `$ref`")


def _children(schema: dict[str, Any]) -> Iterator[tuple[Any, Path, bool]]:
    for keyword, (shape, in_place) in _APPLICATORS.items():
        value = schema.get(keyword)
        if value is None:
            continue
        if isinstance(value, list) and (shape is _MANY or keyword == "items"):
            for index, child in enumerate(value):
                yield child, (keyword, index), in_place
        elif isinstance(value, dict):
            if shape is _MAP:
                for name, child in value.items():
                    yield child, (keyword, name), in_place
            elif shape is _ONE:
                yield value, (keyword,), in_place


def _target(schema: dict[str, Any], own_id: str, path: Path, lookup: Any) -> Any:
    reference = schema["$ref"]
    where = (*path, "$ref")
    if not isinstance(reference, str):
        raise SchemaError(where, "is no valid JSON Schema")
    if own_id and reference.removesuffix("#") == own_id:
        reference = "#"
    elif own_id and reference.startswith(f"{own_id}#"):
        reference = reference[len(own_id) :]
    if not reference.startswith("#"):
        raise SchemaError(where, "refers to another document; a reference must start with `#`")
    try:
        target = lookup(reference).contents
    except (Unresolvable, LookupError, TypeError, ValueError, AttributeError):
        target = None
    if not isinstance(target, dict | bool):
        raise SchemaError(where, "refers to no schema in the document")
    ready = schema["$ref"] = Reference(reference)
    ready.target = target
    return target


def _refuse_loops(nodes: dict[int, _Node]) -> None:
    """Count the subschemas that may apply to one value; refuse endless and enormous counts."""
    counts: dict[int, int] = {}
    open_: set[int] = set()
    stack = list(nodes)
    while stack:
        current = stack[-1]
        node = nodes[current]
        if current in counts:
            stack.pop()
        elif current not in open_:
            open_.add(current)
            for child in node.in_place:
                if child in open_:
                    raise SchemaError(node.path, "refers to itself without an end")
                if child not in counts:
                    stack.append(child)
        else:
            open_.discard(current)
            counts[current] = 1 + sum(counts[child] for child in node.in_place)
            if counts[current] > MAX_IN_PLACE:
                raise SchemaError(node.path, f"applies more than {MAX_IN_PLACE} subschemas to one value")
            stack.pop()


def _declared(schema: dict[str, Any]) -> Iterator[str]:
    for keyword in ("properties", "dependentRequired", "dependencies"):
        if isinstance(schema.get(keyword), dict):
            yield from schema[keyword]
    if isinstance(schema.get("required"), list):
        yield from (name for name in schema["required"] if isinstance(name, str))
