"""A value that a JSON Schema allows, as plain as can be; for schemas that real documents have."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from hypothesis import Phase, find, settings
from hypothesis import strategies as st


def example_of(schema: Any, root: dict[str, Any], depth: int = 0) -> Any:
    """The value. Raises ``LookupError`` where none was found within reason."""
    if depth > 12:
        raise LookupError
    if schema is True or schema == {}:
        return "x"
    if schema is False:
        raise LookupError
    if "$ref" in schema:
        return example_of(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    merged: dict[str, Any] = {key: value for key, value in schema.items() if key not in ("allOf", "anyOf", "oneOf")}
    parts = [*schema.get("allOf", ())]
    for keyword in ("oneOf", "anyOf"):
        parts += schema.get(keyword, ())[:1]
    if parts:
        values = [example_of(part, root, depth + 1) for part in parts]
        if isinstance(values[0], dict):
            own = example_of({**merged, "type": "object"}, root, depth + 1)
            return {key: value for each in [own, *values] if isinstance(each, dict) for key, value in each.items()}
        return values[0]
    kind = schema.get("type", "object" if "properties" in schema else "array" if "items" in schema else "string")
    return _plain(kind[0] if isinstance(kind, list) else kind, schema, root, depth)


def _plain(kind: str, schema: dict[str, Any], root: dict[str, Any], depth: int) -> Any:
    if kind == "object":
        properties = schema.get("properties", {})
        wanted = schema.get("required", ())
        return {name: example_of(properties.get(name, {}), root, depth + 1) for name in wanted}
    if kind == "array":
        return [example_of(schema.get("items", {}), root, depth + 1) for _ in range(schema.get("minItems", 1))]
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1 if "exclusiveMinimum" in schema else 1)
        return min(low, schema.get("maximum", low))
    if kind == "string" and "pattern" in schema:
        return _matching(schema["pattern"])
    if kind == "string":
        return (
            "aaaa0000" * 8
            if schema.get("minLength", 0) > 8
            else "a1a1"[: schema.get("maxLength", 4)] + "a" * max(0, schema.get("minLength", 0) - 4)
        )
    return {"boolean": True, "null": None}[kind]


@cache
def _matching(pattern: str) -> str:
    strategy = st.from_regex(re.compile(pattern, re.ASCII), alphabet=st.characters(codec="ascii"))
    return find(strategy, lambda _: True, settings=settings(max_examples=1, phases=[Phase.generate], database=None))
