"""The cases, each a plain function over a driver. A case that a host has no place for is named in the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conformance.driving import (
    AFTER,
    ATTEMPTS_2,
    HOOK,
    LIMIT_3,
    POLICY,
    POSITIONS,
    RENAMED,
    Call,
    Driver,
    RefusedError,
    Setup,
    World,
)
from schemarouter import PolicyError
from schemarouter.integrations.boundary import SelfTestError
from schemarouter.integrations.names import HostNames, Operation
from schemarouter.integrations.passes import approve, reject
from schemarouter.integrations.stages import ALL_STAGES
from schemarouter.state.memory import MemoryStore
from schemarouter.state.stored_approvals import StoredApprovals


def new_store(driver: Driver) -> Any:
    """A store that outlives a host: one that processes can share, where the host is processes."""
    return getattr(driver, "store", MemoryStore)()


PAY = Call("pay", {"amount": 5, "to": "ops"}, "c1")


def allowed(driver: Driver) -> None:
    """An allowed call runs, once, with what the model said, and the model sees the result."""
    world = World()
    seen = driver.build(Setup(), world).run(Call("read", {"path": "a"}, "c1"))
    assert world.ran == [("read", {"path": "a"})]
    assert "content of a" in seen.told["c1"]


def denied(driver: Driver) -> None:
    """A denied call runs nothing, and the model can read which rule denied it and why."""
    world = World()
    seen = driver.build(Setup(), world).run(Call("pay", {"amount": 500, "to": "x"}, "c1"))
    assert world.ran == []
    assert not seen.questions
    assert "no-payments" in seen.told["c1"]
    assert "500" not in seen.told["c1"]


def approved(driver: Driver) -> None:
    """A call that needs approval pauses the host, and runs once when a person says yes."""
    world = World()
    host = driver.build(Setup(), world)
    (question,) = host.run(PAY).questions
    assert world.ran == []
    assert question["operation"] == "agent.pay"
    assert question["arguments"] == {"amount": 5, "to": "ops"}
    seen = host.resume({"c1": approve(question)})
    assert world.ran == [("pay", {"amount": 5, "to": "ops"})]
    assert "paid" in seen.told["c1"]


def rejected(driver: Driver) -> None:
    """A person says no: nothing runs, and the model is told."""
    world = World()
    host = driver.build(Setup(), world)
    (question,) = host.run(PAY).questions
    seen = host.resume({"c1": reject(question)})
    assert world.ran == []
    assert seen.told["c1"]
    assert "paid" not in seen.told["c1"]


def timed_out(driver: Driver) -> None:
    """Without the host's pause an approver is asked; nobody answers in time, so nothing runs and nothing hangs."""
    from schemarouter.state.signatures import generate

    _, public = generate(None)
    store = new_store(driver)
    waiting = StoredApprovals(store, [public], lifetime=1, wait=0.2, poll=0.05)
    world = World()
    host = driver.build(Setup(store=store, run_id="r1", approver=waiting, pause=False), world)
    seen = host.run(PAY)
    assert world.ran == []
    assert "not allowed" in seen.told["c1"]


def after_a_restart(driver: Driver) -> None:
    """The host is paused, its process ends, another one goes on: the answer still counts, once."""
    world, store = World(), new_store(driver)
    host = driver.build(Setup(LIMIT_3, store=store, run_id="r1"), world)
    (question,) = host.run(PAY).questions
    again = host.restarted()
    again.resume({"c1": approve(question)})
    assert world.ran == [("pay", {"amount": 5, "to": "ops"})]
    assert store.used("r1")["calls"] == 1


def parallel(driver: Driver) -> None:
    """Eight calls at once under a limit of three: exactly three run."""
    world = World()
    host = driver.build(Setup(LIMIT_3), world)
    seen = host.run(*(Call("read", {"path": f"p{n}"}, f"c{n}") for n in range(8)))
    assert len(world.ran) == 3
    assert sum("content of" in text for text in seen.told.values()) == 3
    assert sum("max_tool_calls=3" in text for text in seen.told.values()) == 5


def retrying_host(driver: Driver) -> None:
    """The host runs a failing tool again by itself: every try is an attempt, and the limit holds."""
    world = World()
    host = driver.build(Setup(ATTEMPTS_2, retries=4), world)
    host.run(Call("flaky", {"path": "a"}, "c1"))
    assert world.names() == ["flaky", "flaky"]


def nested_agent(driver: Driver) -> None:
    """An agent that is a tool of another one shares the run's budget."""
    world = World()
    host = driver.build(Setup(LIMIT_3, nested=True), world)
    host.run(Call("delegate", {"task": "read p0 p1 p2 p3"}, "c1"))
    assert len(world.ran) == 2  # the delegation is the first of three


def argument_changed(driver: Driver) -> None:
    """The arguments change between the answer and the execution: the answer was to another question."""
    world = World()
    host = driver.build(Setup(), world)
    (question,) = host.run(PAY).questions
    if not host.change_pending("c1", {"amount": 99, "to": "attacker"}):
        pytest.skip("the host's paused state cannot be changed")
    seen = host.resume({"c1": approve(question)})
    assert world.ran == []
    assert "paid" not in seen.told.get("c1", "")


def policy_changed(driver: Driver) -> None:
    """The policy changes while the host is paused: the answer does not count under the new one."""
    world = World()
    host = driver.build(Setup(), world)
    (question,) = host.run(PAY).questions
    host.set_policy(POLICY.replace("maximum: 100", "maximum: 50"))
    host.resume({"c1": approve(question)})
    assert world.ran == []


def crashing_hook(driver: Driver) -> None:
    """A hook that raises: nothing runs, and nothing of its message reaches the model."""

    def audit(*_: Any) -> None:
        raise RuntimeError("secret-of-the-hook")

    world = World()
    seen = driver.build(Setup(HOOK, hooks={"audit": audit}), world).run(Call("read", {"path": "a"}, "c1"))
    assert world.ran == []
    assert "secret-of-the-hook" not in seen.told["c1"]


def unknown_tool(driver: Driver) -> None:
    """A tool that nobody made known runs nothing, even if the model calls it."""
    world = World()
    seen = driver.build(Setup(), world).run(Call("wipe", {}, "c1"), Call("read", {"path": "a"}, "c2"))
    assert world.names() == ["read"]
    assert "content of" not in seen.told.get("c1", "")


def renamed_tool(driver: Driver) -> None:
    """What the host calls `read` is decided about as the operation that it is mapped to, and as nothing else."""
    world = World()
    names = HostNames("agent", explicit={"read": Operation("files", "get")})
    seen = driver.build(Setup(RENAMED, names=names), world).run(Call("read", {"path": "a"}, "c1"))
    assert "content of a" in seen.told["c1"]
    seen = driver.build(Setup(names=names), world).run(Call("read", {"path": "b"}, "c1"))
    assert "files.get" in seen.told["c1"]  # the rule that allows `agent.read` is not about it
    assert world.ran == [("read", {"path": "a"})]


def default_left_out(driver: Driver) -> None:
    """An argument with a default is left out: rules and people see the default that the tool will use."""
    world = World()
    host = driver.build(Setup(), world)
    (question,) = host.run(Call("pay", {"amount": 5}, "c1")).questions
    assert question["arguments"] == {"amount": 5, "to": "ops"}
    host.resume({"c1": approve(question)})
    assert world.ran == [("pay", {"amount": 5, "to": "ops"})]


def positional_and_keyword(driver: Driver) -> None:
    """The same call by position, by keyword, or with a default left out is the same call for every rule."""
    world = World()
    host = driver.build(Setup(POSITIONS), world)
    calls = [((5,), {}), ((5, "ops"), {}), ((5,), {"to": "ops"}), ((), {"to": "ops", "amount": 5})]
    told = [host.by_position("pay", *args, **named) for args, named in calls]
    assert all("ops-gets-nothing" in text for text in told)
    assert world.ran == []
    assert host.by_position("pay", 5, "bob") == "paid"


def answer_used_twice(driver: Driver) -> None:
    """An answer that was given once is no answer to the same call again."""
    world, store = World(), new_store(driver)
    host = driver.build(Setup(store=store, run_id="r1"), world)
    (question,) = host.run(PAY).questions
    again = host.restarted()
    host.resume({"c1": approve(question)})
    again.resume({"c1": approve(question)})
    assert world.names() == ["pay"]


def unenforced_stage(driver: Driver) -> None:
    """A policy that counts on a stage which the host does not enforce is refused before anything runs."""
    if getattr(driver, "stages", ALL_STAGES) == ALL_STAGES:
        pytest.skip("all are enforced")
    with pytest.raises((PolicyError, RefusedError), match="after-hooks"):
        driver.build(Setup(AFTER, hooks={"audit": lambda *_: None}), World())


def canary(driver: Driver) -> None:
    """Where the host's calls do not come to the boundary, the adapter does not start."""
    with pytest.raises(SelfTestError):
        driver.bypassed(Setup(), World())


CASES: dict[str, Callable[[Driver], None]] = {
    case.__name__: case
    for case in (
        allowed,
        denied,
        approved,
        rejected,
        timed_out,
        after_a_restart,
        answer_used_twice,
        parallel,
        retrying_host,
        nested_agent,
        argument_changed,
        policy_changed,
        crashing_hook,
        unknown_tool,
        renamed_tool,
        default_left_out,
        positional_and_keyword,
        unenforced_stage,
        canary,
    )
}
