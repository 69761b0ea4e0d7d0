"""What tests of the state store share: a clock, charges, requests, grants, an executor on a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import Charge, Charges
from schemarouter.model.approval import Question
from schemarouter.model.call import ToolCall
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.state.binding import arguments_hash, request_id
from schemarouter.state.port import Answer, Grant, Request, StateStore
from schemarouter.state.signatures import Signer, generate, load_signer, public_text
from support.boundary import CANARY, tool_spec


class WallClock:
    """Seconds since the epoch that move when a test says so."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def calls(limit: int | None, amount: int = 1) -> Charges:
    """The charge of a logical call."""
    return (Charge("calls", amount, limit, "max_tool_calls"),)


def signer() -> tuple[Signer, str]:
    """A new approver: the secret key and the public one."""
    text, public = generate(None)
    made = load_signer(text, None)
    assert public_text(made.public) == public
    return made, public


def request(**changes: Any) -> Request:
    """A request with an id that fits."""
    made = Request(
        *("", "ns.tool.act", '{"secret":"x"}', "a" * 64, "d" * 64, "run", "call", False, True, None, "rule", "because"),
        *(1_800_000_000, 1_800_000_900, "0" * 32),
    )._replace(**changes)
    return made._replace(id=request_id(made))


def grant(by: Signer, store: StateStore, **changes: Any) -> Grant:
    """A signed grant of `ns.tool.act`."""
    made = Grant("g", "ns.tool.act", None, None, 1, 99_999_999_999, 2, "", "")._replace(**changes)
    return by.sign_grant(store.identity().name, made)


def answer(by: Signer, store: StateStore, id_: str, *, approved: bool = True) -> Answer:
    """A signed answer."""
    return by.sign_answer(store.identity().name, Answer(id_, approved, 1_800_000_001, "", ""))


def question(**changes: Any) -> Question:
    """A question about `ns.tool.act`."""
    made = Question(
        *("ns.tool.act", False, True, None, {"secret": CANARY}, "d" * 64, "rule", "because", "run", "call", None)
    )
    return made._replace(**changes)


def hashed(store: StateStore, arguments: Any) -> str:
    """The hash of arguments in a store."""
    return arguments_hash(store.identity().secret, arguments)


class Desk:
    """An executor with one bound tool. ``ran`` counts runs of the invoker."""

    def __init__(self, policy: ExecutionPolicy | None = None, **options: Any) -> None:
        self.spec = tool_spec()
        self.registry = InMemoryRegistry()
        self.registry.register(self.spec)
        self.executor = RegistryExecutor(self.registry, policy=policy, **options)
        self.ran = 0
        self.invoke: Callable[[], Any] = lambda: {"value": 1}
        self.executor.bind("ns.tool", self._invoke)

    def _invoke(self, _endpoint: str, _arguments: dict[str, Any]) -> Any:
        self.ran += 1
        return self.invoke()

    def call(self, **changes: Any) -> ToolCall:
        """A valid call."""
        fields = {
            "tool": "ns.tool",
            "endpoint": "act",
            "arguments": {"secret": CANARY},
            "fields": ["value"],
            "schema_fingerprint": self.spec.endpoints[0].fingerprint,
            "tool_fingerprint": self.spec.fingerprint,
        }
        return ToolCall(**(fields | changes))
