"""The JSON Schema of the file of policy tests, generated from the models, so that editors complete what we read.

``python -m schemarouter.testkit.schema`` prints it; ``make schemas`` writes it to ``schemas/policy-test.v1.schema.json``,
and a test keeps the two equal. Which rules, operations and hooks there are is checked by the reader alone.
"""

from __future__ import annotations

import json
import sys

from schemarouter.document.schema import DIALECT, UNCLASSIFIED_ALONE, Schema, SchemaGenerator, plain_texts
from schemarouter.testkit.model import TestDocument

ID = "urn:schemarouter:policy-test:v1"

#: What holds between keys, and cannot be said about one of them.
_TESTS_SOMETHING: Schema = {"anyOf": [{"required": [key]} for key in ("cases", "tables", "runs")]}
_ENDS_ONCE: Schema = {"oneOf": [{"required": [key]} for key in ("result", "error", "limit")]}
_COUNTS_SOMETHING: Schema = {"minProperties": 1}


def policy_test_schema() -> Schema:
    """The JSON Schema (draft 2020-12) of version 1 of the file of policy tests."""
    schema = TestDocument.model_json_schema(schema_generator=SchemaGenerator, mode="validation")
    definitions = schema.pop("$defs")
    for name in ("Attributes", "Case"):
        definitions[name] |= UNCLASSIFIED_ALONE
    definitions["Ending"] |= _ENDS_ONCE
    definitions["Counters"] |= _COUNTS_SOMETHING
    whole = {
        "$schema": DIALECT,
        "$id": ID,
        **schema,
        **_TESTS_SOMETHING,
        "title": "SchemaRouter policy tests, version 1",
    }
    return plain_texts({**whole, "$defs": dict(sorted(definitions.items()))})  # type: ignore[no-any-return]  # a mapping stays one


def schema_text() -> str:
    """The schema as it is written to its file."""
    return json.dumps(policy_test_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
