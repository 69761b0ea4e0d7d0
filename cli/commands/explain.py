"""``schemarouter explain``: which rule decides about a call, and why."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.document.source import Format


@click.command("explain", short_help="Explain the decision about a call.")
@click.argument("policy", type=click.Path())
@click.option("--operation", required=True, metavar="OP", help="Tool key, dot, endpoint name: `tickets.create`.")
@click.option("--remote", is_flag=True, help="The tool runs elsewhere.")
@click.option("--local", is_flag=True, help="The tool runs here.")
@click.option("--read-only", is_flag=True, help="The call only reads.")
@click.option("--mutating", is_flag=True, help="The call changes something.")
@click.option("--unclassified", is_flag=True, help="Nobody has said whether it only reads.")
@click.option("--destructive", is_flag=True, help="The call destroys something.")
@click.option("--not-destructive", is_flag=True, help="It does not.")
@click.option("--destructive-unknown", is_flag=True, help="Nobody has said whether it does.")
@click.option(
    "--arguments", metavar="JSON", help="The arguments, or `@FILE`. Left out: not known, so that conditions stay open."
)
@click.option("--all-rules", is_flag=True, help="List also every rule whose pattern does not match.")
@options.policy_format
@options.output_format("full", "json")
@options.color
def command(
    policy: str,
    operation: str,
    remote: bool,
    local: bool,
    read_only: bool,
    mutating: bool,
    unclassified: bool,
    destructive: bool,
    not_destructive: bool,
    destructive_unknown: bool,
    arguments: str | None,
    all_rules: bool,
    format_: Format | None,
    output_format: str,
    color: str,
) -> int:
    """Explain which rule decides about a call, why those before it do not, and each stage of the call.

    POLICY is a policy file or a compiled artifact. Attributes that are left out stay open: every class is shown that
    they leave, equal ones together. Attributes are those of the tool's contract; `classify` of the policy applies.

    Exit codes: 0 explained, 2 could not run.
    """
    if remote and local:
        raise click.UsageError("--remote and --local exclude each other")
    if read_only + mutating + unclassified > 1:
        raise click.UsageError("--read-only, --mutating and --unclassified exclude each other")
    if destructive + not_destructive + destructive_unknown > 1:
        raise click.UsageError("--destructive, --not-destructive and --destructive-unknown exclude each other")
    from schemarouter_cli.arguments import legal_operation, read_arguments
    from schemarouter_cli.failure import CANNOT_RUN
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show

    legal_operation(operation)
    values = read_arguments(arguments)
    graph, outcome = read_policy_file(policy, format_)
    if graph is None:
        show(outcome, "full", color, to_stderr=True)
        return CANNOT_RUN
    from schemarouter.compiler.explain import explain_open

    explanations = explain_open(
        graph,
        operation,
        remote=True if remote else False if local else None,
        read_only=True if read_only else False if mutating else None,
        destructive=True if destructive else False if not_destructive else None,
        unclassified=True if unclassified else None,
        arguments=values,
    )
    if destructive_unknown:
        explanations = [one for one in explanations if one.call.destructive is None]
    if output_format == "json":
        from schemarouter_cli.render.explain_json import render_json

        streams.write(render_json(graph, explanations))
        return 0
    from schemarouter_cli.render.explain import render_explanations
    from schemarouter_cli.terminal import has_unicode, screen_width, wants_color

    streams.write(
        render_explanations(
            graph,
            explanations,
            outcome.files[0],
            all_rules=all_rules,
            color=wants_color(color),
            width=screen_width(),
            unicode=has_unicode(),
        )
    )
    return 0
