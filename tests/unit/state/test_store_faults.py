"""Whatever is wrong with a store: every operation is refused with a reason, in bounded time; nothing runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import resource
import shutil
import sqlite3
import stat
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from schemarouter.errors import StateStoreError
from schemarouter.model.limits import ExecutionBudget
from schemarouter.state.limits import MAX_WAITING, TOO_MANY_WAIT
from schemarouter.state.memory import MemoryStore
from schemarouter.state.port import Answer, Entry, Grant, StateStore
from schemarouter.state.sqlite import SqliteStore
from schemarouter.state.sqlite_files import REMOTE, _file_system
from schemarouter.state.sqlite_schema import TABLES, VERSION
from support.boundary import CANARY
from support.stores import Desk, WallClock, calls, request

ENTRY = Entry("key", "holder", 30.0)
GRANT = Grant("g", "x.y", None, None, 1, 9_999_999_999, 1, "key", "signature")

#: Every operation of the port, those that write first.
WRITES: dict[str, Callable[[StateStore], Any]] = {
    "begin": lambda store: store.begin("run"),
    "enter": lambda store: store.enter("run", calls(5)),
    "enter with a lease": lambda store: store.enter("run", calls(5), ENTRY),
    "commit": lambda store: store.commit("run", calls(5)),
    "release": lambda store: store.release("run", ENTRY),
    "file": lambda store: store.file(request(nonce="another")),
    "answer": lambda store: store.answer(Answer("id", True, 1, "key", "signature")),
    "spend": lambda store: store.spend(request().id),
    "expire": lambda store: store.expire(request().id),
    "grant": lambda store: store.grant(GRANT),
    "use": lambda store: store.use("g", 1),
    "revoke": lambda store: store.revoke("g"),
}
READS: dict[str, Callable[[StateStore], Any]] = {
    "identity": lambda store: store.identity(),
    "now": lambda store: store.now(),
    "used": lambda store: store.used("run"),
    "request": lambda store: store.request("id"),
    "requests": lambda store: store.requests(),
    "requests_like": lambda store: store.requests_like(request()),
    "grants": lambda store: store.grants(),
}
ALL = WRITES | READS


def test_the_table_has_every_operation() -> None:
    port = {name for name in vars(StateStore) if not name.startswith("_")} - {"close"}
    assert {name.split()[0] for name in ALL} == port


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp())
    yield made
    os.chmod(made, 0o700)
    shutil.rmtree(made)


@pytest.fixture
def path(folder: Path) -> Path:
    """A store that was used."""
    store = SqliteStore(folder / "state.db")
    store.enter("run", calls(5))
    store.file(request(created=int(time.time()), deadline=int(time.time()) + 900))
    store.close()
    return folder / "state.db"


def refused(operation: Callable[[StateStore], Any], store: StateStore, reason: str) -> None:
    started = time.monotonic()
    with pytest.raises(StateStoreError, match=reason) as caught:
        operation(store)
    assert time.monotonic() - started < 30, "not bounded"
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


# Locked


@pytest.mark.parametrize("name", WRITES)
def test_locked_by_a_writer(path: Path, name: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        refused(WRITES[name], SqliteStore(path, timeout=0.05), "locked by another process")
    finally:
        other.close()
    assert SqliteStore(path).enter("run", calls(5)) is None


@pytest.mark.parametrize("name", ALL)
def test_locked_altogether(path: Path, name: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("UPDATE clock SET latest = latest")
    try:
        refused(ALL[name], SqliteStore(path, timeout=0.05), "locked by another process")
    finally:
        other.close()


def test_locked_by_a_thread(path: Path) -> None:
    store = SqliteStore(path, timeout=0.05)
    with store._database._lock:
        refused(WRITES["enter"], store, "locked by another thread")
    assert store.enter("run", calls(5)) is None


# Full


@pytest.mark.parametrize("name", ["enter", "file", "grant"])
def test_no_page_is_left(path: Path, name: str) -> None:
    store = SqliteStore(path)
    store.used("run")
    connection = store._database._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    for number in range(10_000):
        try:
            if name == "enter":
                assert store.enter(f"{number:0300}", calls(5)) is None
            elif name == "file":
                store.file(request(nonce=f"{number:0300}", created=int(time.time()), deadline=int(time.time()) + 900))
            else:
                store.grant(GRANT._replace(id=f"{number:0300}"))
        except StateStoreError as error:
            assert "the disk is full" in str(error)  # noqa: PT017 - the number of steps is not known
            break
    else:
        pytest.fail("never full")
    refused(lambda store: store.enter("x" * 4000, calls(5)), store, "the disk is full")
    connection.execute("PRAGMA max_page_count = 1000000")
    assert store.enter("run", calls(5)) is None


@pytest.mark.parametrize("name", WRITES)
def test_the_system_writes_no_more(path: Path, name: str) -> None:
    def child() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        refused(WRITES[name], SqliteStore(path, timeout=0.2), "cannot be used")

    in_a_child(child)
    assert SqliteStore(path).used("run") == {"calls": 1}


# Read-only, of others, in the wrong place


@pytest.mark.parametrize("name", ALL)
def test_read_only(folder: Path, path: Path, name: str) -> None:
    """What reads may still read, because nothing is allowed by reading: a grant is used, an answer spent, by writing."""

    def child() -> None:
        if os.geteuid() == 0:
            for one in (folder, *folder.iterdir()):
                os.chown(one, 65534, 65534)
            os.setuid(65534)
        os.chmod(path, 0o400)
        store = SqliteStore(path, timeout=0.2)
        if name in WRITES:
            refused(WRITES[name], store, "it is read-only")
        else:
            READS[name](store)

    in_a_child(child)


def in_a_child(work: Callable[[], None]) -> None:
    """Run ``work`` in a process of its own, which may give up rights."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - told by the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: os.chmod(path, 0o640), "open to other users"),
        (lambda path: os.chmod(path.parent, 0o770), "other users may write"),
        (lambda path: os.chmod(path.parent, 0o1777), "other users may write"),
        (lambda path: (path.rename(path.with_name("b")), path.symlink_to("b")), "a symbolic link"),
        (lambda path: os.link(path, path.with_name("b")), "hard link"),
        (lambda path: (path.unlink(), path.mkdir()), "no regular file"),
        (lambda path: (path.unlink(), os.mkfifo(path, 0o600)), "no regular file"),
        (lambda path: path.write_bytes(b"not a database, but long enough to be looked at" * 100), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged"),
        (lambda path: path.write_bytes(b"\0" * 100 + path.read_bytes()[100:]), "damaged"),
        (lambda path: change(path, f"PRAGMA user_version = {VERSION + 1}"), "newer version of SchemaRouter"),
        (lambda path: change(path, "PRAGMA application_id = 7"), "another kind of database"),
        (lambda path: change(path, "PRAGMA user_version = 0"), "damaged"),
        (lambda path: change(path, "DROP TABLE counters"), "damaged"),
        (lambda path: change(path, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM counters; END"), "damaged"),
        (lambda path: change(path, "CREATE VIEW v AS SELECT 1"), "damaged"),
    ],
)
def test_a_file_that_is_no_safe_store(path: Path, spoil: Callable[[Path], Any], reason: str) -> None:
    spoil(path)
    for name, operation in ALL.items():
        print(name)
        refused(operation, SqliteStore(path, timeout=0.2), reason)


def change(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("UPDATE counters SET used = '-5'", ["enter", "commit", "used"]),
        ("UPDATE counters SET used = 'NaN'", ["enter", "used"]),
        ("UPDATE counters SET used = x'00'", ["enter", "used"]),
        ("UPDATE counters SET used = '٣'", ["enter", "used"]),
        ("UPDATE counters SET used = '" + "9" * 9000 + "'", ["enter", "used"]),
        ("UPDATE clock SET latest = 'never'", [*WRITES, "now", "used", "requests"]),
        ("UPDATE clock SET latest = -1.0", list(WRITES)),
        ("DELETE FROM clock", list(WRITES)),
        ("UPDATE clock SET latest = 9e12", list(WRITES)),
        ("UPDATE identity SET secret = 'short'", ["identity"]),
        ("DELETE FROM identity", ["identity"]),
        ("UPDATE requests SET deadline = 'later'", ["requests"]),
        ("UPDATE requests SET remote = 7", ["requests"]),
        ("UPDATE requests SET status = 'fine'", ["requests"]),
        ("UPDATE requests SET operation = x'ff'", ["requests"]),
        ("UPDATE requests SET arguments = CAST(x'ff' AS TEXT)", ["requests"]),
        ("UPDATE requests SET reason = CAST(zeroblob(7900000) AS TEXT) || 'x'", []),
    ],
)
def test_rows_that_say_nonsense(path: Path, statement: str, names: list[str]) -> None:
    change(path, statement)
    for name in names:
        refused(ALL[name], SqliteStore(path), "damaged|clock")
    for operation in ALL.values():
        with contextlib.suppress(StateStoreError):
            operation(SqliteStore(path))


def test_flipped_bytes_never_end_in_another_error(path: Path) -> None:
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        store = SqliteStore(path, timeout=0.2)
        for operation in ALL.values():
            try:
                operation(store)
            except StateStoreError as error:
                assert "\n" not in str(error)  # noqa: PT017 - it may also succeed
        store.close()
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)


@pytest.mark.parametrize("name", ALL)
def test_a_missing_file_or_folder(folder: Path, name: str) -> None:
    refused(ALL[name], SqliteStore(folder / "none.db", create=False), "no such file")
    refused(ALL[name], SqliteStore(folder / "none" / "none.db"), "no such file")
    assert list(folder.iterdir()) == []


def test_a_file_that_is_replaced_while_it_is_in_use(path: Path) -> None:
    store = SqliteStore(path)
    store.enter("run", calls(5))
    path.unlink()
    refused(WRITES["enter"], store, "no such file")
    fresh = SqliteStore(path)
    fresh.enter("run", calls(5))
    refused(WRITES["enter"], store, "replaced by another file")
    refused(WRITES["enter"], store, "replaced by another file")


@pytest.mark.parametrize("path", ["", ":memory:", "file:x?mode=memory", "a\0b", "folder/"])
def test_paths_that_name_no_file(path: str) -> None:
    with pytest.raises(StateStoreError, match="needs the name of a file"):
        SqliteStore(path)


@pytest.mark.parametrize("path", [None, 3, b"x"])
def test_what_is_no_path(path: Any) -> None:
    with pytest.raises(TypeError):
        SqliteStore(path)


@pytest.mark.parametrize("timeout", [0, -1, 61, True, "1", float("nan"), float("inf")])
def test_what_is_no_timeout(folder: Path, timeout: Any) -> None:
    with pytest.raises(ValueError, match="timeout must be"):
        SqliteStore(folder / "x", timeout=timeout)


@pytest.mark.parametrize("name", ["a?mode=memory", "a#b", "a%41", "ü ', \"x", "a;b", "-x"])
def test_odd_file_names_are_files(folder: Path, name: str) -> None:
    SqliteStore(folder / name).enter("run", calls(5))
    assert SqliteStore(folder / name, create=False).used("run") == {"calls": 1}
    assert name in {one.name for one in folder.iterdir()}


def test_what_is_made_is_private(folder: Path) -> None:
    before = os.umask(0)
    try:
        store = SqliteStore(folder / "state.db")
        store.enter("run", calls(5))
        modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"state.db": 0o600, "state.db-wal": 0o600, "state.db-shm": 0o600}


def test_file_systems_of_other_machines(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    assert _file_system("/proc/self") == "proc"
    assert _file_system(str(path.parent)) not in REMOTE | {None}
    monkeypatch.setattr("schemarouter.state.sqlite_files._file_system", lambda folder: "nfs4")
    refused(ALL["enter"], SqliteStore(path), "another machine")


# Time


@pytest.mark.parametrize("name", [name for name in ALL if name != "identity"])
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_clock_that_was_set_back(folder: Path, name: str, kind: str) -> None:
    clock = WallClock()
    store: StateStore = MemoryStore(clock=clock) if kind == "memory" else SqliteStore(folder / "s", clock=clock)
    store.begin("run")
    clock.now -= 4
    ALL[name](store)
    clock.now -= 56
    refused(ALL[name], store, "the clock went backwards by 60 s")
    for nonsense in (float("nan"), float("inf"), -1.0, 1e12):
        clock.now = nonsense
        refused(ALL[name], store, "gives no time")


def test_too_many_requests_wait() -> None:
    store, now = MemoryStore(), int(time.time())
    for number in range(MAX_WAITING):
        store.file(request(nonce=str(number), created=now, deadline=now + 900))
    refused(lambda store: store.file(request(created=now, deadline=now + 900)), store, TOO_MANY_WAIT)
    store.expire(store.requests()[0].request.id)
    store.file(request(created=now, deadline=now + 900))


# The executor


class Faulty:
    """A store that fails at the n-th operation of a name."""

    def __init__(self, name: str, error: BaseException, after: int = 0) -> None:
        self._store = MemoryStore()
        self._name, self._error, self._left = name, error, after

    def __getattr__(self, name: str) -> Any:
        def operation(*arguments: Any) -> Any:
            if name == self._name:
                self._left -= 1
                if self._left < 0:
                    raise self._error
            return getattr(self._store, name)(*arguments)

        return operation


@pytest.mark.parametrize(
    "error", [StateStoreError("it is locked"), RuntimeError(CANARY), StopIteration(), OSError(5, CANARY)]
)
@pytest.mark.parametrize("name", ["begin", "enter", "commit", "identity"])
@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_call_whose_store_fails_never_runs(name: str, error: Exception, driver: str) -> None:
    desk = Desk(store=Faulty(name, error))
    budget = ExecutionBudget(max_tool_calls=5, max_elapsed_seconds=60)

    def execute() -> None:
        options: Any = {"budget": budget, "run_id": "run", "call_id": "call"}
        if driver == "sync":
            desk.executor.execute_call_sync(desk.call(), **options)
        else:
            asyncio.run(desk.executor.execute_call(desk.call(), **options))

    with pytest.raises(StateStoreError) as caught:
        execute()
    assert desk.ran == 0
    assert re.fullmatch(r"`ns\.tool\.act` is denied: (it is locked|the state store failed \(\w+\))", str(caught.value))
    assert caught.value.execution_succeeded is False


def test_a_store_that_fails_before_a_retry_says_what_is_known() -> None:
    from schemarouter.errors import TransientInvocationError
    from schemarouter.model.limits import RetryPolicy

    desk = Desk(store=Faulty("commit", StateStoreError("it is full"), after=1))

    def fail() -> Any:
        raise TransientInvocationError("again")

    desk.invoke = fail
    with pytest.raises(StateStoreError, match="it is full") as caught:
        desk.executor.execute_call_sync(desk.call(), retry=RetryPolicy(max_attempts=3), run_id="run")
    assert desk.ran == 1
    assert caught.value.execution_succeeded is None


def test_tables_are_listed_once() -> None:
    assert len(set(TABLES)) == len(TABLES)
