"""Every error class of SchemaRouter. Standard library only: a hook process imports this module.

Messages are one line, lower case, without a final period; what the user wrote stands in back-ticks; advice goes
into ``help``. No message carries a payload, an argument value or a secret.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemarouter.model.diagnostic import Finding


class SchemaRouterError(Exception):
    """Root of everything this package raises on purpose."""


class PolicyError(SchemaRouterError, ValueError):
    """A policy could not be read, compiled or loaded. Raised once, with every finding in ``diagnostics``."""

    def __init__(self, message: str, diagnostics: Sequence[Finding] = (), *, help: str | None = None) -> None:  # noqa: A002 - the name that the rest of the package uses
        super().__init__(message)
        self.diagnostics: tuple[Finding, ...] = tuple(diagnostics)
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_policy_error, (type(self), str(self), self.diagnostics, self.help))


def _rebuild_policy_error(
    kind: type[PolicyError], message: str, diagnostics: tuple[Finding, ...], advice: str | None
) -> PolicyError:
    return kind(message, diagnostics, help=advice)


class ArtifactError(PolicyError):
    """A compiled artifact is damaged, tampered with, of a newer format, or not the one that was pinned."""


class CatalogError(PolicyError):
    """A catalog or a lock is damaged, of a newer format, holds names that collide, or belongs to another policy."""


class RegistrationError(SchemaRouterError, ValueError):
    """A tool may not be registered: an invalid contract, or a name that collides with another."""


class ProposalApprovalError(RegistrationError):
    """A documentation proposal was not approved."""


class PlanningError(SchemaRouterError):
    """No plan can be made for a request."""


class _CallError(SchemaRouterError):
    """What errors of a call carry beside their message.

    ``execution_succeeded`` is ``True`` once the invoker returned, ``None`` when it was cut off and nobody can know,
    ``False`` while it was never reached. ``completed`` are the results of the plan's earlier calls.
    """

    execution_succeeded: bool | None = False
    completed: tuple[object, ...] = ()


class PlanValidationError(_CallError):
    """A call does not fit the contract, the plan or the policy of now."""


class PolicyViolationError(PlanValidationError):
    """The policy denies the call."""


class ApprovalDeniedError(PolicyViolationError):
    """The call needs approval and did not get it."""


class ExecutionBudgetExceededError(PolicyViolationError):
    """A limit of the run's budget is reached."""


class StateStoreError(PolicyViolationError):
    """The state store cannot say whether something may happen, so it may not: locked, full, damaged, newer, unsafe."""


class DecisionLogError(PolicyViolationError):
    """The decision log cannot be written, so nothing may happen that it would not know of."""


class SchemaDriftError(PlanValidationError):
    """The tool's contract changed since the call was planned."""


class SchemaValidationError(PlanValidationError):
    """Arguments or an output do not fit their JSON Schema."""


class ExecutionError(_CallError):
    """Something failed while the call was executed."""


class TransientInvocationError(ExecutionError, RuntimeError):
    """Raised by an invoker: the failure may pass, a retry makes sense."""


class NonRetryableInvocationError(ExecutionError, RuntimeError):
    """Raised by an invoker: a retry makes no sense."""


class ExecutionHookError(ExecutionError):
    """A hook failed, or returned something."""


class BindingDriftError(ExecutionError):
    """The invoker is bound to an older contract, or to none."""


class IndeterminateInvocationError(ExecutionBudgetExceededError, NonRetryableInvocationError):
    """The invoker was cut off by the budget and nobody can know whether it had its effect."""

    execution_succeeded: bool | None = None
