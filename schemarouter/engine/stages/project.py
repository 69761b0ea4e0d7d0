"""Stage 11 of SPEC 3: only the requested, declared fields cross the boundary."""

from __future__ import annotations

from schemarouter.engine.commands import Script
from schemarouter.engine.frame import Frame
from schemarouter.model.call import ToolResult

STAGE = "project"


def run(frame: Frame) -> Script:
    """Make the result of what was asked for."""
    call = frame.call
    fields = list(call.fields)
    data, frame.data = frame.contract.project(frame.data, fields), None
    frame.projected = ToolResult(tool=call.tool, endpoint=call.endpoint, data=data, projected_fields=fields)
    if frame.shadow is not None and frame.decision is not None:
        would = {"would": frame.shadow, "rule": frame.decision.rule_name, "reason": frame.decision.reason}
        frame.projected.metadata["shadow"] = would
    return ()
