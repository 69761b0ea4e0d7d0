"""``schemarouter rule``: the documentation of a lint code."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams
from schemarouter_cli.failure import CannotRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.lint.docs import RuleDoc


@click.command("rule", short_help="Explain a code of a finding.")
@click.argument("code", required=False, metavar="[CODE|NAME]")
@click.option("--all", "all_", is_flag=True, help="List every code; the same as no CODE.")
@options.output_format("full", "json")
@options.color
def command(code: str | None, all_: bool, output_format: str, color: str) -> None:
    """Explain a code such as `SR301` or its name, `caret-negation`; without one, list them all."""
    from schemarouter.lint.docs import UnknownCodeError, all_docs, rule_docs

    if code is not None and all_:
        raise click.UsageError("name a code or say --all, not both")
    try:
        docs = all_docs() if code is None else (rule_docs(code),)
    except UnknownCodeError as error:
        raise CannotRun(str(error), error.help) from None
    if output_format == "json":
        from schemarouter_cli.render.plain import dump

        records = [_record(doc) for doc in docs]
        streams.write(dump({"version": 1, "rules": records}, indent=2) + "\n")
        return
    from schemarouter_cli.render.docs import render_docs, render_index
    from schemarouter_cli.terminal import screen_width, wants_color

    colored, width = wants_color(color), screen_width()
    if code is None:
        streams.write(render_index(docs, color=colored, width=width))
    else:
        streams.write(render_docs(docs[0], color=colored, width=width))


def _record(doc: RuleDoc) -> dict[str, object]:
    return {
        "code": doc.code,
        "name": doc.name,
        "severity": doc.severity,
        "summary": " ".join(doc.summary.split()),
        "sections": [{"title": title, "text": text} for title, text in doc.sections.items()],
    }
