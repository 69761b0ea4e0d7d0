"""Entry point of the ``schemarouter`` command: answers ``--version`` at once, and lets no traceback out.

Exit codes: 0 clean, 1 findings, 2 could not run, 130 interrupted, 141 the reader of our output went away.
"""

from __future__ import annotations

import sys

from schemarouter_cli.failure import BROKEN_PIPE, CANNOT_RUN, INTERRUPTED

#: What a host starts before each tool call, in a process that lives for one answer.
HOOK = ["hook", "claude-code"]
_HELP = frozenset(("-h", "--help"))


def main() -> None:
    """Run the command line and exit."""
    arguments = sys.argv[1:]
    status = run(arguments)
    if arguments[:2] == HOOK:
        import os

        # Not by the interpreter's own end: what it would do there takes time, and could change the exit code.
        os._exit(status)
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command line with ``arguments`` and return the exit code. Never raises an ordinary exception."""
    try:
        if arguments in (["--version"], ["-V"]):
            return _version()
        if arguments[:2] == HOOK and not _HELP.intersection(arguments):
            return _hook(arguments[2:])
        _start_quickly()
        from schemarouter_cli import streams

        streams.prepare()
        from schemarouter_cli.app import run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _abandon_output(BROKEN_PIPE)
    except OSError as error:
        _tell(f"error: {(error.strerror or type(error).__name__).lower()}")
        return _abandon_output(CANNOT_RUN)
    except Exception as error:  # noqa: BLE001 - the last resort: whatever it is, the user gets one line
        return _internal_error(error)


def _start_quickly() -> None:
    """Settings of a process that lives for a moment: it makes many objects that stay, and needs nobody's plugins."""
    import gc
    import os

    gc.set_threshold(100_000, 50, 50)
    # Other packages would be searched for plugins of pydantic, and their code run, before any policy is read.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def _version() -> int:
    from schemarouter import __version__

    if sys.stdout is None:
        _tell("error: standard output is closed")
        return CANNOT_RUN
    sys.stdout.write(f"schemarouter {__version__}\n")
    sys.stdout.flush()
    return 0


def _hook(arguments: list[str]) -> int:
    """Answer one event of a host that starts a process for each tool call: no more is loaded than that needs."""
    try:
        from schemarouter.integrations.claude_code.hook import run_hook
    except BaseException as error:  # noqa: BLE001 - a hook that cannot start denies
        _tell(f"the hook of schemarouter is broken, so nothing runs: it cannot be loaded ({type(error).__name__})")
        return CANNOT_RUN
    return run_hook(arguments)


def _abandon_output(status: int) -> int:
    """Point standard output at nothing, so that the interpreter does not complain when it flushes at exit."""
    from schemarouter_cli import streams

    streams.abandon()
    return status


def _internal_error(error: Exception) -> int:
    import os

    if os.environ.get("SCHEMAROUTER_DEBUG"):
        import traceback

        traceback.print_exc()
    # The text of an unexpected error may quote a file or a secret; its class is enough for a report.
    _tell(f"error: internal error ({type(error).__name__}), please report it with the policy file that causes it")
    _tell("help: set SCHEMAROUTER_DEBUG=1 to see the traceback")
    return CANNOT_RUN


def _tell(line: str) -> None:
    from schemarouter_cli import streams

    streams.tell(line)


if __name__ == "__main__":
    main()
