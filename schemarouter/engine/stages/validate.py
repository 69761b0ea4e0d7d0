"""Stage 2 of SPEC 3: contract, fingerprints, arguments, fields, policy decision and binding."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from schemarouter.engine.checks import check_binding, check_call
from schemarouter.engine.commands import Command
from schemarouter.engine.frame import Frame, View

STAGE = "validate"


def run(frame: Frame) -> Generator[Command, Any, None]:
    """Check everything once. The binding comes last: it is no part of what was planned."""
    view: View = yield frame.look
    check_call(frame, view)
    check_binding(frame, view.binding)
