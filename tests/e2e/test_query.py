"""``schemarouter query``: the answer, a call that shows it, and who decides."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemarouter.analysis.search import Undecided
from support.command import HERE, Run, Snapshot

DIFF = HERE / "diff_data"
POLICY = "new.policy.yaml"


@pytest.mark.parametrize(
    ("name", "question"),
    [("yes", "destructive and remote and not approval"), ("conditional", "approval and operation:payments.*")],
)
@pytest.mark.parametrize(("output_format", "ending"), [("full", "txt"), ("json", "json")])
def test_whole_output(run: Run, snapshot: Snapshot, name: str, question: str, output_format: str, ending: str) -> None:
    result = run("query", POLICY, question, "--output-format", output_format, cwd=DIFF)
    assert (result.code, result.err) == (1, "")
    snapshot(f"query-{name}.{ending}", result.out)


def asked(run: Run, *question: str, policy: str = POLICY, cwd: Path = DIFF) -> tuple[int, dict]:
    result = run("query", policy, *question, "--output-format", "json", cwd=cwd)
    document = json.loads(result.out)
    schema = json.loads(run("schema", "query").out)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    return result.code, document


@pytest.mark.parametrize(
    ("question", "code", "answer", "rule"),
    [
        ("operation:jobs.delete_all", 0, "no", None),
        ("operation:jobs.delete_all and deny", 1, "yes", "protect"),
        ("operation:files.* and not approval", 1, "yes", "files"),
        ("operation:files.* and mutating and not approval", 0, "no", None),
        ("operation:notes.* and local and not deny", 0, "no", None),
        ("operation:notes.* and remote and read_only", 1, "yes", "notes"),
    ],
)
def test_answers(quick: Run, question: str, code: int, answer: str, rule: str | None) -> None:
    status, document = asked(quick, question)
    assert (status, document["answer"], document["rule"]) == (code, answer, rule)
    assert (document["witness"] is None) == (answer == "no")
    assert document["question"] == question


def test_a_no_is_one_line(quick: Run) -> None:
    assert quick("query", POLICY, "operation:jobs.delete_all", cwd=DIFF) == (0, "no: operation:jobs.delete_all\n", "")
    assert quick("query", POLICY, "operation:jobs.delete_all", "--color", "always", cwd=DIFF).out.startswith(
        "\x1b[1;32mno"
    )


def test_words_need_no_quotes(quick: Run) -> None:
    assert asked(quick, "approval", "and", "operation:payments.*") == asked(quick, "approval and operation:payments.*")


def test_the_replay_shows_the_answer(quick: Run) -> None:
    for question in ("destructive and remote and not approval", "approval and operation:payments.*"):
        _, document = asked(quick, question)
        text = quick("query", POLICY, question, cwd=DIFF).out
        words = shlex.split(text.partition("replay: ")[2])[1:]
        (result,) = json.loads(quick(*words, "--output-format", "json", cwd=DIFF).out)["results"]
        assert result["call"] == document["witness"]
        assert (result["outcome"], result["rule"]) == (document["outcome"], document["rule"])


def test_the_category_guards_and_rules_without_a_name(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\nrules: [{operation: a.b, effect: deny}]\n")
    assert "decided by: rule number 1, a.yaml:2:9" in quick("query", "a.yaml", "deny and operation:a.b").out
    assert "decided by: the category guards\n" in quick("query", "a.yaml", "operation:a.c and allow").out
    quick("compile", "a.yaml", "-o", "a.json")
    assert quick("query", "a.json", "operation:a.b").code == 0


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("", "error: cannot read the question, at character 1: the question is empty\n"),
        (
            "destructive and romote",
            "error: cannot read the question, at character 17: unknown word `romote`\nhelp: did you mean `remote`?\n",
        ),
        ("destructive or remote", "error: cannot read the question, at character 13: there is no `and` before `or`\n"),
        ("not", "error: cannot read the question, at character 1: the question ends too early\n"),
        ("operation:\x1b[31m", "error: cannot read the question, at character 1: the pattern "),
        ("allow and deny", "error: cannot read the question, at character 1: no call has such an outcome\n"),
    ],
)
def test_questions_that_are_none(quick: Run, question: str, message: str) -> None:
    result = quick("query", POLICY, question, cwd=DIFF)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(message)
    assert "\x1b" not in result.err


def test_a_policy_that_does_not_compile(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("version: 1\nrulez: []\n")
    result = quick("query", "a.yaml", "remote")
    assert (result.code, result.out) == (2, "")
    assert "SR101[unknown-key]" in result.err
    assert quick("query", "a.yaml").code == 2


def test_undecided_is_never_a_no(quick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "the bound on work was reached"
    monkeypatch.setattr("schemarouter.analysis.decided.search", lambda *_: Undecided(reason))
    result = quick("query", POLICY, "operation:*a*b", cwd=DIFF)
    assert (result.code, result.out) == (1, f"undecided: operation:*a*b\n  because: {reason}\n")
    code, document = asked(quick, "operation:*a*b")
    assert (code, document["answer"], document["witness"], document["reason"]) == (1, "undecided", None, reason)
