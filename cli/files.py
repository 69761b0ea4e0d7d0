"""Reading and writing files for commands: bounded, atomic, and every refusal of the system is one line."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress

from schemarouter.reading import read_bounded
from schemarouter_cli.failure import CannotRun, ReaderGone, os_reason
from schemarouter_cli.text import display_path

STDIN = "-"
STDIN_NAME = "<stdin>"


def read_bytes(path: str, limit: int) -> bytes:
    """The bytes of ``path`` (``-`` is standard input), at most ``limit + 1``: one more tells that it is too long."""
    shown = display_path(path)
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise CannotRun("standard input is closed")
            return sys.stdin.buffer.read(limit + 1)
        return read_bounded(path, limit + 1)
    except OSError as error:
        raise CannotRun(f"cannot read `{shown}`: {os_reason(error)}") from None
    except ValueError:  # a NUL in the name
        raise CannotRun(f"cannot read `{shown}`: no legal file name") from None


def refuse_overwriting(output: str | None, inputs: Iterable[str], what: str = "the policy itself") -> None:
    """Raise :class:`CannotRun` if ``output`` is the very file of one of ``inputs``: a policy is not lost to a slip.

    ``what`` the file then is, in words.
    """
    if output is None or output == STDIN:
        return
    for path in inputs:
        with suppress(OSError, ValueError):
            if os.path.isfile(path) and os.path.samefile(output, path):
                raise CannotRun(f"`{display_path(output)}` is {what}", "name another file with `-o`")


def write_atomically(path: str, data: bytes) -> None:
    """Write ``data`` to ``path``: either all of it or nothing. A device or a pipe is written to as it is.

    A symbolic link is kept and its target replaced; the permissions of an existing file are kept.
    """
    shown = display_path(path)
    if os.path.isdir(path):
        raise CannotRun(f"cannot write `{shown}`: is a directory", "name a file")
    try:
        mode = _mode(path)
        if mode is None or stat.S_ISREG(mode):
            _replace(os.path.realpath(path), data, mode)
        else:
            with open(path, "wb") as file:
                file.write(data)
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise CannotRun(f"cannot write `{shown}`: {os_reason(error)}") from None


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _replace(target: str, data: bytes, mode: int | None) -> None:
    temporary = f"{target}.{os.urandom(6).hex()}.tmp"
    try:
        # 0o666 is narrowed by the user's umask, as for any new file.
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def write_new(path: str, data: bytes) -> None:
    """Write ``data`` to ``path``, which must not exist yet."""
    shown = display_path(path)
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        raise CannotRun(
            f"`{shown}` exists already", "name another file with `-o`, or overwrite it with `--force`"
        ) from None
    except OSError as error:
        raise CannotRun(f"cannot write `{shown}`: {os_reason(error)}") from None
