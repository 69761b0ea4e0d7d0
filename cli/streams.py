"""Standard output and standard error, such that no terminal, pipe or closed stream leads to a traceback."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from schemarouter_cli.failure import CannotRun, ReaderGone, os_reason
from schemarouter_cli.text import printable


def prepare() -> None:
    """Make the streams safe: what their encoding cannot express is written as an escape.

    A descriptor that the caller closed is occupied, because the next file that is opened would get its number and
    everything that is printed would land in it.
    """
    for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write ``text`` to standard output. A closed or full output is a :class:`CannotRun`; a reader that went away a :class:`ReaderGone`."""
    if sys.stdout is None:
        raise CannotRun("standard output is closed")
    with _refusals():
        sys.stdout.write(text)


def write_bytes(data: bytes) -> None:
    """Write ``data`` to standard output as it is."""
    write("")
    with _refusals():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def flush() -> None:
    """Hand over what is buffered, so that a failure is seen here and not when the interpreter exits."""
    if sys.stdout is not None:
        with _refusals():
            sys.stdout.flush()


def abandon() -> None:
    """Point standard output at nothing: what is still buffered is lost, quietly."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        abandon()
        raise ReaderGone from None
    except OSError as error:
        abandon()
        raise CannotRun(f"cannot write to standard output: {os_reason(error)}") from None


def tell_failure(failure: CannotRun) -> None:
    """Say on standard error why a command, or a part of it, could not run."""
    tell(f"error: {printable(failure.message)}")
    if failure.advice:
        tell(f"help: {printable(failure.advice)}")


def tell(text: str) -> None:
    """Write a line to standard error. If nobody listens there, that is not an error of its own."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:
            pass
