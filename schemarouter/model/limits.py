"""Budgets and retries (SPEC 5 and 6): the same models in a policy file and in Python code."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, TypeAlias

from pydantic import Field

from schemarouter.model.base import FrozenModel

Count: TypeAlias = Annotated[int, Field(ge=0)]
#: A weight or a cost: kept as it was written and counted as the decimal number that its text says.
Units: TypeAlias = Annotated[int, Field(ge=0)] | Annotated[float, Field(ge=0)] | Annotated[Decimal, Field(ge=0)]


class ExecutionBudget(FrozenModel):
    """Limits of one run; what is left out is unlimited. Booleans, NaN and infinities are refused.

    ``max_elapsed_seconds`` is wall-clock time in seconds. Cost units are weights that the application defines: they
    are charged per attempt, and the operation's weight beats the tool's, which beats ``"*"``, else 0.
    """

    max_tool_calls: Count | None = Field(default=None, description="Logical calls in one run.")
    max_attempts: Count | None = Field(default=None, description="Invoker attempts in one run, retries included.")
    max_remote_attempts: Count | None = Field(default=None, description="Attempts on remote tools in one run.")
    max_elapsed_seconds: Annotated[float, Field(gt=0)] | None = Field(
        default=None, description="Wall-clock seconds from the run's first call."
    )
    max_cost_units: Units | None = Field(default=None, description="Sum of the weights of all attempts of one run.")
    per_tool_calls: dict[str, Count] = Field(default_factory=dict, description="Logical calls, per tool key.")
    cost_units: dict[str, Units] = Field(
        default_factory=dict, description="Weight of an attempt, per operation, tool key or `*`."
    )


class RetryPolicy(FrozenModel):
    """When an attempt is repeated. Backoff is in seconds; the n-th is ``initial * multiplier ** (n - 1)``, capped."""

    max_attempts: Annotated[int, Field(ge=1)] = Field(
        default=1, description="Attempts of one call, the first included."
    )
    initial_backoff_seconds: Annotated[float, Field(ge=0)] = Field(
        default=0.0, description="Wait before the first retry."
    )
    backoff_multiplier: Annotated[float, Field(ge=1)] = Field(default=2.0, description="Growth of the wait, per retry.")
    max_backoff_seconds: Annotated[float, Field(ge=0)] | None = Field(default=None, description="Longest wait.")
    retry_non_read_only: bool = Field(
        default=False, description="Also repeat calls of endpoints that are not known to be read-only."
    )
