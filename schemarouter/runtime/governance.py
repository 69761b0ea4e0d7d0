"""What is local and trusted about an executor, settled once whenever it is assigned: policy, callback, hooks, ceilings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.engine.budget import NO_LIMITS, Limits, MemoryLedger
from schemarouter.engine.frame import Authority, Run
from schemarouter.engine.retry import ONCE, Retry
from schemarouter.errors import CatalogError, PolicyError
from schemarouter.loading import LoadedPolicy
from schemarouter.model.hooks import ExecutionHooks
from schemarouter.model.limits import ExecutionBudget, RetryPolicy
from schemarouter.model.names import hidden_character
from schemarouter.state.ledger import StoreLedger
from schemarouter.state.port import StateStore

if TYPE_CHECKING:
    from schemarouter.catalog.lock import Lock

#: Characters of a run's or a call's id.
MAX_ID = 272  # 256 that the application may choose, and the number in a batch
PolicyLike: TypeAlias = ExecutionPolicy | LoadedPolicy | EvaluationGraph


class Governance(NamedTuple):
    """One immutable state of an executor: as it was given, and what came of it."""

    policy: PolicyLike
    approval_callback: Callable[..., Any] | None
    hooks: ExecutionHooks
    authority: Authority
    #: The ceilings of every run; ``None`` where the policy says nothing.
    limits: Limits | None
    retry: Retry | None
    lock: Lock | None = None

    def start_run(
        self,
        retry: RetryPolicy | None,
        budget: ExecutionBudget | None,
        run_id: str | None = None,
        store: StateStore | None = None,
    ) -> Run:
        """Fix limits and retries of a run; with an id it is counted in ``store``, where there is one.

        Both are looked at again, because a model can be changed after it was made. Raises ``TypeError`` for what is
        neither ``None`` nor of the type, ``ValueError`` for values that it refuses and for an id that is no name.
        """
        if budget is None:
            limits = self.limits or NO_LIMITS
        elif isinstance(budget, ExecutionBudget):
            limits = Limits.of(ExecutionBudget.model_validate(dict(budget.__dict__)))
            limits = limits if self.limits is None else self.limits.tightened(limits)
        else:
            raise TypeError(f"budget must be an ExecutionBudget, not `{type(budget).__name__}`")
        if retry is None:
            rules = self.retry or ONCE
        elif isinstance(retry, RetryPolicy):
            RetryPolicy.model_validate(dict(retry.__dict__))
            rules = Retry.of(retry) if self.retry is None else self.retry.tightened(retry)
        else:
            raise TypeError(f"retry must be a RetryPolicy, not `{type(retry).__name__}`")
        if run_id is None:
            return Run(self.authority, limits, rules, MemoryLedger())
        shared = None if store is None else StoreLedger(store, run_id)
        return Run(self.authority, limits, rules, MemoryLedger(), check_id("run_id", run_id), shared)


def check_id(what: str, id_: object) -> str:
    """An id of the application's. Raises ``TypeError`` for what is no text, ``ValueError`` for text that is no id."""
    if type(id_) is not str:
        raise TypeError(f"{what} must be text, not `{type(id_).__name__}`")
    if not 1 <= len(id_) <= MAX_ID or hidden_character(id_) is not None:
        raise ValueError(f"{what} must be text of 1 to {MAX_ID} characters, none of them hidden")
    return id_


def govern(
    policy: PolicyLike | None,
    approval_callback: Callable[..., Any] | None,
    hooks: ExecutionHooks | None,
    lock: Lock | None = None,
) -> Governance:
    """Settle who decides. Raises ``PolicyError`` and ``TypeError`` for what does not fit together."""
    policy = ExecutionPolicy() if policy is None else policy
    hooks = ExecutionHooks() if hooks is None else hooks
    if not isinstance(hooks, ExecutionHooks):
        raise TypeError(f"hooks must be ExecutionHooks, not `{type(hooks).__name__}`")
    if approval_callback is not None and not callable(approval_callback):
        raise TypeError(f"approval_callback must be callable, not `{type(approval_callback).__name__}`")
    graph, callables = graph_of(policy)
    if lock is not None and lock.digest != graph.digest:
        raise CatalogError(
            f"the lock was written for the policy {lock.digest[:12]}, and this one is {graph.digest[:12]}",
            help="review what moved with `schemarouter check --lock`, and write the lock again",
        )
    missing = [name for name in graph.named_callables if not callable(callables.get(name))]
    if missing:
        names = ", ".join(f"`{name}`" for name in missing)
        raise PolicyError(
            f"the policy names callables that were not supplied: {names}",
            help="load it with `load_policy(..., hooks=..., callbacks=...)` and pass what that returns",
        )
    named = graph.approval.callback
    if named is not None and approval_callback is not None:
        raise PolicyError(
            f"the policy names the approval callback `{named}`, and another one was given in code",
            help="leave out `approval_callback`, or the callback in the policy",
        )
    approval = approval_callback if named is None else callables[named]
    before = tuple(callables[name] for name in graph.hooks.before_call)
    after = tuple(callables[name] for name in graph.hooks.after_call)
    contracts = None if lock is None else lock.contracts
    authority = Authority(graph, approval, before + hooks.before_call, after + hooks.after_call, contracts)
    limits = None if graph.budget is None else Limits.of(graph.budget)
    retry = None if graph.retry is None else Retry.of(graph.retry)
    return Governance(policy, approval_callback, hooks, authority, limits, retry, lock)


def graph_of(policy: PolicyLike) -> tuple[EvaluationGraph, Mapping[str, Callable[..., Any]]]:
    """The graph of a policy, and the callables that came with it. Raises ``TypeError`` for what is no policy."""
    if isinstance(policy, ExecutionPolicy):
        return policy.graph, {}
    if isinstance(policy, EvaluationGraph):
        return policy, {}
    if isinstance(policy, LoadedPolicy):
        return policy.graph, policy.callables
    raise TypeError(
        f"policy must be an ExecutionPolicy, a LoadedPolicy or an EvaluationGraph, not `{type(policy).__name__}`"
    )
