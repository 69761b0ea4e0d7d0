"""Stage 1 of SPEC 3: the call is taken in. From here on only the private copy counts."""

from __future__ import annotations

from schemarouter.engine.commands import Look, Script
from schemarouter.engine.frame import Frame, PrivateCall, private_copy

STAGE = "plan"


def run(frame: Frame) -> Script:
    """Copy the call, unless that was done when its plan was taken in."""
    given = frame.given
    frame.call = given if type(given) is PrivateCall else private_copy(given)
    frame.given = None
    frame.look = Look(frame.call.tool, frame.call.endpoint)
    return ()
