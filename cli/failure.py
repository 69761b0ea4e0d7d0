"""How commands end: exit codes, and the exceptions with which they say that they cannot go on."""

from __future__ import annotations

CANNOT_RUN = 2
#: As shells have it for a program that SIGINT or SIGPIPE ended.
INTERRUPTED = 130
BROKEN_PIPE = 141


class CannotRun(Exception):  # noqa: N818 - reads as what it means: `raise CannotRun(...)`
    """The command could not do its work: exit code 2. ``message`` is one line, advice goes into ``advice``."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


class ReaderGone(Exception):  # noqa: N818 - no error of ours
    """Whoever read our output has gone away. Not the ``BrokenPipeError`` itself: click would answer that with exit 1."""


def os_reason(error: OSError) -> str:
    """Why the operating system refused, in lower case: ``no such file or directory``."""
    reason = error.strerror or type(error).__name__
    return reason[0].lower() + reason[1:]
