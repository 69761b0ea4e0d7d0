"""What user code did, turned into what it means (SPEC 3, *Time*)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from schemarouter.contract.detach import detach
from schemarouter.engine.commands import (
    READ_CLOCK,
    Command,
    CutOff,
    OnStore,
    Outcome,
    Raised,
    Returned,
    RunHook,
    Script,
)
from schemarouter.engine.frame import Frame
from schemarouter.errors import ExecutionBudgetExceededError, ExecutionHookError, StateStoreError
from schemarouter.model.call import ToolCall, ToolResult
from schemarouter.model.tool import EndpointSpec, ToolSpec


def time_is_up(frame: Frame, during: str) -> ExecutionBudgetExceededError:
    """The error of a run whose time is over."""
    seconds = frame.run.limits.max_elapsed_seconds
    return ExecutionBudgetExceededError(
        f"max_elapsed_seconds={seconds} ran out during {during} of `{frame.call.operation}`"
    )


def check_time(frame: Frame, during: str) -> Script:
    """Fail if the time of the run is over."""
    return () if frame.run.deadline is None else _compare(frame, frame.run.deadline, during)


def _compare(frame: Frame, deadline: float, during: str) -> Generator[Command, Any, None]:
    now: float = yield READ_CLOCK
    if now >= deadline:
        raise time_is_up(frame, during)


def settle(frame: Frame, outcome: Outcome, during: str) -> Generator[Command, Any, Returned | Raised]:
    """Check the time right after user code, and return what it did: it returned or raised, in time.

    Code that raised failed by itself, whatever the clock says. Code that returned too late did not return.
    """
    if isinstance(outcome, CutOff):
        raise time_is_up(frame, during)
    if isinstance(outcome, Returned):
        yield from check_time(frame, during)
    return outcome


def on_store(frame: Frame, function: Callable[..., Any], *arguments: Any) -> Generator[Command, Any, Any]:
    """Take a step on the run's shared ledger and return what it says. A store that fails refuses."""
    outcome: Outcome = yield OnStore(function, arguments)
    if isinstance(outcome, Returned):
        return outcome.value
    error = outcome.error if isinstance(outcome, Raised) else None
    if isinstance(error, StateStoreError):
        raise StateStoreError(f"`{frame.call.operation}` is denied: {error}") from error
    raise StateStoreError(
        f"`{frame.call.operation}` is denied: the state store failed ({type(error).__name__})"
    ) from error


def snapshots(frame: Frame) -> tuple[ToolSpec, EndpointSpec, ToolCall]:
    """Fresh deep copies for one callback or hook. The endpoint is the one of the copied tool."""
    return *frame.contract.tool.snapshot(frame.contract), frame.call.detached()


def run_hooks(
    frame: Frame, when: str, hooks: tuple[Callable[..., Any], ...], result: ToolResult | None
) -> Generator[Command, Any, None]:
    """Run ``hooks`` one after the other (SPEC 7), each with its own deep copies; ``when`` is before or after.

    Raises ``ExecutionHookError`` for a hook that raises or returns something.
    """
    during = f"{when} execution hook"
    for hook in hooks:
        copies: tuple[Any, ...] = snapshots(frame)
        if result is not None:
            copies = (*copies, detach(result))
        reply = yield RunHook(hook, copies, frame.run.deadline)
        outcome = yield from settle(frame, reply, during)
        if isinstance(outcome, Raised):
            error = outcome.error
            raise ExecutionHookError(
                f"{during} failed for `{frame.call.operation}` ({type(error).__name__})"
            ) from error
        if outcome.value is not None:
            raise ExecutionHookError(f"{during} for `{frame.call.operation}` must return None")
