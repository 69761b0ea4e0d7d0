"""Run a group: workers of all its sides at once, and round by round one entrant after the other.

A slow minute of the machine then hits every entrant alike, and a ratio is taken within each round. `pyperf command` and
`pyperf.Runner` time one thing to its end before the next begins, so they are not used for running; pyperf keeps the values,
their statistics and what is known of the machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import IO, Any

from benchmarks.environments import HERE, OURS, python_of
from benchmarks.parts import PROCESS, Entrant, Group
from benchmarks.plan import SIDES
from benchmarks.workload import UNKNOWN, policy, yaml_text

#: About so long an entrant is timed in a round, and so many rounds there are, unless that takes too long.
ROUND_SECONDS = 0.004
ROUNDS = 60
GROUP_SECONDS = 12.0

READS = "    effect: allow\n"
#: What the hook of Claude Code is asked about, and by which policy.
EVENT = json.dumps(
    {
        "session_id": "s",
        "permission_mode": "dontAsk",
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_input": {"file_path": "/a"},
        "tool_use_id": "t",
    }
).encode()
HOOK = "version: 1\nname: hook\nrules:\n  - {name: reads, operation: claude.Read, effect: allow}\n"

COMMAND = python_of(OURS).with_name("schemarouter")

Times = dict[str, list[float]]


class Worker:
    """A process of one side, asked over pipes."""

    def __init__(self, side: str, folder: str) -> None:
        environment, module = SIDES[side]
        self.side = side
        self._process = subprocess.Popen(
            [python_of(environment), "-I", HERE / "worker.py", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,  # not the checkout, whose `schemarouter` would be imported
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and wait for its answer. Raises ``RuntimeError`` if the worker died."""
        to, back = _pipe(self._process.stdin), _pipe(self._process.stdout)
        to.write(json.dumps(request) + "\n")
        to.flush()
        line = back.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.side} died at {request}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        _pipe(self._process.stdin).close()
        self._process.wait()
        _pipe(self._process.stdout).close()


def _pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


@contextlib.contextmanager
def workers(sides: set[str]) -> Iterator[dict[str, Worker]]:
    """A worker for each of ``sides``, in a scratch folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        started = {}
        for side in sorted(sides):
            started[side] = Worker(side, folder)
            stack.callback(started[side].close)
        yield started


def run_group(group: Group, rounds: int = ROUNDS) -> tuple[Times, dict[str, float]]:
    """Seconds of each entrant by round, and the values that the group asks for.

    Raises ``RuntimeError`` where sides that must agree do not: then their times say nothing.
    """
    sides = {entrant.side for entrant in (*group.entrants.values(), *group.agree, *group.values.values())}
    with workers(sides - {PROCESS}) as started:
        answers = [_value(started, entrant) for entrant in group.agree]
        if not all(alike(one, other) for one, other in combinations(answers, 2)):
            raise RuntimeError(f"{group.section}, {group.title}: the sides decide differently")
        values = {label: float(_value(started, entrant)) for label, entrant in group.values.items()}
        with _timers(group, started) as timers:
            return _interleave(timers, rounds, group.fewest), values


def _value(started: dict[str, Worker], entrant: Entrant) -> Any:
    return started[entrant.side].ask(do="value", case=entrant.case, arguments=entrant.arguments)["value"]


@contextlib.contextmanager
def _timers(group: Group, started: dict[str, Worker]) -> Iterator[dict[str, Callable[[], float]]]:
    with tempfile.TemporaryDirectory() as folder:
        timers: dict[str, Callable[[], float]] = {}
        for label, entrant in group.entrants.items():
            if entrant.side == PROCESS:
                timers[label] = _process_timer(entrant, folder)
            else:
                timers[label] = _worker_timer(started[entrant.side], label, entrant)
        yield timers


def _worker_timer(worker: Worker, label: str, entrant: Entrant) -> Callable[[], float]:
    worker.ask(do="prepare", id=label, case=entrant.case, arguments=entrant.arguments, seconds=ROUND_SECONDS)
    return lambda: float(worker.ask(do="round", id=label)["seconds"])


def alike(one: Any, other: Any) -> bool:
    """Whether two answers are equal, item by item where they are lists; :data:`UNKNOWN` contradicts nothing."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return UNKNOWN in (one, other) or bool(one == other)


def _interleave(timers: dict[str, Callable[[], float]], rounds: int, fewest: int) -> Times:
    times: Times = {label: [] for label in timers}
    started = time.perf_counter()
    for number in range(rounds):
        for label, timer in timers.items():
            times[label].append(timer())
        if number + 1 >= fewest and time.perf_counter() - started > GROUP_SECONDS:
            break
    return times


def _process_timer(entrant: Entrant, folder: str) -> Callable[[], float]:
    """From starting a process to its end, without a shell unless that is what is measured, output thrown away."""
    files = start_up_files(folder)
    given = entrant.arguments
    command = [
        str(python_of(OURS).with_name(entrant.case)),
        *(part.format(**files) if "{" in part else part for part in given["arguments"]),
    ]
    if given.get("guarded"):
        command = ["/bin/sh", "-c", hook_command(folder)]
    said = EVENT if given.get("input") == "event" else b""
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "NO_COLOR": "1"}

    def run() -> None:
        subprocess.run(
            command, cwd=folder, env=environment, check=True, input=said, stdout=subprocess.DEVNULL, close_fds=False
        )

    run()

    def timer() -> float:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start

    return timer


def start_up_files(folder: str) -> dict[str, str]:
    """A clean policy file of 100 rules, and its artifact, made by the command that is measured."""
    policy_path, artifact = Path(folder, "clean.policy.yaml"), Path(folder, "clean.graph.json")
    if not artifact.exists():
        # An allow that starts with a wildcard, or lets through what nobody classified, is a finding; what is measured is a clean file.
        rules = [rule._replace(effect="deny") if rule.operation.startswith("*") else rule for rule in policy(100)]
        text = yaml_text(rules).replace(READS, f"{READS}    when: {{read_only: true, destructive: false}}\n")
        policy_path.write_text(text + "budget: {max_tool_calls: 100}\n", encoding="utf-8")
        subprocess.run([COMMAND, "check", "--strict", policy_path], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([COMMAND, "compile", policy_path, "-o", artifact], check=True, stdout=subprocess.DEVNULL)
    files = {"policy": str(policy_path), "artifact": str(artifact), "store": str(Path(folder, "state.db"))}
    for name, text in {
        "hook_artifact": HOOK,
        "counting_artifact": HOOK + "budget: {max_tool_calls: 1000000}\n",
    }.items():
        path, files[name] = Path(folder, f"{name}.policy.yaml"), str(Path(folder, f"{name}.graph.json"))
        if not path.exists():
            path.write_text(text, encoding="utf-8")
            subprocess.run([COMMAND, "compile", path, "-o", files[name]], check=True, stdout=subprocess.DEVNULL)
    if not Path(files["store"]).exists():
        _claude_settings(folder, "counting_artifact.policy.yaml", "--store", files["store"])
    return files


def _claude_settings(folder: str, policy_path: str, *options: str) -> str:
    """The command of the hook, as ``init claude-code`` writes it for a policy."""
    command = [COMMAND, "init", "claude-code", "--policy", policy_path, *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    settings = json.loads(Path(folder, ".claude", "settings.json").read_text(encoding="utf-8"))
    hook: str = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    return hook


def hook_command(folder: str) -> str:
    """The command of the hook without a store."""
    return _claude_settings(folder, "hook_artifact.policy.yaml")
