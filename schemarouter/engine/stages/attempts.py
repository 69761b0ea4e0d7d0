"""Stage 9 of SPEC 3, and SPEC 6: one attempt, paid for before the invoker runs.

``run`` returns ``True`` where another attempt may follow: then the interpreter goes back one stage.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.checks import look_again
from schemarouter.engine.commands import READ_CLOCK, Command, CutOff, Invoke, Outcome, Raised, Reserve, Sleep
from schemarouter.engine.frame import Frame
from schemarouter.engine.outcomes import check_time, on_store, time_is_up
from schemarouter.errors import (
    BindingDriftError,
    ExecutionBudgetExceededError,
    ExecutionHookError,
    IndeterminateInvocationError,
    NonRetryableInvocationError,
    PlanningError,
    PlanValidationError,
    TransientInvocationError,
)

STAGE = "attempts"

#: What only the gates of this package may say. Raised by an invoker, it is the invoker's failure and nothing else.
_GATES = (PlanningError, PlanValidationError, BindingDriftError, ExecutionHookError)
#: What a generator may not raise, and no coroutine either.
_ENDINGS = (StopIteration, StopAsyncIteration)


def run(frame: Frame) -> Generator[Command, Any, bool]:
    """Reserve, invoke, and say whether to try again."""
    yield from check_time(frame, "invocation")
    yield from _reserve(frame)
    frame.attempts += 1
    binding = frame.binding
    offload = binding.offload_sync and not binding.is_async
    before, frame.succeeded = frame.succeeded, None
    outcome: Outcome = yield Invoke(binding.invoke, (frame.call.detached(),), frame.run.deadline, offload)
    if isinstance(outcome, Raised):
        return (yield from _after_failure(frame, outcome.error))
    if isinstance(outcome, CutOff):
        frame.succeeded = (True if outcome.returned else None) if outcome.began else before
        raise _cut_off(frame, outcome)
    frame.succeeded = True
    frame.raw = outcome.value
    yield from check_time(frame, "invocation")
    return False


def _reserve(frame: Frame) -> Generator[Command, Any, None]:
    contract, shared = frame.contract, frame.run.shared
    charges = frame.run.limits.attempt_charges(contract.operation, contract.tool_key, contract.remote)
    if shared is None:
        refusal = yield Reserve(frame.run.ledger, charges)
    else:
        refusal = yield from on_store(frame, shared.commit, charges, frame.lease)
        if refusal is None:
            frame.lease = None
            yield from look_again(frame)  # the store may have kept us waiting
    if refusal is not None:
        raise ExecutionBudgetExceededError(f"an attempt of `{contract.operation}` would exceed {refusal}")


def _after_failure(frame: Frame, error: Exception) -> Generator[Command, Any, bool]:
    """Raise the invoker's error, or wait for another attempt and return ``True``."""
    kind = type(error)  # not `isinstance`: an error may lie about its class, or fail when it is asked
    if issubclass(kind, _GATES):
        raise NonRetryableInvocationError(
            f"the invoker of `{frame.call.operation}` failed ({kind.__name__})"
        ) from error
    if issubclass(kind, _ENDINGS):
        raise NonRetryableInvocationError(f"raised {kind.__name__}, which cannot pass through a call") from error
    transient = issubclass(kind, (TransientInvocationError, *frame.binding.transient))
    if not transient or not frame.run.retry.allows(frame.attempts, frame.read_only):
        raise error
    wait = frame.run.retry.backoff(frame.attempts)
    deadline = frame.run.deadline
    if deadline is not None and (yield READ_CLOCK) + wait >= deadline:
        raise time_is_up(frame, "retry backoff") from error
    if wait > 0:
        yield Sleep(wait)
        yield from check_time(frame, "retry backoff")
    return True


def _cut_off(frame: Frame, outcome: CutOff) -> ExecutionBudgetExceededError:
    error = time_is_up(frame, "invocation")
    if outcome.offloaded and frame.succeeded is None and frame.read_only is not True:
        return IndeterminateInvocationError(f"{error}; it goes on in its thread, and its outcome is unknown")
    return error
