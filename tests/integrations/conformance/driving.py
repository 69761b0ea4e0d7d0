"""What a case needs of a host: a model that makes given calls, tools that tell what really ran, and the host's pause."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from schemarouter import load_policy
from schemarouter.integrations.names import HostNames

POLICY = """\
version: 1
name: conformance
rules:
  - {name: reads, operation: "agent.read", effect: allow}
  - {name: flaky, operation: "agent.flaky", effect: allow}
  - name: small-payments
    operation: agent.pay
    effect: require_approval
    reason: a person looks at every payment
    when: {arguments: {amount: {type: number, maximum: 100}}}
  - {name: no-payments, operation: agent.pay, effect: deny, reason: too much}
  - {name: asks, operation: agent.delegate, effect: allow}
"""
LIMIT_3 = POLICY + "budget: {max_tool_calls: 3}\n"
ATTEMPTS_2 = POLICY + "budget: {max_attempts: 2}\n"
RENAMED = POLICY.replace('operation: "agent.read"', 'operation: "files.get"')
POSITIONS = """\
version: 1
name: positions
rules:
  - name: ops-gets-nothing
    operation: agent.pay
    effect: deny
    reason: ops is no recipient
    when: {arguments: {to: {const: ops}}}
  - {name: others, operation: agent.pay, effect: allow}
"""
AFTER = POLICY + "hooks: {after_call: [audit]}\n"
HOOK = POLICY + "hooks: {before_call: [audit]}\n"


class RefusedError(Exception):
    """Our command refused to put a policy in force."""


class World:
    """The tools that every host gets, and what they were really called with."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def read(self, path: str) -> str:
        """Read a file."""
        self.ran.append(("read", {"path": path}))
        return f"content of {path}"

    def pay(self, amount: float, to: str = "ops") -> str:
        """Pay an amount."""
        self.ran.append(("pay", {"amount": amount, "to": to}))
        return "paid"

    def flaky(self, path: str) -> str:
        """Fails every time."""
        self.ran.append(("flaky", {"path": path}))
        raise TimeoutError("the server did not answer")

    def names(self) -> list[str]:
        """The tools that ran, in order."""
        return [name for name, _ in self.ran]


@dataclass
class Call:
    """A call that the fake model makes."""

    name: str
    arguments: dict[str, Any]
    id: str


@dataclass
class Seen:
    """What the model sees of each call, by call id, and the questions that the host is paused on."""

    told: dict[str, str] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Setup:
    """How a host is to be built.

    ``retries``: the host itself runs a failing tool again, so many times. ``names``: what the host's names stand for.
    """

    policy: str = POLICY
    store: Any = None
    run_id: str | None = None
    approver: Any = None
    hooks: dict[str, Any] = field(default_factory=dict)
    retries: int = 0
    nested: bool = False
    pause: bool = True
    names: HostNames = field(default_factory=lambda: HostNames("agent"))


class Host(Protocol):
    """An agent of one host, with a fake model."""

    def set_policy(self, text: str) -> None:
        """Put another policy in force."""

    def run(self, *calls: Call) -> Seen:
        """Let the model make ``calls`` in one turn, and then end."""

    def resume(self, answers: dict[str, Any]) -> Seen:
        """Go on after a pause, with an answer for each call id."""

    def restarted(self) -> Host:
        """The same host in what might be another process: new objects, from its checkpoint and the store."""

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        """Change the arguments of a call while the host is paused, as whoever holds its state could; whether that can be."""


class InProcess:
    """A host whose boundary lives in this process."""

    boundary: Any

    def set_policy(self, text: str) -> None:
        self.boundary.set_policy(load_policy(text))


class Driver(Protocol):
    """One adapter. ``missing``: cases that its host has no place for, with the reason; ``stages`` that are enforced, if not all."""

    name: str
    missing: dict[str, str]

    def build(self, setup: Setup, world: World) -> Host:
        """A host behind the boundary."""

    def bypassed(self, setup: Setup, world: World) -> None:
        """Start the adapter where the host does not hand calls to it; must raise ``SelfTestError``."""
