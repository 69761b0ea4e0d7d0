"""A changed policy file is taken in when it only narrows, when the application says so, and never half."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemarouter import (
    ApprovalDeniedError,
    EndpointSpec,
    ExecutionPlan,
    ExecutionPolicy,
    InMemoryRegistry,
    PolicyViolationError,
    RegistryExecutor,
    ToolCall,
    ToolSpec,
    load_policy,
)
from schemarouter.analysis.changes import PolicyDiff
from schemarouter.audit.log import DecisionLog
from schemarouter.audit.reading import records
from schemarouter.catalog.building import catalog_of
from schemarouter.catalog.lock import make_lock
from schemarouter.compiler.artifact import dump_artifact
from schemarouter.model.stages import STAGES
from schemarouter.runtime import reload
from schemarouter.runtime.reload import PolicyReloader, Reload

SPEC = ToolSpec(name="jobs", endpoints=[EndpointSpec(name="run", read_only=True, destructive=False)])
HEAD = "version: 1\nname: jobs\nrules:\n"
RUN = "  - {name: run, operation: jobs.run, effect: allow}\n"
ASK = "  - {name: run, operation: jobs.run, effect: require_approval}\n"
REST = '  - {name: rest, operation: "*", effect: deny}\n'
WIDE = HEAD + RUN + REST
NARROW = HEAD + '  - {name: rest, operation: "*", effect: deny}\n'
OPEN = HEAD + '  - {name: all, operation: "*", effect: allow}\n'
#: Narrower in one place, wider in another.
MIXED = HEAD + "  - {name: list, operation: jobs.list, effect: allow}\n" + REST
RENAMED = WIDE.replace("name: run", "name: start")


def call() -> ToolCall:
    return ToolCall(
        tool="jobs",
        endpoint="run",
        schema_fingerprint=SPEC.endpoints[0].fingerprint,
        tool_fingerprint=SPEC.fingerprint,
    )


class Setup:
    """An executor under the policy file ``policy.yaml``, and a reloader that tells a list."""

    def __init__(self, folder: Path, text: str = WIDE, **options: Any) -> None:
        self.path = folder / "policy.yaml"
        self.path.write_text(text)
        registry = InMemoryRegistry()
        registry.register(SPEC)
        log = options.pop("decision_log", None)
        self.executor = RegistryExecutor(registry, policy=load_policy(self.path), decision_log=log)
        self.ran = 0
        self.executor.bind("jobs", self.invoke)
        self.told: list[Reload] = []
        options = {"settle_seconds": 0, "told": self.told.append} | options
        self.reloader = PolicyReloader(self.executor, self.path, **options)

    def invoke(self, endpoint: str, arguments: dict[str, Any]) -> Any:
        self.ran += 1
        return "done"

    def change(self, text: str) -> Reload:
        self.path.write_text(text)
        return self.reloader.poll()

    @property
    def runs(self) -> bool:
        try:
            self.executor.execute_call_sync(call())
        except PolicyViolationError:
            return False
        return True


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def test_a_file_that_did_not_change(setup: Setup) -> None:
    before = setup.executor.policy
    assert setup.reloader.poll().status == "unchanged"
    assert setup.change(WIDE + "# a comment\n").status == "unchanged"
    assert setup.executor.policy is before
    assert setup.told == []


def test_a_narrower_policy_is_swapped_in(setup: Setup) -> None:
    found = setup.change(NARROW)
    assert (found.status, found.diff.verdict if found.diff else None) == ("swapped", "narrowed")
    assert found.digest == load_policy(NARROW).graph.digest
    assert not setup.runs
    assert setup.reloader.poll().status == "unchanged"
    assert [each.status for each in setup.told] == ["swapped"]


def test_an_equivalent_policy_is_swapped_in(setup: Setup) -> None:
    found = setup.change(RENAMED)
    assert (found.status, found.diff.verdict if found.diff else None) == ("swapped", "equivalent")
    assert setup.runs


@pytest.mark.parametrize(("text", "verdict"), [(OPEN, "widened"), (MIXED, "mixed")])
def test_anything_else_waits(setup: Setup, text: str, verdict: str) -> None:
    before = setup.executor.policy
    found = setup.change(text)
    assert (found.status, found.diff.verdict if found.diff else None) == ("pending", verdict)
    assert setup.executor.policy is before
    assert setup.reloader.poll() is found
    assert [each.status for each in setup.told] == ["pending"]
    assert setup.reloader.pending is found.diff
    assert setup.reloader.accept("0" * 64).status == "refused"
    assert found.digest is not None
    assert setup.reloader.accept(found.digest).status == "swapped"
    assert setup.reloader.pending is None
    assert setup.executor.policy == load_policy(setup.path)
    assert setup.reloader.accept(found.digest).status == "refused"


def test_what_is_undecided_waits(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    real = reload.diff_policies
    bounded = ("the bound on work was reached",)
    monkeypatch.setattr(reload, "diff_policies", lambda *two, **how: replace(real(*two, **how), undecided=bounded))
    found = setup.change(NARROW)
    assert (found.status, found.diff.verdict if found.diff else None) == ("pending", "undecided")
    assert setup.runs


def test_a_comparison_that_fails_is_no_swap(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(reload, "diff_policies", fail)
    assert setup.change(NARROW).status == "refused"
    assert setup.runs


@pytest.mark.parametrize("answer", [1, "yes", object(), None, False, "raises"])
def test_only_true_accepts(tmp_path: Path, answer: Any) -> None:
    asked: list[PolicyDiff] = []

    def accept(diff: PolicyDiff) -> Any:
        asked.append(diff)
        if answer == "raises":
            raise RuntimeError("c4n4ry-s3cret")
        return answer

    setup = Setup(tmp_path, accept=accept)
    assert setup.change(OPEN).status == "pending"
    assert setup.reloader.poll().status == "pending"
    assert len(asked) == 1  # asked once for one content


def test_an_acceptance_that_polls_is_no_hang(tmp_path: Path) -> None:
    inner: list[Reload] = []

    def accept(diff: PolicyDiff) -> bool:
        inner.append(setup.reloader.poll())
        return True

    setup = Setup(tmp_path, accept=accept)
    assert setup.change(OPEN).status == "swapped"
    assert [each.status for each in inner] == ["unsettled"]


def test_true_accepts(tmp_path: Path) -> None:
    setup = Setup(tmp_path, accept=lambda diff: diff.verdict == "widened")
    assert setup.change(OPEN).status == "swapped"
    assert setup.reloader.poll().status == "unchanged"


def test_a_pending_policy_is_forgotten_when_the_file_changes_again(setup: Setup) -> None:
    digest = setup.change(OPEN).digest
    assert setup.change(WIDE).status == "unchanged"
    assert digest is not None
    assert setup.reloader.accept(digest).status == "refused"
    assert setup.change(OPEN).status == "pending"
    assert setup.change(NARROW).status == "swapped"
    assert setup.reloader.accept(digest).status == "refused"


BAD = {
    "empty": "",
    "half": WIDE[: len(WIDE) // 2],
    "not a policy": "hello",
    "unknown key": WIDE + "x: 1\n",
    "missing callable": WIDE + "hooks: {before_call: [audit]}\n",
    "newer version": WIDE.replace("version: 1", "version: 9"),
    "hostile": "a: &a [x]\nb: [" + "*a," * 5000 + "]\n",
    "no text": "\x00\x01",
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_keeps_the_last_good_policy_and_says_so(setup: Setup, kind: str) -> None:
    before = setup.executor.policy
    found = setup.change(BAD[kind])
    assert found.status == "refused"
    assert "the last good policy stays" in found.message
    assert setup.executor.policy is before
    setup.reloader.poll()
    assert [each.status for each in setup.told] == ["refused"]
    assert setup.change(NARROW).status == "swapped"


def test_a_file_that_is_gone(setup: Setup) -> None:
    setup.path.unlink()
    found = setup.reloader.poll()
    assert (found.status, setup.runs) == ("refused", True)
    assert "there is no such file" in found.message
    setup.path.mkdir()
    assert setup.reloader.poll().status == "refused"
    setup.path.rmdir()
    assert setup.change(NARROW).status == "swapped"
    assert not setup.runs
    setup.path.unlink()
    setup.reloader.poll()
    assert not setup.runs


def test_content_counts_and_time_does_not(setup: Setup) -> None:
    status = os.stat(setup.path)
    changed = WIDE.replace("effect: allow", "effect: deny ")
    assert len(changed) == len(WIDE)
    setup.reloader.poll()
    setup.path.write_text(changed)
    os.utime(setup.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert setup.reloader.poll().status == "swapped"


def test_a_link_that_is_turned_to_another_file(tmp_path: Path) -> None:
    """As an orchestrator replaces a mounted configuration: a link to a link to a folder."""
    for name, text in (("v1", WIDE), ("v2", NARROW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "policy.yaml").write_text(text)
    os.symlink("v1", tmp_path / "data")
    os.symlink("data/policy.yaml", tmp_path / "linked.yaml")
    registry = InMemoryRegistry()
    registry.register(SPEC)
    executor = RegistryExecutor(registry, policy=load_policy(tmp_path / "linked.yaml"))
    reloader = PolicyReloader(executor, tmp_path / "linked.yaml", settle_seconds=0)
    assert reloader.poll().status == "unchanged"
    os.symlink("v2", tmp_path / "next")
    os.replace(tmp_path / "next", tmp_path / "data")
    assert reloader.poll().status == "swapped"


def test_a_file_that_is_being_written_is_left_for_later(tmp_path: Path) -> None:
    setup = Setup(tmp_path, settle_seconds=0.2)
    setup.reloader.poll()
    setup.path.write_text(NARROW[:40])
    later = threading.Timer(0.05, lambda: setup.path.write_text(NARROW))
    later.start()
    assert setup.reloader.poll().status == "unsettled"
    later.join()
    assert setup.reloader.poll().status == "swapped"


def test_a_policy_that_was_assigned_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    other = ExecutionPolicy()

    def accept(diff: PolicyDiff) -> bool:
        setup.executor.policy = other
        return True

    setup = Setup(tmp_path, accept=accept)
    assert setup.change(OPEN).status == "unsettled"
    assert setup.executor.policy is other
    setup.executor.policy = load_policy(WIDE)
    digest = setup.reloader.poll().digest
    assert digest is not None


def test_a_pending_policy_is_bound_to_what_it_was_compared_with(setup: Setup) -> None:
    digest = setup.change(MIXED).digest
    assert digest is not None
    setup.executor.policy = load_policy(NARROW)
    assert setup.reloader.accept(digest).status == "unsettled"
    assert not setup.runs


def test_an_artifact_is_a_policy_file_as_well(tmp_path: Path) -> None:
    path = tmp_path / "policy.graph.json"
    path.write_bytes(dump_artifact(load_policy(WIDE).graph))
    registry = InMemoryRegistry()
    registry.register(SPEC)
    executor = RegistryExecutor(registry, policy=load_policy(path))
    reloader = PolicyReloader(executor, path, settle_seconds=0)
    assert reloader.poll().status == "unchanged"
    path.write_bytes(dump_artifact(load_policy(NARROW).graph))
    assert reloader.poll().status == "swapped"
    path.write_bytes(dump_artifact(load_policy(WIDE).graph).replace(b"allow", b"deny"))
    assert reloader.poll().status == "refused"
    assert PolicyReloader(executor, path, settle_seconds=0, check="full").poll().status == "refused"


def test_it_is_written_into_the_decision_log(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log", key=b"a key of the test, long enough")
    setup = Setup(tmp_path, decision_log=log)
    for text in (OPEN, "bad", NARROW, NARROW):
        setup.change(text)
    written = [(each["status"], each["verdict"]) for each in records(str(tmp_path / "log")) if each["kind"] == "reload"]
    assert written == [("pending", "widened"), ("refused", None), ("swapped", "narrowed")]


def test_a_swap_that_cannot_be_written_does_not_happen(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = DecisionLog(tmp_path / "logs" / "log", key=b"a key of the test, long enough")
    setup = Setup(tmp_path, decision_log=log)
    before = setup.executor.policy
    os.rename(tmp_path / "logs", tmp_path / "away")
    assert setup.change(NARROW).status == "refused"
    assert setup.executor.policy is before
    os.rename(tmp_path / "away", tmp_path / "logs")
    assert setup.reloader.poll().status == "swapped"


def test_callables_come_from_the_reloader(tmp_path: Path) -> None:
    def audit(*_: object) -> None:
        raise RuntimeError

    setup = Setup(tmp_path, hooks={"audit": audit})
    found = setup.change(WIDE + "hooks: {before_call: [audit]}\n")
    assert found.status == "swapped"
    assert setup.executor.policy.callables["audit"] is audit  # type: ignore[union-attr]


def test_a_change_of_who_is_asked_waits(tmp_path: Path) -> None:
    approvers: dict[str, Callable[..., Any]] = {"one": lambda *_: False, "other": lambda *_: True}
    text = HEAD.replace("rules:", "approval: {callback: one}\nrules:") + ASK + REST
    setup = Setup(tmp_path, callbacks=approvers)
    setup.path.write_text(text)
    setup.executor.policy = load_policy(setup.path, callbacks=approvers)
    assert setup.reloader.poll().status == "unchanged"
    assert setup.change(text.replace("one", "other")).status == "pending"


# In the middle of a call


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
@pytest.mark.parametrize("text", [NARROW, RENAMED])
def test_a_policy_that_is_replaced_in_the_middle_of_a_call(setup: Setup, stage: str, text: str) -> None:
    """Before the invoker ran it never runs, afterwards its result is withheld; also where the new policy would allow it."""

    class Watch:
        def entered(self, index: int, frame: Any) -> None:
            if frame.stage == stage:
                assert setup.change(text).status == "swapped"

        def ended(self, index: int, frame: Any, error: BaseException | None) -> None:
            pass

    plan = ExecutionPlan(query="q", registry_version=1, calls=[call()])
    with pytest.raises(ApprovalDeniedError, match="execution policy changed") as caught:
        asyncio.run(setup.executor.execute(plan, observer=Watch()))
    names = [each.name for each in STAGES]
    reached = names.index(stage) >= names.index("attempts")
    assert setup.ran == reached
    assert caught.value.execution_succeeded is reached
    assert setup.executor.policy.graph == load_policy(text).graph  # type: ignore[union-attr]


def test_a_policy_that_is_replaced_while_an_answer_a_hook_or_the_tool_is_awaited(tmp_path: Path) -> None:
    for where in ("approval", "hook", "invoker"):
        folder = tmp_path / where
        folder.mkdir()
        setup = Setup(folder, HEAD + ASK + REST)

        async def swap(here: str, setup: Setup = setup, where: str = where) -> None:
            if here == where:
                await asyncio.to_thread(setup.change, NARROW)

        async def approve(*_: object) -> bool:
            await swap("approval")
            return True

        async def hook(*_: object) -> None:
            await swap("hook")

        async def invoke(endpoint: str, arguments: dict[str, Any], setup: Setup = setup) -> str:
            setup.ran += 1
            await swap("invoker")
            return "done"

        from schemarouter import ExecutionHooks

        setup.executor.approval_callback = approve
        setup.executor.hooks = ExecutionHooks(before_call=[hook])
        setup.executor.bind("jobs", invoke)
        with pytest.raises(ApprovalDeniedError, match="execution policy changed"):
            asyncio.run(setup.executor.execute_call(call()))
        assert setup.ran == (1 if where == "invoker" else 0)


# In the background


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def test_a_thread_polls(setup: Setup) -> None:
    setup.reloader.start(0.01)
    with pytest.raises(RuntimeError):
        setup.reloader.start()
    for text in (WIDE + "#\n", RENAMED, NARROW):  # rapid changes: the last one counts
        temporary = setup.path.with_suffix(".new")
        temporary.write_text(text)
        os.replace(temporary, setup.path)
    _until(lambda: not setup.runs)
    setup.reloader.stop()
    setup.reloader.stop()


def test_who_is_told_may_stop_the_thread(tmp_path: Path) -> None:
    setup = Setup(tmp_path, told=lambda _: (setup.reloader.stop(), stopped.set()))
    stopped = threading.Event()
    setup.path.write_text(NARROW)
    setup.reloader.start(0.01)
    assert stopped.wait(30)


def test_a_task_polls(setup: Setup) -> None:
    async def run() -> None:
        task = asyncio.create_task(setup.reloader.watch(0.01))
        setup.path.write_text(NARROW)
        while setup.runs:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(asyncio.wait_for(run(), 30))


def test_calls_and_polls_at_once_see_one_policy_or_the_other(setup: Setup) -> None:
    """Whatever a call sees, it is a whole policy: it runs, or it is stopped by a rule or by the change."""
    stop = threading.Event()
    seen: set[str] = set()

    def calls() -> None:
        while not stop.is_set():
            try:
                setup.executor.execute_call_sync(call())
                seen.add("ran")
            except PolicyViolationError as error:
                seen.add(type(error).__name__)

    workers = [threading.Thread(target=calls) for _ in range(3)]
    for worker in workers:
        worker.start()
    for text in (RENAMED, WIDE) * 20:
        setup.change(text)
    setup.change(NARROW)
    stop.set()
    for worker in workers:
        worker.join()
    assert "ran" in seen
    assert seen <= {"ran", "PolicyViolationError", "ApprovalDeniedError"}
    assert not setup.runs


def test_what_cannot_be_given(setup: Setup) -> None:
    with pytest.raises(TypeError):
        PolicyReloader("executor", setup.path)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        PolicyReloader(setup.executor, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="check"):
        PolicyReloader(setup.executor, setup.path, check="no")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="interval"):
        setup.reloader.start(0)
    # A name that looks like a text is a path all the same.
    assert PolicyReloader(setup.executor, "version: 1\n", settle_seconds=0).poll().status == "refused"


def test_a_policy_that_the_lock_refuses_was_never_swapped_in_for_the_log_either(tmp_path: Path) -> None:
    log = DecisionLog(tmp_path / "log", key=b"a key of the test, long enough")
    setup = Setup(tmp_path, decision_log=log)
    setup.executor.lock = make_lock(load_policy(setup.path).graph, catalog_of([SPEC]))
    found = setup.change(NARROW)
    assert found.status == "refused"
    assert "lock" in found.message
    written = [record["status"] for record in records(str(tmp_path / "log")) if record["kind"] == "reload"]
    assert written == ["refused"]
