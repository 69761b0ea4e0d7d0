"""The JSON Schema of the policy file: equal to the models, accepting the good files, rejecting the bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from schemarouter.document.reader import detect_format, read_policy
from schemarouter.document.schema import policy_schema, schema_text
from schemarouter.document.text import read_source
from schemarouter.document.v1 import PolicyDocument
from schemarouter.match.conditions import condition_problems
from schemarouter.match.keywords import KEYWORDS, TYPES

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "tests" / "corpus"
VALIDATOR = Draft202012Validator(policy_schema())


def data(path: Path) -> Any:
    source, _ = read_source(path.read_bytes(), path.name, detect_format(path.name, ""))
    assert source is not None
    return source.data


def test_the_file_is_the_one_that_the_models_give() -> None:
    written = (ROOT / "schemas" / "policy.v1.schema.json").read_text(encoding="utf-8")
    assert written == schema_text(), "run `make schemas`"


def test_it_is_a_schema_without_nulls() -> None:
    Draft202012Validator.check_schema(policy_schema())
    places = list(walk(policy_schema()))
    assert not [place for place in places if place.get("type") == "null" or None in place.get("enum", [])]


def walk(schema: Any) -> Any:
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            if key not in {"enum", "const", "default"}:
                yield from walk(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from walk(item)


def test_every_reference_is_defined_and_every_definition_used() -> None:
    schema = policy_schema()
    used = {place["$ref"].removeprefix("#/$defs/") for place in walk(schema) if "$ref" in place}
    assert used == set(schema["$defs"])


def test_every_object_is_closed_or_a_map() -> None:
    for place in walk(policy_schema()):
        if place.get("type") == "object":
            assert "additionalProperties" in place


def test_every_key_has_a_description() -> None:
    schema = policy_schema()
    for place in (schema, *(one for one in schema["$defs"].values() if "properties" in one)):
        for key, value in place["properties"].items():
            target = schema["$defs"][value["$ref"].rpartition("/")[2]] if set(value) == {"$ref"} else value
            assert target.get("description"), key


def test_conditions_have_exactly_the_keywords_of_the_matcher() -> None:
    definitions = policy_schema()["$defs"]
    assert set(definitions["ArgumentCondition"]["properties"]) == set(KEYWORDS)
    assert set(definitions["Condition"]["properties"]) == set(KEYWORDS) - {"absent"}
    assert definitions["Condition"]["properties"]["type"]["anyOf"][0]["enum"] == list(TYPES)


@pytest.mark.parametrize("path", sorted((CORPUS / "good").iterdir()), ids=lambda path: path.name)
def test_good_files_are_valid(path: Path) -> None:
    VALIDATOR.validate(data(path))


STRUCTURAL = sorted(
    path
    for area in ("keys", "missing", "types")
    for path in (CORPUS / "bad" / area).iterdir()
    if path.suffix in {".yaml", ".toml"}
)


@pytest.mark.parametrize("path", STRUCTURAL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_bad_structure_is_invalid(path: Path) -> None:
    codes = {
        finding.code for finding in read_policy(path.read_bytes(), path.name, detect_format(path.name, "")).findings
    }
    cannot_be_said = path.name.startswith(("version-number", "version-zero-padded"))
    assert VALIDATOR.is_valid(data(path)) == cannot_be_said, codes


@pytest.mark.parametrize(
    "condition",
    [
        {"maxLen": 5},
        {"pattern": "^a"},
        {},
        5,
        None,
        [1],
        {"type": "float"},
        {"type": []},
        {"enum": 5},
        {"enum": []},
        {"maximum": "500"},
        {"minLength": -1},
        {"like": 5},
        {"like": []},
        {"required": "id"},
        {"required": []},
        {"properties": ["id"]},
        {"properties": {}},
        {"additionalProperties": True},
        {"anyOf": {"type": "string"}},
        {"anyOf": []},
        {"absent": "yes"},
        {"items": {"absent": True}},
        {"not": {"properties": {"id": {"lik": "a"}}}},
    ],
)
def test_bad_conditions_are_invalid_for_both(condition: object) -> None:
    document = {
        "version": 1,
        "rules": [{"operation": "a.b", "effect": "deny", "when": {"arguments": {"amount": condition}}}],
    }
    assert condition_problems({"amount": condition})
    assert not VALIDATOR.is_valid(document)


def test_no_object_of_python_is_needed_to_write_it() -> None:
    assert json.loads(schema_text()) == policy_schema()
    assert PolicyDocument.model_fields.keys() == policy_schema()["properties"].keys()
