"""``schemarouter compile``: write a policy as an artifact that loads without a YAML parser."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.document.source import Format


@click.command("compile", short_help="Compile a policy to an artifact.")
@click.argument("policy", type=click.Path())
@click.option(
    "-o", "--output", required=True, metavar="FILE", type=click.Path(), help="The artifact; `-` is standard output."
)
@click.option("--expect-digest", metavar="DIGEST", help="Write nothing unless the policy has this digest.")
@options.policy_format
@options.color
def command(policy: str, output: str, expect_digest: str | None, format_: Format | None, color: str) -> int:
    """Compile a policy to an artifact, and print its digest.

    The digest says what the policy means: it does not change with layout, comments, key order or file format. Loading
    the artifact needs no YAML parser. The file is written as a whole or not at all.

    Exit codes: 0 written, 1 the policy has errors or another digest, 2 could not run.
    """
    from schemarouter_cli.files import STDIN, refuse_overwriting, write_atomically
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show
    from schemarouter_cli.text import display_path, printable

    refuse_overwriting(output, [policy])
    graph, outcome = read_policy_file(policy, format_)
    if outcome.findings:
        # Warnings do not stop it; standard output then holds the digest or the artifact, for programs.
        show(outcome, "full", color, to_stderr=graph is not None or output == STDIN)
    if graph is None:
        return 1
    if expect_digest is not None and expect_digest.lower() != graph.digest:
        streams.tell(f"error: `{printable(display_path(policy))}` has the digest {graph.digest}, not the expected one")
        return 1
    from schemarouter.compiler.artifact import dump_artifact

    artifact = dump_artifact(graph)
    if output == STDIN:
        streams.write_bytes(artifact)
        streams.tell(graph.digest)
    else:
        write_atomically(output, artifact)
        streams.write(f"{graph.digest}\n")
    return 0
