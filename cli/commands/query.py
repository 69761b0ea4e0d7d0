"""``schemarouter query``: whether a policy lets any call of a kind happen."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.document.source import Format


@click.command("query", short_help="Ask whether any call of a kind can happen.")
@click.argument("policy", type=click.Path())
@click.argument("question", nargs=-1, required=True)
@options.policy_format
@options.output_format("full", "json")
@options.color
def command(policy: str, question: tuple[str, ...], format_: Format | None, output_format: str, color: str) -> int:
    """Ask whether any call of a kind can happen under a policy; exactly, over all operations and attributes.

    \b
    QUESTION joins words by `and`, each with or without `not` before it:
      remote local read-only mutating unclassified destructive
      allow (runs at once)  approval (runs after approval)  deny
      operation:PATTERN
    Without one of `allow`, `approval` and `deny`, calls are meant that run, at once or after approval:

    \b
      schemarouter query policy.yaml 'destructive and remote and not approval'
      schemarouter query policy.yaml 'unclassified and operation:payments.*'

    POLICY is a policy file or a compiled artifact. Attributes are those of the tool's contract, as for `explain`.

    Exit codes: 0 no, 1 yes (with a call that shows it) or undecided, 2 could not run.
    """
    from schemarouter_cli.failure import CANNOT_RUN, CannotRun
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show

    text = " ".join(question)
    graph, outcome = read_policy_file(policy, format_)
    if graph is None:
        show(outcome, "full", color, to_stderr=True)
        return CANNOT_RUN
    from schemarouter.analysis.query import QuestionError, ask

    try:
        answer = ask(graph, text)
    except QuestionError as error:
        raise CannotRun(f"cannot read the question, at character {error.position + 1}: {error}", error.help) from None
    from schemarouter_cli.render import query as renderers

    if output_format == "json":
        streams.write(renderers.render_json(graph, text, answer))
    else:
        from schemarouter_cli.terminal import screen_width, wants_color

        streams.write(
            renderers.render_full(graph, text, answer, outcome.files[0], color=wants_color(color), width=screen_width())
        )
    return 0 if answer.answer == "no" else 1
