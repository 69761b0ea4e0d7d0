"""``schemarouter check``: lint policy files."""

from __future__ import annotations

import os

import click

from schemarouter_cli import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.catalog.lock import Lock
    from schemarouter.catalog.records import Catalog
    from schemarouter.document.source import Format


@click.command("check", short_help="Check policy files.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option("--select", multiple=True, metavar="CODE", help="Report only these codes or families, such as SR3.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Do not report these codes or families.")
@click.option("--strict/--no-strict", default=None, help="Warnings fail as well.")
@click.option("--pedantic/--no-pedantic", default=None, help="Report matters of taste too; they never fail.")
@click.option("--allow-empty", is_flag=True, help="Finding no policy file is no failure.")
@click.option(
    "--resolve", is_flag=True, help="Import the hooks and callbacks that a policy names as `module:attribute`."
)
@click.option(
    "--allow-import",
    multiple=True,
    metavar="PREFIX",
    help="With --resolve: packages that may be imported, such as `myapp.`.",
)
@click.option(
    "--catalog", "catalogs", multiple=True, metavar="FILE", type=click.Path(), help="Check against a catalog of tools."
)
@click.option("--lock", metavar="FILE", type=click.Path(), help="With --catalog: report decisions that moved.")
@click.option(
    "--invariants", multiple=True, metavar="FILE", type=click.Path(), help="Ask what must never happen of every policy."
)
@click.option("--tests", is_flag=True, help="Report rules that no policy test is decided by.")
@click.option("--fix", is_flag=True, help="Apply the fixes that are proven not to change what a policy decides.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply also fixes that are a guess; look at what they change.")
@click.option("--diff", is_flag=True, help="Write no file: show what --fix or --unsafe-fixes would change.")
@click.option("--stdin-filename", metavar="PATH", help="What to call standard input (`-`) in findings.")
@options.policy_format
@options.output_format("full", "concise", "json", "github", "sarif")
@click.option("-o", "--output-file", metavar="FILE", type=click.Path(), help="Write the result to a file.")
@click.option("--no-config", is_flag=True, help="Do not read `[tool.schemarouter]` of pyproject.toml.")
@options.color
def command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool | None,
    pedantic: bool | None,
    allow_empty: bool,
    resolve: bool,
    allow_import: tuple[str, ...],
    catalogs: tuple[str, ...],
    lock: str | None,
    invariants: tuple[str, ...],
    tests: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    stdin_filename: str | None,
    format_: Format | None,
    output_format: str,
    output_file: str | None,
    no_config: bool,
    color: str,
) -> int:
    """Check policy files: syntax, structure, names and what the rules mean.

    PATH is a file, a folder that is searched for policy files, or `-` for standard input. Without a PATH the files are
    checked that `[tool.schemarouter]` in pyproject.toml includes.

    With --fix, files are changed in place and what is left is reported; of standard input the fixed text is printed, and
    the findings go to standard error.

    With --catalog, names and patterns are looked up in the tools of a catalog (`schemarouter catalog`), and it is counted
    how many operations would ask a person; `catalog` of `[tool.schemarouter]` names catalogs as well. With --lock, the
    operations are reported whose decision is not the one that `schemarouter lock` wrote down.

    With --invariants, or `invariants` of `[tool.schemarouter]`, the questions of other files that must never come true are
    asked about every policy, and no comment in a policy suppresses them.

    With --tests, the policy tests beside each policy are run to see which rules they are decided by; whether they pass is
    what `schemarouter test` says.

    Exit codes: 0 clean, 1 findings (errors; with --strict warnings too), or with --diff something to change, 2 could not run.
    """
    from datetime import date

    from schemarouter.lint.select import UnknownSelectorError
    from schemarouter_cli.checking import CheckOptions, check_files
    from schemarouter_cli.failure import CANNOT_RUN, CannotRun
    from schemarouter_cli.render.outcome import show
    from schemarouter_cli.settings import Settings, find_settings

    settings = Settings() if no_config else find_settings(os.getcwd())
    if allow_import and not resolve:
        raise click.UsageError("--allow-import has a meaning only together with --resolve")
    if diff and output_format != "full":
        raise click.UsageError("--diff shows a diff and has no other output format")
    resolve_name = None
    if resolve:
        from schemarouter_cli.resolving import resolver

        resolve_name = resolver(allow_import)
    known, locked = _surroundings(catalogs or tuple(os.path.join(settings.root, one) for one in settings.catalog), lock)
    checking = CheckOptions(
        today=date.today(),
        select=_split(select) or settings.select,
        ignore=_split(ignore) or settings.ignore,
        pedantic=settings.pedantic if pedantic is None else pedantic,
        allow_empty=allow_empty,
        format=format_,
        stdin_filename=stdin_filename,
        resolve=resolve_name,
        catalog=known,
        lock=locked,
        tests=tests,
        invariants=invariants or tuple(os.path.join(settings.root, one) for one in settings.invariants),
        output_file=output_file,
    )
    fixer = None
    if fix or unsafe_fixes or diff:
        from schemarouter_cli.fixing import Fixer

        fixer = Fixer(unsafe=unsafe_fixes, diff=diff)
    try:
        outcome = check_files(paths, settings, checking, fixer)
    except UnknownSelectorError as error:
        raise CannotRun(str(error), error.help) from None
    if fixer is not None and diff:
        fixer.show_diff(output_file)
        return CANNOT_RUN if outcome.failures else int(bool(fixer.diffs))
    piped = fixer is not None and fixer.finish()
    show(outcome, output_format, color, output_file, to_stderr=piped and output_file is None)
    return outcome.exit_code(strict=settings.strict if strict is None else strict)


def _surroundings(catalogs: tuple[str, ...], lock: str | None) -> tuple[Catalog | None, Lock | None]:
    """The catalog and the lock that policies are checked against."""
    if not catalogs:
        if lock is not None:
            raise click.UsageError("--lock compares with the operations of a catalog: name it with --catalog")
        return None, None
    from schemarouter_cli.failure import CannotRun
    from schemarouter_cli.sources import read_catalog_files

    catalog = read_catalog_files(catalogs)
    if lock is None:
        return catalog, None
    from schemarouter.catalog.lock import load_lock
    from schemarouter.errors import CatalogError

    try:
        return catalog, load_lock(lock)
    except CatalogError as error:
        raise CannotRun(str(error), error.help) from None


def _split(values: tuple[str, ...]) -> tuple[str, ...]:
    """``--select SR1,SR3`` means the same as ``--select SR1 --select SR3``."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
