"""``schemarouter schema``: print a JSON Schema of this package."""

from __future__ import annotations

import click

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun


@click.command("schema", short_help="Print a JSON Schema.")
@click.argument("name", default="policy", metavar="[NAME]")
@click.option("--list", "list_", is_flag=True, help="List the names.")
def command(name: str, list_: bool) -> None:
    """Print the JSON Schema of the policy file, or of an output such as `check` or `explain`.

    Editors that know the YAML language server use it through the first line of a policy file:
    `# yaml-language-server: $schema=FILE`.
    """
    from schemarouter.resources import read_resource, resource_names

    known = {file.split(".", 1)[0]: file for file in resource_names("schemas")}
    if list_:
        streams.write("".join(f"{one}\n" for one in known))
        return
    file = known.get(name)
    if file is None:
        raise CannotRun(f"there is no schema `{name}`", f"known schemas: {', '.join(known)}")
    streams.write(read_resource("schemas", file))
