"""The files of a decision log: what is written is what is verified, and nothing else is."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from schemarouter import DecisionLogError
from schemarouter.audit.chain import Sealer
from schemarouter.audit.files import locked
from schemarouter.audit.head import HeadError, decode_head, read_head
from schemarouter.audit.log import DecisionLog
from schemarouter.audit.reading import records
from schemarouter.audit.verify import VerificationError, verify_log

KEY = b"a key of the test, long enough"


def write(path: Path, count: int, **options: object) -> DecisionLog:
    log = DecisionLog(path, **({"key": KEY} | options))
    for number in range(count):
        log.append("decision", {"number": number})
    return log


def kinds(path: Path, **how: object) -> list[str]:
    return [found.kind for found in verify_log(str(path), **({"key": KEY} | how)).breaks]


@pytest.mark.parametrize("keyed", [True, False])
def test_what_was_written_verifies(tmp_path: Path, keyed: bool) -> None:
    head = tmp_path / "head"
    write(tmp_path / "log", 20, key=KEY if keyed else None, head=head)
    found = verify_log(str(tmp_path / "log"), key=KEY if keyed else None, head=str(head))
    assert found.breaks == ()
    assert (found.records, found.first, found.last, found.head, found.unanchored) == (21, 0, 20, 20, 0)
    assert [record["kind"] for record in records(str(tmp_path / "log"))] == ["open", *["decision"] * 20]


def test_a_log_needs_a_key_or_a_head(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="key"):
        DecisionLog(tmp_path / "log")
    with pytest.raises(VerificationError, match="nothing vouches"):
        verify_log(str(tmp_path / "log"))
    write(tmp_path / "log", 1, head=tmp_path / "head")
    with pytest.raises(VerificationError, match="with a key"):
        verify_log(str(tmp_path / "log"), head=str(tmp_path / "head"))
    with pytest.raises(ValueError, match="16"):
        DecisionLog(tmp_path / "other", key=b"short")


@pytest.mark.parametrize("line", range(8))
def test_any_edited_byte_is_found_at_its_line(tmp_path: Path, line: int) -> None:
    path = tmp_path / "log"
    write(path, 7)
    lines = path.read_bytes().splitlines(keepends=True)
    rng = random.Random(line)
    for _ in range(30):
        changed = bytearray(lines[line])
        place = rng.randrange(len(changed) - 1)
        changed[place] ^= 1 << rng.randrange(7)
        path.write_bytes(b"".join([*lines[:line], bytes(changed), *lines[line + 1 :]]))
        found = verify_log(str(path), key=KEY)
        assert found.breaks, bytes(changed)
        assert found.breaks[0].line in (line + 1, line + 2)


@pytest.mark.parametrize("line", range(1, 7))
def test_a_removed_line_is_found(tmp_path: Path, line: int) -> None:
    path = tmp_path / "log"
    write(path, 7)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:line] + lines[line + 1 :]))
    found = verify_log(str(path), key=KEY)
    assert [(each.kind, each.line) for each in found.breaks] == [("missing", line + 1)]
    assert f"record {line} is missing" in found.breaks[0].message


def test_reordered_repeated_and_exchanged_lines_are_found(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, 7)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[4], lines[3], *lines[5:]]))
    assert kinds(path) == ["missing", "order"]
    path.write_bytes(b"".join([*lines[:4], lines[3], *lines[4:]]))
    assert kinds(path) == ["order"]
    # A line of another log that was written with the same key.
    write(tmp_path / "other", 7)
    foreign = (tmp_path / "other").read_bytes().splitlines(keepends=True)[4]
    path.write_bytes(b"".join([*lines[:4], foreign, *lines[5:]]))
    assert kinds(path) == ["replaced", "replaced"]


def test_a_cut_end_is_found_by_the_head_alone(tmp_path: Path) -> None:
    path, head = tmp_path / "log", tmp_path / "head"
    write(path, 7, head=head)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    assert kinds(path) == []  # a key alone cannot know
    found = verify_log(str(path), key=KEY, head=str(head))
    assert [each.kind for each in found.breaks] == ["truncated"]
    with pytest.raises(DecisionLogError, match="records are missing at its end"):
        DecisionLog(path, key=KEY, head=head)


def test_a_rewritten_log_without_a_key_is_found_by_its_head(tmp_path: Path) -> None:
    path, head = tmp_path / "log", tmp_path / "head"
    write(path, 7, key=None, head=head)
    write(tmp_path / "forged", 7, key=None, head=tmp_path / "forged-head")
    os.replace(tmp_path / "forged", path)
    assert kinds(path, key=None, head=str(head)) == ["replaced"]


def test_an_older_head_vouches_for_what_it_knew(tmp_path: Path) -> None:
    log = write(tmp_path / "log", 3)
    head = log.head()
    log.append("decision", {})
    found = verify_log(str(tmp_path / "log"), key=KEY, head=head)
    assert (found.breaks, found.unanchored) == ((), 1)


def test_another_key(tmp_path: Path) -> None:
    write(tmp_path / "log", 3)
    assert kinds(tmp_path / "log", key=b"quite another key") == ["key"]
    with pytest.raises(DecisionLogError, match="another key"):
        DecisionLog(tmp_path / "log", key=b"quite another key")
    write(tmp_path / "plain", 3, key=None, head=tmp_path / "head")
    assert kinds(tmp_path / "plain") == ["key"]


def test_heads(tmp_path: Path) -> None:
    log = write(tmp_path / "log", 3, head=tmp_path / "head")
    raw = (tmp_path / "head").read_bytes()
    sealer = Sealer(KEY)
    assert decode_head(raw, sealer) == log.head() == read_head(str(tmp_path / "head"), sealer)
    for bad in (b"", b"[]", b"{}", raw.replace(b'"seq": 3', b'"seq": 2'), b"[" * 3000, raw.replace(b": 1,", b": 2,")):
        with pytest.raises(HeadError):
            decode_head(bad, sealer)
    (tmp_path / "head").unlink()
    with pytest.raises(DecisionLogError, match="lost its head"):
        DecisionLog(tmp_path / "log", key=KEY, head=tmp_path / "head")
    with pytest.raises(DecisionLogError, match="no such file"):
        log.append("decision", {})


# Rotation


def test_rotation_is_bounded_and_verifies(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = write(path, 200, max_bytes=2048, keep=3, head=tmp_path / "head")
    away = sorted(name for name in os.listdir(tmp_path) if name.startswith("log.0"))
    assert len(away) == 3
    assert all(os.path.getsize(tmp_path / name) <= 2048 for name in [*away, "log"])
    found = verify_log(str(path), key=KEY, head=str(tmp_path / "head"))
    assert (found.breaks, found.files, found.unanchored) == ((), 4, 0)
    assert found.first is not None
    assert found.first > 0
    log.rotate()
    assert verify_log(str(path), key=KEY).breaks == ()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_rotated_file_that_is_missing_is_found(tmp_path: Path, which: int) -> None:
    path = tmp_path / "log"
    write(path, 200, max_bytes=2048, keep=3)
    away = sorted(name for name in os.listdir(tmp_path) if name.startswith("log.0"))
    (tmp_path / away[which]).unlink()
    assert "missing" in kinds(path)
    path.unlink()
    assert "missing" in kinds(path)


def test_the_end_of_a_rotated_file_cannot_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, 200, max_bytes=2048, keep=3)
    away = sorted(tmp_path.glob("log.0*"))
    lines = away[1].read_bytes().splitlines(keepends=True)
    away[1].write_bytes(b"".join(lines[:-1]))
    assert kinds(path) == ["missing"]
    os.rename(away[1], tmp_path / "spare")
    os.rename(away[0], away[1])
    os.rename(tmp_path / "spare", away[0])
    assert "misplaced" in kinds(path)


def test_a_rotation_that_died_half_way_is_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, 3)
    os.rename(path, tmp_path / "log.000001")
    log = write(path, 3)
    assert verify_log(str(path), key=KEY) == verify_log(str(path), key=KEY)
    assert kinds(path) == []
    assert log.head().seq == 7


# Crashes and faults


@pytest.mark.parametrize("cut", [1, 2, 10, 100, 200])
def test_a_torn_line_is_told_and_not_hidden(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log"
    write(path, 5)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"version":1,"seq":6,"segment":1,"time":"2026'[:cut])
    found = verify_log(str(path), key=KEY)
    assert (found.breaks, found.torn) == ((), 1)
    write(path, 2)
    found = verify_log(str(path), key=KEY)
    assert (found.breaks, found.torn, found.records) == ((), 1, 9)
    assert [record["kind"] for record in records(str(path))][6] == "recovered"


def test_a_last_record_that_was_edited_is_not_taken_for_a_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, 5)
    path.write_bytes(path.read_bytes().replace(b'"number":4', b'"number":9'))
    with pytest.raises(DecisionLogError, match="edited"):
        write(path, 1)
    assert kinds(path) == ["edited"]


def test_bytes_in_the_middle_are_found(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write(path, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"nonsense\n", b"[" * 200_000, b"\n", *lines[3:]]))
    assert kinds(path) == ["unreadable"]


def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path) -> None:
    for content in (b"hello", b"hello\n", b'{"version":1}\n', b'{"version":1,"seq":0}\n'):
        (tmp_path / "log").write_bytes(content)
        with pytest.raises(DecisionLogError, match=r"no (whole )?record"):
            DecisionLog(tmp_path / "log", key=KEY)
        assert (tmp_path / "log").read_bytes() == content
    os.symlink(tmp_path / "log", tmp_path / "link")
    with pytest.raises(DecisionLogError):
        DecisionLog(tmp_path / "link", key=KEY)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DecisionLogError):
        DecisionLog(tmp_path / "pipe", key=KEY)
    (tmp_path / "folder").mkdir()
    with pytest.raises(DecisionLogError):
        DecisionLog(tmp_path / "folder", key=KEY)


def test_a_log_that_shrank_under_its_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = write(path, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    with pytest.raises(DecisionLogError, match="lost records"):
        log.append("decision", {})


def test_what_could_not_be_written_is_told_later(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = write(folder / "log", 2)
    os.rename(folder, tmp_path / "away")
    for _ in range(3):
        with pytest.raises(DecisionLogError, match="no such file"):
            log.append("decision", {})
    assert log.lost == 3
    os.rename(tmp_path / "away", folder)
    log.append("decision", {})
    found = verify_log(str(folder / "log"), key=KEY)
    assert (found.breaks, found.lost, log.lost) == ((), 3, 0)


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write(tmp_path / "log", 2)
    before = (tmp_path / "log").read_bytes()
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 50:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(DecisionLogError, match="no space left on device"):
            log.append("decision", {"text": "x" * 100})
    assert (tmp_path / "log").read_bytes() == before
    log.append("decision", {})
    assert kinds(tmp_path / "log") == []


def test_a_lock_that_somebody_keeps_is_no_hang(tmp_path: Path) -> None:
    import fcntl

    log = write(tmp_path / "log", 1, lock_seconds=0.05)
    with open(tmp_path / "log.lock", "r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(DecisionLogError, match="locked"):
            log.append("decision", {})


# Several writers


def _writer(path: str, name: int, count: int) -> None:
    log = DecisionLog(path, key=KEY, head=f"{path}-head", max_bytes=20_000, keep=100, lock_seconds=30)
    for number in range(count):
        log.append("decision", {"writer": name, "number": number})


def test_processes_share_one_log(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_writer, args=(path, name, 100)) for name in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    found = verify_log(path, key=KEY, head=f"{path}-head")
    assert (found.breaks, found.lost, found.unanchored) == ((), 0, 0)
    written = [record for record in records(path) if record["kind"] == "decision"]
    for name in range(4):
        assert [record["number"] for record in written if record["writer"] == name] == list(range(100))


def test_threads_and_forks_share_one_log(tmp_path: Path) -> None:
    log = write(tmp_path / "log", 1, lock_seconds=30)
    threads = [threading.Thread(target=lambda: [log.append("decision", {}) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    child = os.fork()
    if child == 0:
        try:
            for _ in range(50):
                log.append("decision", {})
        finally:
            os._exit(0)
    for _ in range(50):
        log.append("decision", {})
    os.waitpid(child, 0)
    found = verify_log(str(tmp_path / "log"), key=KEY)
    assert (found.breaks, found.records) == ((), 302)


def test_a_log_that_is_being_written_verifies_at_any_time(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_writer, args=(path, name, 300)) for name in range(2)]
    for writer in writers:
        writer.start()
    checked = 0
    while any(writer.is_alive() for writer in writers):
        if os.path.exists(f"{path}-head") and os.path.getsize(f"{path}-head"):
            found = verify_log(path, key=KEY, head=f"{path}-head")
            assert found.breaks == ()
            checked += 1
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert checked > 3


KILLED = """
import sys
from schemarouter.audit.log import DecisionLog
log = DecisionLog(sys.argv[1], key=sys.argv[2].encode(), head=sys.argv[1] + "-head", max_bytes=6000, keep=1000)
print("up", flush=True)
while True:
    log.append("decision", {"text": "x" * 300})
"""


def test_writers_that_are_killed_leave_a_log_that_verifies(tmp_path: Path) -> None:
    path = str(tmp_path / "log")
    rng = random.Random(7)
    for _ in range(6):
        with subprocess.Popen([sys.executable, "-c", KILLED, path, KEY.decode()], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"up\n"
            time.sleep(rng.random() / 50)
            writer.send_signal(signal.SIGKILL)
        found = verify_log(path, key=KEY, head=f"{path}-head")
        assert found.breaks == ()
        assert found.unanchored <= 1  # killed between the record and its head
    assert json.loads(Path(f"{path}-head").read_text())["version"] == 1


def test_a_child_that_was_forked_meanwhile_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    reading, writing = os.pipe()
    with locked(path, 0):
        child = os.fork()
        if child == 0:
            os.close(writing)
            os.read(reading, 1)  # until the parent is done
            os._exit(0)
    with locked(path, 0):
        pass
    os.close(writing)
    os.close(reading)
    os.waitpid(child, 0)
