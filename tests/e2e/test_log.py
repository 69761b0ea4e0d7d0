"""``schemarouter log``: exit codes, documents, and what hostile files do."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from schemarouter.audit.log import DecisionLog
from support.command import Run

KEY = b"thirty-two bytes that nobody has"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "key").write_bytes(KEY + b"\r\n")
    made = DecisionLog(tmp_path / "log", key=KEY, head=tmp_path / "head", max_bytes=4096, keep=2)
    for number in range(100):
        made.append("shadow", {"active": True, "until": str(number)})
    return tmp_path / "log"


def test_whole_and_not_whole(run: Run, log: Path) -> None:
    whole = run("log", "verify", "log", "--key-file", "key", "--head", "head")
    assert (whole.code, whole.err) == (0, "")
    assert whole.out.startswith("OK: ")
    assert "older files were let go" in whole.out
    log.write_bytes(log.read_bytes().replace(b'"until":"99"', b'"until":"98"'))
    broken = run("log", "verify", "log", "--key-file", "key", "--head", "head")
    assert broken.code == 1
    assert broken.out.startswith("NOT WHOLE: ")


def test_json(quick: Run, log: Path) -> None:
    schema = Draft202012Validator(json.loads(quick("schema", "log-verify").out))
    head = Draft202012Validator(json.loads(quick("schema", "log-head").out))
    head.validate(json.loads((log.parent / "head").read_text()))
    for change in (b"", b"x"):
        log.write_bytes(log.read_bytes().replace(b'"until"', b'"until' + change + b'"'))
        result = quick("log", "verify", "log", "--key-file", "key", "--output-format", "json")
        document = json.loads(result.out)
        schema.validate(document)
        assert document["ok"] is (change == b"")
        assert result.code == (0 if document["ok"] else 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["log"], "neither a key nor a head"),
        (["nowhere", "--key-file", "key"], "the log cannot be read: no such file or directory"),
        (["log", "--key-file", "nowhere"], "cannot read the key `nowhere`: no such file or directory"),
        (["log", "--key-file", "short"], "a key needs at least 16 bytes"),
        (["log", "--key-file", "."], "cannot read the key `.`: is a directory"),
        (["log", "--key-file", "key", "--head", "nowhere"], "the head cannot be read: no such file"),
        (["log", "--key-file", "key", "--head", "short"], "the head is not JSON"),
        (["log", "--head", "head"], "the head belongs to a log with a key"),
        ([".", "--key-file", "key"], "is a directory"),
        (["nowhere/log", "--key-file", "key"], "no such file or directory"),
    ],
)
def test_what_cannot_be_verified(quick: Run, log: Path, arguments: list[str], message: str) -> None:
    (log.parent / "short").write_bytes(b"short")
    result = quick("log", "verify", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_show(quick: Run, log: Path) -> None:
    every = quick("log", "show", "log")
    assert every.code == 0
    last = quick("log", "show", "log", "-n", "2", "--kind", "shadow")
    assert every.out.endswith(last.out)
    assert len(last.out.splitlines()) == 2
    lines = quick("log", "show", "log", "--output-format", "json", "-n", "1").out.splitlines()
    assert json.loads(lines[0])["until"] == "99"
    assert quick("log", "show", "nowhere").code == 2


HOSTILE = (
    b"",
    b"\n" * 1000,
    b"[" * 100_000 + b"\n",
    b'{"version":1,"seq":0,"kind":"open","prev":"","seal":""}\n',
    b'{"version":1,"seq":-1,"kind":"decision","prev":"x","seal":"x"}\n',
    b'{"version":1,"seq":1e999,"kind":"decision","prev":"x","seal":"x"}\n',
    b'{"version":1,"seq":' + b"9" * 10_000 + b',"kind":"d","prev":"x","seal":"x"}\n',
    b'{"version":1,"seq":0,"kind":"\\u001b[31m","time":[1],"call":{},"rule":{},"arguments":[],"shadow":"deny","prev":"x","seal":"x"}\n',
    b'{"version":1,"seq":0,"kind":"decision","operation":["\\u202e"],"arguments":{"names":[{}]},"shadow":"deny","rule":7,"prev":"x","seal":"x"}\n',
    b"\xff\xfe\x00" * 1000,
    b"x" * 3_000_000,
)


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files(quick: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(KEY)
    (tmp_path / "log").write_bytes(content)
    assert quick("log", "verify", "log", "--key-file", "key").code in (1, 0 if content.startswith(b"x") else 1)
    for command in ("show", "shadow"):
        result = quick("log", command, "log")
        assert result.code == 0
        assert "\x1b" not in result.out
        assert "\u202e" not in result.out


def test_hostile_chains_without_a_key(quick: Run, tmp_path: Path) -> None:
    """Whoever writes the whole file can make every seal right: the rest must hold all the same."""
    from schemarouter.audit.chain import Sealer

    sealer = Sealer(None)
    rng = random.Random(5)
    values = [None, -1, 10**15, "x", [], {}, True, 1.5]
    for _ in range(200):
        lines, previous = [], "0" * 64
        for seq in range(4):
            record = {
                "version": 1,
                "seq": seq,
                "segment": 1,
                "time": "t",
                "kind": rng.choice(["open", "gap", "recovered", "end"]),
            }
            record |= {
                "algorithm": "sha256",
                "key_id": None,
                "oldest": 1,
                "lost": 1,
                "torn_bytes": 1,
                "torn_sha256": "x",
            }
            record[rng.choice(list(record))] = rng.choice(values)
            line, previous = sealer.write(record | {"prev": previous})
            lines.append(line)
        (tmp_path / "log").write_bytes(b"".join(lines))
        from schemarouter.audit.head import Head

        (tmp_path / "head").write_bytes(Head(3, previous).encoded(sealer))
        assert quick("log", "verify", "log", "--head", "head").code in (0, 1)
        assert quick("log", "show", "log").code == 0


def test_a_pipe_and_a_link(quick: Run, log: Path) -> None:
    os.mkfifo(log.parent / "pipe")
    assert quick("log", "verify", "pipe", "--key-file", "key").code in (1, 2)
    assert quick("log", "show", "pipe").code in (0, 2)
    os.symlink("log", log.parent / "link")
    assert quick("log", "show", "link").code == 0
