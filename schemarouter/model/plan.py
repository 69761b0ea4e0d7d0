"""What is asked for, and the calls that would answer it. Neither grants anything."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from schemarouter.model.base import StrictModel
from schemarouter.model.call import ToolCall


class PlanRequest(StrictModel):
    """A question for the planner.

    ``preferred_tools`` are tool keys or operations (``tool.endpoint``) to use first, in this order.
    """

    query: str
    preferred_tools: list[str] = Field(default_factory=list)
    arguments: dict[str, Any] = Field(default_factory=dict)
    max_calls: Annotated[int, Field(ge=1)] = 1


class ExecutionPlan(StrictModel):
    """Calls in the order in which they run, with the version of the registry that they were planned against."""

    query: str
    registry_version: int
    calls: list[ToolCall] = Field(default_factory=list)
