"""``schemarouter init claude-code``: compile a policy, and write the settings that have Claude Code ask it."""

from __future__ import annotations

import click

from schemarouter.integrations.claude_code.options import OPTIONS
from schemarouter_cli import options, streams
from schemarouter_cli.failure import CannotRun
from schemarouter_cli.text import display_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.integrations.claude_code.options import HookOptions

#: What the command finds out itself.
_OWN = ("artifact", "digest")
#: Options that name files: the hook runs in whatever folder Claude Code is in.
_PATHS = ("store", "stop_file", "log", "log_key", "log_head")


def _hook_options(function: click.decorators.FC) -> click.decorators.FC:
    for option in reversed([option for option in OPTIONS if option.name not in _OWN]):
        name = f"--{option.name}"
        if option.metavar is None:
            function = click.option(name, is_flag=True, help=option.help)(function)
        else:
            function = click.option(name, metavar=option.metavar, multiple=option.many, help=option.help)(function)
    return function


@click.command("claude-code", short_help="Write the settings that have Claude Code ask a policy.")
@click.option("--policy", default="policy.yaml", show_default=True, metavar="FILE", type=click.Path())
@click.option(
    "-o",
    "--artifact",
    default=".claude/schemarouter.policy.json",
    show_default=True,
    metavar="FILE",
    type=click.Path(),
    help="Where the compiled policy goes.",
)
@click.option("--settings", default=".claude/settings.json", show_default=True, metavar="FILE", type=click.Path())
@click.option("--print", "print_", is_flag=True, help="Print the settings, and write nothing.")
@_hook_options
@options.color
def claude_code(policy: str, artifact: str, settings: str, print_: bool, color: str, **told: Any) -> int:
    """Compile a policy, and write the settings that have Claude Code ask it before each tool call.

    What stands in the settings already is kept; the difference is shown. Nothing but what the hook allows runs: the permission
    mode is `dontAsk`, and a hook that fails blocks. MCP servers of `.mcp.json` are added to those of --server. Try it with
    `schemarouter doctor`.

    Exit codes: 0 written, 1 the policy has errors, 2 could not run.
    """
    from pathlib import Path

    from schemarouter.compiler.artifact import dump_artifact
    from schemarouter.errors import PolicyError, RegistrationError
    from schemarouter.integrations.claude_code.options import OptionError, parse, write
    from schemarouter.integrations.claude_code.settings import SettingsError, dump_settings, merged, read_settings
    from schemarouter.integrations.claude_code.verdict import names_of, require_enforceable
    from schemarouter_cli.files import refuse_overwriting, write_atomically
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show

    refuse_overwriting(artifact, [policy])
    graph, outcome = read_policy_file(policy)
    if outcome.findings:
        show(outcome, "full", color, to_stderr=True)
    if graph is None:
        return 1
    path = Path(settings)
    before = _settings_text(path)
    try:
        hook = _options(told, graph, Path(artifact), Path.cwd())
        hook = parse(write(hook))  # as the process will read it
        names_of(hook.server)
        require_enforceable(graph, None if hook.store is None else _store(hook.store, make=not print_))
        after = dump_settings(merged(read_settings(before.encode()), hook))
    except (SettingsError, PolicyError) as error:
        raise CannotRun(str(error), error.help) from None
    except (OptionError, RegistrationError) as error:
        raise CannotRun(str(error)) from None
    if print_:
        streams.write(after)
        return 0
    for folder in (Path(artifact).parent, path.parent):
        _make_folder(folder)
    write_atomically(artifact, dump_artifact(graph))
    write_atomically(settings, after.encode())
    streams.write(_difference(before, after, display_path(settings)))
    streams.tell(
        f"wrote `{display_path(artifact)}` and `{display_path(settings)}`; try them with `schemarouter doctor`"
    )
    return 0


def _options(told: dict[str, Any], graph: EvaluationGraph, artifact: Path, folder: Path) -> HookOptions:
    from schemarouter.integrations.claude_code.options import HookOptions

    values = dict(told)
    for name in _PATHS:
        if values[name] is not None:
            values[name] = str((folder / values[name]).absolute())
    servers = dict.fromkeys((*values.pop("server"), *_project_servers(folder)))
    return HookOptions(
        artifact=str((folder / artifact).absolute()), digest=graph.digest, server=tuple(servers), **values
    )


def _project_servers(folder: Path) -> list[str]:
    """Names of the MCP servers of the project, as Claude Code spells them in the names of tools."""
    import json
    import re

    from schemarouter.reading import read_bounded

    try:
        document = json.loads(read_bounded(folder / ".mcp.json", 4 * 1024 * 1024))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError):
        raise CannotRun("`.mcp.json` cannot be read", "mend it, or name the servers with `--server`") from None
    servers = document.get("mcpServers") if isinstance(document, dict) else None
    if servers is None:
        return []
    if not isinstance(servers, dict):
        raise CannotRun("`mcpServers` of `.mcp.json` is no object")
    names = [re.sub(r"[^a-zA-Z0-9_-]", "_", name) for name in servers]
    if len(set(names)) != len(names):
        raise CannotRun("two servers of `.mcp.json` have the same name in the names of tools", "rename one")
    return names


def _store(path: str, *, make: bool) -> Any:
    from pathlib import Path

    from schemarouter.errors import StateStoreError
    from schemarouter.state.sqlite import SqliteStore

    store = SqliteStore(path)
    if make:
        _make_folder(Path(path).parent)
        try:
            store.identity()
        except StateStoreError as error:
            raise CannotRun(f"the store cannot be used: {error}") from None
        finally:
            store.close()
    return store


def _settings_text(path: Path) -> str:
    from schemarouter.integrations.claude_code.settings import LIMIT
    from schemarouter.reading import read_bounded
    from schemarouter_cli.failure import os_reason

    try:
        return read_bounded(path, LIMIT + 1).decode("utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise CannotRun(f"cannot read `{display_path(str(path))}`: {os_reason(error)}") from None
    except ValueError:
        raise CannotRun(f"`{display_path(str(path))}` is not UTF-8") from None


def _make_folder(folder: Path) -> None:
    from schemarouter_cli.failure import os_reason

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotRun(f"cannot make `{display_path(str(folder))}`: {os_reason(error)}") from None


def _difference(before: str, after: str, name: str) -> str:
    import difflib

    if before == after:
        return f"`{name}` says so already\n"
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
    return "".join(f"{line}\n" for line in lines)
