"""The interpreter: one generator over the stage table.

The table binds ``model.stages.STAGES``, where the order and its reasons stand, to the modules of ``engine.stages``. No
stage knows another one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from schemarouter.engine.commands import Command, OnStore, Raised, Script
from schemarouter.engine.frame import Frame
from schemarouter.engine.stages import (
    after_hooks,
    approval,
    attempts,
    before_hooks,
    budget,
    clock,
    output,
    plan,
    project,
    result,
    revalidate_approved,
    revalidate_attempt,
    validate,
)
from schemarouter.model.stages import STAGES

Run = Callable[[Frame], Script]


class Step(NamedTuple):
    """A stage's name and what runs there."""

    name: str
    run: Run


_RUNS: dict[str, Run] = {
    module.STAGE: module.run
    for module in (
        after_hooks,
        approval,
        attempts,
        before_hooks,
        budget,
        clock,
        output,
        plan,
        project,
        result,
        revalidate_approved,
        revalidate_attempt,
        validate,
    )
}
if set(_RUNS) != {stage.name for stage in STAGES}:
    raise ImportError("the stages and their modules do not agree")

PIPELINE: tuple[Step, ...] = tuple(Step(stage.name, _RUNS[stage.name]) for stage in STAGES)


def interpret(frame: Frame) -> Generator[Command, Any, None]:
    """Walk the stages of one logical call; ``frame.result`` is set when the last one has passed.

    Raises whatever the failing stage raises. Nothing is caught here, so cancellation and exit pass unchanged.
    """
    position = 0
    while position < len(PIPELINE):
        step = PIPELINE[position]
        frame.stage = step.name
        if frame.watch is not None:
            later = frame.watch(step.name)
            if later is not None:
                outcome = yield OnStore(later)
                if isinstance(outcome, Raised):
                    raise outcome.error
        again = yield from step.run(frame)
        position += -1 if again else 1
