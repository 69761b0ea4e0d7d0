"""A call of one operation, and what it gave."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from schemarouter.model.base import StrictModel


class ToolCall(StrictModel):
    """One logical call: ``tool`` is the tool's key.

    ``schema_fingerprint`` is the fingerprint of the endpoint that the call was made for, ``tool_fingerprint`` the
    tool's, which calls of remote tools must carry. ``fields`` are the declared output fields that may cross the
    boundary. ``missing_required_arguments`` are names that a planner could not fill; the executor finds out itself.
    Arguments are looked at when the call is validated, not here.
    """

    tool: str
    endpoint: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    fields: list[str] = Field(default_factory=list)
    schema_fingerprint: str
    tool_fingerprint: str | None = None
    missing_required_arguments: list[str] = Field(default_factory=list)


class ToolResult(StrictModel):
    """What a call gave: ``data`` holds the requested fields only, or the validated value where none are declared.

    ``metadata`` says what the boundary has to say of the result; nothing of it comes from the tool. It holds ``shadow`` where
    the call ran in shadow mode.
    """

    tool: str
    endpoint: str
    data: Any
    projected_fields: list[str] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)
