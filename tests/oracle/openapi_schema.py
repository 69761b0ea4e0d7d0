"""What a Schema Object of OpenAPI 3.0 means for a value that is sent, read off its keywords one by one.

As authors mean it: ``nullable: true`` adds null whatever else the schema says, and what is ``readOnly`` is not demanded.
"""

from __future__ import annotations

from typing import Any


def fits(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> bool:
    """Whether ``value`` may be sent; ``schemas`` are those that ``#/components/schemas/NAME`` leads to."""
    if "$ref" in schema:  # nothing beside it counts
        return fits(schemas[schema["$ref"].removeprefix("#/components/schemas/")], value, schemas)
    if schema.get("nullable") is True and value is None:
        return True
    return all(
        (
            "type" not in schema or _is(value, schema["type"]),
            "enum" not in schema or any(_same(value, member) for member in schema["enum"]),
            _number(schema, value),
            _text(schema, value),
            _array(schema, value, schemas),
            _object(schema, value, schemas),
            all(fits(each, value, schemas) for each in schema.get("allOf", ())),
            "anyOf" not in schema or any(fits(each, value, schemas) for each in schema["anyOf"]),
            "oneOf" not in schema or [fits(each, value, schemas) for each in schema["oneOf"]].count(True) == 1,
            "not" not in schema or not fits(schema["not"], value, schemas),
        )
    )


def _is(value: Any, name: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "boolean": isinstance(value, bool),
        "integer": number and value == int(value),
        "number": number,
        "string": isinstance(value, str),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }[name]


def _same(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _number(schema: dict[str, Any], value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return True
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and (value < low or (schema.get("exclusiveMinimum") is True and value == low)):
        return False
    return high is None or value < high or (value == high and schema.get("exclusiveMaximum") is not True)


def _text(schema: dict[str, Any], value: Any) -> bool:
    return not isinstance(value, str) or schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))


def _array(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> bool:
    if not isinstance(value, list):
        return True
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    return all(fits(schema.get("items", {}), item, schemas) for item in value)


def _object(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> bool:
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        own = properties.get(name, {})
        if "$ref" in own:
            own = schemas[own["$ref"].removeprefix("#/components/schemas/")]
        if name not in value and own.get("readOnly") is not True:
            return False
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            if not fits(properties[name], item, schemas):
                return False
        elif others is False or (others is not True and not fits(others, item, schemas)):
            return False
    return True
