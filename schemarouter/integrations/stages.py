"""Which of the thirteen stages (SPEC 3) a place of enforcement enforces, and whether that is enough for a policy.

Where the host runs the tool itself, nobody sees its output or its retries. A policy that counts on a stage that is not
enforced would not do what it says, so it is refused before anything runs.
"""

from __future__ import annotations

from schemarouter.errors import PolicyError
from schemarouter.model.stages import STAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemarouter.compiler.graph import EvaluationGraph

ALL_STAGES: frozenset[str] = frozenset(stage.name for stage in STAGES)
#: What is enforced where the host only asks before it runs a tool itself.
ASKED_BEFORE: frozenset[str] = ALL_STAGES - {"output", "project", "after-hooks", "result"}


def needed_stages(graph: EvaluationGraph) -> dict[str, str]:
    """The stages that a policy says something for, beyond those of every call, each with what it says."""
    needed: dict[str, str] = {}
    if graph.hooks.before_call:
        needed["before-hooks"] = "it names `hooks.before_call`"
    if graph.hooks.after_call:
        needed["after-hooks"] = "it names `hooks.after_call`"
    if graph.approval.callback is not None or any(rule.effect == "require_approval" for rule in graph.rules):
        needed["approval"] = "it can ask for approval"
    if graph.budget is not None:
        needed["budget"] = "it has a budget"
        needed["attempts"] = "it has a budget"
    if graph.retry is not None and graph.retry.max_attempts > 1:
        needed["attempts"] = "it has `retry`"
        needed["output"] = "it has `retry`, and who does not see the result does not know of a failure"
    return needed


def require_stages(graph: EvaluationGraph, enforced: Iterable[str], where: str) -> None:
    """Raise ``PolicyError`` if the policy needs a stage that ``where`` does not enforce."""
    known = frozenset(enforced)
    for stage, why in needed_stages(graph).items():
        if stage not in known:
            raise PolicyError(
                f"{where} does not enforce the stage `{stage}`, and the policy needs it: {why}",
                help="leave that out of this policy, or run the tool through a place that enforces all stages",
            )
