"""``schemarouter doctor``: is the hook whole, or is it the policy that says no?"""

from __future__ import annotations

import click

from schemarouter_cli import options, streams
from schemarouter_cli.failure import CannotRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


@click.command("doctor", short_help="Tell a hook that is broken from a policy that denies.")
@click.option(
    "--project", default=".", show_default=True, metavar="FOLDER", type=click.Path(), help="The project of Claude Code."
)
@click.option("--settings", metavar="FILE", type=click.Path(), help="Look at this settings file only.")
@click.option("--call", metavar="TOOL", help="Also make a call of this tool, by Claude Code's name.")
@click.option("--input", "input_", default="{}", show_default=True, metavar="JSON", help="The arguments of that call.")
@options.color
def command(project: str, settings: str | None, call: str | None, input_: str, color: str) -> int:
    """Tell a hook of Claude Code that is broken from a policy that denies.

    Reads the settings that name the hook, and runs the configured command for real with a canary call, which runs nothing. With
    --call it asks the hook about a call of your own, in a session of its own.

    Exit codes: 0 the hook is whole and the call is allowed, 1 it is broken or the call is denied, 2 could not run.
    """
    from pathlib import Path

    from schemarouter.integrations.claude_code.doctor import examine
    from schemarouter.integrations.claude_code.settings import SettingsError
    from schemarouter_cli.render.doctor import show_checks

    folder = Path(project).absolute()
    if not folder.is_dir():
        raise CannotRun("the project is no folder")
    files = _files(folder, settings)
    try:
        checks = examine(files, folder)
    except SettingsError as error:
        raise CannotRun(str(error), error.help) from None
    text = show_checks(checks, color)
    broken = any(check.state == "broken" for check in checks)
    if call is None:
        streams.write(text)
        return int(broken)
    streams.write(text)
    return int(_asked(files, folder, call, input_) or broken)


def _files(folder: Path, settings: str | None) -> list[Path]:
    import os
    from pathlib import Path

    from schemarouter.integrations.claude_code.doctor import settings_files

    if settings is not None:
        path = Path(settings)
        if not path.is_file():
            raise CannotRun("there is no such settings file")
        return [path.absolute()]
    user = os.environ.get("CLAUDE_CONFIG_DIR")
    return settings_files(folder, Path(user) if user else Path.home() / ".claude")


def _asked(files: list[Path], folder: Path, tool: str, text: str) -> bool:
    """Ask the hook about one call. Returns whether it does not run."""
    import json

    from schemarouter.integrations.claude_code.doctor import call, configured_in
    from schemarouter_cli.text import printable

    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        raise CannotRun("the value of `--input` is no JSON") from None
    if not isinstance(arguments, dict):
        raise CannotRun("the value of `--input` is no JSON object")
    configured = configured_in(files)
    if configured is None:
        return True
    answer = call(configured, tool, arguments, folder)
    words = {"allow": "allowed", "ask": "a person is asked", "denied": "denied by policy", "broken": "hook broken"}
    streams.write(f"{words[answer.kind]}: {printable(answer.text)}\n")
    return answer.kind in ("denied", "broken")
