"""The executor: runs calls of registered tools through the interpreter, under one policy."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
import warnings
from collections.abc import AsyncGenerator, Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from schemarouter.engine.checks import check_call
from schemarouter.engine.drivers import asynchronous, sync
from schemarouter.engine.drivers.world import World
from schemarouter.engine.frame import Frame, PrivateCall, Run, View, private_copy, stamp
from schemarouter.errors import PlanningError, PlanValidationError, SchemaRouterError
from schemarouter.model.call import ToolCall, ToolResult
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.model.plan import ExecutionPlan
from schemarouter.model.run import ExecutionMode
from schemarouter.runtime.bindings import Bindings
from schemarouter.runtime.concurrency import LazyPool, as_they_finish
from schemarouter.runtime.governance import PolicyLike, check_id, govern
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.runtime.watching import Observer, Watch
from schemarouter.state.kill_switch import KillSwitch
from schemarouter.state.port import StateStore

if TYPE_CHECKING:
    import os
    from typing import TypeAlias

    from schemarouter.audit.log import DecisionLog
    from schemarouter.audit.shadow import ShadowMode
    from schemarouter.catalog.lock import Lock

    LockLike: TypeAlias = Lock | str | os.PathLike[str]

#: Steps on a store at once: a store lets one writer in at a time anyway.
_STORE_WORKERS = 2
#: Seconds, ten years: what `time.sleep` takes on every system. A backoff may be longer, or without end.
_LONGEST_SLEEP = 315_360_000.0
#: Stands for a call that could not be taken in.
_NO_CALL = PrivateCall("", "", {}, (), "", None, ())


class RegistryExecutor:
    """Executes calls of the tools in a registry.

    ``policy`` is an ``ExecutionPolicy``, a ``LoadedPolicy``, or an evaluation graph that names no callables; ``None`` is
    ``ExecutionPolicy()``. ``policy``, ``approval_callback`` and ``hooks`` can be assigned again: a call that is in
    progress then fails closed. Hooks of a policy file run before ``hooks``; an approval callback that a policy file
    names and one given here as well are an error (``PolicyError``).

    ``store`` keeps the budgets of runs that have an id: such a run is one run in every process that names it on the same
    store. ``kill_switch`` denies everything while it is on, results of calls in progress included.

    ``decision_log`` is told of every decision, attempt and end; what it cannot be told of does not happen, unless it says
    otherwise. ``lock``, a ``Lock`` or the path of one (``schemarouter lock``), lets only those operations be called that are
    in it, by the very contracts that it was written from; it must be that of the policy (``CatalogError``). ``shadow`` lets the policy decide without enforcing it, until its end; it can be assigned again.

    ``clock`` gives monotonic seconds. Safe from several threads; each run belongs to one event loop.
    """

    def __init__(
        self,
        registry: InMemoryRegistry,
        *,
        policy: PolicyLike | None = None,
        approval_callback: Callable[..., Any] | None = None,
        hooks: ExecutionHooks | None = None,
        lock: LockLike | None = None,
        store: StateStore | None = None,
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
        shadow: ShadowMode | None = None,
        max_offloaded_sync_workers: int = 8,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(registry, InMemoryRegistry):
            raise TypeError(f"registry must be an InMemoryRegistry, not `{type(registry).__name__}`")
        if kill_switch is not None and not isinstance(kill_switch, KillSwitch):
            raise TypeError(f"kill_switch must be a KillSwitch, not `{type(kill_switch).__name__}`")
        self._registry = registry
        self._store = store
        self._kill_switch = kill_switch
        self._log = _checked_log(decision_log)
        self._bindings = Bindings(registry)
        self._lock = threading.Lock()
        self._governance = govern(policy, approval_callback, hooks, as_lock(lock))
        self._pool = LazyPool(max_offloaded_sync_workers)
        self._store_pool = LazyPool(_STORE_WORKERS)
        self._world = World(self._look, clock, _sleep, self._pool.get, self._store_pool.get)
        self._shadow: ShadowMode | None = None
        self.shadow = shadow

    @property
    def registry(self) -> InMemoryRegistry:
        """The registry whose tools are executed."""
        return self._registry

    # Who decides

    @property
    def policy(self) -> PolicyLike:
        """The policy as it was given."""
        return self._governance.policy

    @policy.setter
    def policy(self, policy: PolicyLike | None) -> None:
        with self._lock:
            now = self._governance
            self._governance = govern(policy, now.approval_callback, now.hooks, now.lock)

    @property
    def lock(self) -> Lock | None:
        """The lock; a policy and a lock that do not belong together are refused, see :meth:`govern_by`."""
        return self._governance.lock

    @lock.setter
    def lock(self, lock: LockLike | None) -> None:
        given = as_lock(lock)
        with self._lock:
            now = self._governance
            self._governance = govern(now.policy, now.approval_callback, now.hooks, given)

    def govern_by(self, policy: PolicyLike, *, lock: LockLike | None) -> None:
        """Assign a policy and its lock in one step. Raises as assigning them does, and then changes nothing."""
        given = as_lock(lock)
        with self._lock:
            now = self._governance
            self._governance = govern(policy, now.approval_callback, now.hooks, given)

    @property
    def approval_callback(self) -> Callable[..., Any] | None:
        """The approval callback that was given in code."""
        return self._governance.approval_callback

    @approval_callback.setter
    def approval_callback(self, callback: Callable[..., Any] | None) -> None:
        with self._lock:
            now = self._governance
            self._governance = govern(now.policy, callback, now.hooks, now.lock)

    @property
    def hooks(self) -> ExecutionHooks:
        """The hooks that were given in code."""
        return self._governance.hooks

    @hooks.setter
    def hooks(self, hooks: ExecutionHooks | None) -> None:
        with self._lock:
            now = self._governance
            self._governance = govern(now.policy, now.approval_callback, hooks, now.lock)

    def replace_policy(
        self, policy: PolicyLike, *, expected: PolicyLike, before: Callable[[], object] | None = None
    ) -> bool:
        """Assign ``policy`` if the policy of now is the very object ``expected``, in one step; say whether it was.

        ``before`` is called once it is certain that ``policy`` can be enforced, and right before it is; what it raises
        leaves everything as it was. Raises as assigning ``policy`` does.
        """
        with self._lock:
            now = self._governance
            if now.policy is not expected:
                return False
            governance = govern(policy, now.approval_callback, now.hooks, now.lock)
            if before is not None:
                before()
            self._governance = governance
            return True

    @property
    def decision_log(self) -> DecisionLog | None:
        """Where decisions are written."""
        return self._log

    @property
    def shadow(self) -> ShadowMode | None:
        """Whether, and until when, the policy is not enforced. Setting it warns, and is written into the log."""
        return self._shadow

    @shadow.setter
    def shadow(self, shadow: ShadowMode | None) -> None:
        if shadow is not None:
            from schemarouter.audit.shadow import ShadowMode, ShadowModeWarning

            if not isinstance(shadow, ShadowMode):
                raise TypeError(f"shadow must be a ShadowMode, not `{type(shadow).__name__}`")
            warnings.warn(str(shadow), ShadowModeWarning, stacklevel=2)
        if self._log is not None and (shadow is not None or self._shadow is not None):
            active = shadow is not None and shadow.active
            until = None if shadow is None else shadow.until.isoformat()
            self._log.append("shadow", {"active": active, "until": until})
        self._shadow = shadow

    # Invokers

    def bind(
        self,
        tool_key: str,
        invoker: Any,
        *,
        expected_fingerprint: str | None = None,
        transient: Iterable[type[Exception]] = (),
        offload_sync: bool = False,
    ) -> None:
        """Bind ``invoker`` to the contract of ``tool_key`` as it is registered now, replacing an earlier one.

        An invoker is ``(endpoint_name, arguments)``, sync or async, or an object with ``invoke_call(call)``.
        ``transient`` names exception classes of it that count as transient. With ``offload_sync`` a sync invoker runs in a
        bounded pool of threads. Raises ``KeyError`` for an unknown tool, ``BindingDriftError`` if the tool's
        fingerprint is not ``expected_fingerprint``, ``TypeError`` for what is no invoker.
        """
        self._bindings.bind(
            tool_key, invoker, expected_fingerprint=expected_fingerprint, transient=transient, offload_sync=offload_sync
        )

    def unbind(self, tool_key: str) -> None:
        """Forget the invoker of ``tool_key``. Raises ``KeyError`` if there is none."""
        self._bindings.unbind(tool_key)

    def bound_keys(self) -> list[str]:
        """Keys of the tools that have an invoker, whether it still fits or not."""
        return self._bindings.bound_keys()

    # Calls

    def validate_call(self, call: ToolCall) -> None:
        """Check ``call`` as stage 2 does, but for the binding: a tool needs no invoker for that.

        Runs nothing, asks nobody and counts nothing. Raises what stage 2 raises.
        """
        frame = Frame(call, self.start_run())
        frame.call = private_copy(call)
        check_call(frame, self._look(frame.call.tool, frame.call.endpoint))

    async def execute_call(
        self,
        call: ToolCall,
        *,
        retry: RetryPolicy | None = None,
        budget: ExecutionBudget | None = None,
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Execute one call as a run of its own; ``retry`` and ``budget`` may tighten what the policy says.

        With ``run_id`` and a store it is a call of that run, in whichever process. A ``call_id`` says that calls with the
        same id, operation and arguments are one: counted once until the invoker is reached, and an answer that an
        approver gave to one of them is theirs.

        Raises the errors of the stages, and whatever else the invoker raises, with ``execution_succeeded`` once the
        invoker was reached.
        """
        return await self._perform(self._frame(call, retry, budget, run_id, call_id))

    def execute_call_sync(
        self,
        call: ToolCall,
        *,
        retry: RetryPolicy | None = None,
        budget: ExecutionBudget | None = None,
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """As :meth:`execute_call`, without an event loop, for hosts that have none.

        Nothing can be cut off, so time is checked when the code returns. A callback, hook or invoker that turns out to
        be async fails closed, as its own failure, before its body runs.
        """
        frame = self._frame(call, retry, budget, run_id, call_id)
        watch = self._watch(frame, 0, None)
        if watch is None:
            sync.drive(frame, self._world)
            return frame.delivered()
        try:
            sync.drive(frame, self._world)
        except BaseException as error:
            watch.ended(error)
            raise
        watch.ended(None)
        return frame.delivered()

    async def execute(
        self,
        plan: ExecutionPlan,
        *,
        retry: RetryPolicy | None = None,
        budget: ExecutionBudget | None = None,
        execution_mode: ExecutionMode = "sequential",
        max_parallel_calls: int = 8,
        observer: Observer | None = None,
        run_id: str | None = None,
    ) -> list[ToolResult]:
        """Execute the calls of ``plan`` as one run, in order, or at once where all of them are read-only.

        Results come in the order of the plan. Raises as :meth:`execute_call`, with the results so far in ``completed``.
        """
        results: dict[int, ToolResult] = {}
        try:
            calls = self.take_in(plan)
            run = self.start_run(retry=retry, budget=budget, run_id=run_id)
            if run_id is None:  # events and the log call the run alike
                run.label = getattr(observer, "run_id", run.label)
            async with contextlib.aclosing(
                self.iterate(calls, run, execution_mode, max_parallel_calls, observer)
            ) as finished:
                async for index, result in finished:
                    results[index] = result  # noqa: PERF403 - a comprehension would lose the results so far
        except Exception as error:
            stamp(error, "completed", tuple(results[index] for index in sorted(results)))
            raise
        return [results[index] for index in range(len(results))]

    # For those that build on an executor

    def start_run(
        self,
        *,
        retry: RetryPolicy | None = None,
        budget: ExecutionBudget | None = None,
        run_id: str | None = None,
    ) -> Run:
        """Open a run: limits and retries are fixed here, under the ceiling of the policy of now.

        With ``run_id`` and a store it shares its budget with every run of that id on the store. Raises ``TypeError`` for
        another type, ``ValueError`` for what is no id.
        """
        run = self._governance.start_run(retry, budget, run_id, self._store)
        if self._log is not None and run_id is None:
            run.label = uuid.uuid4().hex
        return run

    def _frame(
        self,
        call: ToolCall,
        retry: RetryPolicy | None,
        budget: ExecutionBudget | None,
        run_id: str | None,
        call_id: str | None,
    ) -> Frame:
        run = self.start_run(retry=retry, budget=budget, run_id=run_id)
        return Frame(call, run, None if call_id is None else check_id("call_id", call_id))

    async def iterate(
        self,
        calls: tuple[PrivateCall, ...],
        run: Run,
        execution_mode: ExecutionMode = "sequential",
        max_parallel_calls: int = 8,
        observer: Observer | None = None,
    ) -> AsyncGenerator[tuple[int, ToolResult], None]:
        """Execute calls of one run, yielding ``(index, result)`` as each is finished.

        Close the iterator if you stop early. Raises ``PlanValidationError`` before anything runs if the mode is
        ``parallel_read_only`` and a call is not read-only, ``ValueError`` for another mode or no call at once.
        """
        if max_parallel_calls < 1:
            raise ValueError("max_parallel_calls must be at least 1")
        if execution_mode == "parallel_read_only":
            self._check_parallel(calls, run)
        elif execution_mode == "sequential":
            max_parallel_calls = 1
        else:
            raise ValueError("execution_mode must be `sequential` or `parallel_read_only`")

        async def one(index: int) -> ToolResult:
            return await self._perform(Frame(calls[index], run), index, observer)

        if max_parallel_calls == 1:
            for index in range(len(calls)):
                yield index, await one(index)
            return
        async with contextlib.aclosing(as_they_finish(one, len(calls), max_parallel_calls)) as finished:
            async for pair in finished:
                yield pair

    def close(self) -> None:
        """Let go of the worker threads. Offloaded invokers that are running go on."""
        self._pool.close()
        self._store_pool.close()

    async def _perform(self, frame: Frame, index: int = 0, observer: Observer | None = None) -> ToolResult:
        watch = self._watch(frame, index, observer)
        if watch is None:
            await asynchronous.drive(frame, self._world)
            return frame.delivered()
        try:
            await asynchronous.drive(frame, self._world)
        except Exception as error:
            await watch.ended_async(error, self._store_pool.get)
            raise
        except BaseException as error:
            watch.ended(error)  # cancelled: nothing is awaited any more
            raise
        await watch.ended_async(None, self._store_pool.get)
        return frame.delivered()

    def _watch(self, frame: Frame, index: int, observer: Observer | None) -> Watch | None:
        """Let the log and ``observer`` follow a call, if there are any."""
        witness = None
        if self._log is not None or self._shadow is not None:
            from schemarouter.audit.witness import Witness

            witness = Witness(frame, self._log, self._shadow, self._declared)
        return None if witness is None and observer is None else Watch(frame, index, observer, witness)

    def take_in(self, plan: ExecutionPlan) -> tuple[PrivateCall, ...]:
        """Stage 1 for a whole plan, as the function of this name; the decision log is told of a plan that is refused."""
        try:
            return take_in(plan)
        except SchemaRouterError as error:
            frame = Frame(_NO_CALL, self.start_run())
            frame.stage = "plan"
            if (watch := self._watch(frame, 0, None)) is not None:
                watch.ended(error)
            raise

    def _declared(self, tool_key: str, endpoint: str) -> Collection[str]:
        tool = self._registry.snapshot().tools.get(tool_key)
        contract = None if tool is None else tool.endpoints.get(endpoint)
        return () if contract is None else contract.argument_names

    def _check_parallel(self, calls: tuple[PrivateCall, ...], run: Run) -> None:
        for call in calls:
            endpoint = self._look(call.tool, call.endpoint).endpoint
            attributes = endpoint and (endpoint.operation, endpoint.remote, endpoint.read_only, endpoint.destructive)
            if not attributes or run.authority.graph.effective(*attributes)[1] is not True:
                raise PlanValidationError(
                    f"parallel_read_only runs explicitly read-only calls, and `{call.operation}` is none"
                )

    def _look(self, tool_key: str, endpoint: str) -> View:
        tool = self._registry.snapshot().tools.get(tool_key)
        contract = None if tool is None else tool.endpoints.get(endpoint)
        halted = None if self._kill_switch is None else self._kill_switch.reason()
        shadow = self._shadow is not None and self._shadow.active
        return View(contract, self._bindings.get(tool_key), self._governance.authority, halted, shadow)


def _checked_log(log: DecisionLog | None) -> DecisionLog | None:
    if log is not None:
        from schemarouter.audit.log import DecisionLog

        if not isinstance(log, DecisionLog):
            raise TypeError(f"decision_log must be a DecisionLog, not `{type(log).__name__}`")
    return log


def take_in(plan: ExecutionPlan) -> tuple[PrivateCall, ...]:
    """Stage 1 for a whole plan: private copies of all calls, before the first one runs. Raises as ``private_copy``."""
    if not isinstance(plan, ExecutionPlan):
        raise PlanningError(f"a plan must be an `ExecutionPlan`, not `{type(plan).__name__}`")
    calls = getattr(plan, "calls", None)
    if type(calls) is not list:
        raise PlanningError("the calls of a plan must be a list")
    return tuple(map(private_copy, calls.copy()))


def as_lock(lock: LockLike | None) -> Lock | None:
    """A lock, read from its file where a path is given. Raises ``TypeError`` for another type, ``CatalogError`` for a bad file."""
    if lock is None:
        return None
    from schemarouter.catalog.lock import Lock, load_lock

    if isinstance(lock, Lock):
        return lock
    if not isinstance(lock, str) and not hasattr(lock, "__fspath__"):
        raise TypeError(f"lock must be a Lock or the path of one, not `{type(lock).__name__}`")
    return load_lock(lock)


def _sleep(seconds: float) -> None:
    time.sleep(min(seconds, _LONGEST_SLEEP))
