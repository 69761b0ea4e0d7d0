"""What ``schemarouter mcp-proxy`` is made of: the servers, the policy, the run, who approves, and where is logged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun, os_reason
from schemarouter_cli.files import read_bytes
from schemarouter_cli.text import count, display_path, printable

if TYPE_CHECKING:
    from schemarouter.audit.log import DecisionLog
    from schemarouter.integrations.mcp_proxy.proxy import McpProxy, ServerBehind
    from schemarouter.integrations.mcp_proxy.servers_file import ServerEntry
    from schemarouter.loading import LoadedPolicy
    from schemarouter.state.sqlite import SqliteStore

#: Bytes of a file of servers, and of a file with the id of a run.
_SERVERS_LIMIT = 1_000_000
_RUN_LIMIT = 1_024


class ProxyOptions(NamedTuple):
    """The options of the command, as they were given."""

    policy: str
    command: tuple[str, ...]
    name: str | None
    servers: str | None
    env: tuple[str, ...]
    headers: tuple[str, ...]
    leave_out: bool
    server_stderr: str
    timeout: int
    denied: str
    client_asks_a_person: bool
    store: str | None
    run: str | None
    approver_keys: tuple[str, ...]
    wait: int
    kill_switch: str | None
    log: str | None
    log_key: str | None
    log_head: str | None
    allow_import: tuple[str, ...]


def run(options: ProxyOptions) -> int:
    """Serve until the client is gone. Raises :class:`CannotRun`."""
    try:
        from schemarouter.integrations.mcp_proxy.running import run_proxy
    except ImportError:
        raise CannotRun(
            "the proxy needs the extra `mcp`", "install it with `pip install 'schemarouter[mcp]'`"
        ) from None
    from schemarouter.errors import SchemaRouterError

    policy = read_policy(options)
    servers = read_servers(options)
    store = open_store(options, policy)
    run_id = None if store is None else run_of(options, [one.name for one in servers])
    log = open_log(options)

    def make(process: Any) -> McpProxy:
        from schemarouter.integrations.mcp_proxy.proxy import McpProxy

        return McpProxy(
            policy,
            servers,
            run_id=run_id,
            store=store,
            approver=_approver(options, store),
            client_asks_a_person=options.client_asks_a_person,
            denied="mark" if options.denied == "mark" else "hide",
            kill_switch=_kill_switch(options.kill_switch),
            decision_log=log,
            process=process,
        )

    try:
        return run_proxy(make, _ready)
    except SchemaRouterError as error:
        raise CannotRun(" ".join(str(error).split()), getattr(error, "help", None)) from None
    except OSError as error:
        raise CannotRun(f"the proxy cannot start a process: {os_reason(error)}") from None
    finally:
        if log is not None:
            log.close()
        if store is not None:
            store.close()


def _ready(proxy: McpProxy) -> None:
    """One line for whoever looks at what the client keeps of standard error."""
    parts = [
        f"{printable(name)} ({count(len(behind.tool.endpoints) if behind.tool else 0, 'tool')})"
        for name, behind in proxy.servers.items()
    ]
    streams.tell(
        f"mcp-proxy: policy {proxy.core.graph.digest[:12]}, run `{printable(proxy.core.run_id)}`, servers: {', '.join(parts)}"
    )


# The policy


def read_policy(options: ProxyOptions) -> LoadedPolicy:
    """The policy with its hooks; what it calls its approval callback is the proxy's own gate."""
    from schemarouter.loading import LoadedPolicy
    from schemarouter.named_callables import resolve_callables
    from schemarouter_cli.policies import read_policy_file
    from schemarouter_cli.render.outcome import show

    policy = read_policy_file(options.policy)
    if policy.graph is None:
        show(policy.outcome, "full", "never", to_stderr=True)
        raise CannotRun(f"`{display_path(options.policy)}` cannot be used", "mend what stands above")
    named = policy.graph.approval.callback
    try:
        callables, problems = resolve_callables(
            policy.graph, {}, {} if named is None else {named: _replaced}, options.allow_import
        )
    except ValueError as error:
        raise CannotRun(str(error)) from None
    if problems:
        advice = "allow the module with `--allow-import`, and call the hook `module:function` in the policy"
        raise CannotRun(problems[0].message, advice)
    return LoadedPolicy(policy.graph, callables)


def _replaced(*_: object) -> bool:
    """Stands for the approval callback until the proxy puts its own there."""
    return False


# The servers


def read_servers(options: ProxyOptions) -> list[ServerBehind]:
    """The servers of the file, or the one of the command line."""
    if options.servers is not None:
        if options.command or options.name is not None or options.env or options.headers:
            raise CannotRun(
                "`--servers` names all servers, so `--name`, `--env`, `--header` and COMMAND are not for it"
            )
        return _of_file(options)
    if not options.command:
        raise CannotRun("there is no server", "write its command behind `--`: `-- mcp-server-git --repository .`")
    from schemarouter.integrations.mcp_proxy.servers_file import ServerEntry

    first, *rest = options.command
    if first.startswith(("http://", "https://")):
        if rest:
            raise CannotRun("behind an address there are no arguments")
        pairs = dict(_pair(one) for one in options.headers)
        entry = ServerEntry(url=first, headers_env=pairs, leave_out=options.leave_out)
    else:
        if options.headers:
            raise CannotRun("`--header` is for a server at an address", "for a command use `--env`")
        stderr: Literal["discard", "inherit"] = "inherit" if options.server_stderr == "inherit" else "discard"
        entry = ServerEntry(
            command=first, args=rest, pass_env=list(options.env), stderr=stderr, leave_out=options.leave_out
        )
    return [_server(options.name or _stem(first), entry, options.timeout)]


def _pair(text: str) -> tuple[str, str]:
    header, between, variable = text.partition("=")
    if not between or not header or not variable:
        raise CannotRun(
            "`--header` names a header and the variable that holds its value", "`--header authorization=DOCS_TOKEN`"
        )
    return header, variable


def _stem(first: str) -> str:
    from urllib.parse import urlsplit

    with suppress(ValueError):
        if first.startswith(("http://", "https://")):
            return urlsplit(first).hostname or first
    return os.path.splitext(os.path.basename(first))[0] or first


def _of_file(options: ProxyOptions) -> list[ServerBehind]:
    from schemarouter.document.reader import detect_format
    from schemarouter.integrations.mcp_proxy.servers_file import read_servers as read
    from schemarouter_cli.outcome import Outcome
    from schemarouter_cli.render.outcome import show

    path = options.servers or ""
    raw = read_bytes(path, _SERVERS_LIMIT)
    shown = display_path(path)
    if len(raw) > _SERVERS_LIMIT:
        raise CannotRun(f"`{shown}` is larger than a file of servers may be")
    found = read(raw, shown, detect_format(shown, raw))
    if found.findings:
        outcome = Outcome(files=[shown])
        outcome.add(shown, raw, found.findings, found.source)
        show(outcome, "full", "never", to_stderr=True)
    if found.document is None:
        raise CannotRun(f"`{shown}` cannot be used", "mend what stands above")
    return [_server(name, entry, options.timeout) for name, entry in found.document.servers.items()]


def _server(name: str, entry: ServerEntry, timeout: float) -> ServerBehind:
    from schemarouter.integrations.mcp_proxy.proxy import ServerBehind
    from schemarouter.sources.mcp import HttpServer, McpLimits, StdioServer
    from schemarouter.sources.problem import SourceError

    try:
        if entry.command is not None:
            server: StdioServer | HttpServer = StdioServer(
                entry.command, entry.args, {**_variables(entry.pass_env), **entry.env}, entry.cwd, entry.stderr
            )
        else:
            values = _variables(entry.headers_env.values())
            secret = {header: values[variable] for header, variable in entry.headers_env.items()}
            server = HttpServer(entry.url or "", {**entry.headers, **secret})
        limits = McpLimits(call_seconds=entry.timeout or timeout)
    except SourceError as error:
        raise CannotRun(f"server `{printable(name)}`: {error}", error.help) from None
    except ValueError as error:
        raise CannotRun(f"server `{printable(name)}`: {error}") from None
    return ServerBehind(name, server, limits, entry.protocol, "leave-out" if entry.leave_out else "refuse")


def _variables(names: Iterable[str]) -> dict[str, str]:
    found = {}
    for name in names:
        if name not in os.environ:
            raise CannotRun(f"the variable `{printable(name)}` is not set", "set it where the proxy is started")
        found[name] = os.environ[name]
    return found


# State


def open_store(options: ProxyOptions, policy: LoadedPolicy) -> SqliteStore | None:
    """The store; a policy with a budget needs one, because a client that reconnects starts a new process."""
    if options.store is None:
        if policy.graph.budget is not None:
            raise CannotRun(
                "the policy has a budget, and without a store a client that reconnects would get it anew",
                "pass `--store state.db`, and `--run ID` for each session",
            )
        if options.run is not None:
            raise CannotRun("`--run` names a run in a store", "pass `--store state.db`, too")
        if options.approver_keys:
            raise CannotRun("approvers answer through a store", "pass `--store state.db`, too")
        return None
    from schemarouter.errors import StateStoreError
    from schemarouter.state.sqlite import SqliteStore

    store = SqliteStore(options.store)
    try:
        store.identity()
    except StateStoreError as error:
        store.close()
        raise CannotRun(str(error)) from None
    return store


def run_of(options: ProxyOptions, names: Sequence[str]) -> str:
    """The id of the run: as given, from the file behind `@`, or one that all sessions with these servers share."""
    from schemarouter.runtime.governance import check_id

    given = options.run if options.run is not None else f"mcp-proxy {', '.join(names)}"[:256]
    if given.startswith("@"):
        given = _run_in(given[1:])
    try:
        return check_id("the id of the run", given)
    except ValueError as error:
        raise CannotRun(str(error)) from None


def _run_in(path: str) -> str:
    """The id in a file, which is made with a new one where there is none: removing it begins a new run."""
    shown = display_path(path)
    new = f"mcp-proxy {os.urandom(8).hex()}"
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(f"{new}\n".encode())
    except FileExistsError:
        raw = read_bytes(path, _RUN_LIMIT)
        text = raw[:_RUN_LIMIT].decode("utf-8", "replace").strip()
        if not text or len(raw) > _RUN_LIMIT:
            raise CannotRun(f"`{shown}` holds no id of a run") from None
        return text
    except (OSError, ValueError) as error:
        reason = os_reason(error) if isinstance(error, OSError) else "no legal file name"
        raise CannotRun(f"cannot write `{shown}`: {reason}") from None
    return new


def _approver(options: ProxyOptions, store: SqliteStore | None) -> Any:
    if store is None or not options.approver_keys:
        return None
    from schemarouter.state.signatures import PREFIX, KeyFileError
    from schemarouter.state.stored_approvals import StoredApprovals

    texts = [
        one if one.startswith(PREFIX) else read_bytes(one, _RUN_LIMIT).decode("ascii", "replace").strip()
        for one in options.approver_keys
    ]
    try:
        return StoredApprovals(store, texts, wait=options.wait)
    except KeyFileError as error:
        raise CannotRun(str(error), error.help) from None


def _kill_switch(path: str | None) -> Any:
    if path is None:
        return None
    from schemarouter.state.kill_switch import KillSwitch

    try:
        return KillSwitch(path)
    except ValueError as error:
        raise CannotRun(str(error)) from None


def open_log(options: ProxyOptions) -> DecisionLog | None:
    """The decision log, with a key or with a head elsewhere."""
    if options.log is None:
        if options.log_key is not None or options.log_head is not None:
            raise CannotRun("`--log-key` and `--log-head` are for a log", "pass `--log FILE`, too")
        return None
    from schemarouter.audit.keys import read_key
    from schemarouter.audit.log import DecisionLog
    from schemarouter.errors import DecisionLogError

    try:
        key = None if options.log_key is None else read_key(options.log_key)
        return DecisionLog(options.log, key=key, head=options.log_head)
    except OSError as error:
        raise CannotRun(f"cannot read `{display_path(options.log_key or '')}`: {os_reason(error)}") from None
    except (ValueError, DecisionLogError) as error:
        raise CannotRun(str(error), "pass `--log-key FILE`, or `--log-head FILE` on another disk") from None
