"""``schemarouter check``, whole: what it prints, where to, and how it exits."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.command import DATA, Run, Snapshot

LIMITED = "version: 1\nbudget: {max_tool_calls: 20}\n"
CLEAN = LIMITED + "name: clean\n"
WARNS = LIMITED + "rules:\n  - {operation: jobs.get, effect: deny, reason: not yet}\n"
BROKEN = "version: 1\nrulez: []\n"


@pytest.mark.parametrize("name", ["broken", "risky"])
@pytest.mark.parametrize(
    ("output_format", "ending"),
    [("full", "txt"), ("concise", "txt"), ("json", "json"), ("github", "txt"), ("sarif", "json")],
)
def test_whole_output(run: Run, snapshot: Snapshot, name: str, output_format: str, ending: str) -> None:
    result = run("check", f"{name}.policy.yaml", "--pedantic", "--output-format", output_format, cwd=DATA)
    assert result.code == 1
    assert result.err == ""
    text = result.out
    if output_format == "sarif":  # the documentation of codes is tested where it is written
        text = re.sub(r'("markdown": ")(?:[^"\\]|\\.)+"', r'\1..."', text)
    snapshot(f"check-{name}-{output_format}.{ending}", text)


def test_colours_of_the_whole_output(run: Run, snapshot: Snapshot) -> None:
    result = run("check", "risky.policy.yaml", "--color", "always", cwd=DATA)
    snapshot("check-risky-full-color.txt", result.out)


def test_json_is_as_its_schema_says(run: Run) -> None:
    result = run("check", ".", "--pedantic", "--output-format", "json", cwd=DATA)
    document = json.loads(result.out)
    schema = json.loads(run("schema", "check").out)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    assert document["files"] == ["broken.policy.yaml", "desk.policy.yaml", "risky.policy.yaml"]
    assert document["summary"]["suppressed"] == 1
    assert document["summary"]["error"] == sum(one["severity"] == "error" for one in document["findings"])
    assert len({one["fingerprint"] for one in document["findings"]}) == len(document["findings"])


def test_a_finding_keeps_its_fingerprint_when_lines_above_it_change(quick: Run) -> None:
    def fingerprints(text: str) -> list[str]:
        found = json.loads(quick("check", "-", "--output-format", "json", stdin=text).out)["findings"]
        return [one["fingerprint"] for one in found]

    assert fingerprints(BROKEN) == fingerprints("# a comment\n\n" + BROKEN) != []


# Exit codes


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (CLEAN, [], 0),
        (CLEAN, ["--strict", "--pedantic"], 0),
        (WARNS, [], 0),
        (WARNS, ["--strict"], 1),
        (WARNS, ["--strict", "--ignore", "SR107"], 0),
        (WARNS, ["--strict", "--select", "SR3"], 0),
        (WARNS, ["--strict", "--select", "unnamed-rule"], 1),
        (WARNS.replace("reason: not yet", "name: later"), ["--strict", "--pedantic"], 0),
        (BROKEN, [], 1),
        (BROKEN, ["--ignore", "SR101"], 1),  # what keeps a file from loading cannot be ignored
        (CLEAN, ["--select", "SR99999"], 2),
        (CLEAN, ["--ignore", "no-such-name"], 2),
        (CLEAN, ["--no-such-option"], 2),
        (CLEAN, ["--output-format", "xml"], 2),
        (CLEAN, ["--allow-import", "myapp."], 2),
        (CLEAN, ["--resolve", "--allow-import", "my-app"], 2),
    ],
)
def test_exit_code(quick: Run, tmp_path: Path, text: str, options: list[str], code: int) -> None:
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    assert quick("check", "policy.yaml", *options).code == code


def test_an_info_is_shown_and_does_not_fail(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(LIMITED + "rules: [{name: a, operation: b.c, effect: deny}]\n")
    result = run("check", "--pedantic", "--strict")
    assert result.code == 0
    assert "info: SR108[missing-reason]" in result.out
    assert result.out.endswith("\n1 info in 1 file\n")


def test_a_clean_check_says_so(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(CLEAN)
    assert quick("check") == (0, "no findings in 1 file\n", "")
    assert quick("check", "--output-format", "concise") == (0, "", "")
    assert quick("check", "--output-format", "github") == (0, "", "")


# What is checked


def test_nothing_to_check_cannot_run(quick: Run) -> None:
    result = quick("check")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: no policy file found in this project\nhelp: name a file")
    assert quick("check", "--allow-empty").code == 0


def test_what_cannot_be_read_does_not_hide_the_rest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(BROKEN)
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    result = run(
        "check", "missing.yaml", "circle.yaml", "broken.yaml/below.yaml", "broken.yaml", b"caf\xe9.yaml", "pipe.yaml"
    )
    assert result.code == 2
    assert "SR101[unknown-key]" in result.out
    assert result.err.splitlines() == [
        "error: cannot read `missing.yaml`: no such file or directory",
        "error: cannot read `circle.yaml`: too many levels of symbolic links",
        "error: cannot read `broken.yaml/below.yaml`: not a directory",
        "error: cannot read `caf\\xe9.yaml`: no such file or directory",
        "error: cannot read `pipe.yaml`: a pipe that nobody writes to",
    ]


def test_a_name_that_is_no_utf8_is_shown_in_every_format(run: Run, tmp_path: Path) -> None:
    Path(str(tmp_path).encode().decode(), "x").touch()
    with open(str(tmp_path).encode() + b"/caf\xe9.yaml", "w") as file:
        file.write(BROKEN)
    for output_format in ("full", "concise", "json", "github", "sarif"):
        result = run("check", b"caf\xe9.yaml", "--output-format", output_format)
        assert result.code == 1
        assert "xe9.yaml" in result.out or "%5Cxe9.yaml" in result.out


def test_a_folder_is_searched(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "one.policy.yaml").write_text(BROKEN)
    (tmp_path / "agents" / "two.policy.toml").write_text("version = 1\nrulez = []\n")
    (tmp_path / "agents" / "values.yaml").write_text("this: is none of our business\n")
    result = run("check", "agents", "--output-format", "concise")
    assert [line.split(": ")[0] for line in result.out.splitlines()] == [
        "agents/one.policy.yaml:2:1",
        "agents/two.policy.toml:2:1",
    ]


def test_standard_input(quick: Run) -> None:
    result = quick("check", "-", "--output-format", "concise", stdin=BROKEN)
    assert (result.code, result.out.split(": ")[0]) == (1, "<stdin>:2:1")
    named = quick(
        "check", "-", "--stdin-filename", "a/p.toml", "--output-format", "concise", stdin="version = 1\nx = 1\n"
    )
    assert (named.code, named.out.split(": ")[0]) == (1, "a/p.toml:2:1")
    assert quick("check", "-", "--format", "toml", stdin="version = 1\n").code == 0
    assert quick("check", "-", "--format", "yaml", stdin="version = 1\n").code == 1
    assert quick("check", "-", stdin="version = 1\n").code == 0  # told by the text
    assert quick("check", "-", stdin="").code == 1  # an empty policy is an error, not nothing to check


def test_the_project_settles_what_is_checked_and_how(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.schemarouter]\ninclude = ['rules/**/*.yaml']\nexclude = ['rules/old']\nstrict = true\nignore = ['SR101']\n"
    )
    (tmp_path / "rules" / "old").mkdir(parents=True)
    (tmp_path / "rules" / "old" / "broken.yaml").write_text(BROKEN)
    (tmp_path / "rules" / "one.yaml").write_text(WARNS)
    (tmp_path / "policy.yaml").write_text(BROKEN)
    result = quick("check")
    assert result.code == 1
    assert "SR107" in result.out
    assert result.out.endswith("1 warning in 1 file\n")
    assert quick("check", "--no-strict").code == 0
    assert quick("check", "--ignore", "SR107").code == 0
    assert quick("check", cwd=tmp_path / "rules").out == result.out.replace("rules/one.yaml", "one.yaml")
    (tmp_path / "pyproject.toml").write_text("[tool.schemarouter]\nstrickt = true\n")
    refused = quick("check")
    assert refused.code == 2
    assert refused.err.endswith("has the unknown key `strickt`\nhelp: did you mean `strict`?\n")
    assert quick("check", "--no-config", "rules/one.yaml").code == 0


def test_the_result_goes_to_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(BROKEN)
    assert run("check", "-o", "out.json", "--output-format", "json", "--color", "always") == (1, "", "")
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["error"] == 1
    assert run("check", "-o", ".").code == 2


# --resolve


def test_nothing_is_imported_unless_that_is_allowed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "myapp").mkdir()
    (tmp_path / "myapp" / "__init__.py").write_text("")
    (tmp_path / "myapp" / "hooks.py").write_text(
        "print('imported')\nopen('imported', 'w').close()\ndef audit(*_): ...\nconstant = 3\n"
    )
    (tmp_path / "myapp" / "failing.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "policy.yaml").write_text(
        LIMITED
        + "hooks:\n  before_call: [plain, 'myapp.hooks:audit']\n"
        + "  after_call: ['myapp.hooks:constant', 'myapp.hooks:missing', 'myapp.failing:x', 'os:system']\n"
    )
    assert run("check").code == 0
    assert run("check", "--resolve").code == 1
    assert run("check", "--resolve", "--allow-import", "my").code == 1
    assert not (tmp_path / "imported").exists()
    result = run("check", "--resolve", "--allow-import", "myapp.", "--output-format", "concise")
    assert (tmp_path / "imported").exists()
    assert result.err == "imported\n"
    assert [line.split("] ", 1)[1] for line in result.out.splitlines()] == [
        "hook `myapp.hooks:constant` is not callable",
        "hook `myapp.hooks:missing` cannot be imported: AttributeError",
        "hook `myapp.failing:x` cannot be imported: SystemExit",
        "hook `os:system` is not supplied, and importing it is not allowed",
    ]


def test_a_call_that_does_not_replay_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from schemarouter.analysis.changes import WitnessError
    from schemarouter_cli.__main__ import run

    def wrong(*_: object) -> None:
        raise WitnessError("the call `x.y` does not show what the analysis says")

    monkeypatch.setattr("schemarouter.analysis.decided.show", wrong)
    (tmp_path / "policy.yaml").write_text("version: 1\nrules: [{name: a, operation: 'jobs.*', effect: allow}]\n")
    assert run(["check", "--no-config", str(tmp_path / "policy.yaml")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("error: internal error")
    assert "Traceback" not in shown.err


def test_undecided_fails_although_it_is_a_warning(run: Run) -> None:
    text = (Path(__file__).parents[1] / "corpus" / "lint" / "SR903" / "bad.yaml").read_text("utf-8")
    result = run("check", "-", "--output-format", "concise", stdin=text)
    assert result.code == 1
    assert {line.split(": ")[1] for line in result.out.splitlines()} == {
        "SR903[undecided] the bound on work was reached before it was decided whether rule `hard` can decide any call",
        "SR903[undecided] the bound on work was reached before it was decided whether rule `hard` could be left out",
    }
    assert run("check", "-", "--ignore", "SR903", stdin=text).code == 1
