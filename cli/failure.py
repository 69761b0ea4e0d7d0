"""The one exception with which a command says that it could not run."""

from __future__ import annotations


class CannotRun(Exception):  # noqa: N818 - reads as what it means: `raise CannotRun(...)`
    """The command could not do its work: exit code 2. ``message`` is one line, advice goes into ``advice``."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def os_reason(error: OSError) -> str:
    """Why the operating system refused, in lower case: ``no such file or directory``."""
    reason = error.strerror or type(error).__name__
    return reason[0].lower() + reason[1:]
