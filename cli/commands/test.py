"""``schemarouter test``: run the tests of policies."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation

import click

from schemarouter_cli import options


class Percent(click.ParamType[Decimal]):
    """A number from 0 to 100, taken as it is written: 99.9 is not rounded."""

    name = "percent"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """The number."""
        try:
            number = Decimal(str(value).removesuffix("%"))
        except InvalidOperation:
            number = Decimal(-1)
        if not (number.is_finite() and 0 <= number <= 100):
            self.fail(f"{value!r} is no number from 0 to 100", param, ctx)
        return number


@click.command("test", short_help="Run policy tests.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@click.option(
    "--min-coverage", type=Percent(), metavar="N", help="Fail where fewer percent of a policy's rules decide a test."
)
@click.option("--mutate", is_flag=True, help="Try small mistakes in each policy, and list those that no test notices.")
@click.option(
    "--min-mutation-score",
    type=Percent(),
    metavar="N",
    help="Fail where tests notice fewer percent of a policy's mutants; implies --mutate.",
)
@click.option("--allow-empty", is_flag=True, help="Finding no test is no failure.")
@options.output_format("full", "concise", "json", "junit", "github")
@click.option("-o", "--output-file", metavar="FILE", type=click.Path(), help="Write the result to a file.")
@click.option("--no-config", is_flag=True, help="Do not read `[tool.schemarouter]` of pyproject.toml.")
@options.color
def command(
    paths: tuple[str, ...],
    min_coverage: Decimal | None,
    mutate: bool,
    min_mutation_score: Decimal | None,
    allow_empty: bool,
    output_format: str,
    output_file: str | None,
    no_config: bool,
    color: str,
) -> int:
    """Run the tests of policies: files such as `policy.test.yaml`, and the `examples` of rules.

    PATH is a file of tests, a policy (the files of tests beside it are run), or a folder that is searched for both.
    Without a PATH, what `check` would find is tested. A rule is covered if it decides a test; percentages are
    never rounded up, and are asked of each policy alone.

    Exit codes: 0 passed, 1 a test failed or too little is covered, 2 could not run.
    """
    from schemarouter_cli.failure import CANNOT_RUN
    from schemarouter_cli.render.testing import show_tests
    from schemarouter_cli.settings import Settings, find_settings
    from schemarouter_cli.testing import Thresholds, run_policy_tests

    settings = Settings() if no_config else find_settings(os.getcwd())
    thresholds = Thresholds(min_coverage, min_mutation_score)
    run = run_policy_tests(
        paths,
        settings,
        mutate=mutate or min_mutation_score is not None,
        allow_empty=allow_empty,
        output_file=output_file,
    )
    show_tests(run, thresholds, output_format, color, output_file)
    if run.failures or run.report.errors:
        return CANNOT_RUN
    return int(bool(run.report.failed or thresholds.missed(run.report)))
