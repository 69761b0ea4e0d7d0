"""What is written of one call: its decision, each attempt before it is made, and how it ended.

The record of a decision is written before anybody is asked or anything is charged, that of an attempt before the last look that precedes
it, that of the end before the result is handed over. With ``on_failure="deny"`` a record that cannot be written stops the call at
that place: nothing happens that the log does not know of, and a result that it cannot tell of is withheld.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection
from decimal import Decimal
from functools import partial
from typing import Any

from schemarouter.audit.log import DecisionLog, LogBusyError
from schemarouter.audit.shadow import ShadowMode
from schemarouter.engine.budget import MemoryLedger
from schemarouter.engine.frame import Frame, shown
from schemarouter.errors import DecisionLogError

_LOGGER = logging.getLogger("schemarouter.audit")
#: Counters that a record holds.
_MAX_COUNTERS = 100

#: Names of the arguments that the contract of an operation declares; empty for one that is not registered.
Declared = Callable[[str, str], Collection[str]]
Later = Callable[[], None]
Records = list[tuple[str, dict[str, Any]]]


class Witness:
    """Watches one call. ``log`` and ``shadow`` may each be ``None``."""

    __slots__ = ("_call", "_decided", "_declared", "_frame", "_log", "_shadow")

    def __init__(self, frame: Frame, log: DecisionLog | None, shadow: ShadowMode | None, declared: Declared) -> None:
        self._frame, self._log, self._shadow, self._declared = frame, log, shadow, declared
        self._call = uuid.uuid4().hex
        self._decided = False

    def entered(self, stage: str) -> Later | None:
        """The call enters ``stage``. What has to be written and has to wait for other writers is returned.

        That, and this method, raise ``DecisionLogError`` if the call may not go on unwritten.
        """
        records: Records = []
        if stage == "clock":
            records = self._decision()
        elif stage == "revalidate-attempt":
            attempt = {"attempt": self._frame.attempts + 1, "approved": self._frame.needs_approval}
            records = [("attempt", attempt)]
        return self._write(records) if records else None

    def ended(self, error: BaseException | None) -> Later | None:
        """The call ended. As :meth:`entered`, where its result may not be handed over unwritten."""
        frame = self._frame
        records = [] if self._decided else self._decision()
        end = (
            "end",
            {
                "operation": self._operation(),
                "ended": "result" if error is None else "error",
                "stage": frame.stage,
                "error": None if error is None else _class_name(error),
                "attempts": frame.attempts,
                "execution_succeeded": frame.succeeded,
                "counters": self._counters(),
                "shadow": frame.shadow,
            },
        )
        return self._write([*records, end])

    def _decision(self) -> Records:
        frame, decision = self._frame, self._frame.decision
        if decision is None:
            return []
        self._decided = True
        if frame.shadow is not None and self._shadow is not None:
            self._shadow.report.note(frame.shadow, decision)
        if self._log is None:
            return []
        outcome = "deny" if decision.effect == "deny" else "approval" if frame.needs_approval else "allow"
        arguments = self._log.redactor.arguments(
            frame.call.arguments, self._declared(frame.call.tool, frame.call.endpoint)
        )
        record = {
            "operation": self._operation(),
            "digest": frame.run.authority.graph.digest,
            "outcome": outcome if frame.shadow is None else frame.shadow,
            "effect": decision.effect,
            "source": decision.source,
            "rule": None if decision.rule_name is None else shown(decision.rule_name),
            "rule_index": decision.rule_index,
            "arguments": arguments,
            "shadow": frame.shadow,
            "enforced": frame.shadow is None,
        }
        return [("decision", record)]

    def _write(self, records: Records) -> Later | None:
        """Write at once if nobody else is writing; else return what waits for them and writes then."""
        log, run = self._log, self._frame.run
        if log is None:
            return None
        named = {"run": run.label, "call": self._call, "call_id": self._frame.call_id}
        whole = [(kind, {**named, **fields}) for kind, fields in records]
        try:
            self._append(log, whole, wait=False)
        except LogBusyError:
            return partial(self._append, log, whole, wait=True)
        return None

    def _append(self, log: DecisionLog, records: Records, *, wait: bool) -> None:
        try:
            log.write(records, wait=wait)
        except LogBusyError:
            raise
        except DecisionLogError as error:
            if log.on_failure == "deny":
                raise DecisionLogError(f"`{self._operation() or '-'}` is stopped: {error}") from None
            _LOGGER.warning("%s; %d records are missing", error, log.lost)

    def _operation(self) -> str | None:
        call = getattr(self._frame, "call", None)
        return None if call is None else call.operation

    def _counters(self) -> dict[str, int | str] | None:
        """What the run has used; ``None`` where it is counted in a store that other processes count in as well."""
        run = self._frame.run
        if run.shared is not None or not isinstance(run.ledger, MemoryLedger):
            return None
        used = sorted(run.ledger.used.items())[:_MAX_COUNTERS]
        return {shown(name): str(value) if isinstance(value, Decimal) else value for name, value in used}


def _class_name(error: BaseException) -> str:
    """The name of an error's class: the only thing that is told of it."""
    return shown(type(error).__name__)
