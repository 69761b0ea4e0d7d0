"""``schemarouter completion``: print the script that completes commands and options in a shell."""

from __future__ import annotations

import click

from schemarouter_cli import streams

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: eval "$(schemarouter completion bash)"       in ~/.bashrc
    zsh:  eval "$(schemarouter completion zsh)"        in ~/.zshrc
    fish: schemarouter completion fish | source        in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    from schemarouter_cli.app import application

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    completion = kind(application, {}, "schemarouter", "_SCHEMAROUTER_COMPLETE")
    # Not `source()`: for bash that also starts a bash, only to look at its version.
    streams.write(completion.source_template % completion.source_vars() + "\n")
