"""What the commands under ``approvals`` need: the store, keys and passphrases, and whether a person says yes."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import click

from schemarouter_cli import streams
from schemarouter_cli.failure import CannotRun, os_reason
from schemarouter_cli.files import STDIN, read_bytes
from schemarouter_cli.text import display_path, printable

if TYPE_CHECKING:
    from schemarouter.state.signatures import Signer
    from schemarouter.state.sqlite import SqliteStore

Command = TypeVar("Command", bound=Callable[..., object])

#: Bytes of a key file and of a passphrase.
_KEY_LIMIT = 16_384
_PASSPHRASE_LIMIT = 4_096

store_option = click.option(
    "--store",
    "store_path",
    required=True,
    envvar="SCHEMAROUTER_STORE",
    show_envvar=True,
    metavar="FILE",
    type=click.Path(),
    help="The state store of the agent.",
)
key_option = click.option(
    "--key", "key_path", required=True, metavar="FILE", type=click.Path(), help="Your secret key, from `keygen`."
)
passphrase_option = click.option(
    "--passphrase-file",
    metavar="FILE",
    type=click.Path(),
    help="Read the key's passphrase from the first line; `-` is standard input. Default: ask at the terminal.",
)
public_option = click.option(
    "--public-key",
    "public_keys",
    multiple=True,
    metavar="KEY",
    help="Check signatures with this public key, the text or its file. May be repeated.",
)


@contextmanager
def refusals() -> Iterator[None]:
    """Turn what the library refuses into a failure of the command."""
    from schemarouter.errors import StateStoreError
    from schemarouter.state.answering import AnswerError
    from schemarouter.state.signatures import KeyFileError

    try:
        yield
    except (AnswerError, KeyFileError) as error:
        raise CannotRun(str(error), error.help) from None
    except StateStoreError as error:
        raise CannotRun(str(error)) from None


@contextmanager
def opened(path: str) -> Iterator[SqliteStore]:
    """The store at ``path``, which must exist."""
    from schemarouter.state.sqlite import SqliteStore

    with refusals():
        store = SqliteStore(path, create=False)
        try:
            store.identity()
            yield store
        finally:
            store.close()


def read_signer(path: str, passphrase_file: str | None) -> Signer:
    """The secret key in a file that only its owner can read."""
    from schemarouter.state.signatures import is_encrypted, load_signer

    shown = display_path(path)
    if path != STDIN:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            reason = os_reason(error) if isinstance(error, OSError) else "no legal file name"
            raise CannotRun(f"cannot read `{shown}`: {reason}") from None
        if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
            raise CannotRun(f"the key `{shown}` is open to other users", f"`chmod 600 {shown}`")
    text = read_bytes(path, _KEY_LIMIT)
    if len(text) > _KEY_LIMIT:
        raise CannotRun(f"`{shown}` is no secret key: it is too long")
    passphrase = None
    if is_encrypted(text):
        passphrase = read_passphrase(passphrase_file) if passphrase_file else ask_passphrase("passphrase of the key: ")
    with refusals():
        return load_signer(text, passphrase)


def read_passphrase(path: str) -> bytes:
    """The first line of a file."""
    line = read_bytes(path, _PASSPHRASE_LIMIT).split(b"\n", 1)[0].rstrip(b"\r")
    if not line or len(line) > _PASSPHRASE_LIMIT:
        raise CannotRun("the file holds no passphrase in its first line, or one that is too long")
    return line


def ask_passphrase(prompt: str) -> bytes:
    """What is typed at the terminal, unseen. Without a terminal the command cannot run: it never waits for nobody."""
    import getpass
    import warnings

    _need_terminal("the passphrase has to be typed", "use `--passphrase-file`")
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return getpass.getpass(prompt).encode("utf-8", "surrogateescape")
        except (EOFError, OSError, getpass.GetPassWarning):
            raise CannotRun("the passphrase could not be read") from None


def need_terminal_to_confirm() -> None:
    """Without a terminal the command cannot run, and shows nothing."""
    _need_terminal("the answer has to be confirmed", "look at it with `show`, then use `--yes` with the whole id")


def confirm(question: str) -> bool:
    """Ask at the terminal, below what was shown; only `yes` is yes."""
    streams.flush()
    try:
        with open("/dev/tty", "r+b", buffering=0) as terminal:
            terminal.write(f"{printable(question)} type yes: ".encode("utf-8", "backslashreplace"))
            return terminal.readline(256).strip() == b"yes"
    except OSError:
        return False


def _need_terminal(why: str, advice: str) -> None:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise CannotRun(f"{why}, and there is no terminal", advice) from None


def read_publics(given: tuple[str, ...]) -> list[bytes]:
    """Public keys from their texts or files."""
    from schemarouter.state.signatures import PREFIX, parse_public

    with refusals():
        return [
            parse_public(one if one.startswith(PREFIX) else read_bytes(one, 1_024).decode("ascii", "replace"))
            for one in given
        ]


def write_private(path: str, data: bytes) -> None:
    """Write a new file that only its owner can read."""
    shown = display_path(path)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError:
        raise CannotRun(f"`{shown}` exists already", "name another file with `-o`") from None
    except (OSError, ValueError) as error:
        reason = os_reason(error) if isinstance(error, OSError) else "no legal file name"
        raise CannotRun(f"cannot write `{shown}`: {reason}") from None


def tell(text: str) -> None:
    """A line for the person, not for programs."""
    streams.tell(printable(text))
