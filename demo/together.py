"""The part of ``make demo`` about several processes: one budget for two of them, and an answer from another terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from rich.console import Console

from schemarouter import EndpointSpec, RegistryExecutor, SqliteStore, StoredApprovals, ToolCall, ToolSpec, load_policy
from schemarouter.runtime.registry import InMemoryRegistry

POLICY = """\
version: 1
name: payments-agent
rules:
  - {name: look-up, operation: payments.find, effect: allow}
  - name: review-refunds
    operation: payments.refund
    effect: require_approval
    reason: a person looks at every refund
budget: {max_tool_calls: 3}
"""
CALL_AGAIN = 4
#: Seconds for which the demo waits for its own second terminal.
PATIENCE = 30


def executor(store: SqliteStore, approvals: StoredApprovals | None = None) -> tuple[RegistryExecutor, ToolSpec]:
    """One process of the agent."""
    spec = ToolSpec(name="payments", remote=True, endpoints=[EndpointSpec(name="find"), EndpointSpec(name="refund")])
    registry = InMemoryRegistry()
    registry.register(spec)
    made = RegistryExecutor(registry, policy=load_policy(POLICY), store=store, approval_callback=approvals)
    made.bind("payments", lambda endpoint, _arguments: f"{endpoint} ran")
    return made, spec


def call(spec: ToolSpec, endpoint: str) -> ToolCall:
    """A call as a planner would hand it over."""
    return ToolCall(
        tool=spec.key,
        endpoint=endpoint,
        arguments={},
        schema_fingerprint=spec.endpoint(endpoint).fingerprint,
        tool_fingerprint=spec.fingerprint,
    )


def child(path: str) -> int:
    """What each of the two processes does: it calls until the run's budget is spent."""
    made, spec = executor(SqliteStore(path))
    for number in range(CALL_AGAIN):
        try:
            made.execute_call_sync(call(spec, "find"), run_id="run-1", call_id=f"{os.getpid()}-{number}")
            print("  a call ran")
        except Exception as error:  # noqa: BLE001 - the demo shows whatever it is
            print(f"  {type(error).__name__}: {error}")
    return 0


def shared_budget(console: Console) -> bool:
    """Two processes with four calls each, one run, a budget of three."""
    console.print("\n[bold]Two processes, one run, a budget of three calls[/]")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "state.db"))
        SqliteStore(path).close()
        command = [sys.executable, __file__, "--child", path]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]  # noqa: S603 - ourselves
        said = [one.communicate()[0] for one in both]
    for name, text in zip(("first", "second"), said, strict=True):
        console.print(f"the {name} process:\n{text.rstrip()}", markup=False)
    return sum(text.count("a call ran") for text in said) == 3


def second_terminal(console: Console) -> bool:
    """A call waits; somebody answers in another terminal, with a key that this process does not have."""
    console.print("\n[bold]An answer from a second terminal[/]")
    with tempfile.TemporaryDirectory() as folder:
        path, key = str(Path(folder, "state.db")), str(Path(folder, "approver.key"))
        terminal = _Terminal(console, folder)
        store = SqliteStore(path)
        public = terminal.run("keygen", "--no-passphrase", "-o", key).split()[0]
        made, spec = executor(store, StoredApprovals(store, public, wait=PATIENCE, poll=0.05))
        answering = threading.Thread(target=_answer, args=(terminal, store, path, key))
        answering.start()
        try:
            result = made.execute_call_sync(call(spec, "refund"), run_id="run-2", call_id="call-1")
            console.print(f"the call went on: {result.data}", markup=False)
        finally:
            answering.join()
        return result.data == "refund ran"


class _Terminal:
    """Somebody else's terminal."""

    def __init__(self, console: Console, folder: str) -> None:
        self._console = console
        self._folder = folder

    def run(self, *arguments: str) -> str:
        """Run one ``schemarouter approvals`` command, show it, and return what it printed."""
        shown = " ".join(arguments).replace(f"{self._folder}/", "")
        script = str(Path(sys.executable).with_name("schemarouter"))
        done = subprocess.run(  # noqa: S603 - ourselves
            [script, "approvals", *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        self._console.print(f"[dim]$ schemarouter approvals {shown}[/]")
        self._console.print((done.stdout + done.stderr).rstrip().replace(f"{self._folder}/", ""), markup=False)
        return done.stdout


def _answer(terminal: _Terminal, store: SqliteStore, path: str, key: str) -> None:
    waiting = threading.Event()
    for _ in range(PATIENCE * 20):
        if store.requests():
            break
        waiting.wait(0.05)
    terminal.run("list", "--store", path)
    terminal.run("approve", store.requests()[0].request.id, "--store", path, "--key", key, "--yes")


def main() -> int:
    """Both parts have to end as they should."""
    if "NO_COLOR" not in os.environ:
        os.environ["FORCE_COLOR"] = "1"
    console = Console(highlight=False, soft_wrap=True)
    endings = [part(console) for part in (shared_budget, second_terminal)]
    return 0 if all(endings) else 1


if __name__ == "__main__":
    sys.exit(child(sys.argv[2]) if sys.argv[1:2] == ["--child"] else main())
