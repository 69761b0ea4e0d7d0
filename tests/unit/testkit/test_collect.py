"""Which tests belong to which policy, and what happens to files that cannot be used."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.file import write_catalog
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.testkit import run_tests
from schemarouter.testkit.collect import CollectionError, is_test_file
from schemarouter.testkit.coverage import tested_rules as rules_tested

POLICY = "version: 1\nrules:\n  - {name: reads, operation: jobs.get, effect: allow}\n  - {name: rest, operation: '*', effect: deny}\n"
TOML = 'version = 1\n[[rules]]\nname = "reads"\noperation = "jobs.get"\neffect = "allow"\n'
TESTS = "version: 1\ncases:\n  - {operation: jobs.get, outcome: allow}\n"


def put(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("a.test.yaml", True), ("x/a.test.yml", True), ("a.test.toml", True), ("a.tests.yaml", False), (".test.yaml", False),
     ("test.yaml", False), ("a.test.json", False), ("a.yaml", False)],
)  # fmt: skip
def test_which_files_hold_tests(name: str, is_one: bool) -> None:
    assert is_test_file(name) is is_one


def test_a_policy_finds_its_tests_and_tests_find_their_policy(tmp_path: Path) -> None:
    put(
        tmp_path,
        a__yaml=POLICY,
        a__test__yaml=TESTS,
        a__test__toml='version = 1\n[[cases]]\noperation = "x.y"\noutcome = "deny"\nrule = "rest"\n',
    )
    whole = run_tests(tmp_path / "a.yaml")
    assert (whole.passed, whole.covered, whole.rules) == (2, 2, 2)
    assert [os.path.basename(path) for path in whole.policies[0].files] == ["a.test.yaml", "a.test.toml"]
    assert run_tests(tmp_path / "a.test.yaml").covered == 1
    every = run_tests(*sorted(tmp_path.iterdir()))
    assert (every.passed, len(every.policies)) == (2, 1)


def test_one_file_of_tests_for_both_formats(tmp_path: Path) -> None:
    put(tmp_path, a__yaml=POLICY, a__toml=TOML, a__test__yaml=TESTS)
    report = run_tests(tmp_path / "a.test.yaml")
    assert [(os.path.basename(one.path), len(one.results)) for one in report.policies] == [("a.yaml", 1), ("a.toml", 1)]
    assert len(run_tests(tmp_path / "a.toml").policies) == 1
    wrong = put(tmp_path, a__test__yaml=TESTS.replace("allow", "allow, rule: nope"))
    assert len(run_tests(wrong / "a.test.yaml").findings) == 1


def test_tests_that_name_another_policy(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    put(tmp_path, a__yaml=POLICY)
    put(tmp_path / "deep", x__test__yaml=TESTS + "policy: ../a.yaml\n", x__yaml="version: 1\n")
    report = run_tests(tmp_path / "deep" / "x.test.yaml")
    assert [os.path.basename(one.path) for one in report.policies] == ["a.yaml"]
    beside = run_tests(tmp_path / "deep" / "x.yaml")
    assert [(os.path.basename(one.path), len(one.results)) for one in beside.policies] == [("x.yaml", 0), ("a.yaml", 1)]


def test_of_a_policy_with_a_broken_file_of_tests_nothing_is_run_in_any_order(tmp_path: Path) -> None:
    put(
        tmp_path,
        a__yaml=POLICY,
        a__test__yaml=TESTS.replace("outcome", "outcom"),
        a__test__toml='version = 1\n[[cases]]\noperation = "jobs.get"\noutcome = "allow"\n',
    )
    paths = [tmp_path / "a.yaml", tmp_path / "a.test.yaml", tmp_path / "a.test.toml"]
    for order in (paths, paths[::-1]):
        report = run_tests(*order)
        assert (report.policies, [one.code for one in report.errors]) == ((), ["SR101"])


def test_a_policy_that_does_not_compile(tmp_path: Path) -> None:
    put(tmp_path, a__yaml=POLICY.replace("allow", "alow"), a__test__yaml=TESTS)
    for name in ("a.yaml", "a.test.yaml"):
        report = run_tests(tmp_path / name)
        assert [one.code for one in report.errors] == ["SR105"]
        assert not report.policies
    put(tmp_path, a__yaml=POLICY.replace("effect: allow", "effect: allow, examples: {decides: [jobs.set]}"))
    assert [one.code for one in run_tests(tmp_path / "a.yaml").errors] == ["SR109"]


def test_examples_count_as_tests(tmp_path: Path) -> None:
    put(
        tmp_path,
        a__yaml=POLICY.replace("effect: allow", "effect: allow, examples: {decides: [jobs.get], ignores: [jobs.set]}"),
    )
    report = run_tests(tmp_path / "a.yaml")
    assert [(one.name, one.expected, one.ok) for one in report.results] == [
        ("example of rule `reads`: jobs.get", "decided by rule `reads`", True),
        ("example of rule `reads`: jobs.set", "not decided by rule `reads`", True),
    ]
    assert (report.covered, report.rules) == (1, 2)


def test_warnings_do_not_keep_tests_from_running(tmp_path: Path) -> None:
    put(
        tmp_path,
        a__yaml=POLICY,
        a__test__yaml="version: 1\ncases:\n  - &one {operation: jobs.get, outcome: allow}\n  - *one\n",
    )
    report = run_tests(tmp_path / "a.yaml")
    assert [one.code for one in report.findings] == ["SR004", "SR004"] or [one.code for one in report.findings] == [
        "SR004"
    ]
    assert report.ok
    assert report.passed == 2


def test_operations_of_a_catalog(tmp_path: Path) -> None:
    endpoints = [EndpointSpec(name="get", read_only=True, destructive=False), EndpointSpec(name="set")]
    catalog = catalog_of([ToolSpec(name="jobs", remote=True, endpoints=endpoints)])
    (tmp_path / "tools.json").write_bytes(write_catalog(catalog))
    cases = "version: 1\ncatalog: tools.json\ncases:\n  - {operation: jobs.get, outcome: allow}\n  - {operation: jobs.set, outcome: deny}\n"
    policy = "version: 1\nrules: [{name: r, operation: '*', effect: allow, when: {remote: true, read_only: true, destructive: false}}]\n"
    put(tmp_path, a__yaml=policy, a__test__yaml=cases)
    assert run_tests(tmp_path / "a.yaml").passed == 2
    put(tmp_path, a__test__yaml=cases.replace("jobs.set", "jobs.sett"))
    (finding,) = run_tests(tmp_path / "a.yaml").findings
    assert (finding.message, finding.help) == ("unknown operation `jobs.sett`", "did you mean `jobs.set`?")
    (tmp_path / "tools.json").write_text("{}")
    (finding,) = run_tests(tmp_path / "a.yaml").findings[:1]
    assert finding.message.startswith("the catalog `tools.json` cannot be used: ")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="no such file"):
        run_tests(tmp_path / "missing.yaml")
    with pytest.raises(CollectionError, match="is a directory"):
        run_tests(tmp_path)
    with pytest.raises(CollectionError, match="no legal file name"):
        run_tests("a\0.yaml")
    error = CollectionError("x", "y")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.help) == ("x", "y")


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.test.yaml")
    put(tmp_path, a__yaml=POLICY)
    with pytest.raises(CollectionError, match="nobody writes"):
        run_tests(tmp_path / "a.test.yaml")


HOSTILE = [
    b"\x00\x01\x02",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b"version: 1\ncases: " + b"[" * 5000,
    b"a: &a [x, x]\n"
    + b"".join(b"%c: &%c [*%c, *%c, *%c]\n" % (98 + n, 98 + n, 97 + n, 97 + n, 97 + n) for n in range(20)),
    b"version: 1\ncases:\n" + b"  - {operation: jobs.get, outcome: allow}\n" * 20_001,
    b"version: 1\ncases:\n" + b"  - {operation: jobs.gte, rule: x, outcome: alow}\n" * 3_000,
    b"version: 1\ncases: [{operation: jobs.get, outcome: allow, arguments: {a: 1" + b"0" * 500 + b"}}]\n",
    b"version: 1\nruns: [{calls: [{operation: jobs.get, expect: delivered, times: 999999999999999999999}]}]\n",
    b"version: 1\nruns: [{calls: [{operation: jobs.get, expect: delivered, wait: 1e999}]}]\n",
    b"version: 1\ntables: [{rows: {" + b"x" * 2000 + b".y: allow}}]\n",
    b"version: 1\npolicy: " + b"../" * 2000 + b"x\ncases: [{operation: jobs.get, outcome: allow}]\n",
    b'version: 1\npolicy: "a\\0b"\ncases: [{operation: jobs.get, outcome: allow}]\n',
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_of_tests_are_refused(raw: bytes, tmp_path: Path) -> None:
    put(tmp_path, a__yaml=POLICY)
    (tmp_path / "a.test.yaml").write_bytes(raw)
    report = run_tests(tmp_path / "a.yaml")
    assert report.errors
    assert len(report.errors) <= 2_100
    assert not report.results
    assert all("\n" not in one.message for one in report.findings)


def test_which_rules_are_tested(tmp_path: Path) -> None:
    put(tmp_path, a__yaml=POLICY, a__test__yaml=TESTS)
    path = str(tmp_path / "a.yaml")
    assert rules_tested(path, POLICY.encode()).rules == frozenset({0})
    # The text counts that is given, and not what the file holds.
    swapped = POLICY.splitlines()
    swapped[2], swapped[3] = swapped[3].replace("'*'", "jobs.set"), swapped[2]
    assert rules_tested(path, "\n".join(swapped).encode()).rules == frozenset({1})
    broken = rules_tested(path, b"version: 2\n")
    assert (broken.rules, broken.findings) == (None, ())
    put(tmp_path, a__test__yaml="version: 1\n")
    broken = rules_tested(path, POLICY.encode())
    assert broken.rules is None
    assert [finding.code for finding in broken.findings] == ["SR102"]
