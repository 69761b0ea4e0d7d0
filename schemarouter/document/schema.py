"""The JSON Schema of the policy file, generated from the models, so that editors complete and check what we read.

``python -m schemarouter.document.schema`` prints it; ``make schemas`` writes it to ``schemas/policy.v1.schema.json``,
and a test keeps the two equal. It says what JSON Schema can say: names that must be unique, patterns and their
characters, and scalars that readers disagree about are checked by the reader alone.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from schemarouter.document.v1 import PolicyDocument
from schemarouter.match.keywords import TYPES

if TYPE_CHECKING:
    from pydantic_core import core_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ID = "urn:schemarouter:policy:v1"

Schema = dict[str, Any]

_CONDITION: Schema = {"$ref": "#/$defs/Condition"}
_MEMBER: Schema = {"$ref": "#/$defs/ArgumentCondition"}
_STRING: Schema = {"type": "string"}
_STRINGS: Schema = {"anyOf": [_STRING, {"type": "array", "items": _STRING, "minItems": 1}]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_CONDITIONS: Schema = {"type": "array", "items": _CONDITION, "minItems": 1}
_TYPE: Schema = {"enum": list(TYPES)}
#: Keyword -> what may stand behind it, and what it says.
_KEYWORDS: dict[str, tuple[Schema, str]] = {
    "type": (
        {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1, "uniqueItems": True}]},
        "The type of the value, or the types that it may have.",
    ),
    "const": ({}, "The only value."),
    "enum": ({"type": "array", "minItems": 1}, "The values that are let through."),
    "minimum": ({"type": "number"}, "The smallest number."),
    "maximum": ({"type": "number"}, "The largest number."),
    "exclusiveMinimum": ({"type": "number"}, "A number that the value must be above."),
    "exclusiveMaximum": ({"type": "number"}, "A number that the value must be below."),
    "minLength": (_COUNT, "The least number of characters."),
    "maxLength": (_COUNT, "The largest number of characters."),
    "like": (_STRINGS, "Wildcards over the whole string, * ? [abc] [!abc]; of several, any."),
    "under": (_STRINGS, "Absolute folders: the value is an absolute path inside one of them, or one of them."),
    "host": (_STRINGS, "Wildcards over the host of an http or https URL, in lower case."),
    "items": (_CONDITION, "What every item of the list must be."),
    "contains": (_CONDITION, "What some item of the list must be."),
    "minItems": (_COUNT, "The least number of items."),
    "maxItems": (_COUNT, "The largest number of items."),
    "properties": (
        {"type": "object", "additionalProperties": _MEMBER, "minProperties": 1},
        "Member -> what it must be.",
    ),
    "required": (
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
        "Members that must be there.",
    ),
    "additionalProperties": ({"const": False}, "Only false: no member but those in `properties`."),
    "allOf": (_CONDITIONS, "All of these must hold."),
    "anyOf": (_CONDITIONS, "One of these must hold."),
    "not": (_CONDITION, "This must not hold."),
}
_ABSENT: Schema = {
    "type": "boolean",
    "description": "true: not being there satisfies the condition; false: it fails it; left out: nobody can know.",
}
#: What holds between keys, and cannot be said about one of them.
UNCLASSIFIED_ALONE: Schema = {
    "not": {
        "properties": {"unclassified": {"const": True}},
        "required": ["unclassified", "read_only"],
    }
}
_CLASSIFIES_SOMETHING: Schema = {"anyOf": [{"required": ["read_only"]}, {"required": ["destructive"]}]}


class SchemaGenerator(GenerateJsonSchema):
    """A field that may be left out is not a field that may be null, and a weight is a number."""

    schema_dialect = DIALECT

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> Schema:
        return {"type": "number", "minimum": float(schema["ge"])} if "ge" in schema else {"type": "number"}

    def union_schema(self, schema: core_schema.UnionSchema) -> Schema:
        found = super().union_schema(schema)
        if all(one.get("type") in ("integer", "number") for one in found.get("anyOf", [{}])):
            return next(one for one in found["anyOf"] if one["type"] == "number")
        return found

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the signature of the base
        return False


def policy_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of version 1 of the policy file."""
    schema = PolicyDocument.model_json_schema(schema_generator=SchemaGenerator, mode="validation")
    definitions = schema.pop("$defs")
    definitions["Condition"] = _condition(top=False)
    definitions["ArgumentCondition"] = _condition(top=True)
    arguments = definitions["When"]["properties"]["arguments"]
    arguments |= {"additionalProperties": _MEMBER, "minProperties": 1}
    definitions["When"] |= UNCLASSIFIED_ALONE
    definitions["ExampleCall"] |= UNCLASSIFIED_ALONE
    definitions["ClassifyEntry"] |= _CLASSIFIES_SOMETHING
    whole: Schema = {"$schema": DIALECT, "$id": ID, **schema, "title": "SchemaRouter policy, version 1"}
    return plain_texts({**whole, "$defs": dict(sorted(definitions.items()))})  # type: ignore[no-any-return]  # a mapping stays one


def _condition(*, top: bool) -> Schema:
    """The closed subset of JSON Schema (SPEC 2.6); ``top``: of an argument or a member, which can be absent."""
    keywords = {name: {**schema, "description": text} for name, (schema, text) in _KEYWORDS.items()}
    found: Schema = {"type": "object", "additionalProperties": False}
    if top:
        return found | {
            "description": "What an argument must be.",
            "properties": {"absent": _ABSENT, **keywords},
            "minProperties": 1,
        }
    return found | {"description": "What a value must be.", "properties": keywords}


def plain_texts(value: Any) -> Any:
    """``value`` with the double back-ticks of docstrings made single ones, and their line ends made spaces."""
    if isinstance(value, dict):
        return {key: plain_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_texts(item) for item in value]
    return " ".join(value.replace("``", "`").split()) if isinstance(value, str) else value


def schema_text() -> str:
    """The schema as it is written to its file."""
    return json.dumps(policy_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
