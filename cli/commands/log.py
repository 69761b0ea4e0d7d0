"""``schemarouter log``: look at a decision log, and find out whether it is whole."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_key_file = click.option(
    "--key-file", type=click.Path(), metavar="K", help="File with the key that the log was written with."
)


@click.group("log", short_help="Verify and read decision logs.")
def command() -> None:
    """Verify and read decision logs: files of JSON lines, with those that were rotated away beside them."""


@command.command("verify")
@click.argument("log", type=click.Path())
@_key_file
@click.option("--head", type=click.Path(), metavar="H", help="File with a head of the log, which was kept elsewhere.")
@options.output_format("full", "json")
@options.color
def verify(log: str, key_file: str | None, head: str | None, output_format: str, color: str) -> int:
    """Say whether LOG is what its writers wrote, or where it is not.

    With a key every record is checked: none was edited, removed or moved. With a head the end is checked as well: nothing
    that was there when the head was kept was cut off. Without a key records behind the head are vouched for by nobody.

    Exit codes: 0 whole, 1 not whole, 2 could not run.
    """
    from schemarouter.audit.verify import VerificationError, verify_log
    from schemarouter_cli.failure import CannotRun
    from schemarouter_cli.render import log as renderers

    try:
        found = verify_log(log, key=_key(key_file), head=head)
    except VerificationError as error:
        raise CannotRun(str(error), error.help) from None
    if output_format == "json":
        streams.write(renderers.render_json(found))
    else:
        from schemarouter_cli.terminal import screen_width, wants_color

        streams.write(renderers.render_full(found, color=wants_color(color), width=screen_width()))
    return 1 if found.breaks else 0


@command.command("show")
@click.argument("log", type=click.Path())
@click.option("-n", "--last", "number", type=click.IntRange(1, 100_000), help="Only the last ones.")
@click.option("--kind", multiple=True, help="Only records of this kind, such as decision. Can be repeated.")
@options.output_format("full", "json")
def show(log: str, number: int | None, kind: tuple[str, ...], output_format: str) -> int:
    """Print the records of LOG, one line each, oldest first. Seals are not checked: `verify` does that.

    Exit codes: 0, 2 could not run.
    """
    from collections import deque

    from schemarouter_cli.render import log as renderers

    wanted = (record for record in _records(log) if not kind or record["kind"] in kind)
    line = renderers.line_json if output_format == "json" else renderers.line_full
    for record in wanted if number is None else deque(wanted, number):
        streams.write(line(record) + "\n")
    return 0


@command.command("shadow")
@click.argument("log", type=click.Path())
def shadow(log: str) -> int:
    """Report what a policy would have denied or asked about while it was in shadow mode, by rule.

    Exit codes: 0, 2 could not run.
    """
    from schemarouter.audit.shadow import ShadowReport
    from schemarouter_cli.text import printable

    report = ShadowReport.of_records(_records(log))
    for line in str(report).split("\n"):
        streams.write(printable(line) + "\n")
    return 0


def _records(log: str) -> Iterator[dict[str, Any]]:
    from schemarouter.audit.reading import records
    from schemarouter_cli.failure import CannotRun, os_reason
    from schemarouter_cli.text import display_path

    try:
        yield from records(log)
    except OSError as error:
        raise CannotRun(f"cannot read `{display_path(log)}`: {os_reason(error)}") from None


def _key(path: str | None) -> bytes | None:
    """The key in a file."""
    if path is None:
        return None
    from schemarouter.audit.keys import read_key
    from schemarouter_cli.failure import CannotRun, os_reason
    from schemarouter_cli.text import display_path

    try:
        return read_key(path)
    except OSError as error:
        raise CannotRun(f"cannot read the key `{display_path(path)}`: {os_reason(error)}") from None
    except ValueError as error:
        raise CannotRun(f"the key `{display_path(path)}` cannot be used: {error}") from None
