"""``schemarouter diff``: every format, files and folders, and the old side from a real git repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from support.command import HERE, Run, Snapshot

DIFF = HERE / "diff_data"
OLD = "version: 1\nrules:\n  - {name: read, operation: notes.read, effect: allow}\n  - {name: rest, operation: '*', effect: deny}\n"
WIDER = OLD.replace("notes.read", "'notes.*'")
NARROWER = OLD.replace("effect: allow", "effect: deny")
MIXED = OLD.replace("notes.read", "jobs.read")
SAME = OLD.replace(
    "{name: read, operation: notes.read, effect: allow}", "{effect: allow, name: reading, operation: 'notes.rea[d]'}"
)
BROKEN = "version: 1\nrulez: []\n"


@pytest.mark.parametrize(
    ("output_format", "ending"),
    [("full", "txt"), ("concise", "txt"), ("markdown", "md"), ("json", "json"), ("github", "txt"), ("sarif", "json")],
)
def test_whole_output(run: Run, snapshot: Snapshot, output_format: str, ending: str) -> None:
    result = run("diff", "old.policy.yaml", "new.policy.yaml", "--output-format", output_format, cwd=DIFF)
    assert (result.code, result.err) == (1, "")
    text = result.out
    if output_format == "sarif":  # the documentation of codes is tested where it is written
        text = re.sub(r'("markdown": ")(?:[^"\\]|\\.)+"', r'\1..."', text)
    snapshot(f"diff-{output_format}.{ending}", text)


def test_colours(run: Run, snapshot: Snapshot) -> None:
    result = run("diff", "old.policy.yaml", "new.policy.yaml", "--color", "always", cwd=DIFF)
    snapshot("diff-full-color.txt", result.out)
    assert "\x1b[31m  - denied" in result.out
    assert "\x1b[32m  + allowed" in result.out


def test_every_replay_shows_what_the_diff_says(quick: Run) -> None:
    """The command that is printed is run as it stands, on the new side and on the old one."""
    found = json.loads(quick("diff", "old.policy.yaml", "new.policy.yaml", "--output-format", "json", cwd=DIFF).out)
    text = quick("diff", "old.policy.yaml", "new.policy.yaml", cwd=DIFF).out
    commands = [line.split("replay: ")[1] for line in text.splitlines() if "replay: " in line]
    changes = [change for change in found["changes"] if change["witness"] is not None]
    assert len(commands) == len(changes) >= 4
    for command, change in zip(commands, changes, strict=True):
        for path, outcome in (("new.policy.yaml", change["after"]), ("old.policy.yaml", change["before"])):
            words = [path if word == "new.policy.yaml" else word for word in shlex.split(command)[1:]]
            (result,) = json.loads(quick(*words, "--output-format", "json", cwd=DIFF).out)["results"]
            assert result["outcome"] == outcome
            assert result["call"] == change["witness"]


def validated(run: Run, text: str) -> dict:
    document = json.loads(text)
    schema = json.loads(run("schema", "diff").out)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(document)
    return document


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("new", "verdict", "widened", "any_"),
    [
        (OLD, "equivalent", 0, 0),
        (SAME, "equivalent", 0, 0),
        (WIDER, "widened", 1, 1),
        (NARROWER, "narrowed", 0, 1),
        (MIXED, "mixed", 1, 1),
    ],
    ids=["equal", "rewritten", "widened", "narrowed", "mixed"],
)
def test_verdicts_and_exit_codes(quick: Run, tmp_path: Path, new: str, verdict: str, widened: int, any_: int) -> None:
    write(tmp_path, old_yaml=OLD, new_yaml=new)
    result = quick("diff", "old.yaml", "new.yaml", "--output-format", "json")
    document = validated(quick, result.out)
    assert (result.code, document["verdict"]) == (widened, verdict)
    assert quick("diff", "old.yaml", "new.yaml", "--fail-on", "any").code == any_
    assert quick("diff", "old.yaml", "new.yaml", "--fail-on", "none").code == 0
    if verdict == "equivalent":
        full = quick("diff", "old.yaml", "new.yaml").out
        assert full == "new.yaml: no semantic change\n\nno semantic change in 1 file\n"
        assert document["changes"] == []


def test_a_rewrite_is_annotated_as_such(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, old_yaml=OLD, new_yaml=SAME)
    assert "SR809[no-semantic-change]" in quick("diff", "old.yaml", "new.yaml", "--output-format", "concise").out
    assert quick("diff", "old.yaml", "new.yaml", "--output-format", "github").out.startswith("::notice ")


@pytest.mark.parametrize("pair", [("old.yaml", "bad.yaml"), ("bad.yaml", "old.yaml"), ("bad.yaml", "bad.yaml")])
def test_a_side_that_does_not_compile(quick: Run, tmp_path: Path, pair: tuple[str, str]) -> None:
    write(tmp_path, old_yaml=OLD, bad_yaml=BROKEN)
    result = quick("diff", *pair, "--fail-on", "none")
    assert (result.code, result.out) == (2, "")
    assert "SR101[unknown-key]" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name OLD and NEW, or --base REV"),
        (["old.yaml"], "name OLD and NEW, or --base REV"),
        (["old.yaml", "missing.yaml"], "cannot read `missing.yaml`: no such file or directory"),
        (["old.yaml", "."], "one side is a folder and the other is not"),
        (["-", "-"], "standard input can be one side only"),
        (["/dev/null", "/dev/null"], "no policy is named"),
        (["empty", "empty"], "no policy file found on either side"),
    ],
)
def test_what_cannot_run(quick: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    write(tmp_path, old_yaml=OLD)
    (tmp_path / "empty").mkdir()
    result = quick("diff", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {message}")


def test_artifacts_standard_input_and_no_file(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, old_yaml=OLD, new_yaml=WIDER)
    assert quick("compile", "old.yaml", "-o", "old.json").code == 0
    assert quick("diff", "old.json", "old.yaml", "--fail-on", "any").code == 0
    assert quick("diff", "old.json", "-", stdin=WIDER).code == 1
    piped = json.loads(quick("diff", "old.json", "-", "--output-format", "json", stdin=WIDER).out)
    assert piped["files"][0]["new_path"] == "<stdin>"
    assert "schemarouter explain - --operation" in quick("diff", "old.json", "-", stdin=WIDER).out
    new = quick("diff", "/dev/null", "old.yaml", "--output-format", "json")
    document = validated(quick, new.out)
    assert (new.code, document["verdict"], document["old_digest"]) == (1, "widened", None)
    assert document["files"][0]["old_path"] is None
    assert quick("diff", "old.yaml", "/dev/null").code == 0


def test_folders_are_paired_by_place(quick: Run, tmp_path: Path) -> None:
    write(
        tmp_path,
        **{
            "a__same.policy_yaml": OLD,
            "b__same.policy_yaml": OLD,
            "a__x__gone.policy_yaml": OLD,
            "b__x__new.policy_yaml": OLD,
        },
    )
    write(tmp_path, b__values_yaml="not: ours\n")
    result = quick("diff", "a", "b", "--output-format", "json")
    document = validated(quick, result.out)
    assert result.code == 1
    assert [(file["old_path"], file["new_path"], file["verdict"]) for file in document["files"]] == [
        ("a/same.policy.yaml", "b/same.policy.yaml", "equivalent"),
        ("a/x/gone.policy.yaml", None, "narrowed"),
        (None, "b/x/new.policy.yaml", "widened"),
    ]
    assert document["verdict"] == "mixed"
    assert document["old_digest"] is None


def test_the_result_goes_to_a_file(quick: Run, tmp_path: Path) -> None:
    write(tmp_path, old_yaml=OLD, new_yaml=WIDER)
    result = quick("diff", "old.yaml", "new.yaml", "-o", "out.md", "--output-format", "markdown", "--color", "always")
    assert result == (1, "", "")
    assert (tmp_path / "out.md").read_text().startswith("## Policy changes: authority is given\n")


# git


def git(folder: Path, *arguments: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(folder)}
    who = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b.example",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
    ]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose first commit, `base`, holds four policies."""
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        policy_yaml=OLD,
        **{"agents__one.policy_yaml": OLD, "agents__two.policy_yaml": OLD, "agents__values_yaml": "x: 1\n"},
    )
    (tmp_path / "agents" / "link.policy.yaml").symlink_to("../policy.yaml")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    git(tmp_path, "tag", "base")
    return tmp_path


def verdicts(run: Run, *arguments: str, cwd: Path) -> list[tuple[str | None, str | None, str]]:
    result = run("diff", *arguments, "--output-format", "json", cwd=cwd)
    assert result.code in (0, 1), result.err
    document = validated(run, result.out)
    return [(file["old_path"], file["new_path"], file["verdict"]) for file in document["files"]]


def test_a_file_against_a_revision(quick: Run, repo: Path) -> None:
    write(repo, policy_yaml=WIDER)
    result = quick("diff", "--base", "base", "policy.yaml", cwd=repo)
    assert result.code == 1
    assert "rule `rest`, base:policy.yaml:4:5" in result.out
    assert verdicts(quick, "--base", "base", "policy.yaml", cwd=repo) == [
        ("base:policy.yaml", "policy.yaml", "widened")
    ]
    assert verdicts(quick, "--base", "HEAD", "../policy.yaml", cwd=repo / "agents") == [
        ("HEAD:policy.yaml", "../policy.yaml", "widened")
    ]
    assert verdicts(quick, "--base", "HEAD", str(repo / "policy.yaml"), cwd=repo)[0][2] == "widened"
    annotation = quick("diff", "--base", "base", "policy.yaml", "--output-format", "github", cwd=repo).out
    assert annotation.startswith("::error file=policy.yaml,line=3,")
    assert "help: decided so far at base:policy.yaml:4:5; replay it: schemarouter explain policy.yaml" in annotation
    sarif = json.loads(quick("diff", "--base", "base", "--output-format", "sarif", cwd=repo).out)["runs"][0]
    assert "relatedLocations" not in sarif["results"][0]
    assert [one["location"]["uri"] for one in sarif["artifacts"]] == [
        "agents/link.policy.yaml",
        "agents/one.policy.yaml",
        "agents/two.policy.yaml",
        "policy.yaml",
    ]


def test_all_policies_against_a_revision(quick: Run, repo: Path) -> None:
    write(repo, **{"agents__two.policy_yaml": NARROWER, "agents__new.policy_yaml": MIXED})
    (repo / "agents" / "one.policy.yaml").unlink()
    expected = [
        ("base:agents/link.policy.yaml", "agents/link.policy.yaml", "equivalent"),
        (None, "agents/new.policy.yaml", "widened"),
        ("base:agents/one.policy.yaml", None, "narrowed"),
        ("base:agents/two.policy.yaml", "agents/two.policy.yaml", "narrowed"),
        ("base:policy.yaml", "policy.yaml", "equivalent"),
    ]
    assert verdicts(quick, "--base", "base", cwd=repo) == expected
    assert verdicts(quick, "--base", "base", "agents", cwd=repo) == expected[:4]
    assert verdicts(quick, "--base", "base", ".", cwd=repo / "agents") == [
        (old, new and new.removeprefix("agents/"), verdict) for old, new, verdict in expected[:4]
    ]


def test_a_deleted_file_is_replayed_from_git(run: Run, repo: Path) -> None:
    (repo / "policy.yaml").unlink()
    text = run("diff", "--base", "base", "policy.yaml", cwd=repo).out
    assert "policy.yaml: narrowed (deleted file)" in text
    command = next(line.split("replay: ")[1] for line in text.splitlines() if "replay: " in line)
    assert command.startswith("git show base:policy.yaml | schemarouter explain - ")
    from support.command import SCRIPT

    shown = subprocess.run(
        ["bash", "-c", command.replace("schemarouter", str(SCRIPT))],
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "allowed: " in shown.stdout


def test_a_deleted_folder(quick: Run, repo: Path) -> None:
    git(repo, "rm", "-rq", "agents")
    found = verdicts(quick, "--base", "base", "agents", cwd=repo)
    assert [(old, new) for old, new, _ in found] == [
        ("base:agents/link.policy.yaml", None),
        ("base:agents/one.policy.yaml", None),
        ("base:agents/two.policy.yaml", None),
    ]


def test_renames_are_followed(quick: Run, repo: Path) -> None:
    git(repo, "mv", "policy.yaml", "desk.policy.yaml")
    (repo / "agents" / "link.policy.yaml").unlink()
    pair = ("base:policy.yaml", "desk.policy.yaml", "equivalent")
    assert pair in verdicts(quick, "--base", "base", cwd=repo)
    assert verdicts(quick, "--base", "base", "desk.policy.yaml", cwd=repo) == [pair]
    write(repo, **{"desk.policy_yaml": OLD.replace("effect: deny", "effect: deny, reason: no more")})
    assert pair in verdicts(quick, "--base", "base", cwd=repo)


def test_a_file_that_nobody_committed_is_new(quick: Run, repo: Path) -> None:
    write(repo, **{"other.policy_yaml": OLD})
    assert verdicts(quick, "--base", "base", "other.policy.yaml", cwd=repo) == [(None, "other.policy.yaml", "widened")]


def test_the_merge_base(quick: Run, repo: Path) -> None:
    git(repo, "checkout", "-qb", "work")
    git(repo, "checkout", "-q", "main")
    write(repo, policy_yaml=WIDER)
    git(repo, "commit", "-qam", "main goes on")
    git(repo, "checkout", "-q", "work")
    assert verdicts(quick, "--base", "main", "policy.yaml", cwd=repo)[0][2] == "narrowed"
    assert verdicts(quick, "--base", "main...", "policy.yaml", cwd=repo)[0][2] == "equivalent"


def test_the_base_does_not_compile(quick: Run, repo: Path) -> None:
    write(repo, policy_yaml=BROKEN)
    git(repo, "commit", "-qam", "broken")
    write(repo, policy_yaml=OLD)
    result = quick("diff", "--base", "HEAD", "policy.yaml", cwd=repo)
    assert (result.code, result.out) == (2, "")
    assert "--> HEAD:policy.yaml:2:1" in result.err


@pytest.mark.parametrize(
    "name", ["no-such", "", "--output=x", "base:policy.yaml", "-h", "...", "HEAD~99", "a b", "\x1b[31m"]
)
def test_a_bad_revision(quick: Run, repo: Path, name: str) -> None:
    result = quick("diff", f"--base={name}", "policy.yaml", cwd=repo)
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[0].endswith("` is no revision of this repository")
    assert "\x1b" not in result.err
    assert not (repo / "x").exists()


def test_paths_that_git_cannot_look_up(quick: Run, repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, policy_yaml=OLD)
    outside = quick("diff", "--base", "HEAD", str(repo / "policy.yaml"), str(elsewhere / "policy.yaml"), cwd=repo)
    assert (outside.code, outside.out) == (2, "")
    assert "lies outside the repository" in outside.err
    no_repository = quick("diff", "--base", "HEAD", "policy.yaml", cwd=elsewhere)
    assert (no_repository.code, no_repository.err.count("\n")) == (2, 1)
    assert no_repository.err.startswith("error: git: not a git repository")
    for arguments in (["missing.yaml"], ["-"], ["missing/below.yaml"]):
        result = quick("diff", "--base", "HEAD", *arguments, cwd=repo)
        assert (result.code, result.out) == (2, "")


def test_a_shallow_clone(quick: Run, repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(repo, policy_yaml=WIDER)
    git(repo, "commit", "-qam", "wider")
    clone = tmp_path_factory.mktemp("clone")
    git(clone, "clone", "-q", "--depth=1", f"file://{repo}", ".")
    result = quick("diff", "--base", "HEAD~1", "policy.yaml", cwd=clone)
    assert result.code == 2
    assert "help: this clone is shallow: fetch the revision first" in result.err
    git(clone, "fetch", "-q", "--depth=1", "origin", "tag", "base")
    assert verdicts(quick, "--base", "base", "policy.yaml", cwd=clone)[0][2] == "widened"


def test_links_of_a_revision(quick: Run, repo: Path) -> None:
    (repo / "circle.policy.yaml").symlink_to("circle.policy.yaml")
    (repo / "out.policy.yaml").symlink_to("/etc/hostname")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "links")
    for name, problem in (("circle", "leads in a circle"), ("out", "outside the repository")):
        (repo / f"{name}.policy.yaml").unlink()
        write(repo, **{f"{name}.policy_yaml": OLD})
        result = quick("diff", "--base", "HEAD", f"{name}.policy.yaml", cwd=repo)
        assert (result.code, result.out) == (2, "")
        assert problem in result.err


def test_names_that_git_would_quote(quick: Run, repo: Path) -> None:
    name = 'a "b" \t[c]* ü.policy.yaml'
    (repo / name).write_text(OLD)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "names")
    (repo / name).write_text(WIDER)
    assert verdicts(quick, "--base", "HEAD", name, cwd=repo) == [(f"HEAD:{name}", name, "widened")]
    assert (f"HEAD:{name}", name, "widened") in verdicts(quick, "--base", "HEAD", cwd=repo)


def test_the_repository_cannot_have_programs_run(quick: Run, repo: Path) -> None:
    trap = repo / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{repo}/trapped'\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "diff.x.textconv", "diff.x.command"):
        git(repo, "config", key, str(trap))
    (repo / ".gitattributes").write_text("*.yaml diff=x\n")
    write(repo, **{"new.policy_yaml": OLD})
    assert len(verdicts(quick, "--base", "base", cwd=repo)) == 5
    assert not (repo / "trapped").exists()


def test_without_git(run: Run, repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    result = run("diff", "--base", "HEAD", "policy.yaml", cwd=repo, env={"PATH": str(tmp_path_factory.mktemp("empty"))})
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: git is not installed")


def test_hostile_text_stays_text(quick: Run, tmp_path: Path) -> None:
    evil = "a.b`|<img src=x>[x](y)\u00e9"
    new = f"version: 1\nname: evil\nrules:\n  - {{name: '{evil}', operation: '{evil}', effect: allow, reason: x}}\n"
    write(tmp_path, old_yaml="version: 1\n", new_yaml=new.replace("allow", "deny"))
    for output_format in ("full", "concise", "markdown", "json", "github", "sarif"):
        result = quick("diff", "old.yaml", "new.yaml", "--output-format", output_format, "--fail-on", "any")
        assert result.code == 1
        if output_format == "markdown":
            assert "<img" not in re.sub(r"(?s)```.*?```", "", result.out)
