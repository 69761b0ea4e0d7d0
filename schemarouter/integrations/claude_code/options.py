"""The options of ``schemarouter hook claude-code``: one table for the process, its help and its settings.

Parsed by hand, because a parser from a library costs more than the decision. Standard library only.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

    class Option(NamedTuple):
        """One option: ``metavar`` is ``None`` for a flag, ``many`` one that may be repeated."""

        name: str
        metavar: str | None
        many: bool
        help: str

    class HookOptions(NamedTuple):
        """What the hook is told. Paths are as they were given."""

        artifact: str | None
        digest: str | None
        server: tuple[str, ...]
        store: str | None
        run: str | None
        approver: tuple[str, ...]
        wait: str | None
        asks_a_person: bool
        stop_file: str | None
        stop_variable: str | None
        log: str | None
        log_key: str | None
        log_head: str | None
        time_limit: str | None
        any_mode: bool
else:
    Option = namedtuple("Option", "name metavar many help")
    HookOptions = namedtuple(
        "HookOptions",
        "artifact digest server store run approver wait asks_a_person stop_file stop_variable log log_key log_head "
        "time_limit any_mode",
    )

#: Seconds. Claude Code's own limit is ten minutes, and has to be above the hook's.
DEFAULT_TIME_LIMIT = 8.0
LONGEST = 540.0

OPTIONS: tuple[Option, ...] = (
    Option("artifact", "FILE", False, "The policy, as `schemarouter compile` wrote it. Required."),
    Option("digest", "DIGEST", False, "Deny everything unless the artifact has this digest."),
    Option("server", "NAME", True, "An MCP server, as Claude Code names it in `mcp__NAME__TOOL`."),
    Option("store", "FILE", False, "Where budgets are counted and approvals wait. Needed for either."),
    Option("run", "ID", False, "The run whose budget is used. Default: the session's id."),
    Option("approver", "PUBLIC-KEY", True, "Who may approve: what `approvals keygen` prints."),
    Option(
        "wait",
        "SECONDS",
        False,
        "How long a call waits for an approver. Default: 0, the call is denied and tried again.",
    ),
    Option("asks-a-person", None, False, "Approve by Claude Code's own prompt: you vouch that a person answers it."),
    Option("stop-file", "FILE", False, "The kill switch: deny everything while the file is there."),
    Option("stop-variable", "NAME", False, "The kill switch: deny everything while the variable is set."),
    Option("log", "FILE", False, "A decision log. Needs --log-key or --log-head."),
    Option("log-key", "FILE", False, "The key that seals the decision log."),
    Option("log-head", "FILE", False, "Where the last record of the decision log is named."),
    Option("time-limit", "SECONDS", False, "Deny what is not decided by then. Default: 8, above --wait."),
    Option("any-mode", None, False, "Also decide in permission modes that run tools without the hook."),
)


class OptionError(ValueError):
    """The options cannot be used. The message holds no value of theirs."""


def parse(arguments: Sequence[str]) -> HookOptions:
    """Read the options. Raises :class:`OptionError`; nothing is guessed, shortened or ignored."""
    known = {f"--{option.name}": option for option in OPTIONS}
    values: dict[str, Any] = {
        option.name.replace("-", "_"): () if option.many else False if option.metavar is None else None
        for option in OPTIONS
    }
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        option = known.get(name)
        if option is None:
            raise OptionError("there is an option or argument that the hook does not know")
        key = option.name.replace("-", "_")
        if option.metavar is None:
            if equals:
                raise OptionError(f"`{name}` takes no value")
            values[key] = True
            continue
        if not equals:
            if not rest:
                raise OptionError(f"`{name}` needs a value")
            value = rest.pop(0)
        if not value:
            raise OptionError(f"the value of `{name}` is empty")
        before = values[key]
        if isinstance(before, tuple):
            values[key] = (*before, value)
        elif before is None:
            values[key] = value
        else:
            raise OptionError(f"`{name}` is given twice")
    return HookOptions(**values)


def write(options: HookOptions) -> list[str]:
    """The arguments that :func:`parse` reads as ``options``."""
    arguments: list[str] = []
    for option in OPTIONS:
        value = getattr(options, option.name.replace("-", "_"))
        if option.metavar is None:
            arguments += [f"--{option.name}"] if value else []
        else:
            for one in value if option.many else [] if value is None else [value]:
                arguments += [f"--{option.name}", one]
    return arguments


def times(options: HookOptions) -> tuple[float, float]:
    """How long an approver is waited for, and when the hook denies by itself, in seconds. Raises :class:`OptionError`."""
    wait = 0.0 if options.wait is None else _seconds(options.wait, "wait", LONGEST - DEFAULT_TIME_LIMIT)
    if options.time_limit is None:
        return wait, wait + DEFAULT_TIME_LIMIT
    limit = _seconds(options.time_limit, "time-limit", LONGEST)
    if limit <= wait:
        raise OptionError("`--time-limit` is not above `--wait`")
    return wait, limit


def _seconds(text: str, name: str, limit: float) -> float:
    """A number of seconds from 0 to ``limit``. Raises :class:`OptionError`."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= limit:
        raise OptionError(f"`--{name}` is no number of seconds from 0 to {limit:g}")
    return value
