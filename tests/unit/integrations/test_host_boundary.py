"""The boundary that adapters share: names, pauses, counting, self-test."""

import asyncio

import pytest

from schemarouter import (
    ApprovalDeniedError,
    ExecutionBudgetExceededError,
    PolicyError,
    PolicyViolationError,
    RegistrationError,
    load_policy,
)
from schemarouter.errors import PlanValidationError, SchemaValidationError
from schemarouter.integrations.boundary import CanaryReachedError, HostBoundary, HostTool, SelfTestError
from schemarouter.integrations.guard import guard
from schemarouter.integrations.names import HostNames, Operation
from schemarouter.integrations.passes import Pass, approve, read_answer, reject
from schemarouter.integrations.stages import ASKED_BEFORE
from schemarouter.state.memory import MemoryStore

POLICY = """\
version: 1
rules:
  - {name: reads, operation: agent.read, effect: allow}
  - name: small-payments
    operation: agent.pay
    effect: require_approval
    reason: a person looks at every payment
    when: {arguments: {amount: {type: number, maximum: 100}}}
  - {name: no-payments, operation: agent.pay, effect: deny}
budget: {max_tool_calls: 3}
"""
PAY = {"type": "object", "properties": {"amount": {"type": "number"}}, "required": ["amount"]}
TOOLS = (HostTool("read"), HostTool("pay", PAY))


def boundary(text=POLICY, **options):
    return HostBoundary(load_policy(text), names=HostNames("agent"), tools=TOOLS, **options)


def run(coroutine):
    return asyncio.run(coroutine)


class Host:
    """Counts what really ran."""

    def __init__(self):
        self.ran = []

    def __call__(self, arguments):
        self.ran.append(arguments)
        return object()


def test_an_allowed_call_returns_the_hosts_own_object():
    host, edge = Host(), boundary()
    result = run(edge.call("read", {"path": "a"}, host))
    assert type(result) is object
    assert host.ran == [{"path": "a"}]


def test_a_denied_call_runs_nothing():
    host, edge = Host(), boundary()
    with pytest.raises(PolicyViolationError, match="no-payments"):
        run(edge.call("pay", {"amount": 500}, host))
    with pytest.raises(PlanValidationError, match="unknown tool"):
        run(edge.call("send", {}, host))
    with pytest.raises(PlanValidationError, match="missing required"):
        run(edge.call("pay", {}, host))
    with pytest.raises(SchemaValidationError):
        run(edge.call("pay", {"amount": "5"}, host))
    assert host.ran == []


def test_a_pause_lets_one_call_through_once():
    host, edge = Host(), boundary()
    pending = edge.pending("pay", {"amount": 5}, call_id="c1")
    assert pending.reason.endswith("a person looks at every payment")
    passed = read_answer(approve(pending.as_json()), pending)
    run(edge.call("pay", {"amount": 5}, host, call_id="c1", approved=passed))
    with pytest.raises(ApprovalDeniedError, match="used before"):
        run(edge.call("pay", {"amount": 5}, host, call_id="c1", approved=passed))
    assert host.ran == [{"amount": 5}]


@pytest.mark.parametrize(
    ("arguments", "call_id"), [({"amount": 6}, "c1"), ({"amount": 5}, "c2"), ({"amount": 5.5}, "c1")]
)
def test_an_answer_to_another_question_counts_for_nothing(arguments, call_id):
    host, edge = Host(), boundary()
    pending = edge.pending("pay", {"amount": 5}, call_id="c1")
    with pytest.raises(ApprovalDeniedError, match="another question"):
        run(edge.call("pay", arguments, host, call_id=call_id, approved=Pass(pending.token)))
    assert host.ran == []


def test_only_an_answer_to_the_very_question_is_a_pass():
    pending = boundary().pending("pay", {"amount": 5}, call_id="c1")
    for answer in (
        True,
        1,
        "yes",
        None,
        {},
        {"approved": True},
        {"approved": 1, "token": pending.token},
        reject(pending),
    ):
        assert read_answer(answer, pending) is None
    assert read_answer({"approved": True, "token": "x"}, pending) is None
    assert read_answer(approve(pending), pending) == Pass(pending.token)


def test_nobody_is_asked_about_what_would_be_denied():
    with pytest.raises(PolicyViolationError):
        boundary().pending("pay", {"amount": 500}, call_id="c1")
    assert boundary().pending("read", {}, call_id="c1") is None


def test_an_answer_survives_the_process_and_not_the_policy():
    store, host = MemoryStore(), Host()
    first = boundary(store=store, run_id="r")
    pending = first.pending("pay", {"amount": 5}, call_id="c1")
    changed = boundary(POLICY.replace("maximum: 100", "maximum: 90"), store=store, run_id="r")
    with pytest.raises(ApprovalDeniedError, match="another question"):
        run(changed.call("pay", {"amount": 5}, host, call_id="c1", approved=Pass(pending.token)))
    again = boundary(store=store, run_id="r")
    run(again.call("pay", {"amount": 5}, host, call_id="c1", approved=Pass(pending.token)))
    assert host.ran == [{"amount": 5}]


def test_calls_of_one_run_share_its_budget():
    host, edge = Host(), boundary()

    async def eight():
        calls = [edge.call("read", {"n": n}, host, call_id=f"c{n}") for n in range(8)]
        return await asyncio.gather(*calls, return_exceptions=True)

    results = run(eight())
    assert sum(type(result) is object for result in results) == 3
    assert sum(isinstance(result, ExecutionBudgetExceededError) for result in results) == 5
    assert len(host.ran) == 3


def test_the_host_runs_what_was_decided_about():
    edge = boundary()
    given = {"path": ["a"]}

    async def handler(arguments):
        given["path"].append("b")
        return arguments

    assert run(edge.call("read", given, handler)) == {"path": ["a"]}


def test_a_canary_reaches_the_boundary_or_the_host_is_not_started():
    edge, host = boundary(), Host()
    with edge.expect_canary() as name, pytest.raises(CanaryReachedError):
        run(edge.call(name, {}, host))
    with pytest.raises(SelfTestError, match="did not reach"), edge.expect_canary():
        pass
    assert host.ran == []


def test_a_policy_that_needs_what_is_not_enforced_is_refused():
    text = POLICY + "hooks: {after_call: [audit]}\n"
    loaded = load_policy(text, hooks={"audit": lambda *_: None})
    with pytest.raises(PolicyError, match="after-hooks"):
        HostBoundary(loaded, names=HostNames("agent"), enforced=ASKED_BEFORE)
    HostBoundary(loaded, names=HostNames("agent"))


def test_a_plain_callback_of_the_policy_is_asked():
    text = POLICY.replace("rules:", "approval: {callback: ops}\nrules:")
    asked = []

    def ops(tool, endpoint, call):
        asked.append((tool.key, endpoint.name, call.arguments))
        return True

    host = Host()
    edge = HostBoundary(load_policy(text, callbacks={"ops": ops}), names=HostNames("agent"), tools=TOOLS)
    run(edge.call("pay", {"amount": 5}, host))
    edge.call_sync("pay", {"amount": 7}, host)
    assert asked == [("agent", "pay", {"amount": 5}), ("agent", "pay", {"amount": 7})]
    assert host.ran == [{"amount": 5}, {"amount": 7}]


def test_without_anybody_to_ask_it_is_denied():
    with pytest.raises(ApprovalDeniedError, match="nobody to ask"):
        run(boundary().call("pay", {"amount": 5}, Host()))


# Names


def test_names_are_total_and_injective():
    names = HostNames("agent", explicit={"Bash": Operation("claude", "shell")}, servers=["git", "git.hub", "a_b"][:1])
    assert names.operation("read") == ("agent", "read")
    assert names.operation("Bash") == ("claude", "shell")
    assert names.operation("mcp__git__log") == ("git", "log")
    assert names.operation("mcp__git__a__b") == ("git", "a__b")
    assert names.operation("mcp__other__log") is None
    assert names.operation("mcp__git__") is None
    for name in ("read", "Bash", "mcp__git__log", "mcp__git__a__b"):
        assert names.name(names.operation(name)) == name
    assert HostNames().operation("read") is None


@pytest.mark.parametrize(
    "make",
    [
        lambda: HostNames("git", servers=["git"]),
        lambda: HostNames("git", servers=["git.hub"]),
        lambda: HostNames(servers=["a", "a__b"]),
        lambda: HostNames(explicit={"x": Operation("a", "b.c"), "y": Operation("a.b", "c")}),
        lambda: HostNames("a\n"),
    ],
)
def test_names_that_cannot_be_told_apart_are_refused(make):
    with pytest.raises(RegistrationError):
        make()


def test_another_spelling_of_an_explicit_operation_is_unknown():
    names = HostNames("agent", explicit={"Bash": Operation("agent", "shell")})
    assert names.operation("shell") is None


# Plain Python


def test_a_guarded_function_is_one_call_however_it_is_called():
    paid = []

    def pay(amount: float, to: str = "ops"):
        paid.append((amount, to))
        return "done"

    edge = HostBoundary(load_policy(POLICY), names=HostNames("agent"))
    guarded = guard(pay, edge)
    for call in (
        lambda: guarded(500),
        lambda: guarded(amount=500),
        lambda: guarded(500, "ops"),
        lambda: guarded(to="x", amount=500),
    ):
        with pytest.raises(PolicyViolationError, match="no-payments"):
            call()
    assert paid == []


def test_a_guarded_function_returns_what_it_returned():
    def read(path: str):
        return {"path": path}

    async def list_all(prefix: str = "/"):
        return [prefix]

    text = POLICY.replace("agent.read,", '["agent.read", "agent.list_all"],')
    edge = HostBoundary(load_policy(text), names=HostNames("agent"))
    assert guard(read, edge)("a") == {"path": "a"}
    assert run(guard(list_all, edge)()) == ["/"]


NAMED = POLICY.replace("version: 1\n", "version: 1\napproval: {callback: person}\n")


def test_a_callback_that_a_policy_names_is_the_hosts_pause_unless_one_is_supplied():
    host = Host()
    edge = HostBoundary.from_policy(NAMED, names=HostNames("agent"), tools=TOOLS)
    pending = edge.pending("pay", {"amount": 5}, call_id="c1")
    run(edge.call("pay", {"amount": 5}, host, call_id="c1", approved=read_answer(approve(pending), pending)))
    with pytest.raises(ApprovalDeniedError, match="nobody to ask"):
        run(edge.call("pay", {"amount": 5}, host, call_id="c2"))
    asked = []
    edge = HostBoundary.from_policy(
        NAMED, names=HostNames("agent"), tools=TOOLS, callbacks={"person": lambda *_: asked.append(1) or True}
    )
    run(edge.call("pay", {"amount": 5}, host, call_id="c3"))
    assert (len(host.ran), asked) == (2, [1])
    with pytest.raises(PolicyError, match="audit"):
        HostBoundary.from_policy(NAMED + "hooks: {before_call: [audit]}\n", names=HostNames("agent"))
