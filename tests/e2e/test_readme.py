"""What the README shows is what happens."""

import asyncio
import re
from pathlib import Path

from schemarouter import ExecutionPolicy, load_policy
from schemarouter.lint.check import check_policy
from schemarouter.model.stages import STAGES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language, text=README):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_policy_is_clean_and_decides_as_it_says():
    (text,) = blocks("yaml")
    report = check_policy(text, "policy.yaml", "yaml")
    assert report.findings == ()
    graph = load_policy(text, callbacks={"ops-approver": print}).graph
    assert graph.decide("jobs.create", False, False, None).rule_name == "allow-job-create"
    assert graph.outcome("jobs.delete_all", True, None, None) == "deny"
    assert graph.outcome("payments.refund", True, None, None, {"amount": 400}) == "approval"
    assert graph.outcome("payments.refund", True, None, None, {"amount": 501}) == "deny"
    assert graph.outcome("payments.refund", True, None, None, {"amount": "400"}) == "deny"


def test_the_python_examples_run(tmp_path, monkeypatch):
    application, policy = blocks("python")
    (text,) = blocks("yaml")
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    space = {}
    body = "".join(f"    {line}\n" for line in application.splitlines())
    exec(f"async def main():\n{body}    return results\n", space)
    (result,) = asyncio.run(space["main"]())
    assert result.data == {"created": True}
    exec(policy, space)
    assert isinstance(space["policy"], ExecutionPolicy)


def test_the_stage_table_is_the_stage_table():
    rows = re.findall(r"^\| (\d+) \| ([a-z-]+) \|", README, re.MULTILINE)
    assert rows == [(str(number), stage.name) for number, stage in enumerate(STAGES, start=1)]


def test_every_command_and_file_that_is_named_exists():
    from schemarouter_cli.app import COMMANDS

    for command in re.findall(r"^schemarouter ([a-z-]+)", README, re.MULTILINE):
        assert command in COMMANDS
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:^|`)make ([a-z]+)\b", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_policies_in_the_reference_are_clean():
    policies = blocks("yaml", (ROOT / "docs" / "policy-file.md").read_text("utf-8"))
    assert len(policies) == 2
    for text in policies:
        assert check_policy(text, "policy.yaml", "yaml").findings == ()


def test_the_reference_names_every_key_and_keyword():
    from schemarouter.document.schema import policy_schema

    reference = (ROOT / "docs" / "policy-file.md").read_text("utf-8")
    schema = policy_schema()
    for key in schema["properties"]:
        assert f"| `{key}` |" in reference, key
    for keyword in schema["$defs"]["Condition"]["properties"]:
        assert f"`{keyword}" in reference, keyword
