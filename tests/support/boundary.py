"""One operation at the boundary, with every port in the test's hands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import NO_LIMITS, Limits, MemoryLedger
from schemarouter.engine.drivers import asynchronous, sync
from schemarouter.engine.drivers.world import World
from schemarouter.engine.frame import Authority, Frame, Run, View
from schemarouter.engine.retry import ONCE, Retry
from schemarouter.model.call import ToolCall, ToolResult
from schemarouter.model.tool import EndpointSpec, FieldSpec, ParameterSpec, ToolSpec
from schemarouter.runtime.bindings import Bindings
from schemarouter.runtime.registry import InMemoryRegistry

#: Stands in arguments, outputs and errors of user code; must never appear in a message of ours.
CANARY = "c4n4ry-s3cret"


class Clock:
    """Monotonic seconds that move when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def tool_spec(*, remote: bool = False, read_only: bool | None = True, description: str = "") -> ToolSpec:
    """The tool `ns.tool` with one endpoint `act` that takes `secret` and gives `value` and `hidden`."""
    return ToolSpec(
        name="tool",
        namespace="ns",
        remote=remote,
        description=description,
        endpoints=[
            EndpointSpec(
                name="act",
                read_only=read_only,
                destructive=False,
                parameters=[ParameterSpec(name="secret", required=True, json_schema={"type": "string"})],
                output_fields=[FieldSpec(name="value", json_schema={"type": "integer"}), FieldSpec(name="hidden")],
                output_schema={"type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]},
            )
        ],
    )


class Boundary:
    """A registry with one bound tool, an authority, and drivers over it. ``ran`` counts real runs of the invoker."""

    def __init__(self, spec: ToolSpec | None = None, policy: ExecutionPolicy | None = None) -> None:
        self.spec = spec or tool_spec()
        self.registry = InMemoryRegistry()
        self.registry.register(self.spec)
        self.bindings = Bindings(self.registry)
        self.authority = Authority((policy or ExecutionPolicy()).graph)
        self.clock = Clock()
        self.slept: list[float] = []
        self.ran = 0
        self.ledger = MemoryLedger()
        self.pool: Any = None
        self.bind(lambda endpoint, arguments: {"value": 1, "hidden": CANARY})

    def bind(self, invoker: Callable[..., Any], **options: Any) -> None:
        """Bind ``invoker``, counting the runs of a sync one when it is called, of an async one when its body starts."""
        if asyncio.iscoroutinefunction(invoker):

            async def counted(endpoint: str, arguments: dict[str, Any]) -> Any:
                self.ran += 1
                return await invoker(endpoint, arguments)
        else:

            def counted(endpoint: str, arguments: dict[str, Any]) -> Any:
                self.ran += 1
                return invoker(endpoint, arguments)

        self.bindings.bind("ns.tool", counted, **options)

    def govern(self, **changes: Any) -> None:
        """Replace parts of the authority."""
        self.authority = self.authority._replace(**changes)

    def call(self, **changes: Any) -> ToolCall:
        """A valid call, made against the contract that the boundary started with."""
        fields = {
            "tool": "ns.tool",
            "endpoint": "act",
            "arguments": {"secret": CANARY},
            "fields": ["value"],
            "schema_fingerprint": self.spec.endpoints[0].fingerprint,
            "tool_fingerprint": self.spec.fingerprint,
        }
        return ToolCall(**(fields | changes))

    def run(self, limits: Limits = NO_LIMITS, retry: Retry = ONCE) -> Run:
        """Open a run under the authority of now."""
        return Run(self.authority, limits, retry, self.ledger)

    @property
    def world(self) -> World:
        """The ports."""
        return World(self.look, self.clock, self.sleep, lambda: self.pool)

    def look(self, tool: str, endpoint: str) -> View:
        """The view of now."""
        prepared = self.registry.snapshot().tools.get(tool)
        contract = None if prepared is None else prepared.endpoints.get(endpoint)
        return View(contract, self.bindings.get(tool), self.authority)

    def sleep(self, seconds: float) -> None:
        """A wait that only moves the clock."""
        self.slept.append(seconds)
        self.clock.now += seconds

    def drive(self, frame: Frame, driver: str) -> ToolResult:
        """Interpret ``frame`` with the ``sync`` or the ``async`` driver, the latter in an event loop of its own."""
        if driver == "sync":
            sync.drive(frame, self.world)
        else:
            asyncio.run(asynchronous.drive(frame, self.world))
        return frame.delivered()
