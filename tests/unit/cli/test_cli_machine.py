"""Formats for programs: nothing in a finding can break out of its place."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from schemarouter.model.diagnostic import Call, Edit, Finding, Fix, Related, Span
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.full import render_full
from schemarouter_cli.render.machine import render_concise, render_github, render_json
from schemarouter_cli.render.sarif import render_sarif

SCHEMAS = Path(__file__).parents[3] / "schemas"
CHECK = Draft202012Validator(json.loads((SCHEMAS / "check.v1.schema.json").read_text()))


def finding(**changes: object) -> Finding:
    fields: dict[str, object] = {
        "code": "SR101",
        "name": "unknown-key",
        "severity": "error",
        "message": "unknown key `efect`",
        "path": "a/policy.yaml",
        "span": Span(3, 5, 3, 10),
        "help": "did you mean `effect`?",
        "pointer": "/rules/0/efect",
        "rule": "reads",
        "fingerprint": "0123456789abcdef",
    }
    return Finding(**(fields | changes))


RICH = finding(
    related=(Related("first here", "b policy.yaml", Span(1, 1, 1, 4)),),
    witness=Call("a.b", True, None, None, {"amount": 3}),
    fix=Fix("safe", (Edit(Span(3, 5, 3, 10), "effect"), Edit(Span(4, 1, 4, 1), "x"), Edit(Span(5, 1, 5, 2), ""))),
)


def outcome(*findings: Finding) -> Outcome:
    return Outcome(files=["a/policy.yaml"], findings=list(findings), suppressed=1)


def test_json_holds_everything() -> None:
    document = json.loads(render_json(outcome(RICH)))
    CHECK.validate(document)
    (one,) = document["findings"]
    assert one["witness"] == {
        "operation": "a.b", "remote": True, "read_only": None, "destructive": None, "arguments": {"amount": 3},
    }  # fmt: skip
    assert one["related"] == [{"message": "first here", "path": "b policy.yaml", "line": 1, "column": 1}]
    assert one["fix"]["edits"][0] == {"line": 3, "column": 5, "end_line": 3, "end_column": 10, "text": "effect"}
    assert document["summary"] == {"error": 1, "warning": 0, "info": 0, "suppressed": 1}


def test_the_full_format_shows_example_and_fix() -> None:
    text = render_full(outcome(RICH), color=False, width=200)
    assert '= example: `a.b`, remote, unclassified, destructive unknown, arguments {"amount": 3}\n' in text
    assert "= fix: write `effect` at 3:5, insert `x` at 4:1, remove the text at 5:1 (safe)\n" in text
    assert text.endswith("\n1 error in 1 file (1 suppressed)\n")


def test_github_escapes_what_separates() -> None:
    text = render_github(
        outcome(finding(path="a,b:c%.yaml", message="50% of\x1b\r\n::warning::x", span=Span(1, 2, 4, 1)))
    )
    assert text == (
        "::error file=a%2Cb%3Ac%25.yaml,line=1,endLine=4,title=SR101[unknown-key]::"
        "50%25 of<U+001B><U+000D>%0A::warning::x%0Ahelp: did you mean `effect`?\n"
    )


@given(st.text(), st.text())
def test_one_finding_is_one_line(path: str, message: str) -> None:
    one = outcome(finding(path=path, message=message, help=message))
    assert render_concise(one).count("\n") == render_github(one).count("\n") == 1
    assert len((render_concise(one) + render_github(one)).splitlines()) == 2


@given(st.text(), st.text(), st.text())
def test_json_formats_survive_any_text(path: str, message: str, advice: str) -> None:
    one = outcome(finding(path=path, message=message, help=advice))
    CHECK.validate(json.loads(render_json(one)))
    json.loads(render_sarif(one))["runs"][0]["results"][0]["message"]["text"].encode()


def test_sarif_is_shaped_as_the_standard_says() -> None:
    log = json.loads(render_sarif(outcome(RICH, finding(severity="info", code="SR108", name="missing-reason"))))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["SR101", "SR108"]
    assert driver["rules"][0]["name"] == "UnknownKey"
    assert all(rule["shortDescription"]["text"] and rule["help"]["markdown"] for rule in driver["rules"])
    assert run["columnKind"] == "unicodeCodePoints"
    first, second = run["results"]
    for result in (first, second):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["partialFingerprints"] == {"schemarouterFinding/v1": "0123456789abcdef"}
    assert (first["level"], second["level"]) == ("error", "note")
    assert "suppressions" not in first
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a/policy.yaml"},
        "region": {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 10},
    }
    assert first["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "b%20policy.yaml"
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "effect"}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/tmp/a b.yaml", "file:///tmp/a%20b.yaml"),
        ("../p.yaml", "../p.yaml"),
        ("c:d.yaml", "c%3Ad.yaml"),
        ("<stdin>", "%3Cstdin%3E"),
        ("é#?.yaml", "%C3%A9%23%3F.yaml"),
    ],
)
def test_sarif_names_files_by_uri(path: str, uri: str) -> None:
    log = json.loads(render_sarif(Outcome(files=[path], findings=[finding(path=path)])))
    found = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert found == uri
    assert unquote(found).removeprefix("file://") == path


def test_an_undecided_question_fails_whatever_its_severity_is() -> None:
    undecided = outcome(finding(code="SR903", name="undecided", severity="warning"))
    assert undecided.exit_code(strict=False) == 1
    assert outcome(finding(severity="warning")).exit_code(strict=False) == 0
    assert outcome(finding(severity="warning")).exit_code(strict=True) == 1
    assert outcome(finding(severity="info")).exit_code(strict=True) == 0
