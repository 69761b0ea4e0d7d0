"""Claude Code behind its hook: settings that `schemarouter init claude-code` wrote, and a process for each call.

The Claude Agent SDK only starts it here, and serves the tools. Whoever approves does so out of band, and the call is made again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server
from conformance.driving import Call, RefusedError, Seen, Setup, World

from drivers.claude_agent_sdk_driver import SILENT, talk, told_in_a_thread, tools_of, turn
from drivers.out_of_band import Folders, OutOfBand
from schemarouter import SqliteStore
from schemarouter.integrations.boundary import SelfTestError
from schemarouter.integrations.claude_code.verdict import ENFORCED
from schemarouter.state.signatures import public_text

COMMAND = Path(sys.executable).with_name("schemarouter")


def schemarouter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run our command in a project."""
    return subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=False)


class ClaudeCodeHost(OutOfBand):
    def __init__(self, setup: Setup, world: World, folder: Path) -> None:
        self.setup, self.world, self.folder = setup, world, folder
        self.store = setup.store if isinstance(setup.store, SqliteStore) else SqliteStore(folder / "state.db")
        self.signer = self.signer_in(folder)
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
        seen.questions += self.questions()
        return seen

    def restarted(self) -> ClaudeCodeHost:
        again = ClaudeCodeHost(self.setup, self.world, self.folder)
        again.calls = self.calls
        return again


class ClaudeCode(Folders):
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

    def build(self, setup: Setup, world: World) -> ClaudeCodeHost:
        return ClaudeCodeHost(setup, world, self.folder())

    def bypassed(self, setup: Setup, world: World) -> None:
        folder = self.folder()
        ClaudeCodeHost(setup, world, folder)
        (folder / ".claude" / "settings.json").write_text("{}")
        found = schemarouter(folder, "doctor")
        if found.returncode == 1:
            raise SelfTestError(found.stdout)
