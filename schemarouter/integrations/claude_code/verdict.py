"""What becomes of one call: the stages of SPEC 3 up to the first attempt, in their order. Standard library only.

The process that asks runs no tool, so the attempt is charged when the call is let go, and nobody here sees what it returns.
"""

from __future__ import annotations

from collections import namedtuple

from schemarouter.errors import (
    ApprovalDeniedError,
    ExecutionBudgetExceededError,
    PlanValidationError,
    PolicyError,
    PolicyViolationError,
    StateStoreError,
)
from schemarouter.integrations.claude_code.tools import TOOL_KEY, UNCLASSIFIED
from schemarouter.integrations.names import HostNames
from schemarouter.integrations.stages import ASKED_BEFORE, require_stages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, NamedTuple

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.engine.budget import Limits
    from schemarouter.integrations.claude_code.event import Event
    from schemarouter.integrations.claude_code.recording import Recorder
    from schemarouter.integrations.names import Operation
    from schemarouter.model.approval import Approver
    from schemarouter.model.decision import PolicyDecision
    from schemarouter.state.kill_switch import KillSwitch
    from schemarouter.state.port import StateStore

    class Verdict(NamedTuple):
        """What the host is told: the text is for the model, and for the person who is asked."""

        permission: Literal["allow", "ask", "deny"]
        reason: str

    class Authority(NamedTuple):
        """Everything that one decision goes by. ``run`` is ``None`` where the session is the run."""

        graph: EvaluationGraph
        names: HostNames
        store: StateStore | None
        run: str | None
        approver: Approver | None
        asks_a_person: bool
        kill_switch: KillSwitch | None
        recorder: Recorder | None
        modes: frozenset[str] | None
else:
    Verdict = namedtuple("Verdict", "permission reason")
    Authority = namedtuple("Authority", "graph names store run approver asks_a_person kill_switch recorder modes")

#: The stages of a hook process: it has no application whose hooks it could run, and nothing to try again.
ENFORCED: frozenset[str] = ASKED_BEFORE - {"before-hooks"}
WHERE = "the hook of Claude Code"
#: One call id for all approvals of a run: a model that tries again makes the same call under another id.
_APPROVALS = "claude-code"
_NO_STORE = PolicyError(
    "the policy has a budget, and there is no store to count in", help="give the hook `--store FILE`"
)


def names_of(servers: Iterable[str]) -> HostNames:
    """The mapping of names: ``Bash`` is ``claude.Bash``, ``mcp__SERVER__TOOL`` is ``SERVER.TOOL`` for a configured server.

    Raises ``RegistrationError``.
    """
    return HostNames(TOOL_KEY, servers=servers)


def require_enforceable(graph: EvaluationGraph, store: StateStore | None) -> None:
    """Raise ``PolicyError`` for a policy that says something that a hook process cannot do."""
    require_stages(graph, ENFORCED, WHERE)
    if graph.retry is not None and graph.retry.max_attempts > 1:
        raise PolicyError(
            f"{WHERE} runs no tool and tries none again, and the policy has `retry`",
            help="leave `retry` out of this policy; each further try of the host is a call of its own",
        )
    if graph.budget is not None and store is None:
        raise _NO_STORE


def decide(authority: Authority, event: Event) -> Verdict:
    """Decide, ask, count and let go, or say why not. Raises the errors of the stages."""
    operation = authority.names.operation(event.tool)
    if operation is None:
        raise PlanValidationError(f"unknown tool `{ascii(event.tool)[1:-1]}`: no operation by the mapping of names")
    _check_switch(authority, operation)
    _check_mode(authority, event)
    graph = authority.graph
    decision, needs_approval = graph.assess(str(operation), *UNCLASSIFIED, event.arguments)
    recorder = authority.recorder
    if recorder is not None:
        recorder.decided(event, str(operation), graph.digest, decision, needs_approval)
    try:
        verdict = _after_decision(authority, event, operation, decision, needs_approval)
    except Exception as error:
        if recorder is not None:
            recorder.refused(event, str(operation), error)
        raise
    return verdict


def _after_decision(
    authority: Authority, event: Event, operation: Operation, decision: PolicyDecision, needs_approval: bool
) -> Verdict:
    if decision.effect == "deny":
        raise PolicyViolationError(decision.reason)
    limits = _limits(authority)
    left = _time_left(authority, event, limits, operation)
    if needs_approval and not authority.asks_a_person:
        _ask(authority, event, operation, decision, left)
        _check_switch(authority, operation)
        _time_left(authority, event, limits, operation)
    _charge(authority, event, limits, operation)
    if authority.recorder is not None:
        authority.recorder.attempted(event, needs_approval)
    _check_switch(authority, operation)
    permission: Literal["allow", "ask"] = "ask" if needs_approval and authority.asks_a_person else "allow"
    return Verdict(permission, _reason(authority, decision, needs_approval))


def _limits(authority: Authority) -> Limits | None:
    """The limits of the run; ``None`` where nothing is counted, and then nothing of it is loaded."""
    if authority.graph.budget is None:
        return None
    from schemarouter.engine.budget import Limits

    return Limits.of(authority.graph.budget)


def _check_switch(authority: Authority, operation: Operation) -> None:
    halted = None if authority.kill_switch is None else authority.kill_switch.reason()
    if halted is not None:
        raise PolicyViolationError(f"`{operation}` is denied: {halted}")


def _check_mode(authority: Authority, event: Event) -> None:
    """In other modes Claude Code runs tools where the hook fails, so a broken hook would go unnoticed."""
    if authority.modes is not None and event.mode not in authority.modes:  # one that is not told, included
        wanted = " or ".join(f"`{mode}`" for mode in sorted(authority.modes))
        raise PolicyViolationError(f"the permission mode is not {wanted}; set it, or give the hook `--any-mode`")


def _run(authority: Authority, event: Event) -> str:
    return event.session if authority.run is None else authority.run


def _time_left(authority: Authority, event: Event, limits: Limits | None, operation: Operation) -> float | None:
    """Stage 3: the clock of the run starts with its first call here."""
    seconds = None if limits is None else limits.max_elapsed_seconds
    if seconds is None or authority.store is None:
        return None
    left = seconds - authority.store.begin(_run(authority, event))
    if left <= 0:
        raise ExecutionBudgetExceededError(f"max_elapsed_seconds={seconds} ran out before `{operation}`")
    return left


def _ask(
    authority: Authority, event: Event, operation: Operation, decision: PolicyDecision, left: float | None
) -> None:
    """Stage 4, out of band: an answer counts for the same call of the same run, once, whenever it is tried again."""
    approver = authority.approver
    if approver is None:
        raise ApprovalDeniedError(
            f"`{operation}` requires approval, and nobody can be asked ({decision.reason}); give the hook `--approver` and "
            "`--store`, or `--asks-a-person`"
        )
    from schemarouter.model.approval import Denied, Question

    graph = authority.graph
    question = Question(
        str(operation),
        *UNCLASSIFIED,
        event.arguments,
        graph.digest,
        decision.rule_name,
        _reason(authority, decision, True),
        _run(authority, event),
        _APPROVALS,
        left,
    )
    answer = approver.ask(question)
    if answer is not True:
        why = f": {answer.reason}" if type(answer) is Denied else ""
        raise ApprovalDeniedError(f"`{operation}` was not approved{why}; once it is, make the same call again")


def _charge(authority: Authority, event: Event, limits: Limits | None, operation: Operation) -> None:
    """Stages 6 and 9: the logical call, then its attempt; nothing is refunded."""
    store = authority.store
    if store is None or limits is None:
        return
    from schemarouter.engine.budget import LogicalCall, Refusal
    from schemarouter.state.ledger import StoreLedger

    ledger = StoreLedger(store, _run(authority, event))
    logical = LogicalCall(event.call_id, str(operation), event.arguments)
    lease = ledger.enter(limits.call_charges(operation.tool), logical)
    if isinstance(lease, Refusal):
        raise ExecutionBudgetExceededError(f"a call of `{operation}` would exceed {lease}")
    refusal = ledger.commit(limits.attempt_charges(str(operation), operation.tool, remote=True), lease)
    if refusal is not None:
        raise ExecutionBudgetExceededError(f"an attempt of `{operation}` would exceed {refusal}")


def _reason(authority: Authority, decision: PolicyDecision, needs_approval: bool) -> str:
    if needs_approval and decision.effect != "require_approval":
        return f"approval mode `{authority.graph.approval.mode}`: {decision.reason}"
    return decision.reason


def probe(authority: Authority, run: str) -> dict[str, Any]:
    """What a canary is told: that the policy, the store and the log can be used. Raises as :func:`decide`."""
    if authority.store is not None:
        authority.store.begin(run)
    elif authority.approver is not None:
        raise StateStoreError("approvals need a store")
    return {"digest": authority.graph.digest, "store": authority.store is not None}
