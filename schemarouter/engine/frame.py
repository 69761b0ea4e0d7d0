"""What one logical call is made of while it is interpreted, and what it shares with its run.

Contracts, graphs, authorities and bindings are immutable; a frame is changed by the interpreter alone.
"""

from __future__ import annotations

import contextlib
import operator
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.contract.detach import assemble
from schemarouter.contract.prepared import PreparedEndpoint
from schemarouter.engine.budget import Ledger, Limits, SharedLedger
from schemarouter.engine.commands import Look
from schemarouter.engine.retry import Retry
from schemarouter.errors import PlanningError, SchemaValidationError
from schemarouter.model.call import ToolCall, ToolResult
from schemarouter.model.decision import PolicyDecision
from schemarouter.model.json_value import JsonValueError, checked_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome

#: Characters of a name that a message shows.
_SHOWN = 200


class Binding(Protocol):
    """An invoker as it was bound: for one contract, never changed afterwards."""

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the tool contract that it was bound for."""

    @property
    def transient(self) -> tuple[type[Exception], ...]:
        """Exception classes of the invoker that count as transient."""

    @property
    def is_async(self) -> bool:
        """Whether calling it gives an awaitable, as far as can be told beforehand."""

    @property
    def offload_sync(self) -> bool:
        """Whether it runs in a worker thread, unless it is async."""

    def invoke(self, call: ToolCall) -> Any:
        """Run the invoker, which may keep and change ``call``. Returns a value or an awaitable of one."""


class Authority(NamedTuple):
    """Everything local and trusted that decides about a call, swapped as a whole: graph, approval callback, hooks.

    ``lock``, if there is one, has every operation that may be called, and the fingerprints of its contract: that of the
    endpoint, and that of its tool without endpoints.
    """

    graph: EvaluationGraph
    approval: Callable[..., Any] | None = None
    before: tuple[Callable[..., Any], ...] = ()
    after: tuple[Callable[..., Any], ...] = ()
    lock: Mapping[str, tuple[str, str]] | None = None

    def same(self, other: Authority) -> bool:
        """Whether both decide alike: an equal graph, an equal lock and the very same callables.

        A callable is not asked, because it may answer for itself what it equals.
        """
        ours, others = ((each.approval, *each.before, *each.after) for each in (self, other))
        alike = self.graph == other.graph and self.lock == other.lock
        alike = alike and (len(self.before), len(ours)) == (len(other.before), len(others))
        return alike and all(map(operator.is_, ours, others))


class View(NamedTuple):
    """What holds at one moment for one operation. ``endpoint`` is ``None`` if it is not registered.

    ``halted`` says why nothing at all may happen now; ``None`` where no kill switch is on.
    """

    endpoint: PreparedEndpoint | None
    binding: Binding | None
    authority: Authority
    halted: str | None = None
    #: Whether shadow mode is on: then the policy decides, and its decision is not enforced.
    shadow: bool = False


class PrivateCall(NamedTuple):
    """The interpreter's own copy of a call: what was approved is what runs. Nobody else ever holds it."""

    tool: str
    endpoint: str
    arguments: dict[str, Any]
    fields: tuple[str, ...]
    schema_fingerprint: str
    tool_fingerprint: str | None
    missing: tuple[str, ...]

    @property
    def operation(self) -> str:
        """``tool.endpoint``, as messages show it."""
        return shown(f"{self.tool}.{self.endpoint}")

    def detached(self) -> ToolCall:
        """A fresh copy for a callback, a hook or an invoker."""
        fields = {
            "tool": self.tool,
            "endpoint": self.endpoint,
            "arguments": checked_copy(self.arguments),
            "fields": list(self.fields),
            "schema_fingerprint": self.schema_fingerprint,
            "tool_fingerprint": self.tool_fingerprint,
            "missing_required_arguments": list(self.missing),
        }
        return assemble(ToolCall, fields, set(fields))


def shown(name: str) -> str:
    """A name that may be anything, on one line: escaped where it does not print, and shortened."""
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def private_copy(call: object) -> PrivateCall:
    """Copy a call deeply when it enters.

    The fields are looked at again, because a model can be changed after it was made. Raises ``PlanningError`` for
    what is no call or has lost its shape, ``SchemaValidationError`` for arguments that are not JSON or beyond the limits of one value.
    """
    if not isinstance(call, ToolCall):
        raise PlanningError(f"a call must be a `ToolCall`, not `{type(call).__name__}`")
    try:
        tool, endpoint, given = call.tool, call.endpoint, call.arguments
        fields, missing = tuple(call.fields), tuple(call.missing_required_arguments)
        schema_fingerprint, tool_fingerprint = call.schema_fingerprint, call.tool_fingerprint
    except (AttributeError, TypeError):
        raise PlanningError("a call lacks a field, or holds one that is no list") from None
    names = (tool, endpoint, schema_fingerprint, *fields, *missing)
    if not (all(type(name) is str for name in names) and type(tool_fingerprint) in (str, type(None))):
        raise PlanningError("a call holds a name or a fingerprint that is not a string")
    try:
        arguments = checked_copy(given)
    except JsonValueError as error:
        raise SchemaValidationError(f"arguments for {shown(f'{tool}.{endpoint}')}: the value {error.reason}") from None
    if type(arguments) is not dict:
        raise SchemaValidationError(f"arguments for {shown(f'{tool}.{endpoint}')}: not an object")
    return PrivateCall(tool, endpoint, arguments, fields, schema_fingerprint, tool_fingerprint, missing)


class Run:
    """What the calls of one run share: authority, limits, retries, ledger, clock. Safe from several threads."""

    __slots__ = ("_lock", "authority", "deadline", "label", "ledger", "limits", "retry", "run_id", "shared")

    def __init__(
        self,
        authority: Authority,
        limits: Limits,
        retry: Retry,
        ledger: Ledger,
        run_id: str | None = None,
        shared: SharedLedger | None = None,
    ) -> None:
        #: Who decided about the run when it started. Limits and retries come from it, so it must not change.
        self.authority = authority
        self.limits = limits
        self.ledger = ledger
        #: Counts instead of ``ledger`` where several processes share the run.
        self.shared = shared
        #: The application's name of the run, if it has one.
        self.run_id = run_id
        #: What logs and events call the run: its id, or a name that was made up.
        self.label = run_id
        self.retry = retry
        #: Monotonic seconds at which the time is over; ``None`` before the clock started, or without a limit.
        self.deadline: float | None = None
        self._lock = threading.Lock()

    def start_clock(self, now: float, elapsed: float = 0.0) -> None:
        """Start the elapsed clock, unless an earlier call of the run did; ``elapsed`` seconds have passed elsewhere."""
        seconds = self.limits.max_elapsed_seconds
        if seconds is None:
            return
        with self._lock:
            if self.deadline is None:
                self.deadline = now + seconds - elapsed


class Frame:
    """One logical call in progress."""

    __slots__ = (
        "approved",
        "attempts",
        "binding",
        "call",
        "call_id",
        "contract",
        "data",
        "decision",
        "given",
        "lease",
        "look",
        "needs_approval",
        "projected",
        "raw",
        "read_only",
        "result",
        "run",
        "shadow",
        "stage",
        "succeeded",
        "watch",
    )

    def __init__(self, given: ToolCall | PrivateCall, run: Run, call_id: str | None = None) -> None:
        self.given: ToolCall | PrivateCall | None = given
        self.run = run
        #: The application's name of the call, if it has one.
        self.call_id = call_id
        #: What a shared ledger gave for the call that was counted; ``None`` once the invoker is about to run.
        self.lease: str | None = None
        self.stage = ""
        #: Told the name of every stage that is entered; for showing, not for deciding. What it returns has to wait, and is
        #: run as a step on a store before the stage begins.
        self.watch: Callable[[str], Callable[[], object] | None] | None = None
        self.approved = False
        self.needs_approval = False
        #: Attempts of this call that were reserved.
        self.attempts = 0
        #: ``False`` until the invoker is reached, then ``None``, and ``True`` once it returned.
        self.succeeded: bool | None = False
        self.decision: PolicyDecision | None = None
        #: What the policy would have done, where shadow mode keeps it from that; ``None`` where the policy is enforced.
        self.shadow: Outcome | None = None
        #: The effective ``read_only``, as the policy classifies the operation.
        self.read_only: bool | None = None
        self.result: ToolResult | None = None
        # Set by the stages, in their order: the private copy, and the question for its contract; what the last validation accepted; what the invoker
        # returned; the checked copy of it; its projection.
        self.call: PrivateCall
        self.look: Look
        self.contract: PreparedEndpoint
        self.binding: Binding
        self.raw: Any
        self.data: Any
        self.projected: ToolResult

    def delivered(self) -> ToolResult:
        """The result, once the last stage has passed."""
        if self.result is None:
            raise RuntimeError("the call has not passed its last stage")
        return self.result

    def failed(self, error: Exception) -> None:
        """Say on ``error`` what is known about the effect, if the invoker was reached."""
        if self.succeeded is not False:
            stamp(error, "execution_succeeded", self.succeeded)


def stamp(error: Exception, name: str, value: object) -> None:
    """Set an attribute on any error; one that does not take it stays as it is."""
    with contextlib.suppress(Exception):
        setattr(error, name, value)
