"""The vocabulary of argument conditions (SPEC 2.6) as data: what each keyword is about, and what to use instead of
those that do not exist here. Standard library only.
"""

from __future__ import annotations

#: Type names of JSON Schema -> the family of values; an integer is a number without a fraction.
TYPES: dict[str, str] = {
    "null": "null",
    "boolean": "boolean",
    "integer": "number",
    "number": "number",
    "string": "string",
    "array": "array",
    "object": "object",
}

#: Families in words, for messages.
SINGULARS = {
    "null": "null",
    "boolean": "a boolean",
    "number": "a number",
    "string": "a string",
    "array": "a list",
    "object": "a map",
}
PLURALS = {
    "null": "nulls",
    "boolean": "booleans",
    "number": "numbers",
    "string": "strings",
    "array": "lists",
    "object": "maps",
}

#: Keywords that say something about the values of one family only.
FAMILIES: dict[str, str] = {
    "minimum": "number",
    "maximum": "number",
    "exclusiveMinimum": "number",
    "exclusiveMaximum": "number",
    "minLength": "string",
    "maxLength": "string",
    "like": "string",
    "under": "string",
    "host": "string",
    "items": "array",
    "contains": "array",
    "minItems": "array",
    "maxItems": "array",
    "properties": "object",
    "required": "object",
    "additionalProperties": "object",
}

#: Every keyword, in the order in which a condition is written out.
KEYWORDS: tuple[str, ...] = ("absent", "type", "const", "enum", *FAMILIES, "allOf", "anyOf", "not")

#: How deep conditions may lie in each other, and values in ``const`` and ``enum``.
MAX_DEPTH = 32

_WRITE_OUT = "write the condition out where it applies"
_LEAVE_OUT = "leave it out; use a comment or the rule's `reason` for words to people"
_LIKE = "use `like` with a wildcard pattern over the whole string"

#: Keywords of JSON Schema and of other tools that people try -> the help.
INSTEAD: dict[str, str] = {
    "pattern": 'use `like` with a wildcard pattern over the whole string, such as `like: "*@example.com"`',
    "regex": _LIKE,
    "glob": _LIKE,
    "matches": _LIKE,
    "startsWith": 'use `like` with a trailing star, such as `like: "ops-*"`',
    "prefix": 'use `like` with a trailing star, such as `like: "ops-*"`',
    "endsWith": 'use `like` with a leading star, such as `like: "*.txt"`',
    "suffix": 'use `like` with a leading star, such as `like: "*.txt"`',
    "format": "use `host` for URLs, `under` for paths, `like` for other strings",
    "path": "use `under` with absolute folders",
    "url": "use `host` with patterns for the host of the URL",
    "domain": "use `host` with patterns for the host of the URL",
    "$ref": _WRITE_OUT,
    "$defs": _WRITE_OUT,
    "definitions": _WRITE_OUT,
    "$dynamicRef": _WRITE_OUT,
    "$schema": _LEAVE_OUT,
    "$id": _LEAVE_OUT,
    "$comment": _LEAVE_OUT,
    "title": _LEAVE_OUT,
    "description": _LEAVE_OUT,
    "examples": _LEAVE_OUT,
    "default": "leave it out: defaults are not believed; say with `absent` what a missing argument means",
    "optional": "use `absent: true`: a missing argument satisfies the condition",
    "exists": "use `absent: false`: a missing argument fails the condition",
    "present": "use `absent: false`: a missing argument fails the condition",
    "nullable": 'use a list of types, such as `type: [string, "null"]`',
    "oneOf": "use `anyOf`",
    "if": "use `anyOf` with one condition for each case",
    "then": "use `anyOf` with one condition for each case",
    "else": "use `anyOf` with one condition for each case",
    "noneOf": "use `not` with `anyOf` inside",
    "in": "use `enum` with the list of values",
    "oneof": "use `enum` with the list of values",
    "values": "use `enum` with the list of values",
    "equals": "use `const`",
    "eq": "use `const`",
    "value": "use `const`",
    "notEquals": "use `not: {const: ...}`",
    "ne": "use `not: {const: ...}`",
    "min": "use `minimum`",
    "gte": "use `minimum`",
    "ge": "use `minimum`",
    "gt": "use `exclusiveMinimum`",
    "max": "use `maximum`",
    "lte": "use `maximum`",
    "le": "use `maximum`",
    "lt": "use `exclusiveMaximum`",
    "multipleOf": "use `type: integer` or `enum`",
    "uniqueItems": "use `maxItems` to bound the list, and `items` for its members",
    "prefixItems": "use a JSON Pointer as the argument's name, such as `/list/0`",
    "minContains": "use `contains`: at least one member fits",
    "maxContains": "use `not: {contains: ...}`: no member fits",
    "patternProperties": "use `properties` with the names written out, and `additionalProperties: false`",
    "propertyNames": "use `properties` with the names written out, and `additionalProperties: false`",
    "unevaluatedProperties": "use `additionalProperties: false`",
    "unevaluatedItems": "use `items` or `maxItems`",
    "additionalItems": "use `items` or `maxItems`",
    "minProperties": "use `required`",
    "maxProperties": "use `additionalProperties: false`",
    "dependentRequired": "use `anyOf` with one condition for each case",
    "dependentSchemas": "use `anyOf` with one condition for each case",
    "dependencies": "use `anyOf` with one condition for each case",
}
