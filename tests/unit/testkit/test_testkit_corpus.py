"""Files of policy tests, good and bad, and exactly what comes of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemarouter.document.reader import detect_format
from schemarouter.document.text import read_source
from schemarouter.testkit import run_tests
from schemarouter.testkit.reader import read_tests
from schemarouter.testkit.schema import policy_test_schema, schema_text
from support.testkit_corpus import CORPUS, described, expected, files, outcome

ROOT = Path(__file__).parents[3]
VALIDATOR = Draft202012Validator(policy_test_schema())
SHIPPED = sorted((ROOT / "config").rglob("*.test.*"))


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.name)
def test_a_bad_file_gets_every_finding_and_runs_nothing(path: Path) -> None:
    report = run_tests(path)
    if path.name == "empty.test.yaml":
        assert [finding.code for finding in report.findings] == ["SR104"]
    else:
        assert described(report) == expected(path)
    assert report.errors
    assert report.results == ()
    assert report.policies == ()
    assert not report.ok


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.name)
def test_findings_read_as_one(path: Path) -> None:
    for finding in run_tests(path).findings:
        for text in (finding.message, finding.help or ""):
            assert text == text.strip()
            assert "\n" not in text
            assert not text.endswith(".")
            assert text[:1].islower() or text[:1] in "`0123456789"
        assert finding.help
        assert finding.fingerprint


@pytest.mark.parametrize("path", files("run"), ids=lambda path: path.name)
def test_a_file_that_runs_gives_what_it_says(path: Path) -> None:
    assert outcome(path) == expected(path)


def data(path: Path) -> object:
    raw = path.read_bytes()
    source, _ = read_source(raw, path.name, detect_format(path.name, raw))
    return None if source is None else source.data


def test_the_schema_is_the_one_that_the_models_give() -> None:
    written = (ROOT / "schemas" / "policy-test.v1.schema.json").read_text("utf-8")
    assert written == schema_text(), "run `make schemas`"
    Draft202012Validator.check_schema(json.loads(written))


@pytest.mark.parametrize("path", [*files("run"), *SHIPPED], ids=lambda path: path.name)
def test_the_schema_takes_what_the_reader_takes(path: Path) -> None:
    assert read_tests(path.read_bytes(), path.name, detect_format(path.name, "")).document is not None
    assert [error.message for error in VALIDATOR.iter_errors(data(path))] == []


#: What JSON Schema cannot say: names, references, and how scalars are written.
BEYOND = {
    "absolute",
    "too-much",
    "ambiguous-default",
    "contracts",
    "duplicate",
    "no-policy",
    "other-policy",
    "syntax",
    "unlisted",
    "nothing-tested",
}


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.name)
def test_the_schema_refuses_what_it_can(path: Path) -> None:
    if path.name.partition(".")[0] not in BEYOND:
        assert [*VALIDATOR.iter_errors(data(path))]


def test_the_corpus_has_its_policy() -> None:
    assert run_tests(CORPUS / "policy.yaml").errors == ()
