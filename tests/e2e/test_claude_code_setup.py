"""`schemarouter init claude-code` writes the settings, and `schemarouter doctor` tells a broken hook from a denial."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import POLICY, event, read
from support.command import SCRIPT, environment

Settings = dict[str, Any]


class Project:
    """A folder with a policy, in which the command is started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings_file = folder / ".claude" / "settings.json"
        (folder / "policy.yaml").write_text(POLICY)

    def run(self, *arguments: str, code: int = 0) -> str:
        """What the command said."""
        command = [str(SCRIPT), *arguments]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, env=environment(), timeout=60, check=False
        )
        assert "Traceback" not in done.stderr
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def settings(self) -> Settings:
        """The settings as they are."""
        settings: Settings = json.loads(self.settings_file.read_text())
        return settings

    def write(self, settings: Settings) -> None:
        """Settings as somebody else writes them."""
        self.settings_file.parent.mkdir(exist_ok=True)
        self.settings_file.write_text(json.dumps(settings))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def hook(settings: Settings) -> dict[str, Any]:
    """Our hook."""
    found: dict[str, Any] = settings["hooks"]["PreToolUse"][0]["hooks"][0]
    return found


def test_settings_authorise_positively_and_a_doctor_finds_them_whole(project: Project) -> None:
    said = project.run("init", "claude-code")
    assert "+" in said
    assert "doctor" in said
    settings = project.settings()
    assert settings["permissions"] == {"defaultMode": "dontAsk", "disableBypassPermissionsMode": "disable"}
    ours = hook(settings)
    assert ours["onFailure"] == "block"
    assert "--digest" in ours["command"]
    healthy = project.run("doctor")
    assert "a canary call reached the hook" in healthy
    assert "allow" in project.run("doctor", "--call", "Read", "--input", '{"file_path": "a"}')
    denied = project.run("doctor", "--call", "Bash", "--input", '{"command": "rm -rf /"}', code=1)
    assert "denied" in denied
    assert "broken" not in denied


def test_the_configured_command_is_one_line_for_a_shell_and_answers(project: Project) -> None:
    project.run("init", "claude-code")
    command = hook(project.settings())["command"]
    assert "\n" not in command
    done = subprocess.run(command, shell=True, input=event("Read"), capture_output=True, check=False)
    assert read(done).permission == "allow"
    gone = subprocess.run(
        command.replace(str(SCRIPT), f"{SCRIPT}-gone"),
        shell=True,
        input=event("Read"),
        capture_output=True,
        check=False,
    )
    assert (gone.returncode, gone.stdout) == (2, b"")
    assert b"nothing runs" in gone.stderr


def test_a_second_time_changes_nothing_and_a_new_policy_is_pinned(project: Project) -> None:
    project.run("init", "claude-code")
    first = project.settings_file.read_text()
    project.run("init", "claude-code")
    assert project.settings_file.read_text() == first
    (project.folder / "policy.yaml").write_text(POLICY.replace("touch *", "ls *"))
    project.run("compile", "policy.yaml", "-o", ".claude/schemarouter.policy.json")
    assert "digest" in project.run("doctor", code=1)  # the artifact is another one than the settings name
    project.run("init", "claude-code")
    assert project.settings_file.read_text() != first
    project.run("doctor")


def test_what_stands_in_the_settings_is_kept(project: Project) -> None:
    other = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    project.write({"model": "x", "permissions": {"deny": ["WebFetch"]}, "hooks": {"PreToolUse": [other], "Stop": []}})
    project.run("init", "claude-code")
    settings = project.settings()
    assert settings["model"] == "x"
    assert settings["permissions"]["deny"] == ["WebFetch"]
    assert settings["hooks"]["PreToolUse"][1] == other
    assert "updatedInput" in project.run("doctor")  # which the other hook must not print


def test_hooks_that_answer_for_the_person_are_told(project: Project) -> None:
    other = {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}
    project.write({"hooks": {"PermissionRequest": [other]}})
    project.run("init", "claude-code", "--asks-a-person")
    assert project.settings()["permissions"]["defaultMode"] == "default"
    assert "PermissionRequest" in project.run("doctor")


def test_servers_of_the_project_are_known(project: Project) -> None:
    (project.folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"tracker": {"command": "x"}}}))
    project.run("init", "claude-code")
    assert "allow" in project.run("doctor", "--call", "mcp__tracker__list")
    assert "no operation by the mapping" in project.run("doctor", "--call", "mcp__other__list", code=1)


def test_printing_writes_nothing(project: Project) -> None:
    printed = project.run("init", "claude-code", "--print")
    assert json.loads(printed)["permissions"]["defaultMode"] == "dontAsk"
    assert not project.settings_file.exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ('{"hooks": {}, "hooks": {}}', "a key occurs twice"),
        ('{"hooks": []}', "`hooks` of the settings is no object"),
        ('{"hooks": {"PreToolUse": {}}}', "is no list"),
        ('{"permissions": 1}', "`permissions` of the settings is no object"),
        ('{"disableAllHooks": true}', "disable all hooks"),
    ],
)
def test_settings_that_are_not_understood_are_left_alone(project: Project, settings: str, words: str) -> None:
    project.settings_file.parent.mkdir()
    project.settings_file.write_text(settings)
    assert words in project.run("init", "claude-code", code=2)
    assert project.settings_file.read_text() == settings


def test_policies_that_a_hook_cannot_enforce_are_refused(project: Project) -> None:
    for text, words in (
        (POLICY + "hooks: {before_call: [audit]}\n", "before-hooks"),
        (POLICY + "hooks: {after_call: [audit]}\n", "after-hooks"),
        (POLICY + "retry: {max_attempts: 2}\n", "retry"),
        (POLICY + "budget: {max_tool_calls: 2}\n", "--store FILE"),
    ):
        (project.folder / "policy.yaml").write_text(text)
        assert words in project.run("init", "claude-code", code=2)
        assert not project.settings_file.exists()
    (project.folder / "policy.yaml").write_text(POLICY.replace("effect: allow", "effect: alow"))
    assert "alow" in project.run("init", "claude-code", code=1)
    (project.folder / "policy.yaml").unlink()
    project.run("init", "claude-code", code=2)


def _without_block(settings: Settings) -> None:
    del hook(settings)["onFailure"]


def _without_guard(settings: Settings) -> None:
    command = hook(settings)["command"]
    hook(settings)["command"] = command[command.index("$(") + 2 : command.index("); status")]


def _with_matcher(settings: Settings) -> None:
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Bash"


def _with_another_mode(settings: Settings) -> None:
    settings["permissions"]["defaultMode"] = "acceptEdits"


def _without_hook(settings: Settings) -> None:
    settings["hooks"] = {}


def _without_hooks_at_all(settings: Settings) -> None:
    settings["disableAllHooks"] = True


def _with_a_short_timeout(settings: Settings) -> None:
    hook(settings)["timeout"] = 2


def _without_artifact(settings: Settings) -> None:
    hook(settings)["command"] = hook(settings)["command"].replace("policy.json", "gone.json")


def _with_unknown_options(settings: Settings) -> None:
    hook(settings)["command"] = hook(settings)["command"].replace("--digest", "--dgst")


def _without_program(settings: Settings) -> None:
    hook(settings)["command"] = hook(settings)["command"].replace(str(SCRIPT.parent), "/nowhere")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_without_block, "onFailure"),
        (_without_guard, "ends without an answer"),
        (_with_matcher, "matcher"),
        (_with_another_mode, "permission mode"),
        (_without_hook, "no hook of ours"),
        (_without_hooks_at_all, "disableAllHooks"),
        (_with_a_short_timeout, "timeout"),
        (_without_artifact, "artifact"),
        (_with_unknown_options, "options of the hook"),
        (_without_program, "gone"),
    ],
)
def test_a_doctor_finds_what_is_broken(project: Project, spoil: Callable[[Settings], None], words: str) -> None:
    project.run("init", "claude-code")
    settings = project.settings()
    spoil(settings)
    project.write(settings)
    said = project.run("doctor", code=1)
    assert "broken" in said
    assert words in said


def test_a_doctor_without_settings_says_what_to_do(project: Project) -> None:
    assert "schemarouter init claude-code" in project.run("doctor", code=2)
