"""SchemaRouter: a declarative policy engine and execution boundary for the tool calls of AI agents.

Public names are imported from here. The import itself is lazy (PEP 562): nothing is loaded until a name is used,
because a hook process pays for every module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog as DecisionLog
    from schemarouter.audit.shadow import ShadowMode as ShadowMode
    from schemarouter.audit.shadow import ShadowReport as ShadowReport
    from schemarouter.catalog.building import catalog_of as catalog_of
    from schemarouter.catalog.file import read_catalog as read_catalog
    from schemarouter.catalog.file import write_catalog as write_catalog
    from schemarouter.catalog.lock import Lock as Lock
    from schemarouter.catalog.lock import load_lock as load_lock
    from schemarouter.catalog.lock import make_lock as make_lock
    from schemarouter.catalog.lock import write_lock as write_lock
    from schemarouter.catalog.records import Catalog as Catalog
    from schemarouter.compiler.compile import compile_policy as compile_policy
    from schemarouter.compiler.graph import EvaluationGraph as EvaluationGraph
    from schemarouter.compiler.policy import ExecutionPolicy as ExecutionPolicy
    from schemarouter.compiler.policy import PolicyRule as PolicyRule
    from schemarouter.errors import (
        ApprovalDeniedError as ApprovalDeniedError,
    )
    from schemarouter.errors import (
        ArtifactError as ArtifactError,
    )
    from schemarouter.errors import (
        BindingDriftError as BindingDriftError,
    )
    from schemarouter.errors import (
        CatalogError as CatalogError,
    )
    from schemarouter.errors import (
        DecisionLogError as DecisionLogError,
    )
    from schemarouter.errors import (
        ExecutionBudgetExceededError as ExecutionBudgetExceededError,
    )
    from schemarouter.errors import (
        ExecutionError as ExecutionError,
    )
    from schemarouter.errors import (
        ExecutionHookError as ExecutionHookError,
    )
    from schemarouter.errors import (
        IndeterminateInvocationError as IndeterminateInvocationError,
    )
    from schemarouter.errors import (
        NonRetryableInvocationError as NonRetryableInvocationError,
    )
    from schemarouter.errors import (
        PlanningError as PlanningError,
    )
    from schemarouter.errors import (
        PlanValidationError as PlanValidationError,
    )
    from schemarouter.errors import (
        PolicyError as PolicyError,
    )
    from schemarouter.errors import (
        PolicyViolationError as PolicyViolationError,
    )
    from schemarouter.errors import (
        ProposalApprovalError as ProposalApprovalError,
    )
    from schemarouter.errors import (
        RegistrationError as RegistrationError,
    )
    from schemarouter.errors import (
        SchemaDriftError as SchemaDriftError,
    )
    from schemarouter.errors import (
        SchemaRouterError as SchemaRouterError,
    )
    from schemarouter.errors import (
        SchemaValidationError as SchemaValidationError,
    )
    from schemarouter.errors import (
        StateStoreError as StateStoreError,
    )
    from schemarouter.errors import (
        TransientInvocationError as TransientInvocationError,
    )
    from schemarouter.loading import LoadedPolicy as LoadedPolicy
    from schemarouter.loading import load_policy as load_policy
    from schemarouter.model.approval import Approver as Approver
    from schemarouter.model.approval import Denied as Denied
    from schemarouter.model.approval import Question as Question
    from schemarouter.model.call import ToolCall as ToolCall
    from schemarouter.model.call import ToolResult as ToolResult
    from schemarouter.model.decision import PolicyDecision as PolicyDecision
    from schemarouter.model.hooks import ExecutionHooks as ExecutionHooks
    from schemarouter.model.limits import ExecutionBudget as ExecutionBudget
    from schemarouter.model.limits import RetryPolicy as RetryPolicy
    from schemarouter.model.plan import ExecutionPlan as ExecutionPlan
    from schemarouter.model.plan import PlanRequest as PlanRequest
    from schemarouter.model.run import RunConfig as RunConfig
    from schemarouter.model.tool import EndpointSpec as EndpointSpec
    from schemarouter.model.tool import FieldSpec as FieldSpec
    from schemarouter.model.tool import ParameterSpec as ParameterSpec
    from schemarouter.model.tool import ToolSpec as ToolSpec
    from schemarouter.runtime.events import RunEvent as RunEvent
    from schemarouter.runtime.executor import RegistryExecutor as RegistryExecutor
    from schemarouter.runtime.proposals import Evidence as Evidence
    from schemarouter.runtime.proposals import ToolProposal as ToolProposal
    from schemarouter.runtime.registry import InMemoryRegistry as InMemoryRegistry
    from schemarouter.runtime.reload import PolicyReloader as PolicyReloader
    from schemarouter.runtime.router import SchemaRouter as SchemaRouter
    from schemarouter.state.kill_switch import KillSwitch as KillSwitch
    from schemarouter.state.memory import MemoryStore as MemoryStore
    from schemarouter.state.port import StateStore as StateStore
    from schemarouter.state.sqlite import SqliteStore as SqliteStore
    from schemarouter.state.stored_approvals import StoredApprovals as StoredApprovals
    from schemarouter.state.terminal import TerminalApproval as TerminalApproval

__version__ = "1.0.0.dev0"

#: Public name -> module that defines it.
_HOME: dict[str, str] = dict.fromkeys(
    (
        "ApprovalDeniedError",
        "ArtifactError",
        "BindingDriftError",
        "CatalogError",
        "DecisionLogError",
        "ExecutionBudgetExceededError",
        "ExecutionError",
        "ExecutionHookError",
        "IndeterminateInvocationError",
        "NonRetryableInvocationError",
        "PlanValidationError",
        "PlanningError",
        "PolicyError",
        "PolicyViolationError",
        "ProposalApprovalError",
        "RegistrationError",
        "SchemaDriftError",
        "SchemaRouterError",
        "SchemaValidationError",
        "StateStoreError",
        "TransientInvocationError",
    ),
    "schemarouter.errors",
)
_HOME |= {
    "Catalog": "schemarouter.catalog.records",
    "catalog_of": "schemarouter.catalog.building",
    "read_catalog": "schemarouter.catalog.file",
    "write_catalog": "schemarouter.catalog.file",
    "Lock": "schemarouter.catalog.lock",
    "load_lock": "schemarouter.catalog.lock",
    "make_lock": "schemarouter.catalog.lock",
    "write_lock": "schemarouter.catalog.lock",
    "Evidence": "schemarouter.runtime.proposals",
    "ToolProposal": "schemarouter.runtime.proposals",
    "DecisionLog": "schemarouter.audit.log",
    "PolicyReloader": "schemarouter.runtime.reload",
    "ShadowMode": "schemarouter.audit.shadow",
    "ShadowReport": "schemarouter.audit.shadow",
    "Approver": "schemarouter.model.approval",
    "Denied": "schemarouter.model.approval",
    "Question": "schemarouter.model.approval",
    "KillSwitch": "schemarouter.state.kill_switch",
    "MemoryStore": "schemarouter.state.memory",
    "SqliteStore": "schemarouter.state.sqlite",
    "StateStore": "schemarouter.state.port",
    "StoredApprovals": "schemarouter.state.stored_approvals",
    "TerminalApproval": "schemarouter.state.terminal",
    "EvaluationGraph": "schemarouter.compiler.graph",
    "ExecutionHooks": "schemarouter.model.hooks",
    "RegistryExecutor": "schemarouter.runtime.executor",
    "RunConfig": "schemarouter.model.run",
    "RunEvent": "schemarouter.runtime.events",
    "SchemaRouter": "schemarouter.runtime.router",
    "ExecutionPolicy": "schemarouter.compiler.policy",
    "LoadedPolicy": "schemarouter.loading",
    "PolicyRule": "schemarouter.compiler.policy",
    "compile_policy": "schemarouter.compiler.compile",
    "load_policy": "schemarouter.loading",
    "PolicyDecision": "schemarouter.model.decision",
    "ExecutionBudget": "schemarouter.model.limits",
    "RetryPolicy": "schemarouter.model.limits",
    "ToolSpec": "schemarouter.model.tool",
    "EndpointSpec": "schemarouter.model.tool",
    "ParameterSpec": "schemarouter.model.tool",
    "FieldSpec": "schemarouter.model.tool",
    "ToolCall": "schemarouter.model.call",
    "ToolResult": "schemarouter.model.call",
    "ExecutionPlan": "schemarouter.model.plan",
    "PlanRequest": "schemarouter.model.plan",
    "InMemoryRegistry": "schemarouter.runtime.registry",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
