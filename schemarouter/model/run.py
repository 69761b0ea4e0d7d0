"""What the application says about one run."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from schemarouter.model.base import StrictModel
from schemarouter.model.limits import ExecutionBudget, RetryPolicy

ExecutionMode: TypeAlias = Literal["sequential", "parallel_read_only"]
_AtOnce: TypeAlias = Annotated[int, Field(ge=1, le=128)]


class RunConfig(StrictModel):
    """Settings of one run.

    ``budget`` and ``retry`` may tighten what a policy file says and never loosen it. ``run_id`` names the run in
    events; one is made up where it is left out. ``tags`` stand on every event, ``trace_metadata`` is the metadata of
    ``run.start``. ``metadata`` is the application's own and goes nowhere. ``include_payloads`` puts arguments and results into events. ``max_concurrency`` is the number of
    runs of a batch at once, ``max_parallel_calls`` that of calls in one ``parallel_read_only`` run.
    """

    budget: ExecutionBudget = Field(default_factory=ExecutionBudget)
    retry: RetryPolicy = Field(default_factory=RetryPolicy)
    run_id: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    tags: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
    trace_metadata: dict[str, Any] = Field(default_factory=dict)
    include_payloads: bool = False
    max_concurrency: _AtOnce = 8
    execution_mode: ExecutionMode = "sequential"
    max_parallel_calls: _AtOnce = 8
