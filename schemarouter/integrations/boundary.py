"""The boundary for hosts: an agent framework hands each tool call in, with the function that really runs it.

One :class:`HostBoundary` is one run: parallel calls, subagents and nested agents that share it share its budget. The call
walks all thirteen stages; the host's function is the invoker, and gets the copy of the arguments that was decided about.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter.engine.budget import NO_LIMITS, Charge, Limits
from schemarouter.errors import (
    ExecutionBudgetExceededError,
    NonRetryableInvocationError,
    PlanValidationError,
    PolicyError,
    RegistrationError,
    SchemaRouterError,
)
from schemarouter.integrations.names import HostNames, Operation
from schemarouter.integrations.passes import Pass, Pending, token_of
from schemarouter.integrations.stages import ALL_STAGES, require_stages
from schemarouter.loading import LoadedPolicy, load_bytes, read_policy_text
from schemarouter.model.approval import Approver, Denied, Question
from schemarouter.model.call import ToolCall
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.governance import PolicyLike, graph_of
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.state.memory import MemoryStore

if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog
    from schemarouter.audit.shadow import ShadowMode
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.loading import Check
    from schemarouter.model.decision import Outcome
    from schemarouter.state.kill_switch import KillSwitch
    from schemarouter.state.port import StateStore

#: The arguments that were decided about -> the host's result, or an awaitable of it.
Handler = Callable[[dict[str, Any]], Any]
#: What begins like this is no tool: it is how a start-up self-test sees that calls reach the boundary.
CANARY = "schemarouter_canary_"


class HostTool(NamedTuple):
    """A tool as the host has it. ``remote``, ``read_only`` and ``destructive`` are what the *application* says of it.

    Without an input schema every object of arguments is valid.
    """

    name: str
    input_schema: dict[str, Any] | None = None
    description: str = ""
    remote: bool = True
    read_only: bool | None = None
    destructive: bool | None = None


class CanaryReachedError(PlanValidationError):
    """A self-test's call reached the boundary, which is what it was for; it runs nothing."""


class SelfTestError(SchemaRouterError):
    """A call of the self-test did not reach the boundary: the host would run tools that nobody decides about."""


class _Entered(NamedTuple):
    """What one call brings along; the invoker finds it in the context of its own task."""

    handler: Handler
    passes: Pass | None
    results: list[Any]
    to_json: Callable[[Any], Any]


_ENTERED: ContextVar[_Entered | None] = ContextVar("schemarouter_entered", default=None)


class HostBoundary:
    """The calls of one run of a host, under one policy.

    ``names`` maps the host's names to operations; what it does not map is denied. ``run_id`` with a ``store`` is a run that
    survives the process; without a store the run lives as long as this object. ``approver`` is asked where the host has
    no pause of its own; it takes the place of the callback that the policy names, unless the policy was loaded with one.
    ``enforced`` are the stages that the host's adapter enforces.

    Raises ``PolicyError`` for a policy that needs more than these, ``TypeError`` and ``ValueError`` for other values.
    """

    def __init__(
        self,
        policy: PolicyLike,
        *,
        names: HostNames,
        tools: Iterable[HostTool] = (),
        run_id: str | None = None,
        store: StateStore | None = None,
        approver: Approver | None = None,
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
        shadow: ShadowMode | None = None,
        enforced: frozenset[str] = ALL_STAGES,
        where: str = "this host",
    ) -> None:
        self.names = names
        self.run_id = uuid.uuid4().hex if run_id is None else run_id
        self.store: StateStore = MemoryStore() if store is None else store
        self.enforced = enforced
        self.where = where
        self._approver = approver
        self._lock = threading.Lock()
        self._tools: dict[str, HostTool] = {}
        self._canaries: set[str] = set()
        self._reached: set[str] = set()
        self._registry = InMemoryRegistry()
        self._gate = _Gate(self, approver)
        governed, callback = self._with_approval(policy)
        self._executor = RegistryExecutor(
            self._registry,
            policy=governed,
            approval_callback=callback,
            store=self.store,
            kill_switch=kill_switch,
            decision_log=decision_log,
            shadow=shadow,
        )
        self.add_tools(tools)

    @classmethod
    def from_policy(
        cls,
        path_or_text: str | os.PathLike[str],
        *,
        hooks: Mapping[str, Callable[..., Any]] | None = None,
        callbacks: Mapping[str, Callable[..., Any]] | None = None,
        allow_imports: Sequence[str] = (),
        expect_digest: str | None = None,
        check: Check = "structure",
        **options: Any,
    ) -> HostBoundary:
        """A boundary under the policy of a file or text; ``options`` are those of the constructor.

        The callback that the policy names is the host's own pause, and the ``approver`` where a host has none, unless
        ``callbacks`` supplies another. Raises as :func:`~schemarouter.load_policy` and the constructor do.
        """
        path, raw = read_policy_text(path_or_text)
        loaded = load_bytes(
            raw,
            path,
            hooks=hooks,
            callbacks=callbacks,
            allow_imports=allow_imports,
            expect_digest=expect_digest,
            check=check,
            callback=_asked_by_the_host,
        )
        return cls(loaded, **options)

    # Policy and tools

    @property
    def graph(self) -> EvaluationGraph:
        """The policy of now."""
        return graph_of(self._executor.policy)[0]

    @property
    def executor(self) -> RegistryExecutor:
        """The executor that calls go through."""
        return self._executor

    def set_policy(self, policy: PolicyLike) -> None:
        """Put another policy in force; calls that are in progress fail closed. Raises as the constructor does."""
        governed, callback = self._with_approval(policy)
        if callback is not self._executor.approval_callback:
            raise PolicyError(
                "the policy names an approval callback and the one before does not, or the other way round",
                help="make a new boundary for it",
            )
        self._executor.policy = governed

    def _with_approval(self, policy: PolicyLike) -> tuple[PolicyLike, Approver | None]:
        """The policy with our gate as its approval callback, and the callback for one that names none."""
        graph, callables = graph_of(policy)
        require_stages(graph, self.enforced, self.where)
        named = graph.approval.callback
        if named is None:
            return policy, self._gate
        if self._approver is None:
            given = callables.get(named)
            self._gate.otherwise = None if given is _asked_by_the_host else self._as_approver(given)
        return LoadedPolicy(graph, {**callables, named: self._gate}), None

    def _as_approver(self, callback: object) -> Approver | None:
        if callback is None or isinstance(callback, Approver):
            return callback
        return _CallbackApprover(callback, self) if callable(callback) else None

    def add_tools(self, tools: Iterable[HostTool]) -> None:
        """Make tools known, all or none. A known name with another contract takes its place, and old plans drift.

        Raises :class:`~schemarouter.errors.RegistrationError` for a name that is not mapped, or a contract that is none.
        """
        with self._lock:
            known = dict(self._tools)
            for tool in tools:
                if self.names.operation(tool.name) is None:
                    raise RegistrationError(
                        f"the tool `{ascii(tool.name)[1:-1]}` is no operation by the mapping of names"
                    )
                known[tool.name] = tool
            changed = {
                key for name, tool in known.items() if self._tools.get(name) != tool for key in (self._of(name).tool,)
            }
            specs = [self._spec(key, known) for key in sorted(changed)]
            for spec in specs:
                self._registry.register(spec, replace=True)
                self._executor.bind(spec.key, _invoke)
            self._tools = known

    def _of(self, name: str) -> Operation:
        operation = self.names.operation(name)
        if operation is None:
            raise PlanValidationError(f"unknown tool `{ascii(name)[1:-1]}`: no operation by the mapping of names")
        return operation

    def _spec(self, key: str, known: dict[str, HostTool]) -> ToolSpec:
        members = [(self._of(name).endpoint, tool) for name, tool in known.items() if self._of(name).tool == key]
        remote = {tool.remote for _, tool in members}
        if len(remote) > 1:
            raise RegistrationError(f"tools of `{key}` are local and remote; map them to two tools")
        namespace, _, name = key.rpartition(".")
        return ToolSpec(
            name=name,
            namespace=namespace or None,
            remote=remote.pop(),
            source_type="host",
            endpoints=[
                EndpointSpec(
                    name=endpoint,
                    description=tool.description,
                    input_schema=tool.input_schema or {"type": "object"},
                    read_only=tool.read_only,
                    destructive=tool.destructive,
                )
                for endpoint, tool in members
            ],
        )

    def knows(self, name: str) -> bool:
        """Whether a tool of that name was added."""
        return name in self._tools

    # Calls

    def outcome(self, name: str, arguments: object) -> Outcome:
        """What the policy of now says, without counting anything: ``allow``, ``approval`` or ``deny``.

        Raises what stage 2 raises for a call that is not valid, and ``PolicyViolationError`` for one that is denied.
        """
        call = self._call(name, arguments)
        self._executor.validate_call(call)
        endpoint = self._registry.endpoint(call.tool, call.endpoint)
        tool = self._registry.get(call.tool)
        return self.graph.outcome(
            f"{call.tool}.{call.endpoint}", tool.remote, endpoint.read_only, endpoint.destructive, call.arguments
        )

    def pending(self, name: str, arguments: object, *, call_id: str) -> Pending | None:
        """The question that a host's own pause has to ask, or ``None`` where the policy wants no approval.

        Raises as :meth:`outcome`: nobody is asked about a call that would be denied anyway.
        """
        if self.outcome(name, arguments) != "approval":
            return None
        call = self._call(name, arguments)
        tool, endpoint = self._registry.get(call.tool), self._registry.endpoint(call.tool, call.endpoint)
        operation = f"{call.tool}.{call.endpoint}"
        attributes = (operation, tool.remote, endpoint.read_only, endpoint.destructive)
        decision = self.graph.decide(*attributes, call.arguments)
        token = token_of(operation, call.arguments, self.graph.digest, self.run_id, call_id)
        return Pending(token, operation, call.arguments, decision.reason, decision.rule_name, call_id)

    def note_asked(self, pending: Pending) -> None:
        """Keep in the store that the host asks this question, for a host whose answers carry no token."""
        self.store.commit(self.run_id, (Charge(f"asked {pending.token}", 1, None, "questions"),))

    def was_asked(self, pending: Pending) -> bool:
        """Whether the host asked this very question in this run: the same call, arguments and policy."""
        return f"asked {pending.token}" in self.store.used(self.run_id)

    async def call(
        self,
        name: str,
        arguments: object,
        handler: Handler,
        *,
        call_id: str | None = None,
        approved: Pass | None = None,
        to_json: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Run a call of the host through the boundary, and return what ``handler`` returned.

        ``handler`` gets the arguments that were decided about, and runs at most once an attempt. ``call_id``: calls with
        the same id, operation and arguments are one call, so a host that comes again after a pause counts once. ``to_json``
        makes the JSON that hooks and logs may see of the result; by default its type alone. Raises the errors of the stages.
        """
        entered = _Entered(handler, approved, [], to_json or _type_only)
        with self._entering(name, entered):
            call = self._call(name, arguments)
            await self._executor.execute_call(call, run_id=self.run_id, call_id=call_id)
        return entered.results[-1]

    def call_sync(
        self,
        name: str,
        arguments: object,
        handler: Handler,
        *,
        call_id: str | None = None,
        approved: Pass | None = None,
        to_json: Callable[[Any], Any] | None = None,
    ) -> Any:
        """As :meth:`call`, for a host without an event loop; a handler that turns out to be async fails closed."""
        entered = _Entered(handler, approved, [], to_json or _type_only)
        with self._entering(name, entered):
            call = self._call(name, arguments)
            self._executor.execute_call_sync(call, run_id=self.run_id, call_id=call_id)
        return entered.results[-1]

    @contextlib.contextmanager
    def _entering(self, name: str, entered: _Entered) -> Iterator[None]:
        self._look_for_canary(name)
        token = _ENTERED.set(entered)
        try:
            yield
        finally:
            _ENTERED.reset(token)

    def _call(self, name: str, arguments: object) -> ToolCall:
        operation = self._of(name)
        if name not in self._tools:
            raise PlanValidationError(f"unknown tool `{ascii(name)[1:-1]}`: it was not among the tools of this run")
        if not isinstance(arguments, dict):
            raise PlanValidationError(f"the arguments for {operation} are no object")
        try:
            copied = checked_copy(arguments)
        except JsonValueError as error:
            raise PlanValidationError(f"the arguments for {operation} cannot be read: {error.reason}") from None
        tool = self._registry.get(operation.tool)
        return ToolCall(
            tool=operation.tool,
            endpoint=operation.endpoint,
            arguments=copied,
            schema_fingerprint=tool.endpoint(operation.endpoint).fingerprint,
            tool_fingerprint=tool.fingerprint,
        )

    def charge_attempt(self, name: str) -> None:
        """Charge one more attempt of a call that is in progress: the host runs its tool again by itself.

        Raises ``ExecutionBudgetExceededError`` where the budget has no room, and what the policy of now says against it.
        """
        operation = self._of(name)
        tool = self._registry.get(operation.tool)
        limits = NO_LIMITS if self.graph.budget is None else Limits.of(self.graph.budget)
        refusal = self.store.commit(self.run_id, limits.attempt_charges(str(operation), operation.tool, tool.remote))
        if refusal is not None:
            raise ExecutionBudgetExceededError(f"another attempt of `{operation}` would exceed {refusal}")

    def _spend(self, token: str) -> bool:
        """Spend a token, once in all processes that share the store."""
        return self.store.commit(self.run_id, (Charge(f"approval {token}", 1, 1, "approval"),)) is None

    def described(self, question: Question) -> tuple[ToolSpec, EndpointSpec, ToolCall]:
        """The tool, the endpoint and the call of a question, detached, as a plain approval callback gets them."""
        for name in self._tools:
            operation = self._of(name)
            if str(operation) == question.operation:
                return (
                    self._registry.get(operation.tool),
                    self._registry.endpoint(operation.tool, operation.endpoint),
                    self._call(name, question.arguments),
                )
        raise PlanValidationError(f"unknown operation `{question.operation}`")

    # Self-test

    @contextlib.contextmanager
    def expect_canary(self) -> Iterator[str]:
        """A name to call through the host. Raises :class:`SelfTestError` at the end if no such call came here."""
        name = f"{CANARY}{uuid.uuid4().hex}"
        self._canaries.add(name)
        try:
            yield name
            if name not in self._reached:
                raise SelfTestError(f"{self.where} ran a call that did not reach the boundary; it is not started")
        finally:
            self._canaries.discard(name)
            self._reached.discard(name)

    def is_canary(self, name: str) -> bool:
        """Whether a name is that of a self-test."""
        return name.startswith(CANARY)

    def _look_for_canary(self, name: str) -> None:
        if name.startswith(CANARY):
            if name in self._canaries:
                self._reached.add(name)
            raise CanaryReachedError("a canary runs nothing")


class _Gate(Approver):
    """The approval callback of a boundary: a pass that the host's pause gave, else whoever is asked otherwise."""

    def __init__(self, boundary: HostBoundary, otherwise: Approver | None) -> None:
        self._boundary = boundary
        self.otherwise = otherwise

    def ask(self, question: Question) -> bool | Denied:
        """See ``Approver``."""
        passed = self._passed(question)
        if passed is not None:
            return passed
        return _NOBODY if self.otherwise is None else self.otherwise.ask(question)

    async def ask_async(self, question: Question) -> bool | Denied:
        """See ``Approver``."""
        passed = self._passed(question)
        if passed is not None:
            return passed
        return _NOBODY if self.otherwise is None else await self.otherwise.ask_async(question)

    def _passed(self, question: Question) -> bool | Denied | None:
        entered = _ENTERED.get()
        if entered is None or entered.passes is None:
            return None
        boundary, given = self._boundary, entered.passes
        if question.call_id is None:
            return Denied("an answer of the host belongs to a call with an id, and this one has none")
        wanted = token_of(question.operation, question.arguments, question.digest, boundary.run_id, question.call_id)
        if given.token != wanted:
            return Denied("the host's answer was to another question: the call, its arguments or the policy changed")
        return True if boundary._spend(wanted) else Denied("the host's answer was used before")


def _asked_by_the_host(*_: object) -> bool:
    """Stands for the callback that a policy names, where the host's own pause is what asks."""
    return False


_NOBODY = Denied("there is nobody to ask: the host gave no answer, and no approver is configured")


class _CallbackApprover(Approver):
    """A plain callback ``(tool, endpoint, call)``, where an approver is wanted."""

    def __init__(self, callback: Callable[..., Any], boundary: HostBoundary) -> None:
        self._callback = callback
        self._boundary = boundary

    def ask(self, question: Question) -> bool | Denied:
        """See ``Approver``. A callback that is async cannot be asked here."""
        answer = self._ask(question)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            return Denied("the approval callback is async, and this call has no event loop")
        return answer is True

    async def ask_async(self, question: Question) -> bool | Denied:
        """See ``Approver``."""
        answer = self._ask(question)
        return (await answer if inspect.isawaitable(answer) else answer) is True

    def _ask(self, question: Question) -> Any:
        return self._callback(*self._boundary.described(question))


async def _run(awaitable: Awaitable[Any], entered: _Entered) -> Any:
    return _keep(await awaitable, entered)


def _invoke(_endpoint: str, arguments: dict[str, Any]) -> Any:
    """The invoker of every host tool: runs the function that the host handed in with the call."""
    entered = _ENTERED.get()
    if entered is None:
        raise NonRetryableInvocationError("a host's tool was called without the host")
    result = entered.handler(arguments)
    if inspect.isawaitable(result):
        return _run(result, entered)
    return _keep(result, entered)


def _keep(result: Any, entered: _Entered) -> Any:
    shown = entered.to_json(result)
    entered.results.append(result)
    return shown


def _type_only(result: Any) -> Any:
    return {"type": type(result).__name__}


def denial(error: Exception) -> str:
    """What a model is told about a call that did not run, or whose result is withheld; never a payload."""
    return f"not allowed: {error}"
