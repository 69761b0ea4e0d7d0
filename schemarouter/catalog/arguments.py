"""Which arguments an input schema declares at its top: names, whether they are required, and their JSON types.

A reading for people and lint, not a validator: what a schema hides behind a reference that leads nowhere, or behind
patterns of names, counts as *other arguments*, of which nothing is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemarouter.catalog.records import Argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemarouter.model.tool import EndpointSpec

#: Schemas that are looked into for one operation: a schema may lead to itself.
MAX_SCHEMAS = 1_000
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def arguments_of(endpoint: EndpointSpec) -> tuple[tuple[Argument, ...], bool]:
    """The declared arguments, sorted by name, and whether others may be given as well."""
    if endpoint.input_schema:
        return _of_schema(endpoint.input_schema)
    found = (
        Argument(parameter.name, parameter.required, _types(parameter.json_schema, parameter.json_schema))
        for parameter in endpoint.parameters
    )
    return tuple(sorted(found)), False


def _of_schema(root: dict[str, Any]) -> tuple[tuple[Argument, ...], bool]:
    required: set[str] = set()
    types: dict[str, set[str] | None] = {}
    others = False
    for schema, certain in _parts(root):
        if schema is None:
            others = True
            continue
        properties = schema.get("properties")
        for name, one in properties.items() if isinstance(properties, dict) else ():
            if isinstance(name, str):
                said = _types(one, root)
                known = types.setdefault(name, set())
                types[name] = known | set(said) if said and known is not None else None
        listed = schema.get("required")
        if certain and isinstance(listed, list):
            required.update(name for name in listed if isinstance(name, str))
        additional = schema.get("additionalProperties")
        others = others or bool(schema.get("patternProperties")) or additional not in (None, False)
    for name in required:
        types.setdefault(name, None)
    others = others or not (types or root.get("additionalProperties") is False or root.get("properties") == {})
    return tuple(Argument(name, name in required, tuple(sorted(types[name] or ()))) for name in sorted(types)), others


def _parts(root: dict[str, Any]) -> Iterator[tuple[dict[str, Any] | None, bool]]:
    """``root`` and the schemas in it that are about the same object; ``None`` for one that cannot be looked into.

    Each with whether it holds for every call, as opposed to one branch of several.
    """
    stack: list[tuple[object, bool]] = [(root, True)]
    seen: set[tuple[int, bool]] = set()
    while stack:
        schema, certain = stack.pop()
        if not isinstance(schema, dict) or (id(schema), certain) in seen:
            continue
        seen.add((id(schema), certain))
        if len(seen) > MAX_SCHEMAS:
            yield None, False
            return
        yield schema, certain
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                target = _target(schema[keyword], root)
                if target is None:
                    yield None, False
                stack.append((target, certain))
        for keyword, holds in (("allOf", certain), ("anyOf", False), ("oneOf", False)):
            inner = schema.get(keyword)
            stack += ((one, holds) for one in inner) if isinstance(inner, list) else ()
        stack += ((schema.get(keyword), False) for keyword in ("then", "else"))


def _types(schema: object, root: Mapping[str, Any]) -> tuple[str, ...]:
    """The JSON types that a schema names, through local references and ``anyOf``; empty if it does not say."""
    found: set[str] = set()
    stack, steps = [schema], 0
    while stack:
        one, steps = stack.pop(), steps + 1
        if not isinstance(one, dict) or steps > MAX_SCHEMAS:
            return ()
        said = one.get("type")
        names = [said] if isinstance(said, str) else said
        branches = one.get("anyOf", one.get("oneOf"))
        if isinstance(names, list):
            if not all(isinstance(name, str) and name in _TYPES for name in names):
                return ()
            found.update(names)
            if one.get("nullable") is True:
                found.add("null")
        elif "$ref" in one:
            stack.append(_target(one["$ref"], root))
        elif isinstance(branches, list) and branches:
            stack += branches
        else:
            return ()
    return tuple(sorted(found))


def _target(reference: object, root: Mapping[str, Any]) -> object:
    """What a reference into ``root`` itself leads to, or ``None``."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    here: object = root
    for step in reference[1:].split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, dict):
            here = here.get(key)
        elif isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        else:
            return None
    return here if reference in ("#", "#/") or reference.startswith("#/") else None
