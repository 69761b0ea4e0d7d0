"""The shipped example policies, on every real operation they are about. The tables are read by people; a change of one
is a change of authority."""

import os
from pathlib import Path

import pytest

from schemarouter import load_policy

ROOT = Path(__file__).resolve().parents[3]
TABLES = ROOT / "tests" / "corpus" / "examples"
#: How the OpenAPI adapter classifies by method (SPEC 1): read_only, destructive.
METHODS = {
    "GET": (True, None),
    "HEAD": (True, None),
    "OPTIONS": (True, None),
    "POST": (False, None),
    "PUT": (False, None),
    "PATCH": (False, None),
    "DELETE": (False, True),
}
#: Argument sets to decide each operation by.
OURS = {
    "owner": "example-org",
    "branch": "agent/x",
    "path": "src/a.py",
    "files": [{"path": "src/a.py", "content": ""}],
    "method": "rerun_failed_jobs",
}
THEIRS = {**OURS, "owner": "somebody-else"}


def graph(name):
    hooks = {"audit": print, "metrics": print}
    return load_policy(
        ROOT / "config" / "examples" / name,
        hooks={key: hooks[key] for key in (("audit",) if name.endswith("yaml") else ("audit", "metrics"))},
        callbacks={"maintainer": print} if name.endswith("yaml") else {"release-manager": print},
    ).graph


def lines(path):
    return [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]


def mcp_operations():
    for name in lines(ROOT / "tests" / "data" / "github-mcp-tools.txt"):
        yield f"github.{name}", (True, None, None)


def rest_operations():
    for line in lines(ROOT / "tests" / "data" / "github-rest-operations.tsv"):
        method, name = line.split("\t")
        yield f"github.{name}", (True, *METHODS[method])


def table(policy, operations):
    """One line an operation: outcome and rule for a call on our repositories, on others, and without arguments."""
    rows = []
    for operation, attributes in sorted(operations):
        cells = []
        for arguments in (OURS, THEIRS, {}):
            decision = policy.decide(operation, *attributes, arguments)
            cells.append(f"{policy.outcome(operation, *attributes, arguments):8} {decision.rule_name or '-'}")
        rows.append(f"{operation:70} | " + " | ".join(f"{cell:40}" for cell in cells).rstrip())
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("policy", "operations"),
    [("github-mcp.yaml", mcp_operations), ("github-rest.toml", rest_operations)],
    ids=["mcp", "rest"],
)
def test_every_real_operation_is_decided_as_written_down(policy, operations):
    expected = TABLES / f"{Path(policy).stem}.txt"
    actual = table(graph(policy), operations())
    if os.environ.get("UPDATE_TABLES"):
        expected.write_text(actual, "utf-8")
    assert actual == expected.read_text("utf-8")


def test_nothing_mutating_or_unknown_runs_elsewhere():
    """Whatever a repository that is not ours is asked, nothing runs without a person but the service's own facts."""
    policy = graph("github-mcp.yaml")
    allowed = {op for op, attributes in mcp_operations() if policy.outcome(op, *attributes, THEIRS) == "allow"}
    assert allowed == {"github.get_me", "github.get_teams"}
    policy = graph("github-rest.toml")
    for operation, attributes in rest_operations():
        if policy.outcome(operation, *attributes, THEIRS) == "allow":
            assert policy.effective(operation, *attributes)[1] is True, operation


def test_tools_of_tomorrow_are_denied():
    policy = graph("github-mcp.yaml")
    for name in ("launch_rocket", "transfer_repository", "set_visibility"):
        assert policy.outcome(f"github.{name}", True, None, None, OURS) == "deny"


@pytest.mark.parametrize("name", ["delete_repository", "fork_repository", "create_gist", "get_secret_scanning_alert"])
def test_what_is_never_allowed(name):
    policy = graph("github-mcp.yaml")
    for arguments in (OURS, THEIRS, {}, None):
        assert policy.outcome(f"github.{name}", True, None, None, arguments) == "deny"
