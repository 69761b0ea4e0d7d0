"""``schemarouter catalog``: write the tools of a source as a catalog file."""

from __future__ import annotations

import click

from schemarouter_cli import options, streams


@click.command("catalog", short_help="Write the tools of a source as a catalog.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "-o", "--output", default="-", metavar="FILE", type=click.Path(), help="The catalog; `-`, the default, prints it."
)
@click.option("--name", metavar="NAME", help="Local key of the tool. For several sources write `NAME=SOURCE`.")
@click.option("--suggest-classify", is_flag=True, help="Print what servers say of their tools as `classify` entries.")
@click.option("--server-url", metavar="URL", help="Where the application sends the calls of an OpenAPI document.")
@click.option("--allow-import", multiple=True, metavar="PREFIX", help="Modules that may be imported, such as `myapp.`.")
@click.option("--env", multiple=True, metavar="NAME", help="A variable that an MCP server is given.")
@click.option(
    "--header", multiple=True, metavar="NAME=VARIABLE", help="A header for an MCP server, its value from a variable."
)
@click.option("--leave-out", is_flag=True, help="Leave out tools of an MCP server that cannot be registered.")
@options.color
def command(
    sources: tuple[str, ...],
    output: str,
    name: str | None,
    suggest_classify: bool,
    server_url: str | None,
    allow_import: tuple[str, ...],
    env: tuple[str, ...],
    header: tuple[str, ...],
    leave_out: bool,
    color: str,  # noqa: ARG001 - every command takes it; there is nothing to colour in a file
) -> int:
    """Write the tools of all sources as one catalog: operations, attributes, arguments, fingerprints.

    \b
    SOURCE is one of
      openapi.json           an OpenAPI 3 document, JSON or YAML
      'mcp:COMMAND LINE'     an MCP server, which is started for this; it needs --name
      mcp:http://HOST/PATH   one that runs already
      listing.json           a saved answer to its tools/list
      python:myapp.tools     a module, which is imported: it needs --allow-import
      catalog.json           a catalog, to make one of several

    The same tools give the same file, to the byte. Where FILE exists, what changed is said on standard error: operations
    that came or went, attributes, contracts, and hints. What a server says of its own tools is kept as a description and
    decides nothing; --suggest-classify prints it as entries for a policy, for a person to review.

    Exit codes: 0 written or unchanged, 2 could not run.
    """
    from schemarouter_cli.sources import SourceOptions, catalog_of_sources

    if suggest_classify and output != "-":
        raise click.UsageError("--suggest-classify prints entries and writes no catalog")
    reading = SourceOptions(server_url, allow_import, env, header, leave_out)
    catalog = catalog_of_sources(sources, name, reading)
    if suggest_classify:
        from schemarouter.catalog.suggest import classify_text

        streams.write(classify_text(catalog))
        return 0
    from schemarouter.catalog.file import write_catalog

    data = write_catalog(catalog)
    if output == "-":
        streams.write_bytes(data)
        return 0
    from schemarouter_cli.cataloging import update

    update(output, catalog, data)
    return 0
