"""``schemarouter diff``: what a change of a policy gives or takes away."""

from __future__ import annotations

import os

import click

from schemarouter_cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter_cli.changes import FailOn


@click.command("diff", short_help="Show what a change gives away.")
@click.argument("paths", nargs=-1, metavar="OLD NEW | --base REV [PATH]...", type=click.Path())
@click.option("--base", metavar="REV", help="The old side is this git revision; `REV...` is where HEAD left it.")
@click.option(
    "--fail-on",
    type=click.Choice(["widened", "any", "none"]),
    default="widened",
    show_default=True,
    help="Exit 1 on what gives authority (also mixed and undecided), on any change, or never.",
)
@click.option("--allow-empty", is_flag=True, help="Finding no policy file is no failure.")
@options.output_format("full", "concise", "markdown", "json", "github", "sarif")
@click.option("-o", "--output-file", metavar="FILE", type=click.Path(), help="Write the result to a file.")
@click.option("--no-config", is_flag=True, help="Do not read `[tool.schemarouter]` of pyproject.toml.")
@options.color
def command(
    paths: tuple[str, ...],
    base: str | None,
    fail_on: FailOn,
    allow_empty: bool,
    output_format: str,
    output_file: str | None,
    no_config: bool,
    color: str,
) -> int:
    """Show what a change of a policy gives away, or takes away: every call that it decides differently.

    OLD and NEW are policy files, compiled artifacts, or folders with them; `-` is standard input. With --base, each PATH of the
    working tree (or what `check` would find) is compared with that git revision. A file that is new or deleted is
    compared with a policy that allows nothing.

    Exit codes: 0 nothing at or above --fail-on, 1 something, 2 could not run, also where a side does not compile.
    """
    from schemarouter_cli.changes import fails
    from schemarouter_cli.diffing import diff_pairs, pairs_of
    from schemarouter_cli.failure import CANNOT_RUN
    from schemarouter_cli.render.diff import show_diff
    from schemarouter_cli.render.outcome import show
    from schemarouter_cli.settings import Settings, find_settings

    if base is None and len(paths) != 2:
        raise click.UsageError("name OLD and NEW, or --base REV")
    settings = Settings() if no_config else find_settings(os.getcwd())
    files, broken = diff_pairs(pairs_of(paths, base, settings), allow_empty=allow_empty)
    if broken.findings:
        show(broken, "full", color, to_stderr=True)
        return CANNOT_RUN
    show_diff(files, output_format, color, output_file, fail_on=fail_on, base=base)
    return int(fails(files, fail_on))
