"""An approver at the terminal of the process itself, for work at one's own desk.

The question goes to the terminal, not to standard input and output, which may carry a protocol. Standard library only;
``asyncio`` is imported where it is needed.
"""

from __future__ import annotations

import os
import time

from schemarouter.model.approval import Approver, Denied, Question
from schemarouter.model.json_value import JsonValueError, canonical_json
from schemarouter.state.limits import MAX_ARGUMENTS
from schemarouter.state.masking import masked
from schemarouter.state.visible import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event

_NONE = "there is no terminal to ask at"
#: Seconds between two looks at whether the call was given up.
_GLANCE = 0.2
_LONGEST_ANSWER = 256


class TerminalApproval(Approver):
    """Asks at ``path`` and takes ``yes``, typed whole, for an approval; anything else and silence deny.

    ``timeout``: seconds for which it waits. What was typed before the question is thrown away. Without a terminal a call
    is denied at once. Whoever can write to that terminal's input can answer.
    """

    def __init__(self, *, timeout: float = 120.0, path: str = "/dev/tty") -> None:
        if type(timeout) not in (int, float) or not 0 < timeout <= 86_400:
            raise ValueError("timeout must be a number of seconds, above 0 and at most a day")
        self._timeout = float(timeout)
        self._path = path

    def ask(self, question: Question) -> bool | Denied:
        """See :class:`Approver`."""
        return self._ask(question, None)

    async def ask_async(self, question: Question) -> bool | Denied:
        """See :class:`Approver`. A call that is given up stops waiting, in its thread."""
        import asyncio
        import threading

        given_up = threading.Event()
        try:
            return await asyncio.to_thread(self._ask, question, given_up)
        finally:
            given_up.set()

    def _ask(self, question: Question, given_up: Event | None) -> bool | Denied:
        try:
            text = canonical_json(masked(question.arguments))
        except JsonValueError as error:
            return Denied(f"its arguments cannot be shown: the value {error.reason}")
        if len(text) > MAX_ARGUMENTS:
            return Denied("its arguments are longer than a person can read")
        try:
            import select
            import termios

            descriptor = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except (ImportError, OSError):
            return Denied(_NONE)
        try:
            if not os.isatty(descriptor):
                return Denied(_NONE)
            termios.tcflush(descriptor, termios.TCIFLUSH)
            _write(descriptor, _text(question, text))
            seconds = self._timeout if question.seconds is None else min(self._timeout, question.seconds)
            until = time.monotonic() + seconds
            typed = b""
            while not typed.endswith(b"\n"):
                left = until - time.monotonic()
                if left <= 0 or (given_up is not None and given_up.is_set()):
                    _write(descriptor, "\ntoo late: denied\n")
                    return Denied("nobody answered in time")
                if not select.select([descriptor], [], [], min(left, _GLANCE))[0]:
                    continue
                part = os.read(descriptor, _LONGEST_ANSWER)
                typed += part
                if not part or len(typed) > _LONGEST_ANSWER:
                    return Denied("the answer was no line")
            return True if typed.strip() == b"yes" else Denied("the answer was not yes")
        except OSError:
            return Denied(_NONE)
        finally:
            os.close(descriptor)


def _text(question: Question, arguments: str) -> str:
    return (
        f"\nschemarouter: approve this call?\n"
        f"  operation  {visible(question.operation)}\n"
        f"  arguments  {visible(arguments)}\n"
        f"  because    {visible(question.reason)}\n"
        f"type yes to approve, anything else to deny: "
    )


def _write(descriptor: int, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            time.sleep(0.01)
