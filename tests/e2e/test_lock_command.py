"""``schemarouter lock``, and ``check`` with ``--catalog`` and ``--lock``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemarouter.resources import read_resource
from support.command import Run

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / "tests" / "data" / "github-mcp-listing.json"
EXAMPLE = ROOT / "config" / "examples" / "github-mcp.yaml"
POLICY = """version: 1
rules:
  - {name: reads, operation: "srv.get_*", effect: allow, when: {read_only: true, destructive: false}}
  - {name: asks, operation: "srv.put_*", effect: require_approval, when: {unclassified: true}}
  - {name: small, operation: srv.pay, effect: allow, when: {arguments: {amount: {type: number, maximum: 5}}, unclassified: false}}
approval: {callback: ops}
classify: [{operation: ["srv.get_*"], read_only: true, destructive: false}, {operation: srv.pay, read_only: false, destructive: false}]
budget: {max_tool_calls: 5}
"""
TOOLS = ["get_a", "get_b", "put_a", "pay"]
#: What is reported of the policy itself is not the matter here.
ONLY = ("--select", "SR308,SR309,SR405,SR505,SR41")


def validated(name: str, text: str) -> dict[str, object]:
    document = json.loads(text)
    Draft202012Validator(json.loads(read_resource("schemas", f"{name}.v1.schema.json"))).validate(document)
    return document


def tools(folder: Path, *names: str, **changed: object) -> None:
    amount = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
    listed = [
        {"name": name, "inputSchema": amount if name == "pay" else {"type": "object"}, **changed} for name in names
    ]
    (folder / "srv.json").write_text(json.dumps(listed))


@pytest.fixture
def project(quick: Run, tmp_path: Path) -> Path:
    """A folder with a policy, a catalog and a lock that fit."""
    (tmp_path / "policy.yaml").write_text(POLICY)
    tools(tmp_path, *TOOLS)
    assert quick("catalog", "srv.json", "-o", "catalog.json").code == 0
    assert quick("lock", "policy.yaml", "--catalog", "catalog.json", "-o", "policy.lock").code == 0
    return tmp_path


def checked(quick: Run, *options: str) -> tuple[int, list[str]]:
    result = quick(
        "check",
        "policy.yaml",
        "--catalog",
        "catalog.json",
        "--lock",
        "policy.lock",
        "--output-format",
        "concise",
        *ONLY,
        *options,
    )
    return result.code, [line.split(" ", 1)[1] for line in result.out.splitlines()]


def test_a_lock(quick: Run, project: Path) -> None:
    data = (project / "policy.lock").read_text()
    document = validated("lock", data)
    assert [(each["operation"], each["outcome"]) for each in document["operations"]] == [
        ("srv.get_a", "allow"),
        ("srv.get_b", "allow"),
        ("srv.pay", "depends"),
        ("srv.put_a", "approval"),
    ]
    again = quick("lock", "policy.yaml", "--catalog", "catalog.json", "-o", "policy.lock")
    assert again == (0, "", "unchanged `policy.lock`: 4 operations\n")
    assert quick("lock", "policy.yaml", "--catalog", "catalog.json", "-o", "-").out == data
    quick("compile", "policy.yaml", "-o", "policy.json")
    assert quick("lock", "policy.json", "--catalog", "catalog.json", "-o", "-").out == data
    assert str(project) not in data
    assert checked(quick) == (0, [])


def test_a_tool_that_a_wildcard_takes(quick: Run, project: Path) -> None:
    tools(project, *TOOLS, "get_secret")
    quick("catalog", "srv.json", "-o", "catalog.json")
    assert checked(quick) == (
        1,
        ["SR411[unlocked-operation] `srv.get_secret` is not in the lock; now it is: allow by rule `reads`"],
    )
    report = quick(
        "check", "policy.yaml", "--catalog", "catalog.json", "--lock", "policy.lock", "--output-format", "json", *ONLY
    )
    (finding,) = validated("check", report.out)["findings"]
    assert (finding["line"], finding["rule"], finding["pointer"]) == (3, "reads", "/rules/0/operation")
    assert finding["witness"]["operation"] == "srv.get_secret"
    changed = quick("lock", "policy.yaml", "--catalog", "catalog.json", "-o", "policy.lock")
    assert changed.err == "added: `srv.get_secret`: allow by rule `reads`\nwrote `policy.lock`: 5 operations\n"
    assert checked(quick) == (0, [])


def test_a_contract_that_changed(quick: Run, project: Path) -> None:
    tools(project, *TOOLS, description="now it does more")
    quick("catalog", "srv.json", "-o", "catalog.json")
    code, lines = checked(quick)
    assert code == 1
    assert len(lines) == 4
    assert all(line.startswith("SR413[contract-changed]") for line in lines)


def test_an_operation_that_is_gone(quick: Run, project: Path) -> None:
    tools(project, *TOOLS[:-1])
    quick("catalog", "srv.json", "-o", "catalog.json")
    code, lines = checked(quick, "--ignore", "SR309")
    assert (code, lines) == (0, ["SR415[locked-operation-gone] `srv.pay` is in the lock and not in the catalog"])
    assert checked(quick, "--ignore", "SR309", "--strict")[0] == 1


def test_a_policy_that_changed_makes_the_lock_stale(quick: Run, project: Path) -> None:
    (project / "policy.yaml").write_text(POLICY.replace("require_approval", "deny"))
    code, lines = checked(quick)
    assert code == 1
    assert lines[0].startswith("SR414[stale-lock] the lock is stale, it was written for the policy ")
    assert lines[0].endswith("; not as locked: `srv.put_a`")
    assert lines[1:] == [
        "SR412[decision-moved] the decision about `srv.put_a` moved: approval by rule `asks` -> deny by rule `asks`"
    ]
    written = quick("lock", "policy.yaml", "--catalog", "catalog.json", "-o", "policy.lock")
    policy, decision, wrote = written.err.splitlines()
    assert policy.startswith("policy: ")
    assert decision == "decision: `srv.put_a`: approval by rule `asks` -> deny by rule `asks`"
    assert wrote == "wrote `policy.lock`: 4 operations"
    assert checked(quick) == (0, [])


def test_a_reason_alone_makes_it_stale_and_moves_nothing(quick: Run, project: Path) -> None:
    (project / "policy.yaml").write_text(POLICY.replace("name: asks,", "name: asks, reason: people decide,"))
    code, lines = checked(quick)
    assert code == 1
    assert len(lines) == 1
    assert lines[0].endswith("; every decision about the catalog is as locked")


def test_the_approval_load(quick: Run, project: Path) -> None:
    full = quick("check", "policy.yaml", "--catalog", "catalog.json", *ONLY)
    assert full.code == 0
    assert full.out.splitlines()[0] == (
        "approval load of policy.yaml: 1 of 4 operations ask a person (25%); "
        "2 run at once, 0 are denied, 1 depend on arguments"
    )
    (project / "all.yaml").write_text(
        POLICY.replace("approval: {callback: ops}", "approval: {callback: ops, mode: non_read_only}")
    )
    asking = quick("check", "all.yaml", "--catalog", "catalog.json", "--output-format", "json", *ONLY)
    (load,) = validated("check", asking.out)["catalog"]
    assert load == {
        "path": "all.yaml",
        "operations": 4,
        "allow": 2,
        "approval": 1,
        "deny": 0,
        "depends": 1,
        "may_ask": 1,
    }
    shown = quick("check", "all.yaml", "--catalog", "catalog.json", *ONLY).out
    assert "1 of 4 operations ask a person (25%), 1 more for some arguments" in shown
    assert "catalog" not in json.loads(quick("check", "all.yaml", "--output-format", "json").out)


def test_a_policy_that_does_not_compile_has_no_load(quick: Run, project: Path) -> None:
    (project / "bad.yaml").write_text("version: 1\nrule: []\n")
    report = quick("check", "bad.yaml", "--catalog", "catalog.json", "--output-format", "json")
    assert report.code == 1
    assert validated("check", report.out)["catalog"] == []
    locked = quick("lock", "bad.yaml", "--catalog", "catalog.json", "-o", "bad.lock")
    assert locked.code == 1
    assert "SR101" in locked.out
    assert not (project / "bad.lock").exists()


def test_the_project_names_its_catalog(quick: Run, project: Path) -> None:
    (project / "policy.yaml").write_text(POLICY.replace("srv.pay,", "srv.pya,"))
    (project / "pyproject.toml").write_text('[tool.schemarouter]\ncatalog = ["catalog.json"]\n')
    (project / "sub").mkdir()
    for folder in (project, project / "sub"):
        result = quick("check", "--select", "SR309", os.path.relpath(project / "policy.yaml", folder), cwd=folder)
        assert result.code == 1
        assert "did you mean `srv.pay`?" in result.out
    assert quick("check", "--select", "SR309", "--no-config", "policy.yaml").code == 0
    (project / "pyproject.toml").write_text('[tool.schemarouter]\ncatalog = "catalog.json"\n')
    assert "is no list of strings" in quick("check", "policy.yaml").err


def test_several_catalogs(quick: Run, project: Path) -> None:
    (project / "other.json").write_text(json.dumps([{"name": "x", "inputSchema": {"type": "object"}}]))
    quick("catalog", "other.json", "-o", "other.catalog.json")
    both = quick("check", "policy.yaml", "--catalog", "catalog.json", "--catalog", "other.catalog.json", *ONLY)
    assert "1 of 5 operations" in both.out
    twice = quick("check", "policy.yaml", "--catalog", "catalog.json", "--catalog", "catalog.json")
    assert (twice.code, twice.out) == (2, "")
    assert twice.err.startswith("error: two tools have the key `srv`\nhelp: make one catalog of all sources")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "policy.yaml", "--lock", "policy.lock"], "name it with --catalog"),
        (["check", "policy.yaml", "--catalog", "missing.json"], "cannot read `missing.json`"),
        (["check", "policy.yaml", "--catalog", "policy.yaml"], "`policy.yaml`: the catalog is no JSON"),
        (["check", "policy.yaml", "--catalog", "policy.lock"], "says nowhere that it is one"),
        (
            ["check", "policy.yaml", "--catalog", "catalog.json", "--lock", "catalog.json"],
            "the lock says nowhere that it is one",
        ),
        (
            ["check", "policy.yaml", "--catalog", "catalog.json", "--lock", "missing"],
            "the lock `missing` cannot be read",
        ),
        (
            ["check", "policy.yaml", "copy.yaml", "--catalog", "catalog.json", "--lock", "policy.lock"],
            "a lock belongs to one policy",
        ),
        (["lock", "policy.yaml", "-o", "x"], "missing option '--catalog'"),
        (["lock", "policy.yaml", "--catalog", "catalog.json"], "missing option '-o'"),
        (["lock", "policy.yaml", "--catalog", "catalog.json", "-o", "policy.yaml"], "is the policy itself"),
        (["lock", "policy.yaml", "--catalog", "catalog.json", "-o", "catalog.json"], "is the catalog itself"),
        (["lock", "policy.yaml", "--catalog", "catalog.json", "-o", "copy.yaml"], "exists and is no lock"),
        (["lock", "missing.yaml", "--catalog", "catalog.json", "-o", "x"], "cannot read `missing.yaml`"),
    ],
)
def test_what_cannot_run(quick: Run, project: Path, arguments: list[str], message: str) -> None:
    (project / "copy.yaml").write_text(POLICY)
    before = {path.name: path.read_bytes() for path in project.iterdir()}
    result = quick(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert {path.name: path.read_bytes() for path in project.iterdir()} == before


def test_the_github_example_against_its_117_tools(quick: Run, tmp_path: Path) -> None:
    assert (
        quick("catalog", f"github={GITHUB}", "-o", "github.json").err == "wrote `github.json`: 1 tool, 117 operations\n"
    )
    report = quick(
        "check",
        str(EXAMPLE),
        "--catalog",
        "github.json",
        "--output-format",
        "json",
        "--select",
        "SR208,SR308,SR309,SR505",
    )
    document = validated("check", report.out)
    assert document["findings"] == []
    (load,) = document["catalog"]
    assert load["operations"] == 117
    assert load["deny"] >= 20
    assert load["may_ask"] > 50
    assert quick("lock", str(EXAMPLE), "--catalog", "github.json", "-o", "p.lock").code == 0
    validated("lock", (tmp_path / "p.lock").read_text())
    locked = quick("check", str(EXAMPLE), "--catalog", "github.json", "--lock", "p.lock", "--select", "SR41")
    assert locked.code == 0


def test_a_typing_error_in_the_github_example_is_found(quick: Run, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(
        EXAMPLE.read_text().replace("github.merge_pull_request\n", "github.merge_pull_requests\n")
    )
    quick("catalog", f"github={GITHUB}", "-o", "github.json")
    report = quick("check", "p.yaml", "--catalog", "github.json", "--select", "SR309")
    assert report.code == 1
    assert "did you mean `github.merge_pull_request`?" in report.out


def test_classification_is_part_of_digest_explanation_and_diff(quick: Run, project: Path) -> None:
    stricter = POLICY.replace(
        "read_only: true, destructive: false}, {operation: srv.pay", "read_only: false}, {operation: srv.pay"
    )
    (project / "stricter.yaml").write_text(stricter)
    digests = {quick("compile", name, "-o", "out.json").out for name in ("policy.yaml", "stricter.yaml")}
    assert len(digests) == 2
    call = ("--operation", "srv.get_a", "--remote", "--unclassified", "--destructive-unknown")
    explained = json.loads(quick("explain", "policy.yaml", *call, "--output-format", "json").out)["results"][0]
    assert explained["call"]["read_only"] is None
    assert explained["effective"] == {"remote": True, "read_only": True, "destructive": False}
    assert "by `classify` entry 1, as read-only, not destructive" in quick("explain", "policy.yaml", *call).out
    diff = json.loads(quick("diff", "stricter.yaml", "policy.yaml", "--output-format", "json").out)
    assert {(change["kind"], change["direction"]) for change in diff["changes"]} == {
        ("classification", "widened"),
        ("decision", "widened"),
    }
    assert quick("diff", "policy.yaml", "stricter.yaml").code == 0
