"""``schemarouter explain``: what it shows, and that it never guesses."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.command import DATA, Run, Snapshot

POLICY = "desk.policy.yaml"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("open", ["--operation", "payments.refund"]),
        ("decided", ["--operation", "payments.refund", "--remote", "--mutating", "--not-destructive", "--arguments", '{"amount": 20}']),
        ("default", ["--operation", "jobs.start", "--remote", "--unclassified"]),
        ("classified", ["--operation", "tickets.list_open", "--remote", "--unclassified", "--destructive-unknown", "--all-rules"]),
    ],
)  # fmt: skip
def test_whole_output(run: Run, snapshot: Snapshot, name: str, options: list[str]) -> None:
    result = run("explain", POLICY, *options, cwd=DATA)
    assert (result.code, result.err) == (0, "")
    snapshot(f"explain-{name}.txt", result.out)


def explained(run: Run, *options: str, policy: str = POLICY, cwd: Path = DATA) -> list[dict[str, object]]:
    result = run("explain", policy, *options, "--output-format", "json", cwd=cwd)
    assert result.code == 0, result.err
    document = json.loads(result.out)
    schema = json.loads(run("schema", "explain").out)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    return document["results"]


def test_json_is_as_its_schema_says_and_shows_every_class_that_is_left_open(quick: Run) -> None:
    results = explained(quick, "--operation", "payments.refund")
    classes = [tuple(one["call"][key] for key in ("remote", "read_only", "destructive")) for one in results]
    assert sorted(classes, key=repr) == sorted(
        product((False, True), (None, False, True), (None, False, True)), key=repr
    )
    assert len(explained(quick, "--operation", "payments.refund", "--remote")) == 9
    assert len(explained(quick, "--operation", "payments.refund", "--local", "--mutating")) == 3
    assert len(explained(quick, "--operation", "a.b", "--local", "--unclassified", "--destructive-unknown")) == 1


def test_arguments_settle_what_is_open(quick: Run) -> None:
    refund = ("--operation", "payments.refund", "--remote", "--mutating", "--not-destructive")
    (unknown,) = explained(quick, *refund)
    (small,) = explained(quick, *refund, "--arguments", '{"amount": 20}')
    (large,) = explained(quick, *refund, "--arguments", '{"amount": 2000}')
    (text,) = explained(quick, *refund, "--arguments", '{"amount": "20"}')
    assert [one["outcome"] for one in (unknown, small, large, text)] == ["deny", "approval", "deny", "deny"]
    assert [one["considered"][0]["matched"] for one in (unknown, small, large, text)] == [
        "indeterminate", True, False, "indeterminate",
    ]  # fmt: skip
    assert small["location"] == {"path": POLICY, "line": 14, "column": 5}


def test_a_compiled_policy_is_explained_in_the_same_way(run: Run, tmp_path: Path) -> None:
    assert run("compile", POLICY, "-o", str(tmp_path / "desk.json"), cwd=DATA).code == 0
    options = ("--operation", "payments.refund")
    assert explained(run, *options, policy="desk.json", cwd=tmp_path) == explained(run, *options)


def test_arguments_come_from_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "arguments.json").write_text('{"amount": 20}')
    results = explained(run, "--operation", "payments.refund", "--arguments", f"@{tmp_path / 'arguments.json'}")
    assert {one["call"]["arguments"]["amount"] for one in results} == {20}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--operation", "refund"], "the operation `refund` has no tool key, dot and endpoint name"),
        (["--operation", "payments."], "has no tool key, dot and endpoint name"),
        (["--operation", ""], "the operation `` is empty"),
        (["--operation", " a.b"], "has leading or trailing white space"),
        (["--operation", "a.\u202eb"], "holds the hidden character U+202E"),
        (["--operation", "e\u0301.b"], "is not in Unicode normalization form NFC"),
        ([], "missing option '--operation'"),
        (["--operation", "a.b", "--read-only", "--mutating"], "exclude each other"),
        (["--operation", "a.b", "--remote", "--local"], "exclude each other"),
        (["--operation", "a.b", "--destructive", "--destructive-unknown"], "exclude each other"),
        (["--operation", "a.b", "--arguments", "{"], "expecting property name"),
        (["--operation", "a.b", "--arguments", "[1]"], "they are no JSON object"),
        (["--operation", "a.b", "--arguments", '{"a": 1, "a": 2}'], "a key stands twice"),
        (["--operation", "a.b", "--arguments", '{"a": NaN}'], "a number that is not finite"),
        (["--operation", "a.b", "--arguments", '{"a": 1e999}'], "a number that is not finite"),
        (
            ["--operation", "a.b", "--arguments", '{"a": ' + "[" * 5000 + "]" * 5000 + "}"],
            "the arguments cannot be used",
        ),
        (["--operation", "a.b", "--arguments", '{"a": ' + "1" * 5000 + "}"], "larger than a call may be"),
        (["--operation", "a.b", "--arguments", "@missing.json"], "cannot read `missing.json`"),
    ],
)
def test_what_cannot_be_explained(quick: Run, options: list[str], message: str) -> None:
    result = quick("explain", POLICY, *options, cwd=DATA)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_a_policy_that_does_not_compile_is_not_explained(run: Run, tmp_path: Path) -> None:
    result = run("explain", "broken.policy.yaml", "--operation", "a.b", cwd=DATA)
    assert (result.code, result.out) == (2, "")
    assert "error: SR101[unknown-key]" in result.err
    (tmp_path / "bad.json").write_text('{"format": "schemarouter.graph", "version": 999}')
    result = run("explain", "bad.json", "--operation", "a.b")
    assert result.code == 2
    assert result.err.startswith("error: ")
