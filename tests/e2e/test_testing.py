"""``schemarouter test``: what fails, what is covered, which mistakes nobody would notice, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from jsonschema import Draft202012Validator

from support.command import HERE, Run, Snapshot

DATA = HERE / "testing_data"
ROOT = HERE.parents[1]
ENDINGS = {"full": "txt", "concise": "concise.txt", "json": "json", "junit": "xml", "github": "github.txt"}
SCHEMAS = ROOT / "schemas"


def schema(name: str) -> Draft202012Validator:
    found = json.loads((SCHEMAS / f"{name}.v1.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(found)
    return Draft202012Validator(found)


@pytest.mark.parametrize("output_format", ENDINGS)
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("failing", ["desk.policy.yaml", "--min-coverage", "100"], 1),
        ("mutants", ["sound", "--mutate", "--min-mutation-score", "66.6"], 1),
        ("broken", ["broken"], 2),
    ],
)
def test_whole_output(
    run: Run, snapshot: Snapshot, output_format: str, name: str, arguments: list[str], code: int
) -> None:
    result = run("test", *arguments, "--output-format", output_format, cwd=DATA)
    assert (result.code, result.err) == (code, "")
    snapshot(f"test-{name}.{ENDINGS[output_format]}", result.out)
    if output_format == "json":
        schema("test").validate(json.loads(result.out))
    if output_format == "junit":
        root = Xml.fromstring(result.out)
        counts = [int(root.attrib[key]) for key in ("tests", "failures", "errors")]
        assert counts == [len(root.findall(path)) for path in (".//testcase", ".//failure", ".//error")]


def test_color(run: Run) -> None:
    plain = run("test", "desk.policy.yaml", cwd=DATA).out
    colored = run("test", "desk.policy.yaml", "--color", "always", cwd=DATA).out
    assert "\x1b[1;31mfailed" in colored
    assert "\x1b" not in plain


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, "utf-8")


POLICY = "version: 1\nrules:\n  - {name: reads, operation: jobs.get, effect: allow}\n  - {name: rest, operation: jobs.*, effect: deny}\n"
TESTS = "version: 1\ncases:\n  - {operation: jobs.get, outcome: allow}\n"


def test_without_a_path_what_check_finds_is_tested(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, policy__yaml=POLICY, policy__test__yaml=TESTS, other__test__yaml="not: ours\n")
    result = quick("test")
    assert result.code == 0
    assert "policy.yaml: 1 passed, 0 failed, 1 of 2 rules covered (50%)\n1 passed, 0 failed\n" in result.out
    assert "SR701[uncovered-rule] no test is decided by rule `rest`" in result.out
    assert quick("check", "--output-format", "json").out.count("policy.test.yaml") == 0


def test_a_project_says_which_files(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    write(tmp_path, pyproject__toml='[tool.schemarouter]\ninclude = ["rules"]\nexclude = ["rules/old*"]\n')
    write(tmp_path / "rules", a__yaml=POLICY, a__test__yaml=TESTS, old__yaml=POLICY, old__test__yaml="broken: 1\n")
    result = quick("test", "--output-format", "json")
    document = json.loads(result.out)
    assert [policy["path"] for policy in document["policies"]] == ["rules/a.yaml"]
    assert document["policies"][0]["files"] == ["rules/a.test.yaml"]
    assert quick("check", "--output-format", "json").code == 0
    assert json.loads(quick("check", "--output-format", "json").out)["files"] == ["rules/a.yaml"]


def test_tests_may_lie_elsewhere(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    write(tmp_path, pyproject__toml='[tool.schemarouter]\ninclude = ["a.yaml", "checks/*.test.yaml"]\n', a__yaml=POLICY)
    write(tmp_path / "checks", reading__test__yaml=TESTS + "policy: ../a.yaml\n")
    assert quick("test").out.endswith("1 passed, 0 failed\n")
    assert json.loads(quick("check", "--output-format", "json").out)["files"] == ["a.yaml"]
    (tmp_path / "checks" / "reading.test.yaml").unlink()
    assert quick("test").code == 2


def test_a_folder_of_worked_examples(quick: Run) -> None:
    result = quick("test", "config", "--min-coverage", "100", cwd=ROOT)
    assert result.code == 0, result.out
    assert result.out.count("(100%)") == len(result.out.splitlines()) - 1


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["empty"], 2, "", "error: no policy test found in `empty`\nhelp: write one: "),
        (["empty", "--allow-empty"], 0, "", ""),
        (["bare.yaml"], 2, "", "error: no policy test found in `bare.yaml`\n"),
        (["-"], 2, "", "error: policy tests are read from files, not from standard input\n"),
        (["missing.yaml"], 2, "", "error: cannot read `missing.yaml`: no such file or directory\n"),
        (["policy.yaml", "missing.yaml"], 2, "policy.yaml: 1 passed, ", "error: cannot read `missing.yaml`: "),
        (["policy.yaml", "--min-coverage", "101"], 2, "", "is no number from 0 to 100"),
        (["policy.yaml", "--min-coverage", "nan"], 2, "", "is no number from 0 to 100"),
        (["policy.yaml", "--min-mutation-score", "lots"], 2, "", "is no number from 0 to 100"),
        (["policy.yaml", "--min-coverage", "50"], 0, "policy.yaml: 1 passed, ", ""),
        (["policy.yaml", "--min-coverage", "50.1%"], 1, "which is 50% and not the 50.1% that are wanted", ""),
        (["policy.yaml", "-o", "policy.yaml"], 2, "", "error: `policy.yaml` is the policy itself\n"),
        (["policy.yaml", "--output-format", "sarif"], 2, "", "'sarif' is not one of"),
    ],
)
def test_exit_codes(quick: Run, tmp_path: Path, arguments: list[str], code: int, out: str, err: str) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path, bare__yaml=POLICY, policy__yaml=POLICY, policy__test__yaml=TESTS)
    result = quick("test", *arguments)
    assert result.code == code, result
    assert out in result.out
    assert err in result.err
    assert bool(out) == bool(result.out)
    assert bool(err) == bool(result.err)


def test_every_policy_has_to_reach_the_percentage(quick: Run, tmp_path: Path) -> None:
    """A policy that is tested well does not hide one that is not tested at all."""
    write(tmp_path, policy__yaml=POLICY, policy__test__yaml=TESTS, other__policy__yaml=POLICY)
    result = quick("test", "--min-coverage", "1")
    assert result.code == 1
    assert "other.policy.yaml: 0 of 2 rules decide a test, which is 0% and not the 1% that are wanted" in result.out


def test_a_file_is_written_whole(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, policy__yaml=POLICY, policy__test__yaml=TESTS)
    assert quick("test", "--output-format", "junit", "-o", "report.xml") == (0, "", "")
    assert Xml.parse(tmp_path / "report.xml").getroot().get("tests") == "1"


def test_names_from_files_do_not_reach_the_terminal(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, policy__yaml=POLICY)
    name = "a%0A::error::x\u202e<b>&\"'"
    tests = {"version": 1, "cases": [{"name": name, "operation": "jobs.get", "outcome": "deny"}]}
    write(tmp_path, policy__test__yaml=json.dumps(tests))
    assert quick("test").code == 2  # hidden characters are refused
    tests["cases"][0]["name"] = name.replace("\u202e", "")  # type: ignore[index]  # as written above
    write(tmp_path, policy__test__yaml=json.dumps(tests))
    for output_format in ENDINGS:
        result = quick("test", "--output-format", output_format)
        assert result.code == 1
        if output_format == "github":
            assert result.out.count("\n::") == 1
        if output_format == "junit":
            case = Xml.fromstring(result.out).find(".//testcase")
            assert case is not None
            assert case.get("name") == name.replace("\u202e", "")


# check --tests


def test_check_reports_rules_without_a_test(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, policy__yaml=POLICY, policy__test__yaml=TESTS)
    select = ("--select", "SR701", "--output-format", "concise")
    assert quick("check", *select) == (0, "", "")
    assert quick("check", *select, "--tests") == (
        0,
        "policy.yaml:4:29: SR701[uncovered-rule] no test is decided by this rule\n",
        "",
    )
    assert quick("check", *select, "--tests", "--strict").code == 1
    piped = quick("check", *select, "--tests", "-", stdin=POLICY)
    assert [line[:11] for line in piped.out.splitlines()] == ["<stdin>:3:3", "<stdin>:4:2"]


def test_a_suppression_is_judged_only_where_tests_are_run(quick: Run, tmp_path: Path) -> None:
    comment = "  # schemarouter: ignore[SR701] nothing falls through to it\n"
    lines = POLICY.splitlines(keepends=True)
    write(tmp_path, policy__yaml="".join([*lines[:3], comment, *lines[3:]]), policy__test__yaml=TESTS)
    assert "SR901" not in quick("check").out
    assert "SR701" not in quick("check", "--tests").out
    write(tmp_path, policy__test__yaml=TESTS + "  - {operation: jobs.set, outcome: deny}\n")
    assert "SR901" in quick("check", "--tests").out


def test_check_says_what_is_wrong_with_a_file_of_tests(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, policy__yaml=POLICY, policy__test__yaml=TESTS.replace("jobs.get", "jbs.get"))
    expected = "policy.test.yaml:3:17: SR105[unknown-value] no rule but for a wildcard is about `jbs.get`"
    for arguments in (["policy.yaml", "--tests"], ["policy.test.yaml"], ["policy.yaml", "policy.test.yaml"]):
        result = quick("check", *arguments, "--output-format", "concise", "--ignore", "SR3,SR4,SR5")
        lines = [line for line in result.out.splitlines() if "policy.test.yaml" in line]
        assert lines == [expected], (arguments, result.out)
        assert result.code == 1
    write(tmp_path, policy__test__yaml=TESTS)
    assert quick("check", "policy.test.yaml") == (0, "no findings in 1 file\n", "")
