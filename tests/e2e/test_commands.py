"""The other commands: help, version, completion, init, schema, rule, compile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemarouter import __version__
from support.command import DATA, SCRIPT, Run, Snapshot, environment

COMMANDS = (
    "check",
    "diff",
    "explain",
    "query",
    "test",
    "compile",
    "catalog",
    "lock",
    "approvals",
    "log",
    "mcp-proxy",
    "hook",
    "doctor",
    "init",
    "schema",
    "rule",
    "completion",
)
PROFILES = ("coding", "mcp", "read-only", "starter")


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(quick: Run, snapshot: Snapshot, command: str) -> None:
    result = quick(*command.split(), "--help")
    assert (result.code, result.err) == (0, "")
    snapshot(f"help-{command or 'all'}.txt", result.out)


def test_version(run: Run) -> None:
    assert run("--version") == run("-V") == (0, f"schemarouter {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "error: no such command 'chekc'"),
        (["--bogus"], "error: no such option"),
        (["completion"], "error: missing argument"),
        (["completion", "tcsh"], "'tcsh' is not one of"),
        (["compile", "a.yaml"], "error: missing option '-o'"),
        (["init", "a", "b"], "error: got unexpected extra argument"),
    ],
)
def test_usage_errors(quick: Run, arguments: list[str], message: str) -> None:
    result = quick(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.splitlines()[-1].startswith("help: see `schemarouter")


def test_no_command_shows_the_help(run: Run) -> None:
    result = run()
    assert result.code == 2
    assert result.err.startswith("Usage: schemarouter [OPTIONS] COMMAND")


# completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(run: Run, shell: str) -> None:
    result = run("completion", shell)
    assert (result.code, result.err) == (0, "")
    assert "_SCHEMAROUTER_COMPLETE" in result.out
    if interpreter := shutil.which(shell):
        subprocess.run([interpreter, "-n"], input=result.out, text=True, check=True)


def test_completion_completes(run: Run) -> None:
    def complete(words: str, at: int) -> list[str]:
        result = run(env={"_SCHEMAROUTER_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)})
        return [line.partition(",")[2] for line in result.out.splitlines()]

    assert complete("schemarouter ", 1) == list(COMMANDS)
    assert "--output-format" in complete("schemarouter check --out", 2)
    assert complete("schemarouter check --output-format s", 3) == ["sarif"]


# init


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles_are_clean_and_the_same_in_both_formats(quick: Run, profile: str) -> None:
    digests = set()
    for ending in ("yaml", "toml"):
        written = quick("init", profile, "-o", f"{profile}.{ending}")
        assert (written.code, written.out) == (0, "")
        assert f"wrote `{profile}.{ending}`" in written.err
        assert quick("check", "--strict", f"{profile}.{ending}").code == 0
        digests.add(quick("compile", f"{profile}.{ending}", "-o", "out.json").out)
    assert len(digests) == 1


def test_init_writes_the_starter_policy_with_a_line_for_editors(run: Run, tmp_path: Path, snapshot: Snapshot) -> None:
    result = run("init")
    assert result.code == 0
    text = (tmp_path / "policy.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=policy.v1.schema.json\n")
    snapshot("init-starter.yaml", text)
    assert run("init", "-o", "-").out == text
    assert run("init", "--list").out.split() == list(PROFILES)


def test_init_never_overwrites_by_itself(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("mine")
    result = run("init")
    assert result.code == 2
    assert result.err == (
        "error: `policy.yaml` exists already\nhelp: name another file with `-o`, or overwrite it with `--force`\n"
    )
    assert (tmp_path / "policy.yaml").read_text() == "mine"
    assert run("init", "read-only", "--force").code == 0
    assert "name: read-only" in (tmp_path / "policy.yaml").read_text()


@pytest.mark.parametrize("arguments", [["nonsense"], ["-o", "missing/policy.yaml"], ["-o", ".", "--force"], ["../mcp"]])
def test_init_that_cannot_write(quick: Run, arguments: list[str]) -> None:
    result = quick("init", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")


# schema


def test_every_schema_is_a_schema(quick: Run) -> None:
    names = quick("schema", "--list").out.split()
    assert {"policy", "check", "explain", "rule"} <= set(names)
    for name in names:
        Draft202012Validator.check_schema(json.loads(quick("schema", name).out))
    assert quick("schema").out == quick("schema", "policy").out
    unknown = quick("schema", "nonsense")
    assert unknown.code == 2
    assert unknown.err.startswith("error: there is no schema `nonsense`\nhelp: known schemas: ")


# rule


def test_rule(quick: Run, snapshot: Snapshot) -> None:
    page = quick("rule", "SR301")
    assert page.code == 0
    snapshot("rule-SR301.txt", page.out)
    assert quick("rule", "caret-negation") == quick("rule", "sr301") == page
    index = quick("rule")
    assert quick("rule", "--all") == index
    codes = [line.split()[0] for line in index.out.splitlines()]
    assert codes == sorted(codes)
    document = json.loads(quick("rule", "--output-format", "json").out)
    Draft202012Validator(json.loads(quick("schema", "rule").out)).validate(document)
    assert [rule["code"] for rule in document["rules"]] == codes


def test_an_unknown_rule(quick: Run) -> None:
    result = quick("rule", "caret-negatoin")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("help: did you mean `caret-negation`?\n")
    assert quick("rule", "SR301", "--all").code == 2


# compile


def test_compile(run: Run, tmp_path: Path) -> None:
    result = run("compile", str(DATA / "desk.policy.yaml"), "-o", "desk.json")
    assert (result.code, result.err) == (0, "")
    digest = result.out.strip()
    artifact = (tmp_path / "desk.json").read_bytes()
    assert json.loads(artifact)["digest"] == digest
    piped = run("compile", str(DATA / "desk.policy.yaml"), "-o", "-")
    assert (piped.out.encode(), piped.err) == (artifact, f"{digest}\n")
    assert run("compile", "desk.json", "-o", "again.json").out == f"{digest}\n"
    assert (tmp_path / "again.json").read_bytes() == artifact
    assert run("compile", "desk.json", "-o", "x.json", "--expect-digest", digest.upper()).code == 0


@pytest.mark.parametrize("output", ["policy.yaml", "./policy.yaml", "link.yaml"])
def test_a_policy_is_not_overwritten_by_what_is_made_of_it(quick: Run, tmp_path: Path, output: str) -> None:
    policy = tmp_path / "policy.yaml"
    shutil.copy(DATA / "desk.policy.yaml", policy)
    (tmp_path / "link.yaml").symlink_to("policy.yaml")
    before = policy.read_bytes()
    for arguments in (["compile", "policy.yaml"], ["check", "policy.yaml"], ["check", "."]):
        result = quick(*arguments, "-o", output)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith(f"error: `{output}` is the policy itself\nhelp: name another file")
    assert policy.read_bytes() == before


def test_compile_writes_nothing_from_a_policy_with_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text("old")
    result = run("compile", str(DATA / "broken.policy.yaml"), "-o", "out.json")
    assert result.code == 1
    assert "error: SR101[unknown-key]" in result.out
    other = run("compile", str(DATA / "desk.policy.yaml"), "-o", "out.json", "--expect-digest", "0" * 64)
    assert (other.code, other.out) == (1, "")
    assert "not the expected one" in other.err
    assert (tmp_path / "out.json").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["out.json"]


def test_compile_shows_warnings_beside_the_digest(run: Run, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "version: 1\nrules:\n  - {name: a, operation: x.y, effect: &e deny}\n  - {name: b, operation: x.z, effect: *e}\n"
    )
    result = run("compile", "policy.yaml", "-o", "out.json")
    assert result.code == 0
    assert len(result.out) == 65
    assert "warning: SR004[alias-or-anchor]" in result.err


@pytest.mark.parametrize("output", [".", "missing/out.json", "file/out.json"])
def test_compile_that_cannot_write(quick: Run, tmp_path: Path, output: str) -> None:
    (tmp_path / "file").write_text("")
    result = quick("compile", str(DATA / "desk.policy.yaml"), "-o", output)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: cannot write `{output}`: ")


def test_compile_keeps_links_and_permissions(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "target.json"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "link.json").symlink_to("target.json")
    assert run("compile", str(DATA / "desk.policy.yaml"), "-o", "link.json").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(target.read_text())["format"] == "schemarouter.graph"
    assert target.stat().st_mode & 0o777 == 0o640


def test_compile_writes_into_a_pipe(tmp_path: Path) -> None:
    policy = DATA / "desk.policy.yaml"
    done = subprocess.run(
        ["bash", "-c", f"'{SCRIPT}' compile '{policy}' -o >(cat > copy.json); wait"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert len(done.stdout) == 65


def test_a_tampered_artifact_is_refused(run: Run, tmp_path: Path) -> None:
    run("compile", str(DATA / "desk.policy.yaml"), "-o", "desk.json")
    text = (tmp_path / "desk.json").read_text()
    (tmp_path / "bad.json").write_text(text.replace('"allow"', '"deny"', 1))
    result = run("explain", "bad.json", "--operation", "payments.refund")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: ")
