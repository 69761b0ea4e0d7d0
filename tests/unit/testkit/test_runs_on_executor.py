"""A scripted run ends as an application's run does: the same script, played by an executor with its registry and bindings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from schemarouter import InMemoryRegistry, RegistryExecutor, ToolCall, ToolSpec
from schemarouter.engine.frame import private_copy
from schemarouter.errors import NonRetryableInvocationError, TransientInvocationError
from schemarouter.loading import load_policy
from schemarouter.model.tool import EndpointSpec
from schemarouter.testkit.model import Answer, Attempt, HookScript, RunCall, ScriptedRun
from schemarouter.testkit.reader import read_tests
from schemarouter.testkit.scripted import ScriptedClock
from support.testkit_corpus import CORPUS

FILE = CORPUS / "run" / "runs.test.yaml"
DOCUMENT = read_tests(FILE.read_bytes(), FILE.name, "yaml").document
assert DOCUMENT is not None


class Script:
    """What an application's own parts do for the call of now."""

    def __init__(self, clock: ScriptedClock) -> None:
        self.clock = clock
        self.call: RunCall
        self.attempts = 0
        self.executor: RegistryExecutor
        self.deadline: Callable[[], float]

    def approve(self, *_: Any) -> bool:
        given = self.call.approval
        answer = given if isinstance(given, Answer) else Answer(answer=given)  # type: ignore[arg-type]  # a word
        self.clock.advance(answer.seconds)
        if answer.answer == "time_out":
            self.clock.advance(max(0.0, self.deadline() - self.clock()))
        if answer.answer == "raise":
            raise ValueError
        return answer.answer == "approve"

    def invoke(self, endpoint: str, arguments: dict[str, Any]) -> str:
        steps = self.call.attempts
        given = steps[self.attempts] if self.attempts < len(steps) else "return"
        self.attempts += 1
        step = given if isinstance(given, Attempt) else Attempt(does=given)
        self.clock.advance(step.seconds)
        if step.does == "transient":
            raise TransientInvocationError("no")
        if step.does == "fail":
            raise NonRetryableInvocationError("no")
        return "done"

    def hook(self, name: str) -> Callable[..., object]:
        def run(*_: Any) -> object:
            given = self.call.hooks.get(name, "pass")
            step = given if isinstance(given, HookScript) else HookScript(does=given)
            self.clock.advance(step.seconds)
            if step.does == "raise":
                raise ValueError
            return 1 if step.does == "return" else None

        return run


async def played(run: ScriptedRun) -> list[tuple[str | None, int]]:
    """How each call ends, and how often its invoker was started."""
    clock = ScriptedClock()
    script = Script(clock)
    policy = load_policy(
        CORPUS / "policy.yaml",
        hooks={"audit": script.hook("audit"), "metrics": script.hook("metrics")},
        callbacks={"supervisor": script.approve},
    )
    registry = InMemoryRegistry()
    executor = RegistryExecutor(registry, policy=policy, clock=clock)
    tools: dict[str, dict[str, RunCall]] = {}
    for call in run.calls:
        key = call.tool or call.operation.rpartition(".")[0]
        tools.setdefault(key, {})[call.operation[len(key) + 1 :]] = call
    for key, endpoints in tools.items():
        specs = [
            EndpointSpec(
                name=name, input_schema={"type": "object"}, read_only=call.read_only, destructive=call.destructive
            )
            for name, call in endpoints.items()
        ]
        remote = next(iter(endpoints.values())).remote or False
        executor.bind(registry.register(ToolSpec(name=key, remote=remote, endpoints=specs)), script.invoke)
    state = executor.start_run(budget=run.budget, retry=run.retry)
    script.deadline = lambda: state.deadline or clock()
    ends: list[tuple[str | None, int]] = []
    for call in run.calls:
        key = call.tool or call.operation.rpartition(".")[0]
        endpoint = registry.prepared(key, call.operation[len(key) + 1 :])
        for _ in range(call.times):
            script.call, script.attempts = call, 0
            clock.advance(call.wait)
            made = ToolCall(
                tool=key,
                endpoint=call.operation[len(key) + 1 :],
                arguments=call.arguments,
                schema_fingerprint=endpoint.fingerprint,
                tool_fingerprint=endpoint.tool_fingerprint,
            )
            error = None
            try:
                async for _result in executor.iterate((private_copy(made),), state):
                    pass
            except Exception as raised:  # noqa: BLE001 - how a call ends is what is asked
                error = type(raised).__name__
            ends.append((error, script.attempts))
    return ends


@pytest.mark.asyncio
@pytest.mark.parametrize("index", range(len(DOCUMENT.runs)), ids=lambda index: DOCUMENT.runs[index].name)
async def test_an_executor_ends_as_the_script_says(index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = DOCUMENT.runs[index]
    real = asyncio.sleep

    async def sleep(seconds: float, result: object = None) -> object:
        return await real(0, result)

    monkeypatch.setattr("schemarouter.engine.drivers.asynchronous.asyncio.sleep", sleep)
    ends = iter(await played(run))
    for call in run.calls:
        for _ in range(call.times):
            error, attempts = next(ends)
            expect = call.expect
            if expect == "delivered" or expect.result is not None:
                assert error is None
            else:
                assert error == ("ExecutionBudgetExceededError" if expect.limit else expect.error)
            if expect != "delivered" and expect.attempts is not None:
                assert attempts == expect.attempts
    assert next(ends, None) is None
