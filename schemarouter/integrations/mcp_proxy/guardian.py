"""A process that ends the servers when the proxy could not: a client often kills what does not end at once.

It holds the other end of a pipe. When the proxy is gone, however it ended, the pipe ends, and whatever group of processes
was not reported as gone is killed.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from types import TracebackType

_SCRIPT = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
left = set()
for line in sys.stdin:
    (left.add if line[0] == "+" else left.discard)(int(line[1:]))
for group in left:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class Guardian:
    """``with Guardian() as guardian: McpProxy(..., process=guardian.told)``. Does nothing where there are no groups of processes."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Guardian:
        """Start it. Raises ``OSError`` if it cannot be started."""
        if sys.platform != "win32":
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own script
                [sys.executable, "-I", "-S", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self

    def told(self, group: int, runs: bool) -> None:
        """A group of processes runs, or is gone."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.write(f"{'+' if runs else '-'}{group}\n".encode())
                self._process.stdin.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
