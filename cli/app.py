"""The command group. Each command is a module of ``schemarouter_cli.commands``, imported when it is named."""

from __future__ import annotations

from importlib import import_module

import click

from schemarouter import __version__
from schemarouter_cli import streams
from schemarouter_cli.failure import BROKEN_PIPE, CANNOT_RUN, INTERRUPTED, CannotRun, ReaderGone
from schemarouter_cli.text import printable

#: In the order in which users meet them.
COMMANDS = (
    "check",
    "diff",
    "explain",
    "query",
    "test",
    "compile",
    "catalog",
    "lock",
    "approvals",
    "log",
    "mcp-proxy",
    "hook",
    "doctor",
    "init",
    "schema",
    "rule",
    "completion",
)


class Commands(click.Group):
    """A group that imports a command's module only when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command ``cmd_name``, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"schemarouter_cli.commands.{cmd_name.replace('-', '_')}").command
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", message="schemarouter %(version)s")
def application() -> None:
    """Check, explain and compile the policies that decide about tool calls of AI agents.

    Exit codes: 0 clean, 1 findings, 2 could not run.
    """


def run_command(arguments: list[str]) -> int:
    """Run the command that ``arguments`` name and return its exit code."""
    try:
        status = application.main(arguments, prog_name="schemarouter", standalone_mode=False)
        streams.flush()
    except click.Abort:
        return INTERRUPTED
    except ReaderGone:
        return BROKEN_PIPE
    except click.ClickException as error:
        return _usage(error)
    except CannotRun as error:
        streams.tell_failure(error)
        return CANNOT_RUN
    return status if isinstance(status, int) else 0


def _usage(error: click.ClickException) -> int:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        streams.tell(error.message)
        return CANNOT_RUN
    message = " ".join(error.format_message().split())
    streams.tell(f"error: {printable(message[:1].lower() + message[1:].rstrip('.'))}")
    if context is not None:
        streams.tell(f"help: see `{context.command_path} --help`")
    return CANNOT_RUN
