"""``schemarouter init``: write a starter policy, or the settings of a host."""

from __future__ import annotations

from typing import Any

import click

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.text import display_path

#: Where editors find the schema: in this project, and in the user's.
_SCHEMA_HERE = "$schema=../schemas/policy.v1.schema.json\n"
_SCHEMA_BESIDE = "$schema=policy.v1.schema.json\n"


class _Init(click.Command):
    """Hands `init claude-code` over to a command with options of its own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of this command, or of the host that is named first."""
        if args[:1] == ["claude-code"]:
            from schemarouter_cli.hosting import claude_code

            return claude_code.make_context("init claude-code", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command("init", cls=_Init, short_help="Write a starter policy, or the settings of a host.")
@click.argument("profile", default="starter", metavar="[PROFILE]")
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(), help="Where to. Default: policy.yaml; `-` is standard output."
)
@click.option(
    "--format", "format_", type=click.Choice(["yaml", "toml"]), help="Default: by the file's ending, else yaml."
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--list", "list_", is_flag=True, help="List the profiles.")
def command(profile: str, output: str | None, format_: str | None, force: bool, list_: bool) -> None:
    """Write a commented policy to start from: `starter`, `read-only`, `mcp` or `coding`.

    An existing file is only overwritten with --force. `schemarouter init claude-code --help` tells how the settings of Claude Code are
    written, which enforce a policy there.
    """
    from schemarouter.resources import read_resource, resource_names

    files = resource_names("profiles")
    if list_:
        streams.write("".join(f"{name}\n" for name in sorted({file.rpartition(".")[0] for file in files})))
        return
    ending = format_ or ("toml" if output is not None and output.endswith(".toml") else "yaml")
    if f"{profile}.{ending}" not in files:
        raise CannotRun(f"there is no profile `{profile}` in {ending.upper()}", f"known profiles: {', '.join(files)}")
    text = read_resource("profiles", f"{profile}.{ending}").replace(_SCHEMA_HERE, _SCHEMA_BESIDE, 1)
    _write(text, output or f"policy.{ending}", force=force)


def _write(text: str, path: str, *, force: bool) -> None:
    from schemarouter_cli.files import STDIN, write_atomically, write_new

    if path == STDIN:
        streams.write(text)
        return
    (write_atomically if force else write_new)(path, text.encode("utf-8"))
    shown = display_path(path)
    streams.tell(f"wrote `{shown}`; check it with `schemarouter check {shown}`")
    if _SCHEMA_BESIDE in text:
        streams.tell(
            "help: editors complete it if you also run `schemarouter schema > policy.v1.schema.json` beside it"
        )
