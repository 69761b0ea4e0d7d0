"""The part of ``make demo`` about running it: a policy that is tried on real calls before it is enforced, and the log of that."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import Console

from schemarouter import (
    DecisionLog,
    EndpointSpec,
    InMemoryRegistry,
    RegistryExecutor,
    ShadowMode,
    ToolCall,
    ToolSpec,
    load_policy,
)
from schemarouter_cli.__main__ import run

ROOT = Path(__file__).resolve().parent.parent
POLICY = ROOT / "config" / "examples" / "agentdojo-workspace.yaml"
#: Tools and calls of an office assistant, from a public benchmark: what its user wanted, and what attackers wanted.
TRACES = ROOT / "tests" / "data" / "agentdojo-traces.json"


def shadow_run(console: Console) -> bool:
    """Run a day's calls under a policy that is not enforced yet; say what it would have done, and check the log of it."""
    office = json.loads(TRACES.read_text("utf-8"))["suites"]["workspace"]
    tasks = (*office["user_tasks"].values(), *office["injection_tasks"].values())
    calls = [call for task in tasks for call in task["calls"]]
    spec = ToolSpec(
        name="workspace",
        remote=True,
        endpoints=[EndpointSpec(name=tool["name"], input_schema=tool["parameters"]) for tool in office["tools"]],
    )
    registry = InMemoryRegistry()
    registry.register(spec)
    console.print(f"\n[bold]A shadow run: {len(calls)} real calls under {POLICY.name}, which is not enforced yet[/]")
    with tempfile.TemporaryDirectory() as folder:
        key, log, head = (Path(folder, name) for name in ("log.key", "decisions.jsonl", "head"))
        key.write_bytes(os.urandom(32).hex().encode())
        mode = ShadowMode(until=datetime.now(UTC) + timedelta(days=7))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            executor = RegistryExecutor(
                registry,
                policy=load_policy(POLICY, callbacks={"emma": lambda *_: False}),
                decision_log=DecisionLog(log, key=key.read_bytes(), head=head),
                shadow=mode,
            )
        for warning in said:
            console.print(f"[yellow]warning: {warning.message}[/]")
        executor.bind("workspace", lambda endpoint, _arguments: {"done": endpoint})
        ran = [executor.execute_call_sync(planned(spec, call)) for call in calls]
        console.print(str(mode.report), markup=False)
        asked = mode.report.counts["approval"] + mode.report.counts["deny"]
        console.print(f"all {len(ran)} ran; enforced, {asked} of them would not have run at once")
        return verified(console, log, key, head) and len(ran) == len(calls)


def planned(spec: ToolSpec, call: dict[str, Any]) -> ToolCall:
    """A call as a planner would hand it over: with the fingerprints of the contract that it was made for."""
    endpoint = spec.endpoint(call["function"])
    return ToolCall(
        tool=spec.key,
        endpoint=endpoint.name,
        arguments=call["args"],
        schema_fingerprint=endpoint.fingerprint,
        tool_fingerprint=spec.fingerprint,
    )


def verified(console: Console, log: Path, key: Path, head: Path) -> bool:
    """Verify the log as it is, and once more after one rule was renamed in it."""
    forged = log.with_name("forged.jsonl")
    forged.write_bytes(log.read_bytes().replace(b"lose-a-file", b"write-files", 1))
    good = True
    for path, expected in ((log, 0), (forged, 1)):
        console.print(f"\n[dim]$ schemarouter log verify {path.name} --key-file {key.name} --head {head.name}[/]")
        options = ["--key-file", str(key), "--head", str(head)]
        good &= run(["log", "verify", str(path), *options]) == expected
    return good


def main() -> int:
    """Every part has to end as it should."""
    if "NO_COLOR" not in os.environ:
        os.environ["FORCE_COLOR"] = "1"
    console = Console(highlight=False, soft_wrap=True)
    parts = (shadow_run,)
    endings = [part(console) for part in parts]  # every part is shown, also after one that failed
    return 0 if all(endings) else 1


if __name__ == "__main__":
    sys.exit(main())
