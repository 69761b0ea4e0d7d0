"""The facade: a registry, a planner and an executor under one policy."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from schemarouter.contract.admission import admit
from schemarouter.loading import Check, load_policy
from schemarouter.model.call import ToolResult
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.json_value import JsonValueError, checked_copy
from schemarouter.model.plan import ExecutionPlan, PlanRequest
from schemarouter.model.run import RunConfig
from schemarouter.model.tool import ToolSpec
from schemarouter.runtime import planner
from schemarouter.runtime.callables import callable_tool
from schemarouter.runtime.concurrency import as_they_finish
from schemarouter.runtime.events import RunEvent, RunRecorder
from schemarouter.runtime.executor import RegistryExecutor
from schemarouter.runtime.governance import PolicyLike
from schemarouter.runtime.proposals import Classified, ToolProposal, approved
from schemarouter.runtime.registry import InMemoryRegistry
from schemarouter.state.kill_switch import KillSwitch
from schemarouter.state.port import StateStore

if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog
    from schemarouter.audit.shadow import ShadowMode
    from schemarouter.runtime.executor import LockLike

Value = TypeVar("Value")


class SchemaRouter:
    """Plans calls for requests and executes them; what it may do is decided by ``policy`` alone.

    With a ``lock`` (``schemarouter lock``) only what is in it may be called, by the contracts that were locked.

    A request is a ``PlanRequest``, or its query as text. ``config`` is a ``RunConfig``, or its fields as a mapping.
    """

    def __init__(
        self,
        *,
        registry: InMemoryRegistry | None = None,
        policy: PolicyLike | None = None,
        approval_callback: Callable[..., Any] | None = None,
        execution_hooks: ExecutionHooks | None = None,
        lock: LockLike | None = None,
        store: StateStore | None = None,
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
        shadow: ShadowMode | None = None,
    ) -> None:
        self.registry = InMemoryRegistry() if registry is None else registry
        self.executor = RegistryExecutor(
            self.registry,
            policy=policy,
            approval_callback=approval_callback,
            hooks=execution_hooks,
            lock=lock,
            store=store,
            kill_switch=kill_switch,
            decision_log=decision_log,
            shadow=shadow,
        )

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
        registry: InMemoryRegistry | None = None,
        approval_callback: Callable[..., Any] | None = None,
        execution_hooks: ExecutionHooks | None = None,
        lock: LockLike | None = None,
        store: StateStore | None = None,
        kill_switch: KillSwitch | None = None,
        decision_log: DecisionLog | None = None,
        shadow: ShadowMode | None = None,
    ) -> SchemaRouter:
        """A router under a policy file, text or artifact. Raises ``PolicyError`` as ``load_policy`` does."""
        policy = load_policy(
            path_or_text,
            hooks=hooks,
            callbacks=callbacks,
            allow_imports=allow_imports,
            expect_digest=expect_digest,
            check=check,
        )
        return cls(
            registry=registry,
            policy=policy,
            approval_callback=approval_callback,
            execution_hooks=execution_hooks,
            lock=lock,
            store=store,
            kill_switch=kill_switch,
            decision_log=decision_log,
            shadow=shadow,
        )

    # Tools

    def add_tool(self, tool: ToolSpec, *, replace: bool = False) -> str:
        """Register a contract and return its key. Raises ``RegistrationError``."""
        return self.registry.register(tool, replace=replace)

    def add_bound_tool(
        self,
        tool: ToolSpec,
        invoker: Any,
        *,
        replace: bool = False,
        transient: Iterable[type[Exception]] = (),
        offload_sync: bool = False,
    ) -> str:
        """Register a contract with its invoker, both or none, and return the key.

        Raises ``RegistrationError``, and ``TypeError`` for what is no invoker.
        """
        contract = admit(tool)  # a private copy: what is bound is what was registered, whatever happens to `tool`
        before = self.registry.snapshot().tools.get(contract.key)
        key = self.registry.add(contract, replace=replace)
        try:
            self.executor.bind(
                key, invoker, expected_fingerprint=contract.fingerprint, transient=transient, offload_sync=offload_sync
            )
        except Exception:
            if before is None:
                self.registry.unregister(key)
            else:
                self.registry.add(before, replace=True)
            raise
        return key

    def add_callable(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        namespace: str | None = None,
        description: str | None = None,
        read_only: bool | None = None,
        destructive: bool | None = None,
        replace: bool = False,
        transient: Iterable[type[Exception]] = (),
        offload_sync: bool = False,
    ) -> str:
        """Register a Python function as a local tool with the endpoint ``call``; return the key.

        The contract comes from the signature. Raises ``RegistrationError`` where it cannot.
        """
        spec, invoker = callable_tool(
            function,
            name=name,
            namespace=namespace,
            description=description,
            read_only=read_only,
            destructive=destructive,
        )
        return self.add_bound_tool(spec, invoker, replace=replace, transient=transient, offload_sync=offload_sync)

    def approve_proposal(
        self,
        proposal: ToolProposal,
        *,
        document: str,
        minimum_grounding: float = 1.0,
        allow_mutating: bool = False,
        classify: Classified | None = None,
        invoker: Any = None,
        replace: bool = False,
    ) -> str:
        """Register a tool that was read out of a document, if the text ``document`` supports it; return the key.

        ``minimum_grounding`` is the least share of the proposal's claims that quotes have to support (see
        :mod:`~schemarouter.runtime.proposals`). Endpoints that may change something are refused without
        ``allow_mutating``. The tool is remote and unclassified but for ``classify``, which maps endpoints to
        ``(read_only, destructive)``; what the proposal says of that does not count. This is no approval of any call.

        Raises ``ProposalApprovalError``, and ``RegistrationError`` as registering does.
        """
        tool = approved(
            proposal,
            document=document,
            minimum_grounding=minimum_grounding,
            allow_mutating=allow_mutating,
            classify=classify,
        )
        return (
            self.add_tool(tool, replace=replace)
            if invoker is None
            else self.add_bound_tool(tool, invoker, replace=replace)
        )

    # One run

    def plan(self, request: PlanRequest | str) -> ExecutionPlan:
        """Choose the calls that answer ``request``. Grants nothing. Raises ``PlanningError``."""
        return planner.plan(self.registry, as_request(request))

    async def execute(
        self, plan: ExecutionPlan, *, config: RunConfig | Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """Execute ``plan`` as one run; results in the order of its calls. Raises as the executor does."""
        settings = as_config(config)
        return await self._execute(plan, settings)

    async def ainvoke(
        self, request: PlanRequest | str, *, config: RunConfig | Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """Plan and execute ``request`` as one run."""
        settings = as_config(config)
        return await self._execute(self.plan(request), settings)

    def invoke(
        self, request: PlanRequest | str, *, config: RunConfig | Mapping[str, Any] | None = None
    ) -> list[ToolResult]:
        """As :meth:`ainvoke`, in an event loop of its own. Raises ``RuntimeError`` inside a running one."""
        return run_in_a_loop("ainvoke", lambda: self.ainvoke(request, config=config))

    async def astream(
        self, request: PlanRequest | str, *, config: RunConfig | Mapping[str, Any] | None = None
    ) -> AsyncGenerator[ToolResult, None]:
        """Yield each result as soon as its call is done; in a sequential run that is the order of the plan."""
        settings = as_config(config)
        calls = self.executor.take_in(self.plan(request))
        run = self.executor.start_run(retry=settings.retry, budget=settings.budget, run_id=settings.run_id)
        iteration = self.executor.iterate(calls, run, settings.execution_mode, settings.max_parallel_calls)
        async with contextlib.aclosing(iteration) as finished:
            async for _, result in finished:
                yield result

    async def astream_events(
        self, request: PlanRequest | str, *, config: RunConfig | Mapping[str, Any] | None = None
    ) -> AsyncGenerator[RunEvent, None]:
        """Yield the events of one run as they happen, then raise the run's error if it failed.

        Stopping early (close the iterator) cancels the run.
        """
        settings, given = as_config(config), as_request(request)
        events: asyncio.Queue[RunEvent | None] = asyncio.Queue()
        shadow = self.executor.shadow
        recorder = RunRecorder(settings, events.put_nowait, shadow=shadow is not None and shadow.active)

        async def run() -> None:
            try:
                recorder.run_started(given)
                plan = planner.plan(self.registry, given)
                recorder.planned(plan)
                recorder.run_ended(await self._execute(plan, settings, recorder))
            except BaseException as error:
                recorder.run_failed(error)
                raise
            finally:
                events.put_nowait(None)

        task = asyncio.create_task(run())
        try:
            while (event := await events.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _execute(
        self, plan: ExecutionPlan, settings: RunConfig, recorder: RunRecorder | None = None
    ) -> list[ToolResult]:
        return await self.executor.execute(
            plan,
            retry=settings.retry,
            budget=settings.budget,
            execution_mode=settings.execution_mode,
            max_parallel_calls=settings.max_parallel_calls,
            observer=recorder,
            run_id=settings.run_id,
        )

    # Several runs

    async def abatch(
        self,
        requests: Sequence[PlanRequest | str],
        *,
        config: RunConfig | Mapping[str, Any] | None = None,
        return_exceptions: bool = False,
    ) -> list[list[ToolResult] | Exception]:
        """Run each request as a run of its own, with its own budget; results in the order of the requests.

        With ``return_exceptions`` an error takes the place of its results. Otherwise nothing starts after the first
        failure, runs in progress come to their end, and the error of the first failed request is raised.
        """
        settings, given = as_config(config), _taken_in(requests)
        stopped = False

        async def one(index: int) -> list[ToolResult] | Exception | None:
            nonlocal stopped
            if stopped:
                return None
            try:
                return await self.ainvoke(given[index], config=_numbered(settings, index))
            except Exception as error:  # noqa: BLE001 - raised below, or returned as asked
                if not return_exceptions:
                    stopped = True
                return error

        batch = as_they_finish(one, len(given), settings.max_concurrency)
        async with contextlib.aclosing(batch) as finished:
            outcomes = dict([pair async for pair in finished])
        ordered = [outcome for index in range(len(requests)) if (outcome := outcomes[index]) is not None]
        if not return_exceptions:
            for outcome in ordered:
                if isinstance(outcome, Exception):
                    raise outcome
        return ordered

    def batch(
        self,
        requests: Sequence[PlanRequest | str],
        *,
        config: RunConfig | Mapping[str, Any] | None = None,
        return_exceptions: bool = False,
    ) -> list[list[ToolResult] | Exception]:
        """As :meth:`abatch`, in an event loop of its own. Raises ``RuntimeError`` inside a running one."""
        return run_in_a_loop(
            "abatch", lambda: self.abatch(requests, config=config, return_exceptions=return_exceptions)
        )

    async def abatch_as_completed(
        self,
        requests: Sequence[PlanRequest | str],
        *,
        config: RunConfig | Mapping[str, Any] | None = None,
        return_exceptions: bool = False,
    ) -> AsyncGenerator[tuple[int, list[ToolResult] | Exception], None]:
        """Yield ``(index, results)`` of each request as soon as its run is done.

        With ``return_exceptions`` an error takes the place of results; otherwise the first one is raised and runs in
        progress are cancelled.
        """
        settings, given = as_config(config), _taken_in(requests)

        async def one(index: int) -> list[ToolResult] | Exception:
            try:
                return await self.ainvoke(given[index], config=_numbered(settings, index))
            except Exception as error:
                if return_exceptions:
                    return error
                raise

        batch = as_they_finish(one, len(given), settings.max_concurrency)
        async with contextlib.aclosing(batch) as finished:
            async for pair in finished:
                yield pair


def as_request(request: PlanRequest | str) -> PlanRequest:
    """A request, from its query where that is all. Raises ``TypeError`` for another type."""
    if isinstance(request, str):
        return PlanRequest(query=request)
    if not isinstance(request, PlanRequest):
        raise TypeError(f"a request must be a PlanRequest or text, not `{type(request).__name__}`")
    return request


def _taken_in(requests: Iterable[PlanRequest | str]) -> list[PlanRequest | str]:
    """Private copies of all requests of a batch, before the first one runs.

    What is no request, or holds arguments that are not JSON, is refused when its run starts.
    """
    return [_private(request) if isinstance(request, PlanRequest) else request for request in requests]


def _private(request: PlanRequest) -> PlanRequest:
    try:
        changed = {
            "arguments": checked_copy(request.arguments),
            "preferred_tools": checked_copy(request.preferred_tools),
        }
    except JsonValueError:
        return request
    return request.model_copy(update=changed)


def as_config(config: RunConfig | Mapping[str, Any] | None) -> RunConfig:
    """A configuration that later changes of ``config`` do not reach. Raises ``ValueError`` for fields that are none."""
    if config is None:
        return RunConfig()
    given = config if isinstance(config, RunConfig) else RunConfig.model_validate(dict(config))
    return given.model_copy(update={"budget": given.budget.model_copy(deep=True)})


def _numbered(config: RunConfig, index: int) -> RunConfig:
    """The configuration of one run of a batch: each is a run of its own, so each has an id of its own."""
    return config if config.run_id is None else config.model_copy(update={"run_id": f"{config.run_id}/{index}"})


def run_in_a_loop(instead: str, start: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
    """Run a coroutine to its end. Raises ``RuntimeError`` inside a running loop, before the coroutine is made."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(start())
    raise RuntimeError(f"this cannot run inside an active event loop; await `{instead}` instead")
