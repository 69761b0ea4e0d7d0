"""What the hook writes into a decision log: the decision, and the attempt before it is let go, or how it ended instead.

Nobody here sees how a tool that was let go ends, so nothing is written of that. Imported only where a log is configured.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from schemarouter.compiler.decide import one_line

if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog
    from schemarouter.integrations.claude_code.event import Event
    from schemarouter.model.decision import PolicyDecision

_SHOWN = 200


class Recorder:
    """Writes what one process does. ``run`` is the run whose budget is used, ``None`` for the session's."""

    def __init__(self, log: DecisionLog, run: str | None) -> None:
        self._log = log
        self._run = run
        self._call = uuid.uuid4().hex

    def decided(
        self, event: Event, operation: str, digest: str, decision: PolicyDecision, needs_approval: bool
    ) -> None:
        """The policy decided; nobody was asked yet. Raises ``DecisionLogError``, as the others do."""
        outcome = "deny" if decision.effect == "deny" else "approval" if needs_approval else "allow"
        self._write(
            "decision",
            event,
            {
                "operation": _shown(operation),
                "digest": digest,
                "outcome": outcome,
                "effect": decision.effect,
                "source": decision.source,
                "rule": None if decision.rule_name is None else _shown(decision.rule_name),
                "rule_index": decision.rule_index,
                "arguments": self._log.redactor.arguments(event.arguments, ()),
                "shadow": None,
                "enforced": True,
            },
        )

    def attempted(self, event: Event, needs_approval: bool) -> None:
        """The call is let go next."""
        self._write("attempt", event, {"attempt": 1, "approved": needs_approval})

    def refused(self, event: Event, operation: str, error: Exception) -> None:
        """The call does not run."""
        stage = _STAGES.get(type(error).__name__, "validate")
        self._write(
            "end",
            event,
            {
                "operation": _shown(operation),
                "ended": "error",
                "stage": stage,
                "error": _shown(type(error).__name__),
                "attempts": 0,
                "execution_succeeded": False,
                "counters": None,
                "shadow": None,
            },
        )

    def _write(self, kind: str, event: Event, fields: dict[str, Any]) -> None:
        run = event.session if self._run is None else self._run
        self._log.append(kind, {"run": _shown(run), "call": self._call, "call_id": _shown(event.call_id), **fields})


#: Where a call ends that is refused so.
_STAGES = {"ApprovalDeniedError": "approval", "ExecutionBudgetExceededError": "budget", "StateStoreError": "budget"}


def _shown(text: str) -> str:
    return ascii(one_line(text))[1:-1][:_SHOWN]
