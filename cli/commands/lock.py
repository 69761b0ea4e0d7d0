"""``schemarouter lock``: write down what a policy decides about every operation of a catalog."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from schemarouter.document.source import Format


@click.command("lock", short_help="Write the decisions about a catalog.")
@click.argument("policy", type=click.Path())
@click.option(
    "--catalog",
    "catalogs",
    multiple=True,
    required=True,
    metavar="FILE",
    type=click.Path(),
    help="Catalog of the tools.",
)
@click.option(
    "-o", "--output", required=True, metavar="FILE", type=click.Path(), help="The lock; `-` is standard output."
)
@options.policy_format
@options.color
def command(policy: str, catalogs: tuple[str, ...], output: str, format_: Format | None, color: str) -> int:
    """Write, for every operation of a catalog, which rule decides, the outcome, the effective attributes and the contract.

    Commit the file. `schemarouter check --lock` then reports each operation whose decision moved though the policy did
    not: a new tool that a wildcard takes, a contract or an attribute that changed. An application that is given the lock
    refuses operations that it does not know. Where the file exists, what is decided otherwise is said on standard error.

    Exit codes: 0 written or unchanged, 1 the policy has errors, 2 could not run.
    """
    from schemarouter_cli.files import STDIN, refuse_overwriting
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show
    from schemarouter_cli.sources import read_catalog_files

    refuse_overwriting(output, [policy])
    for path in catalogs:
        refuse_overwriting(output, [path], "the catalog itself")
    graph, outcome = read_policy_file(policy, format_)
    if outcome.findings:
        show(outcome, "full", color, to_stderr=graph is not None or output == STDIN)
    if graph is None:
        return 1
    catalog = read_catalog_files(catalogs)
    assert catalog is not None  # noqa: S101 - the option is required
    from schemarouter.catalog.lock import make_lock, write_lock

    lock = make_lock(graph, catalog)
    data = write_lock(lock)
    if output == STDIN:
        streams.write_bytes(data)
        return 0
    from schemarouter_cli.cataloging import update_lock

    update_lock(output, lock, data)
    return 0
