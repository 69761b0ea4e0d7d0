"""``schemarouter hook``: what a host starts before each tool call.

The hook itself does not come through here: ``__main__`` starts it without click, because every call waits for it. This is
its help.
"""

from __future__ import annotations

import click

from schemarouter.integrations.claude_code.options import OPTIONS


@click.group("hook", short_help="Decide about one tool call of a host.")
def command() -> None:
    """Decide about one tool call, for hosts that start a process before each."""


def _options(function: click.decorators.FC) -> click.decorators.FC:
    for option in reversed(OPTIONS):
        name, text = f"--{option.name}", option.help
        if option.metavar is None:
            function = click.option(name, is_flag=True, help=text)(function)
        else:
            function = click.option(name, metavar=option.metavar, multiple=option.many, help=text)(function)
    return function


@command.command("claude-code", short_help="The PreToolUse hook of Claude Code.")
@_options
def claude_code(**_: object) -> int:
    """Read a `PreToolUse` event on standard input, and answer `allow`, `ask` or `deny` on standard output.

    `schemarouter init claude-code` writes the settings that start this, `schemarouter doctor` tries them. The policy is a compiled
    artifact. Built-in tools are operations of `claude`, such as `claude.Bash`; `mcp__NAME__TOOL` is `NAME.TOOL` for
    each --server. The run is the session. What goes wrong is denied.

    Exit codes: 0 decided, 2 denied because the hook could not do its work.
    """
    raise click.UsageError("the hook is started as `schemarouter hook claude-code`, with nothing in between")
