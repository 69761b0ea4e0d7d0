"""The checks of stages 2, 5 and 8, and the last look before a result leaves (SPEC 3).

Everything that a check reads is immutable, and the call is private: the same contract, binding and authority give the same answer.
So a further look repeats the work only where one of them is another object than before, and a decision that
was approved cannot become another one.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from schemarouter.contract.prepared import PreparedEndpoint
from schemarouter.engine.commands import Command
from schemarouter.engine.frame import Binding, Frame, View
from schemarouter.errors import (
    ApprovalDeniedError,
    BindingDriftError,
    PlanValidationError,
    PolicyViolationError,
    SchemaDriftError,
)


def check_call(frame: Frame, view: View) -> None:
    """Everything of stage 2 but the binding: contract, fingerprints, arguments, fields, then the policy's decision."""
    _check_authority(frame, view)
    endpoint, call = view.endpoint, frame.call
    if endpoint is None:
        raise PlanValidationError(f"unknown tool or endpoint `{call.operation}`")
    if call.schema_fingerprint != endpoint.fingerprint:
        raise _drift(call.operation)
    if call.tool_fingerprint is None:
        if endpoint.remote:
            raise PlanValidationError(f"tool_fingerprint is required to call `{call.operation}`, which is remote")
    elif call.tool_fingerprint != endpoint.tool_fingerprint:
        raise _drift(call.operation)
    lock = frame.run.authority.lock
    if lock is not None:
        _check_lock(lock, endpoint, call.operation)
    endpoint.check_arguments(call.arguments)
    if call.missing:
        raise PlanValidationError(f"missing required arguments for {call.operation}, as its plan says")
    endpoint.check_fields(call.fields)
    _decide(frame, endpoint, view.shadow)
    frame.contract = endpoint


def check_binding(frame: Frame, binding: Binding | None) -> None:
    """Whether an invoker is bound, and for the contract of now."""
    if binding is None:
        raise BindingDriftError(f"no invoker is bound to `{frame.call.tool}`; rebind it")
    if binding.fingerprint != frame.contract.tool_fingerprint:
        raise BindingDriftError(
            f"the invoker of `{frame.call.tool}` was bound before the registry contract changed; rebind it"
        )
    frame.binding = binding


def look_again(frame: Frame) -> Generator[Command, Any, None]:
    """Check that what the call was validated against still holds; otherwise it fails closed, withholding any result.

    A contract that was registered anew with the same fingerprints is the same contract. An invoker that was bound anew
    is another one, even for the same contract.
    """
    call = frame.call
    view: View = yield frame.look
    _check_authority(frame, view)
    if view.endpoint is not frame.contract:
        if view.endpoint is None or view.endpoint.tool_fingerprint != frame.contract.tool_fingerprint:
            raise _drift(call.operation)
        check_call(frame, view)
    if view.binding is not frame.binding:
        check_binding(frame, view.binding)
        raise BindingDriftError(f"the invoker of `{call.tool}` was replaced while the call was in progress")


def _check_authority(frame: Frame, view: View) -> None:
    if view.halted is not None:
        raise PolicyViolationError(f"`{frame.call.operation}` is denied: {view.halted}")
    if frame.shadow is not None and frame.shadow != "allow" and not view.shadow:
        raise PolicyViolationError(f"shadow mode ended while `{frame.call.operation}` was in progress")
    authority = view.authority
    if authority is not frame.run.authority and not authority.same(frame.run.authority):
        raise ApprovalDeniedError(f"execution policy changed while `{frame.call.operation}` was in progress")


def _check_lock(lock: Mapping[str, tuple[str, str]], endpoint: PreparedEndpoint, operation: str) -> None:
    """Only what was locked may be called, and only by the contract that was locked; shadow mode or not."""
    locked = lock.get(endpoint.operation)
    if locked is None:
        raise PolicyViolationError(f"`{operation}` is denied: it is not in the lock")
    if locked != (endpoint.fingerprint, endpoint.tool.head_fingerprint):
        raise SchemaDriftError(f"tool contract changed since `{operation}` was locked")


def _decide(frame: Frame, endpoint: PreparedEndpoint, shadow: bool) -> None:
    """Let the policy decide. Shadow mode relaxes this and the approval that follows from it, and nothing else."""
    graph = frame.run.authority.graph
    attributes = (endpoint.operation, endpoint.remote, endpoint.read_only, endpoint.destructive)
    decision, frame.needs_approval = graph.assess(*attributes, frame.call.arguments)
    first, frame.decision = frame.decision is None, decision
    if shadow and (first or frame.shadow is not None):
        denied = decision.effect == "deny"
        frame.shadow = "deny" if denied else "approval" if frame.needs_approval else "allow"
        frame.needs_approval = False
    elif decision.effect == "deny":
        raise PolicyViolationError(decision.reason)
    frame.read_only = graph.effective(*attributes)[1]


def _drift(operation: str) -> SchemaDriftError:
    return SchemaDriftError(f"tool contract changed since `{operation}` was planned")
