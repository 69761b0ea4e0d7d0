"""Claude Code behind its hook: settings that `schemarouter init claude-code` wrote, and a process for each call.

The Claude Agent SDK only starts it here, and serves the tools. Whoever approves does so out of band, and the call is made again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server
from conformance.driving import Call, RefusedError, Seen, Setup, World

from drivers.claude_agent_sdk_driver import SILENT, talk, told_in_a_thread, tools_of, turn
from schemarouter import SqliteStore
from schemarouter.integrations.boundary import SelfTestError
from schemarouter.integrations.claude_code.verdict import ENFORCED
from schemarouter.state.answering import answer, find_request
from schemarouter.state.signatures import generate, load_signer, public_text

COMMAND = Path(sys.executable).with_name("schemarouter")


def schemarouter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run our command in a project."""
    return subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False)


class ClaudeCodeHost:
    def __init__(self, setup: Setup, world: World, folder: Path) -> None:
        self.setup, self.world, self.folder = setup, world, folder
        self.store = setup.store if isinstance(setup.store, SqliteStore) else SqliteStore(folder / "state.db")
        secret = folder / "approver.key"
        if not secret.exists():
            secret.write_bytes(generate(None)[0])
        self.signer = load_signer(secret.read_bytes(), None)
        self.options = [
            "--store",
            str(self.store.path),
            "--run",
            setup.run_id or "r1",
            "--approver",
            public_text(self.signer.public),
        ]
        self.calls: list[Call] = []
        self.set_policy(setup.policy)

    def set_policy(self, text: str) -> None:
        (self.folder / "policy.yaml").write_text(text.replace("agent.delegate", "claude.Agent"))
        made = schemarouter(self.folder, "init", "claude-code", "--server", "agent", *self.options)
        if made.returncode != 0:
            raise RefusedError(made.stderr)

    def run(self, *calls: Call) -> Seen:
        self.calls = list(calls)
        options = ClaudeAgentOptions(
            cwd=self.folder,
            setting_sources=["project"],
            mcp_servers={"agent": create_sdk_mcp_server("agent", tools=tools_of(self.world))},
            env={**SILENT, "HOME": str(self.folder), "CLAUDE_CONFIG_DIR": str(self.folder / "home")},
        )
        seen = told_in_a_thread(talk(options, turn(calls)))
        for filed in self.store.requests():
            request = filed.request
            if filed.answer is None:
                arguments = json.loads(request.arguments)
                call_id = next((call.id for call in calls if call.arguments == arguments), "")
                question = {"operation": request.operation, "arguments": arguments, "token": request.id}
                seen.questions.append({**question, "call_id": call_id})
        return seen

    def resume(self, answers: dict[str, Any]) -> Seen:
        for given in answers.values():
            request = find_request(self.store, given["token"])
            answer(self.store, request, self.signer, approved=given["approved"])
        return self.run(*self.calls)

    def restarted(self) -> ClaudeCodeHost:
        again = ClaudeCodeHost(self.setup, self.world, self.folder)
        again.calls = self.calls
        return again

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        self.calls = [call if call.id != call_id else Call(call.name, arguments, call_id) for call in self.calls]
        return True


class ClaudeCode:
    name = "Claude Code"
    stages = ENFORCED
    missing: ClassVar[dict[str, str]] = {
        "retrying_host": "the host runs nothing again by itself",
        "crashing_hook": "a policy with hooks is refused: the process has no application",
        "renamed_tool": "names follow one rule",
        "default_left_out": (
            "a default of a server is not believed; what is left out is in doubt, and the stricter outcome counts"
        ),
        "positional_and_keyword": "a model names every argument",
    }

    def __init__(self) -> None:
        self._folders: list[tempfile.TemporaryDirectory[str]] = []

    def _folder(self) -> Path:
        made = tempfile.TemporaryDirectory()
        self._folders.append(made)  # goes when the process does
        return Path(made.name)

    def store(self) -> SqliteStore:
        return SqliteStore(self._folder() / "state.db")

    def build(self, setup: Setup, world: World) -> ClaudeCodeHost:
        return ClaudeCodeHost(setup, world, self._folder())

    def bypassed(self, setup: Setup, world: World) -> None:
        folder = self._folder()
        ClaudeCodeHost(setup, world, folder)
        (folder / ".claude" / "settings.json").write_text("{}")
        found = schemarouter(folder, "doctor")
        if found.returncode == 1:
            raise SelfTestError(found.stdout)
