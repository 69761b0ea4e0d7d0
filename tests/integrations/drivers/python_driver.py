"""Plain Python: functions behind `guard`, and a loop that calls them, as a home-made agent has one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from conformance.driving import Call, InProcess, Seen, Setup, World

from schemarouter import SchemaRouterError, load_policy
from schemarouter.integrations.boundary import HostBoundary, denial
from schemarouter.integrations.guard import guard

NO_PAUSE = "a function call cannot pause; an approver is asked"


class PythonHost(InProcess):
    def __init__(self, setup: Setup, world: World) -> None:
        self.setup = setup
        self.boundary = HostBoundary(
            load_policy(setup.policy, hooks=setup.hooks),
            names=setup.names,
            store=setup.store,
            run_id=setup.run_id,
            approver=setup.approver,
            where="plain Python",
        )
        functions: list[Any] = [world.read, world.pay, world.flaky, *([self.delegate] if setup.nested else [])]
        self.functions = {one.__name__: guard(one, self.boundary, remote=True) for one in functions}

    def delegate(self, task: str) -> str:
        """Hand a task to another loop."""
        return " ".join(self.call("read", path=path) for path in task.split()[1:])

    def call(self, name: str, *args: Any, **named: Any) -> str:
        if name not in self.functions:
            return f"no function `{name}`"
        for _ in range(self.setup.retries):
            try:
                return str(self.functions[name](*args, **named))
            except TimeoutError:
                continue
            except SchemaRouterError as error:
                return denial(error)
        try:
            return str(self.functions[name](*args, **named))
        except SchemaRouterError as error:
            return denial(error)

    by_position = call

    def run(self, *calls: Call) -> Seen:
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda one: self.call(one.name, **one.arguments), calls))
        return Seen({one.id: text for one, text in zip(calls, told, strict=True)})


class PlainPython:
    name = "plain Python"
    missing: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            (
                "approved",
                "rejected",
                "after_a_restart",
                "answer_used_twice",
                "argument_changed",
                "policy_changed",
                "default_left_out",
            ),
            NO_PAUSE,
        ),
        "canary": "there is no host between the caller and the function that `guard` returned",
    }

    def build(self, setup: Setup, world: World) -> PythonHost:
        return PythonHost(setup, world)
