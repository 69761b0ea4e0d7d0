"""Passes, formats, stand-ins and limits of the reader."""

from __future__ import annotations

import subprocess
import sys

import pytest

from schemarouter.document import keys
from schemarouter.document.findings import MAX_PROBLEMS
from schemarouter.document.places import IN_WORDS, homes, place_at
from schemarouter.document.reader import PASSES, detect_format, read_policy


def read(text, format_="yaml"):
    return read_policy(text, f"p.{format_}", format_)


def codes(text, format_="yaml"):
    return [finding.code for finding in read(text, format_).findings]


def test_the_order_of_the_passes_is_data_with_its_reasons():
    assert [one.name for one in PASSES] == ["text", "tree", "structure and types", "references", "names"]
    assert all(one.because for one in PASSES)
    assert len({one.because for one in PASSES}) == len(PASSES)


@pytest.mark.parametrize(
    "raw", ["version: 1\nname: a\n", b"version: 1\nname: a\n", b"\xef\xbb\xbfversion: 1\nname: a\n"]
)
def test_text_and_bytes_are_read_alike(raw):
    result = read(raw)
    assert result.findings == ()
    assert result.document is not None
    assert result.document.name == "a"
    assert result.source is not None


def test_a_warning_alone_leaves_the_document():
    result = read("version: 1\nname: &a b\n")
    assert [(finding.code, finding.severity) for finding in result.findings] == [("SR004", "warning")]
    assert result.document is not None
    assert result.document.name == "b"


def test_an_error_leaves_nothing():
    result = read("version: 1\nrules:\n- {operation: a.b, effect: allow}\n- {operation: a.c, effect: alow}\n")
    assert result.document is None
    assert result.source is not None


def test_errors_of_all_passes_are_found_at_once():
    text = 'version: 1\nversion: 1\nrules:\n- {name: a, operation: "a.\\u200b", effect: 5}\n- {name: a, operation: b.c, effect: deny}\n'
    assert codes(text) == ["SR002", "SR009", "SR103", "SR106"]


def test_nothing_further_is_said_about_a_stand_in():
    assert codes("version: 1\nbudget: {max_elapsed_seconds: .inf}\n") == ["SR103"]
    assert codes("version: 1\nrules: &r [*r]\n") == ["SR010"]
    assert codes("version: 1\nrules:\n- {<<: {effect: deny}, operation: a.b, effect: deny}\n") == ["SR005"]
    assert codes("version = 1\nname = 2026-01-01\n", "toml") == ["SR006"]


def test_many_problems_are_cut_and_the_cut_is_an_error_of_its_own():
    text = "version: 1\nrules:\n" + "- {operation: a.b, effect: deny, zebra: 1}\n" * (MAX_PROBLEMS + 5)
    found = read(text).findings
    assert len(found) == MAX_PROBLEMS + 1
    assert found[0].code == "SR010"
    assert "structure and types" in found[0].message


def test_the_number_of_rules_is_limited():
    text = "version: 1\nrules:\n" + "- {}\n" * 100_001
    (finding,) = read(text).findings
    assert finding.code == "SR010"
    assert finding.message == "`rules` has 100,001 items, and at most 100,000 are read"


@pytest.mark.parametrize(
    ("path", "text", "format_"),
    [
        ("a.yaml", "version = 1", "yaml"),
        ("a.yml", "", "yaml"),
        ("A.YAML", "", "yaml"),
        ("a.toml", "version: 1", "toml"),
        ("dir.toml/policy", "version: 1", "yaml"),
        ("<stdin>", "version: 1", "yaml"),
        ("<stdin>", "# comment\n\nversion = 1", "toml"),
        ("<stdin>", '"version" = 1', "toml"),
        ("<stdin>", "defaults.allow_mutations = true", "toml"),
        ("<stdin>", "[defaults]\n", "toml"),
        ("<stdin>", "[[rules]] # first\n", "toml"),
        ("<stdin>", "name: a = b", "yaml"),
        ("<stdin>", "- a = b", "yaml"),
        ("<stdin>", "{version: 1}", "yaml"),
        ("<stdin>", "---\nversion: 1", "yaml"),
        ("<stdin>", "", "yaml"),
        ("<stdin>", "# only a comment", "yaml"),
        ("<stdin>", b"\xef\xbb\xbfversion = 1", "toml"),
        ("<stdin>", b"\xff\xfe\x00", "yaml"),
    ],
)
def test_the_format_comes_from_the_name_or_from_the_text(path, text, format_):
    assert detect_format(path, text) == format_


def test_a_clean_file_loads_nothing_that_explains_errors():
    program = (
        "import sys\n"
        "from schemarouter.document.reader import read_policy\n"
        "result = read_policy('version: 1\\nrules:\\n- {operation: a.b, effect: deny}\\n', 'p', 'yaml')\n"
        "assert result.document is not None\n"
        "print(sorted({'difflib', 'schemarouter.document.explain', 'schemarouter.document.keys', 'jsonschema',\n"
        "              'rich', 'click'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_codes_are_readable_without_any_dependency():
    program = "import sys, schemarouter.document.codes\nprint(sorted({'pydantic', 'ruamel', 'click', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_synonym_means_a_key_that_exists():
    for model, synonyms in keys._SYNONYMS.items():
        assert set(synonyms.values()) <= set(model.model_fields)
        assert not set(synonyms) & (set(model.model_fields) - set(synonyms.values()))


def test_every_mapping_of_the_document_has_words():
    models = {place_at(path).model for paths in homes().values() for path in paths}
    assert models == set(IN_WORDS)


def test_places_are_those_of_the_models():
    assert place_at(("rules", 0, "operation")).kinds == ("a string", "a list")
    assert place_at(("rules", 0, "effect")).values == ("allow", "deny", "require_approval")
    assert place_at(("budget", "cost_units", "x")).kinds == ("a number",)
    assert place_at(("rules", "x")) is None
    assert place_at(("zebra",)) is None
    assert place_at(("rules", 0, "when", "arguments", "amount")) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("deny", None),
        ("block", "deny"),
        ("ask", "require_approval"),
        ("permit", "allow"),
        ("DENY", "deny"),
        ("denny", "deny"),
    ],
)
def test_a_guess_is_an_unsafe_fix_that_cures(value, expected):
    text = f"version: 1\nrules:\n- {{operation: a.b, effect: {value}}}\n"
    result = read(text)
    if expected is None:
        assert result.document is not None
        return
    (finding,) = result.findings
    assert finding.fix is not None
    assert finding.fix.applicability == "unsafe"
    (edit,) = finding.fix.edits
    lines = text.splitlines(keepends=True)
    line = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
    cured = read("".join(lines)).document
    assert cured is not None
    assert cured.rules[0].effect == expected
