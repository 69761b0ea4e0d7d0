"""``schemarouter approvals``: the command as people and scripts use it, and as a hostile store would have it used."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from schemarouter.resources import read_resource
from schemarouter.state.sqlite import SqliteStore
from schemarouter.state.stored_approvals import StoredApprovals
from support.boundary import CANARY
from support.command import SCRIPT, Run, environment
from support.stores import question

SCHEMA = Draft202012Validator(
    json.loads(read_resource("schemas", "approvals.v1.schema.json")),
    format_checker=Draft202012Validator.FORMAT_CHECKER,
)
PASSPHRASE = "correct horse battery"


class Office:
    """A folder with a store, an approver's key and what the agent's side holds."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder, self.run = folder, run
        (folder / "pass").write_text(f"{PASSPHRASE}\nrest\n")
        made = run("approvals", "keygen", "--passphrase-file", "pass")
        assert made.code == 0, made.err
        self.public = made.out.strip()
        self.store = SqliteStore(folder / "state.db")
        self.store.identity()
        self.approvals = StoredApprovals(self.store, self.public, wait=0)

    def ask(self, **changes: Any) -> Any:
        """What the agent's process does with a call that needs approval."""
        return self.approvals.ask(question(**changes))

    def asked(self, **changes: Any) -> str:
        """The id of a new request."""
        before = {filed.request.id for filed in self.store.requests()}
        assert self.ask(**changes) is not True
        (id_,) = {filed.request.id for filed in self.store.requests()} - before
        return id_

    def __call__(self, *words: str, key: bool = False) -> Any:
        signing = ("--key", "approver.key", "--passphrase-file", "pass") if key else ()
        return self.run("approvals", *words, "--store", "state.db", *signing)

    def document(self, *words: str) -> Any:
        result = self(*words, "--output-format", "json")
        assert (result.code, result.err) == (0, "")
        document = json.loads(result.out)
        SCHEMA.validate(document)
        return document


@pytest.fixture
def office(tmp_path: Path, quick: Run) -> Iterator[Office]:
    os.chmod(tmp_path, 0o700)
    made = Office(tmp_path, quick)
    yield made
    made.store.close()


def test_a_key_is_private_and_encrypted(office: Office) -> None:
    key = office.folder / "approver.key"
    assert oct(key.stat().st_mode & 0o777) == "0o600"
    assert b"ENCRYPTED PRIVATE KEY" in key.read_bytes()
    assert re.fullmatch(r"ed25519:[\w-]{43}", office.public)
    again = office.run("approvals", "keygen", "--passphrase-file", "pass")
    assert (again.code, again.err) == (
        2,
        "error: `approver.key` exists already\nhelp: name another file with `-o`\n",
    )
    plain = office.run("approvals", "keygen", "--no-passphrase", "-o", "plain.key")
    assert plain.code == 0
    assert b"-----BEGIN PRIVATE KEY-----" in (office.folder / "plain.key").read_bytes()


def test_approved_once(office: Office) -> None:
    id_ = office.asked()
    done = office("approve", id_, "--yes", key=True)
    assert (done.code, done.out, done.err) == (0, f"approved {id_}\n", "")
    again = office("approve", id_, "--yes", key=True)
    assert (again.code, again.out, again.err) == (1, "", "the request is approved already\n")
    assert office.ask() is True
    assert office.ask() is not True
    assert office("deny", id_, "--yes", key=True).err == "the request is spent already\n"


def test_denied(office: Office) -> None:
    id_ = office.asked()
    assert office("deny", id_, "--yes", key=True).out == f"denied {id_}\n"
    assert office.ask().reason == "an approver said no"


def test_list_and_show_mask_what_is_secret(office: Office) -> None:
    evil = "\x1b[2J\u202e\n  because: harmless"
    office.asked(arguments={"secret": CANARY, "nested": [{"api-key": {"x": CANARY}}], "amount": 5, evil: evil})
    listed = office("list")
    (request,) = office.document("list")["requests"]
    assert request["arguments"] is None
    assert set(request["argument_names"]) == {"secret", "nested", "amount", evil}
    shown = office("show", request["id"][:12])
    for result in (listed, shown):
        assert result.code == 0
        assert "\x1b" not in result.out
        assert "\u202e" not in result.out
        assert [line for line in result.out.splitlines() if line.strip().startswith("because: ")] == [
            "  because: because"
        ]
    document = office.document("show", request["id"])["requests"][0]
    assert document["masked"] is True
    assert document["arguments"]["nested"] == [{"api-key": "<masked>"}]
    for text in (listed.out, shown.out, json.dumps(document)):
        assert CANARY not in text
    assert '"amount": 5' in shown.out
    assert CANARY in office("show", request["id"], "--reveal").out
    assert office.document("show", request["id"], "--reveal")["requests"][0]["masked"] is False


def test_signatures_are_checked_when_a_key_is_given(office: Office) -> None:
    id_ = office.asked()
    office("approve", id_, "--yes", key=True)
    assert office.document("show", id_)["requests"][0]["answer"]["signed"] is None
    assert office.document("show", id_, "--public-key", office.public)["requests"][0]["answer"]["signed"] is True
    office.run("approvals", "keygen", "--no-passphrase", "-o", "other.key")
    other = office.run("approvals", "keygen", "--no-passphrase", "-o", "third.key").out
    (office.folder / "other.pub").write_text(other)
    assert office.document("show", id_, "--public-key", "other.pub")["requests"][0]["answer"]["signed"] is False
    assert "not validly signed by key" in office("show", id_, "--public-key", "other.pub").out
    wrong = office("list", "--public-key", "ed25519:x")
    assert (wrong.code, wrong.err.splitlines()[0]) == (2, "error: this is no public key: one begins with `ed25519:`")


def test_a_request_that_was_changed_is_neither_shown_nor_signed(office: Office) -> None:
    id_ = office.asked(arguments={"amount": 5_000_000})
    office.store._database.write(
        lambda connection: connection.execute("UPDATE requests SET arguments = '{\"amount\":5}'")
    )
    for words in (["show", id_], ["approve", id_, "--yes"], ["deny", id_, "--yes"]):
        result = office(*words, key=words[0] != "show")
        assert result.code == 2
        assert result.err.startswith("error: the arguments in the store are not those that were hashed\n")
    assert "do not answer: the arguments in the store are not those that were hashed" in office("list").out
    (request,) = office.document("list")["requests"]
    assert request["problem"] is not None
    assert request["argument_names"] is None


def test_grants(office: Office) -> None:
    id_ = office.asked(arguments={"amount": 5})
    like_it = office("grant", id_, "--for", "8h", "--uses", "2", key=True)
    assert like_it.code == 0, like_it.err
    assert like_it.err == "`ns.tool.act`, 2 times at most, for 8 h 0 min\n"
    assert [office.ask(arguments={"amount": 5}, call_id=str(n)) is True for n in range(3)] == [True, True, False]
    assert office.ask(arguments={"amount": 6}) is not True
    exact = office(
        *("grant", "--operation", "ns.tool.act", "--arguments", '{"amount": 7.0}', "--any-policy"),
        *("--for", "60s", "--uses", "1"),
        key=True,
    )
    assert exact.code == 0
    assert office.ask(arguments={"amount": 7}, digest="e" * 64) is True
    any_ = office(
        "grant",
        "--operation",
        "ns.tool.act",
        "--any-arguments",
        "--digest",
        "d" * 64,
        "--for",
        "1d",
        "--uses",
        "9",
        key=True,
    )
    given = any_.out.removeprefix("granted ").strip()
    assert office.ask(arguments={"amount": 8}) is True
    document = office.document("list", "--public-key", office.public)
    assert [(one["id"], one["uses"], one["signed"]) for one in document["grants"]] == [(given, 1, True)]
    assert len(office.document("list", "--all")["grants"]) == 3
    assert office("revoke", given).out == f"revoked {given}\n"
    assert office.ask(arguments={"amount": 9}) is not True
    assert office("revoke", given[:8]).code == 2


def test_a_grant_under_a_policy_file(office: Office) -> None:
    (office.folder / "p.yaml").write_text("version: 1\napproval: {mode: all}\n")
    words = ("grant", "--operation", "a.b", "--any-arguments", "--for", "1h", "--uses", "1")
    assert office(*words, "--policy", "p.yaml", key=True).code == 0
    digest = office.run("compile", "p.yaml", "-o", "p.json").out.strip()
    assert [one["digest"] for one in office.document("list")["grants"]] == [digest]
    (office.folder / "bad.yaml").write_text("version: 1\nrules: 3\n")
    assert office(*words, "--policy", "bad.yaml", key=True).err.startswith("error: the policy does not compile\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["grant", "--for", "1h", "--uses", "1"], "name either the id of a request"),
        (["grant", "x", "--operation", "a.b", "--for", "1h", "--uses", "1"], "name either the id of a request"),
        (["grant", "--operation", "a.b", "--for", "1h", "--uses", "1"], "say for which arguments"),
        (["grant", "--operation", "a.b", "--any-arguments", "--for", "1h", "--uses", "1"], "say under which policy"),
        (
            ["grant", "--operation", "nodot", "--any-arguments", "--any-policy", "--for", "1h", "--uses", "1"],
            "the operation",
        ),
        (
            ["grant", "--operation", "a.b", "--any-arguments", "--any-policy", "--for", "soon", "--uses", "1"],
            "write a number",
        ),
        (
            ["grant", "--operation", "a.b", "--any-arguments", "--any-policy", "--for", "9999d", "--uses", "1"],
            "a grant lasts",
        ),
        (
            ["grant", "--operation", "a.b", "--any-arguments", "--any-policy", "--for", "1h", "--uses", "0"],
            "is not in the range",
        ),
        (
            ["grant", "--operation", "a.b", "--any-arguments", "--digest", "x", "--for", "1h", "--uses", "1"],
            "64 hexadecimal",
        ),
        (
            ["grant", "--operation", "a.b", "--arguments", "[]", "--any-policy", "--for", "1h", "--uses", "1"],
            "no json object",
        ),
        (["approve", "0" * 64, "--yes"], "there is no such request"),
        (["approve", "", "--yes"], "there is no such request"),
        (["approve", "\x1b[2J", "--yes"], "there is no such request"),
    ],
)
def test_what_cannot_be_done(office: Office, words: list[str], message: str) -> None:
    result = office(*words, key=True)
    assert (result.code, result.out) == (2, "")
    assert message in result.err.lower()
    assert "\x1b" not in result.err


def test_stores_and_keys_that_are_none(office: Office) -> None:
    id_ = office.asked()
    (office.folder / "text").write_text("text")
    os.chmod(office.folder / "text", 0o600)

    def failure(*words: str) -> str:
        result = office.run("approvals", *words)
        assert (result.code, result.out) == (2, "")
        return result.err

    assert "missing option '--store'" in failure("list")
    assert "no such file or directory" in failure("list", "--store", "none.db")
    assert not (office.folder / "none.db").exists()
    assert "it is damaged, or no database" in failure("list", "--store", "text")
    approve = ("approve", id_, "--yes", "--store", "state.db")
    assert "this is no secret key" in failure(*approve, "--key", "text")
    assert "no such file or directory" in failure(*approve, "--key", "none")
    assert "there is no terminal" in failure(*approve, "--key", "approver.key")
    (office.folder / "wrong").write_text("wrong\n")
    assert "the passphrase is wrong" in failure(*approve, "--key", "approver.key", "--passphrase-file", "wrong")
    (office.folder / "empty").write_text("\nx\n")
    assert "no passphrase in its first line" in failure(*approve, "--key", "approver.key", "--passphrase-file", "empty")
    os.chmod(office.folder / "approver.key", 0o644)
    assert "is open to other users\nhelp: `chmod 600" in failure(*approve, "--key", "approver.key")
    assert office.store.requests()[0].status == "pending"


def test_an_empty_store(office: Office) -> None:
    assert office("list").out == "0 requests waiting, 0 standing grants\n"
    assert office.document("list") == {
        "version": 1,
        "store": str(office.folder / "state.db"),
        "requests": [],
        "grants": [],
    }


def test_numbers_that_are_no_times_are_shown(office: Office) -> None:
    office.asked()
    for number in (2**62, -(2**62)):
        office.store._database.write(
            lambda connection, number=number: connection.execute("UPDATE requests SET deadline = ?", (number,))
        )
        assert office.document("list", "--all")["requests"][0]["deadline"] is None
        assert office("list", "--all").code == 0


# Where the key is elsewhere


def test_signed_elsewhere(office: Office) -> None:
    id_ = office.asked(arguments={"amount": 5})
    elsewhere = office.folder / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    assert office("export", id_[:8], "-o", "request.json").code == 0
    assert oct((office.folder / "request.json").stat().st_mode & 0o777) == "0o600"
    document = json.loads((office.folder / "request.json").read_text())
    schema("approval-request").validate(document)
    assert json.loads(office("export", id_).out) == document
    for name in ("request.json", "approver.key", "pass"):
        (office.folder / name).rename(elsewhere / name)
    signing = ("approvals", "sign", "request.json", "--key", "approver.key", "--passphrase-file", "pass")
    signed = office.run(*signing, "--yes", cwd=elsewhere)
    assert signed.code == 0, signed.err
    assert '"amount": 5' in signed.out
    schema("approval-answer").validate(json.loads((elsewhere / "answer.json").read_text()))
    assert office("deliver", "elsewhere/answer.json").out == f"delivered {id_}\n"
    again = office("deliver", "elsewhere/answer.json")
    assert (again.code, again.err) == (1, "the request is approved already\n")
    assert office.ask(arguments={"amount": 5}) is True
    second = office.asked(arguments={"amount": 5})
    replayed = json.loads((elsewhere / "answer.json").read_text())
    replayed["answer"]["request"] = second
    (office.folder / "replayed.json").write_text(json.dumps(replayed))
    assert office("deliver", "replayed.json").code == 0
    assert office.ask(arguments={"amount": 5}) is not True, "moved to another request it is no answer"


def test_a_denial_from_elsewhere(office: Office) -> None:
    office("export", office.asked(), "-o", "request.json")
    signing = ("approvals", "sign", "request.json", "--key", "approver.key", "--passphrase-file", "pass")
    assert office.run(*signing, "--deny", "--yes", "-o", "no.json").code == 0
    assert office("deliver", "no.json").code == 0
    assert office.ask().reason == "an approver said no"


def changed(document: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps(document | {"request": document["request"] | changes}).encode()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: changed(d, arguments='{"amount":1}'), "not those that were hashed"),
        (lambda d: changed(d, operation="ns.tool.harmless"), "its id does not fit"),
        (lambda d: changed(d, arguments=""), "are gone"),
        (lambda d: changed(d, remote=1), "this is no request"),
        (lambda d: changed(d, deadline=10**30), "this is no request"),
        (lambda d: changed(d, deadline=True), "this is no request"),
        (lambda d: changed(d, reason="\ud800"), "this is no request"),
        (lambda d: changed(d, more=1), "this is no request"),
        (lambda d: json.dumps(d | {"version": 2}).encode(), "another version"),
        (lambda d: json.dumps(d | {"version": True}).encode(), "another version"),
        (lambda d: json.dumps(d | {"store": None}).encode(), "this is no request"),
        (lambda d: json.dumps(d | {"store": {"name": "x", "secret": "00"}}).encode(), "this is no request"),
        (
            lambda d: json.dumps(d | {"store": {"name": "x", "secret": "11" * 32}}).encode(),
            "not those that were hashed",
        ),
        (lambda d: json.dumps(d | {"request": []}).encode(), "this is no request"),
        (lambda d: b"[]", "this is no request"),
        (lambda d: b"", "this is no request"),
        (lambda d: b"\xff", "this is no request"),
        (lambda d: b"[" * 100_000, "this is no request"),
        (lambda d: b'{"request": ' + b"9" * 100_000 + b"}", "this is no request"),
        (lambda d: b" " * 3_000_000, "it is too long"),
    ],
)
def test_what_is_not_signed(office: Office, spoil: Any, message: str) -> None:
    document = json.loads(office("export", office.asked(arguments={"amount": 5})).out)
    (office.folder / "request.json").write_bytes(spoil(document))
    signing = ("approvals", "sign", "request.json", "--key", "approver.key", "--passphrase-file", "pass", "--yes")
    result = office.run(*signing)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert not (office.folder / "answer.json").exists()


def test_what_is_not_delivered(office: Office) -> None:
    good = {"request": "0" * 64, "approved": True, "answered": 1, "key": "k", "signature": "s"}
    for data, message in (
        (b"{}", "this is no answer"),
        (json.dumps({"version": 1, "answer": good | {"approved": 1}}).encode(), "this is no answer"),
        (json.dumps({"version": 1, "answer": good}).encode(), "the store has no such request"),
    ):
        (office.folder / "answer.json").write_bytes(data)
        result = office("deliver", "answer.json")
        assert (result.code, result.out) == (2, "")
        assert message in result.err


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(read_resource("schemas", f"{name}.v1.schema.json")))


# With a terminal


def at_a_terminal(folder: Path, words: list[str], answers: dict[str, str]) -> tuple[int, str]:
    """Run the command at a terminal of its own; type each answer once its question is there."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(SCRIPT, [str(SCRIPT), *words], environment(TERM="dumb"))
    seen, waiting, until = "", dict(answers), time.monotonic() + 60
    while time.monotonic() < until:
        try:
            seen += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            break
        for asked, answer in list(waiting.items()):
            if asked in seen:
                time.sleep(0.05)
                os.write(terminal, f"{answer}\n".encode())
                del waiting[asked]
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen


@pytest.mark.parametrize(("typed", "code", "said"), [("yes", 0, "approved "), ("y", 1, "nothing was answered")])
def test_approving_at_a_terminal(office: Office, typed: str, code: int, said: str) -> None:
    id_ = office.asked(arguments={"amount": 5})
    words = ["approvals", "approve", id_[:10], "--store", "state.db", "--key", "approver.key"]
    answers = {"approve this call? type yes: ": typed, "passphrase of the key: ": PASSPHRASE}
    result, seen = at_a_terminal(office.folder, words, answers)
    assert (result, said in seen, '"amount": 5' in seen) == (code, True, True), seen
    assert PASSPHRASE not in seen
    assert seen.index('"amount": 5') < seen.index("approve this call?")
    assert (office.ask(arguments={"amount": 5}) is True) is (typed == "yes")


def test_a_new_passphrase_is_typed_twice(office: Office) -> None:
    words = ["approvals", "keygen", "-o", "new.key"]
    code, seen = at_a_terminal(office.folder, words, {"new passphrase: ": "one", "again: ": "two"})
    assert (code, "the two passphrases differ" in seen) == (2, True)
    assert not (office.folder / "new.key").exists()
    code, seen = at_a_terminal(office.folder, words, {"new passphrase: ": "one", "again: ": "one"})
    assert (code, (office.folder / "new.key").exists()) == (0, True), seen


def test_without_a_terminal_nothing_waits(office: Office) -> None:
    """In a session of its own there is no terminal, whatever stands around the test."""
    id_ = office.asked()
    for words in (
        ["approve", id_, "--key", "approver.key"],
        ["keygen", "-o", "x"],
        ["deny", id_, "--yes", "--key", "approver.key"],
    ):
        store = [] if words[0] == "keygen" else ["--store", "state.db"]
        done = subprocess.run(
            [SCRIPT, "approvals", *words, *store],
            cwd=office.folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            start_new_session=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "there is no terminal" in done.stderr
