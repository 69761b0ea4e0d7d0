"""``schemarouter mcp-proxy``: enforce a policy between an MCP client and its servers."""

from __future__ import annotations

import click

from schemarouter_cli.durations import seconds_of


@click.command("mcp-proxy", short_help="Enforce a policy between an MCP client and its servers.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@click.option("--policy", required=True, metavar="FILE", type=click.Path(), help="The policy, or a compiled artifact.")
@click.option("--name", metavar="NAME", help="Local name of the server. Default: that of its program or host.")
@click.option("--servers", metavar="FILE", type=click.Path(), help="Several servers: YAML, TOML or JSON.")
@click.option("--env", multiple=True, metavar="NAME", help="A variable that the server is given.")
@click.option(
    "--header", "headers", multiple=True, metavar="NAME=VARIABLE", help="A header for a server at an address."
)
@click.option("--leave-out", is_flag=True, help="Leave out tools that cannot be registered, instead of failing.")
@click.option(
    "--server-stderr",
    type=click.Choice(["discard", "inherit"]),
    default="discard",
    show_default=True,
    help="What becomes of what the server logs.",
)
@click.option("--timeout", default="120s", show_default=True, callback=seconds_of, metavar="TIME", help="For one call.")
@click.option(
    "--denied",
    type=click.Choice(["hide", "mark"]),
    default="hide",
    show_default=True,
    help="Tools that are denied whatever the arguments are: leave them out of listings, or say so there.",
)
@click.option(
    "--client-asks-a-person",
    is_flag=True,
    help="You vouch that this client shows questions to a person: then it is asked for approvals.",
)
@click.option(
    "--store",
    envvar="SCHEMAROUTER_STORE",
    show_envvar=True,
    metavar="FILE",
    type=click.Path(),
    help="The state store: budgets that survive a reconnect, and approvals.",
)
@click.option(
    "--run",
    "run_id",
    envvar="SCHEMAROUTER_RUN",
    show_envvar=True,
    metavar="ID",
    help="The run that calls are counted in; `@FILE` keeps its id in a file. Default: one for these servers.",
)
@click.option(
    "--approver-key",
    "approver_keys",
    multiple=True,
    metavar="KEY",
    help="Public key of an approver (`schemarouter approvals keygen`), the text or its file.",
)
@click.option(
    "--wait", default="0s", show_default=True, callback=seconds_of, metavar="TIME", help="For an approver's answer."
)
@click.option(
    "--kill-switch", metavar="FILE", type=click.Path(), help="While this file is there, everything is denied."
)
@click.option("--log", metavar="FILE", type=click.Path(), help="The decision log.")
@click.option("--log-key", metavar="FILE", type=click.Path(), help="The key that seals the log.")
@click.option("--log-head", metavar="FILE", type=click.Path(), help="Keep the last record of the log elsewhere.")
@click.option("--allow-import", multiple=True, metavar="PREFIX", help="Modules that hooks of the policy come from.")
def command(
    command: tuple[str, ...],
    policy: str,
    name: str | None,
    servers: str | None,
    env: tuple[str, ...],
    headers: tuple[str, ...],
    leave_out: bool,
    server_stderr: str,
    timeout: int,
    denied: str,
    client_asks_a_person: bool,
    store: str | None,
    run_id: str | None,
    approver_keys: tuple[str, ...],
    wait: int,
    kill_switch: str | None,
    log: str | None,
    log_key: str | None,
    log_head: str | None,
    allow_import: tuple[str, ...],
) -> int:
    """Stand between an MCP client and its servers, and let through what the policy allows.

    \b
      schemarouter mcp-proxy --policy P --name git -- mcp-server-git --repository .
      schemarouter mcp-proxy --policy P --name docs --header authorization=TOKEN -- https://HOST/mcp
      schemarouter mcp-proxy --policy P --servers servers.yaml

    Write such a line into the client's configuration, in the place of the server. Rules go by NAME.TOOL, whatever the
    server calls itself. Of several servers the tools are called NAME__TOOL in front.

    A call that needs approval is denied, and says how an approver lets it run (`schemarouter approvals`); with
    --client-asks-a-person the client is asked instead. Resources, prompts, sampling and elicitation are operations as
    well (`git.resources/read`): denied until a rule says otherwise.

    Exit codes: 0 the client is gone, 2 could not run, 128 and its number after a signal.
    """
    from schemarouter_cli.proxying import ProxyOptions, run

    return run(
        ProxyOptions(
            policy,
            command,
            name,
            servers,
            env,
            headers,
            leave_out,
            server_stderr,
            timeout,
            denied,
            client_asks_a_person,
            store,
            run_id,
            approver_keys,
            wait,
            kill_switch,
            log,
            log_key,
            log_head,
            allow_import,
        )
    )
