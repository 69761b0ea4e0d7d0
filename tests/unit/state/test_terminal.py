"""The approver at a terminal: a real one, made by the test, or none."""

from __future__ import annotations

import asyncio
import os
import pty
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy
from schemarouter.errors import ApprovalDeniedError
from schemarouter.model.approval import Denied
from schemarouter.state.terminal import TerminalApproval
from support.boundary import CANARY
from support.stores import Desk, question


class Person:
    """Sits at the other end of a terminal, and types when the question is there."""

    def __init__(self) -> None:
        self.mine, self.theirs = pty.openpty()
        self.path = os.ttyname(self.theirs)
        self.seen = b""

    def types(self, line: bytes) -> threading.Thread:
        def work() -> None:
            while b"anything else to deny: " not in self.seen:
                self.seen += os.read(self.mine, 65536)
            os.write(self.mine, line)

        helper = threading.Thread(target=work, daemon=True)
        helper.start()
        return helper


@pytest.fixture
def person() -> Iterator[Person]:
    made = Person()
    yield made
    os.close(made.mine)
    os.close(made.theirs)


def ask(approver: TerminalApproval, driver: str, asked: Any) -> Any:
    return approver.ask(asked) if driver == "sync" else asyncio.run(approver.ask_async(asked))


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        (b"yes\n", True),
        (b" yes \n", True),
        (b"y\n", Denied("the answer was not yes")),
        (b"YES\n", Denied("the answer was not yes")),
        (b"\n", Denied("the answer was not yes")),
        (b"no\n", Denied("the answer was not yes")),
        (b"\x04", Denied("the answer was no line")),
    ],
)
def test_only_yes_is_yes(person: Person, driver: str, line: bytes, verdict: Any) -> None:
    helper = person.types(line)
    assert ask(TerminalApproval(timeout=30, path=person.path), driver, question()) == verdict
    helper.join()


def test_the_question_shows_the_call_and_no_secret(person: Person) -> None:
    helper = person.types(b"no\n")
    evil = {"secret": CANARY, "note": "\x1b[2J\u202e\r\n  operation  harmless"}
    TerminalApproval(timeout=30, path=person.path).ask(question(arguments=evil, reason="\x1b]0;x\x07"))
    helper.join()
    shown = person.seen.decode()
    assert CANARY not in shown
    assert "\x1b" not in shown
    assert "\\u001b[2J\\u202e\\r\\n" in shown
    assert "<masked>" in shown
    assert "because    <U+001B>]0;x<U+0007>\r\n" in shown


def test_what_was_typed_before_is_no_answer(person: Person) -> None:
    os.write(person.mine, b"yes\n")
    time.sleep(0.1)
    assert TerminalApproval(timeout=0.3, path=person.path).ask(question()) == Denied("nobody answered in time")


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_silence_denies(person: Person, driver: str) -> None:
    assert ask(TerminalApproval(timeout=0.2, path=person.path), driver, question()) == Denied("nobody answered in time")
    long = TerminalApproval(timeout=60, path=person.path)
    assert ask(long, driver, question(seconds=0.2)) == Denied("nobody answered in time")


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("path", ["/dev/null", "/nonexistent", "/", ""])
def test_no_terminal_is_denied_at_once(driver: str, path: str) -> None:
    started = time.monotonic()
    assert ask(TerminalApproval(path=path), driver, question()) == Denied("there is no terminal to ask at")
    assert time.monotonic() - started < 20


def test_a_file_is_no_terminal(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("yes\n")
    assert TerminalApproval(path=str(tmp_path / "x")).ask(question()) == Denied("there is no terminal to ask at")
    os.mkfifo(tmp_path / "pipe")
    assert TerminalApproval(path=str(tmp_path / "pipe")).ask(question()) == Denied("there is no terminal to ask at")


def test_a_terminal_that_hangs_up_denies() -> None:
    person = Person()

    def hang_up() -> None:
        while b"deny: " not in person.seen:
            person.seen += os.read(person.mine, 65536)
        os.close(person.mine)

    helper = threading.Thread(target=hang_up, daemon=True)
    helper.start()
    verdict = TerminalApproval(timeout=30, path=person.path).ask(question())
    helper.join()
    os.close(person.theirs)
    assert type(verdict) is Denied


def test_at_the_boundary(person: Person) -> None:
    approver = TerminalApproval(timeout=30, path=person.path)
    desk = Desk(ExecutionPolicy(approval_mode="all"), approval_callback=approver)
    helper = person.types(b"yes\n")
    desk.executor.execute_call_sync(desk.call())
    helper.join()
    person.seen = b""
    helper = person.types(b"no\n")
    with pytest.raises(ApprovalDeniedError, match="was not approved: the answer was not yes"):
        asyncio.run(desk.executor.execute_call(desk.call()))
    helper.join()
    assert desk.ran == 1


def test_a_call_that_is_given_up_stops_waiting(person: Person) -> None:
    async def main() -> None:
        approver = TerminalApproval(timeout=60, path=person.path)
        task = asyncio.create_task(approver.ask_async(question()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    started = time.monotonic()
    asyncio.run(main())  # joins the thread
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "1", True])
def test_what_is_no_timeout(timeout: Any) -> None:
    with pytest.raises(ValueError, match="timeout must be"):
        TerminalApproval(timeout=timeout)
