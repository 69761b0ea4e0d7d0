"""``schemarouter approvals``: answer the calls that wait for a person."""

from __future__ import annotations

import click

from schemarouter_cli import approving, options, streams
from schemarouter_cli.durations import in_words, seconds_of
from schemarouter_cli.failure import CannotRun


@click.group("approvals", short_help="Answer calls that wait for a person.")
def command() -> None:
    """Answer calls that wait for a person, with a key that the agent does not hold.

    \b
      schemarouter approvals keygen                     once: your key; the agent gets the public one
      schemarouter approvals list --store state.db      what waits
      schemarouter approvals show ID --store state.db   one of them, with its arguments
      schemarouter approvals approve ID --store state.db --key approver.key
      schemarouter approvals deny ID --store state.db --key approver.key

    Where the key lies on another machine: `export` a request, `sign` it there, `deliver` the answer.

    Exit codes: 0 done, 1 somebody else answered first or it is too late, 2 could not run.
    """


@command.command("keygen", short_help="Make an approver's key.")
@click.option("-o", "--output-file", default="approver.key", show_default=True, metavar="FILE", type=click.Path())
@click.option("--no-passphrase", is_flag=True, help="Do not encrypt the key. Only where the agent cannot read it.")
@approving.passphrase_option
def keygen(output_file: str, no_passphrase: bool, passphrase_file: str | None) -> None:
    """Make an approver's key, and print the public key.

    The secret key is written to FILE, encrypted with a passphrase. Give the public key to the agent's application; keep
    the other where the agent cannot read it, or at least the passphrase.
    """
    from schemarouter.state.signatures import generate

    if no_passphrase and passphrase_file:
        raise click.UsageError("--no-passphrase and --passphrase-file exclude each other")
    passphrase = None
    if not no_passphrase:
        passphrase = approving.read_passphrase(passphrase_file) if passphrase_file else _new_passphrase()
    with approving.refusals():
        text, public = generate(passphrase)
    approving.write_private(output_file, text)
    streams.write(f"{public}\n")
    approving.tell(f"wrote the secret key to `{output_file}`; the line above is the public key")


def _new_passphrase() -> bytes:
    first = approving.ask_passphrase("new passphrase: ")
    if first != approving.ask_passphrase("again: "):
        raise CannotRun("the two passphrases differ")
    return first


@command.command("list", short_help="List what waits for an answer.")
@approving.store_option
@click.option("--all", "everything", is_flag=True, help="Also what was answered, spent or is too late.")
@approving.public_option
@options.output_format("full", "json")
@options.color
def list_(store_path: str, everything: bool, public_keys: tuple[str, ...], output_format: str, color: str) -> None:
    """List what waits for an answer, and the standing grants. Of arguments only the names are shown."""
    from schemarouter_cli.render import approvals as renderers

    publics = approving.read_publics(public_keys)
    with approving.opened(store_path) as store:
        view = renderers.survey(store, publics, everything=everything)
    _show(view, output_format, color)


@command.command("show", short_help="Show a request with its arguments.")
@click.argument("id_", metavar="ID")
@approving.store_option
@click.option("--reveal", is_flag=True, help="Show what looks like a secret, too.")
@approving.public_option
@options.output_format("full", "json")
@options.color
def show(id_: str, store_path: str, reveal: bool, public_keys: tuple[str, ...], output_format: str, color: str) -> None:
    """Show a request with its arguments: those that were hashed, or it is not shown.

    ID may be the beginning of an id. What looks like a secret is masked.
    """
    from schemarouter.state.answering import find_request
    from schemarouter_cli.render import approvals as renderers

    publics = approving.read_publics(public_keys)
    with approving.opened(store_path) as store:
        view = renderers.single(store, find_request(store, id_), publics, reveal=reveal)
    _show(view, output_format, color)


@command.command("approve", short_help="Let a call run, once.")
@click.argument("id_", metavar="ID")
@approving.store_option
@approving.key_option
@approving.passphrase_option
@click.option("--yes", is_flag=True, help="Do not ask again. Needs the whole id.")
@click.option("--reveal", is_flag=True, help="Show what looks like a secret, too.")
@options.color
def approve(
    id_: str, store_path: str, key_path: str, passphrase_file: str | None, yes: bool, reveal: bool, color: str
) -> int:
    """Let a call run, once: the request is shown, and signed after you typed yes."""
    return _answer(id_, store_path, key_path, passphrase_file, approved=True, yes=yes, reveal=reveal, color=color)


@command.command("deny", short_help="Do not let a call run.")
@click.argument("id_", metavar="ID")
@approving.store_option
@approving.key_option
@approving.passphrase_option
@click.option("--yes", is_flag=True, help="Do not ask again. Needs the whole id.")
@options.color
def deny(id_: str, store_path: str, key_path: str, passphrase_file: str | None, yes: bool, color: str) -> int:
    """Do not let a call run. It is told so at once instead of when its time is over."""
    return _answer(id_, store_path, key_path, passphrase_file, approved=False, yes=yes, reveal=False, color=color)


def _answer(
    id_: str,
    store_path: str,
    key_path: str,
    passphrase_file: str | None,
    *,
    approved: bool,
    yes: bool,
    reveal: bool,
    color: str,
) -> int:
    from schemarouter.state.answering import answer, find_request
    from schemarouter_cli.render import approvals as renderers

    with approving.opened(store_path) as store:
        filed = find_request(store, id_, whole=yes)
        if filed.status != "pending":
            approving.tell(f"the request is {filed.status} already")
            return 1
        if not yes:
            approving.need_terminal_to_confirm()
            _show(renderers.single(store, filed, [], reveal=reveal), "full", color)
            if not approving.confirm("approve this call?" if approved else "deny this call?"):
                approving.tell("nothing was answered")
                return 1
        signer = approving.read_signer(key_path, passphrase_file)
        status = answer(store, filed, signer, approved=approved)
    wanted = "approved" if approved else "denied"
    if status != wanted and not (approved and status == "spent"):
        approving.tell(f"the request is {status} already")
        return 1
    streams.write(f"{wanted} {filed.request.id}\n")
    return 0


@command.command("export", short_help="Write a request to a file, to be signed elsewhere.")
@click.argument("id_", metavar="ID")
@approving.store_option
@click.option("-o", "--output-file", default="-", show_default=True, metavar="FILE", type=click.Path())
def export(id_: str, store_path: str, output_file: str) -> None:
    """Write a request to a file, so that it can be signed where the store cannot be reached: `sign`, then `deliver`.

    The file holds the arguments as they are, and what their hash is made with.
    """
    from schemarouter.state.answering import find_request
    from schemarouter.state.letters import write_request

    with approving.opened(store_path) as store:
        text = write_request(store, find_request(store, id_))
    if output_file == "-":
        streams.write(text)
    else:
        approving.write_private(output_file, text.encode())


@command.command("sign", short_help="Sign an answer to a request in a file.")
@click.argument("request_file", metavar="FILE", type=click.Path())
@click.option("--deny", "denied", is_flag=True, help="Say no instead of yes.")
@approving.key_option
@approving.passphrase_option
@click.option("--yes", is_flag=True, help="Do not ask again.")
@click.option("--reveal", is_flag=True, help="Show what looks like a secret, too.")
@click.option("-o", "--output-file", default="answer.json", show_default=True, metavar="FILE", type=click.Path())
@options.color
def sign(
    request_file: str,
    denied: bool,
    key_path: str,
    passphrase_file: str | None,
    yes: bool,
    reveal: bool,
    output_file: str,
    color: str,
) -> int:
    """Sign an answer to the request in FILE, without the store: on another machine, or as another user."""
    from schemarouter.state import letters
    from schemarouter.state.answering import answer
    from schemarouter_cli.files import read_bytes
    from schemarouter_cli.render import approvals as renderers

    with approving.refusals():
        store, filed = letters.read_request(read_bytes(request_file, letters.LIMIT))
        if filed.status != "pending":
            approving.tell(f"the request is {filed.status} already")
            return 1
        if not yes:
            approving.need_terminal_to_confirm()
        _show(renderers.single(store, filed, [], reveal=reveal), "full", color)
        if not yes and not approving.confirm("deny this call?" if denied else "approve this call?"):
            approving.tell("nothing was answered")
            return 1
        answer(store, filed, approving.read_signer(key_path, passphrase_file), approved=not denied)
        signed = store.requests()[0].answer
    if signed is None:
        approving.tell("the request is expired already")
        return 1
    approving.write_private(output_file, letters.write_answer(signed).encode())
    approving.tell(f"wrote the answer to `{output_file}`; `schemarouter approvals deliver` brings it to the store")
    return 0


@command.command("deliver", short_help="Bring a signed answer to the store.")
@click.argument("answer_file", metavar="FILE", type=click.Path())
@approving.store_option
def deliver(answer_file: str, store_path: str) -> int:
    """Bring an answer that `sign` wrote to the store. Anybody may: what counts is its signature."""
    from schemarouter.state import letters
    from schemarouter_cli.files import read_bytes

    with approving.refusals():
        answer = letters.read_answer(read_bytes(answer_file, letters.LIMIT))
    with approving.opened(store_path) as store:
        before = store.request(answer.request)
        status = store.answer(answer)
    if before is None or status is None:
        raise CannotRun("the store has no such request", "it is for another store, or is forgotten")
    if before.status != "pending" or status not in ("approved", "denied", "spent"):
        approving.tell(f"the request is {status} already")
        return 1
    streams.write(f"delivered {answer.request}\n")
    return 0


@command.command("grant", short_help="Give a standing grant.")
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--operation", metavar="OP", help="The operation, without ID.")
@click.option(
    "--arguments", metavar="JSON", help="Only for these arguments, or `@FILE`. With ID: for those of the request."
)
@click.option("--any-arguments", is_flag=True, help="For whatever arguments.")
@click.option(
    "--policy", metavar="FILE", type=click.Path(), help="Only under this policy. With ID: under that of the request."
)
@click.option("--digest", metavar="HEX", help="The same, by the digest that `compile` prints.")
@click.option("--any-policy", is_flag=True, help="Under whatever policy.")
@click.option("--for", "seconds", callback=seconds_of, required=True, metavar="TIME", help="How long: `8h`, `30d`.")
@click.option("--uses", type=click.IntRange(1, 1_000_000), required=True, help="How many calls at most.")
@approving.store_option
@approving.key_option
@approving.passphrase_option
def grant(
    id_: str | None,
    operation: str | None,
    arguments: str | None,
    any_arguments: bool,
    policy: str | None,
    digest: str | None,
    any_policy: bool,
    seconds: int,
    uses: int,
    store_path: str,
    key_path: str,
    passphrase_file: str | None,
) -> None:
    """Give a standing grant: calls of one operation are approved without asking, so often and so long.

    With ID it is for calls like that request. What it covers has to be said: exact arguments or any, one policy or any.
    """
    from schemarouter.state.answering import find_request, give
    from schemarouter_cli.arguments import legal_operation, read_arguments

    if (id_ is None) == (operation is None):
        raise click.UsageError("name either the ID of a request, or --operation")
    if any_arguments and arguments is not None:
        raise click.UsageError("--arguments and --any-arguments exclude each other")
    if (policy is not None) + (digest is not None) + any_policy > 1:
        raise click.UsageError("--policy, --digest and --any-policy exclude each other")
    exact = read_arguments(arguments)
    wanted = None if operation is None else legal_operation(operation)
    hashed, under = None, _digest_of(policy) if policy is not None else digest
    with approving.opened(store_path) as store:
        if id_ is not None:
            request = find_request(store, id_).request
            wanted = request.operation
            hashed = None if any_arguments or exact is not None else request.arguments_hash
            under = under if under is not None or any_policy else request.digest
        elif exact is None and not any_arguments:
            raise click.UsageError("say for which arguments: --arguments or --any-arguments")
        elif under is None and not any_policy:
            raise click.UsageError("say under which policy: --policy, --digest or --any-policy")
        given = give(
            store,
            approving.read_signer(key_path, passphrase_file),
            operation=wanted or "",
            arguments=exact,
            arguments_hashed=hashed,
            digest=under,
            seconds=seconds,
            max_uses=uses,
        )
    streams.write(f"granted {given.id}\n")
    approving.tell(f"`{given.operation}`, {uses} times at most, for {in_words(seconds)}")


def _digest_of(path: str) -> str:
    from schemarouter_cli.policies import read_policy_file

    graph, _ = read_policy_file(path)
    if graph is None:
        raise CannotRun("the policy does not compile", "`schemarouter check` says why")
    return graph.digest


@command.command("revoke", short_help="Take a standing grant back.")
@click.argument("id_", metavar="ID")
@approving.store_option
def revoke(id_: str, store_path: str) -> int:
    """Take a standing grant back: the store lets it count no longer.

    Who can write to the store's file can undo that; what ends a grant for good is its time and its number of uses.
    """
    with approving.opened(store_path) as store:
        done = store.revoke(id_.strip().lower())
    if not done:
        raise CannotRun("there is no such grant", "`schemarouter approvals list` shows their ids")
    streams.write(f"revoked {id_.strip().lower()}\n")
    return 0


def _show(view: object, output_format: str, color: str) -> None:
    from schemarouter_cli.render import approvals as renderers
    from schemarouter_cli.terminal import screen_width, wants_color

    assert isinstance(view, renderers.View)  # noqa: S101 - for the type checker
    if output_format == "json":
        streams.write(renderers.render_json(view))
    else:
        streams.write(renderers.render_full(view, color=wants_color(color), width=screen_width()))
