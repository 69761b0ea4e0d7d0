"""Approvals through a store: what counts, how often, and everything that a process which writes the store may try."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemarouter.compiler.policy import ExecutionPolicy, PolicyRule
from schemarouter.errors import ApprovalDeniedError, StateStoreError
from schemarouter.loading import LoadedPolicy, load_policy
from schemarouter.model.approval import Approver, Denied
from schemarouter.model.limits import ExecutionBudget
from schemarouter.state import answering
from schemarouter.state.answering import AnswerError, find_request
from schemarouter.state.binding import request_id
from schemarouter.state.limits import MAX_ARGUMENTS
from schemarouter.state.memory import MemoryStore
from schemarouter.state.port import Answer, Filed, StandingGrant
from schemarouter.state.signatures import KeyFileError, Signer
from schemarouter.state.sqlite import SqliteStore
from schemarouter.state.stored_approvals import StoredApprovals
from support.boundary import CANARY
from support.stores import Desk, WallClock, answer, grant, hashed, question, request, signer

BY, PUBLIC = signer()
OTHER, OTHER_PUBLIC = signer()
ALL_ASK = ExecutionPolicy(approval_mode="all")
DIGEST = ALL_ASK.graph.digest
IDS: Any = {"run_id": "run", "call_id": "call"}


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "state.db")


def approvals(store: Any, keys: Any = PUBLIC, **options: Any) -> StoredApprovals:
    return StoredApprovals(store, keys, **({"wait": 0, "poll": 0.01} | options))


def desk_on(store: Any, keys: Any = PUBLIC, **options: Any) -> Desk:
    return Desk(ALL_ASK, store=store, approval_callback=approvals(store, keys, **options))


def execute(desk: Desk, driver: str = "sync", **options: Any) -> Any:
    if driver == "sync":
        return desk.executor.execute_call_sync(desk.call(), **options)
    return asyncio.run(desk.executor.execute_call(desk.call(), **options))


def denied(desk: Desk, reason: str, driver: str = "sync", **options: Any) -> None:
    before = desk.ran
    with pytest.raises(ApprovalDeniedError, match=reason) as caught:
        execute(desk, driver, **options)
    assert desk.ran == before
    assert CANARY not in str(caught.value)


def only(store: Any) -> Filed:
    (filed,) = store.requests()
    return filed


# The ways of an answer


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_asked_in_one_process_and_run_in_the_next(store: Any, driver: str) -> None:
    desk = desk_on(store)
    denied(desk, "it waits for an answer: `schemarouter approvals show [0-9a-f]{64}`", driver, **IDS)
    denied(desk, "it waits for an answer", driver, **IDS)
    filed = only(store)
    assert filed.request[1:8] == (
        *("ns.tool.act", f'{{"secret":"{CANARY}"}}', hashed(store, {"secret": CANARY}), DIGEST, "run", "call", False),
    )
    assert filed.request.reason.startswith("approval mode `all`: ")
    assert store.answer(answer(BY, store, filed.request.id)) == "approved"
    assert execute(desk_on(store), driver, **IDS).data == {"value": 1}
    assert only(store).status == "spent"
    assert only(store).request.arguments == "", "forgotten once they are not needed"
    denied(desk, "it waits for an answer", driver, **IDS)
    assert len(store.requests()) == 2, "the next one is asked about anew"


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("ids", [IDS, {}])
def test_waiting_until_it_is_answered(store: Any, driver: str, ids: Any) -> None:
    def person(approved: bool) -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            for filed in store.requests():
                if filed.status == "pending":
                    store.answer(answer(BY, store, find_request(store, filed.request.id).request.id, approved=approved))
                    return
            time.sleep(0.01)

    for approved in (True, False):
        helper = threading.Thread(target=person, args=(approved,))
        helper.start()
        desk = desk_on(store, wait=20)
        if approved:
            execute(desk, driver, **ids)
            assert desk.ran == 1
        else:
            denied(desk, "was not approved: an approver said no", driver, **ids)
        helper.join()
    if ids:
        denied(desk, "an approver said no", driver, **ids)


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_nobody_answers(store: Any, driver: str) -> None:
    desk = desk_on(store, wait=0.05)
    denied(desk, "nobody answered in time", driver)
    assert only(store).status == "expired", "no other call will ever be this one"
    denied(desk, "it waits for an answer", driver, **IDS)


def test_the_deadline(store: Any) -> None:
    clock = WallClock()
    store._clock = clock
    desk = desk_on(store, lifetime=100)
    denied(desk, "waits for an answer", **IDS)
    first = only(store)
    clock.now += 99
    assert store.answer(answer(BY, store, first.request.id)) == "approved"
    clock.now += 1
    denied(desk, "waits for an answer", **IDS)
    assert [filed.status for filed in store.requests()] == ["expired", "pending"]
    second = store.requests()[1].request.id
    clock.now += 100
    assert store.answer(answer(BY, store, second)) == "expired"


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_the_time_of_the_run_ends_the_wait(store: Any, driver: str) -> None:
    desk = desk_on(store, wait=60)
    started = time.monotonic()
    with pytest.raises((ApprovalDeniedError, StateStoreError, Exception)) as caught:
        execute(desk, driver, budget=ExecutionBudget(max_elapsed_seconds=0.2))
    assert "max_elapsed_seconds=0.2 ran out during approval callback" in str(caught.value) or "in time" in str(
        caught.value
    )
    assert time.monotonic() - started < 20
    assert desk.ran == 0


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_no_approver_and_no_terminal_is_denied_at_once(store: Any, driver: str) -> None:
    denied(desk_on(store, ()), r"there is no approver \(no public key\) and no terminal", driver)
    assert store.requests() == []


@pytest.mark.parametrize("driver", ["sync", "async"])
@pytest.mark.parametrize("verdict", [True, Denied("not today"), 1, "yes", None])
def test_the_terminal_is_asked_where_there_is_no_key(store: Any, driver: str, verdict: Any) -> None:
    class Terminal(Approver):
        def ask(self, question: Any) -> Any:
            return verdict

        async def ask_async(self, question: Any) -> Any:
            return verdict

    desk = desk_on(store, (), terminal=Terminal())
    if verdict is True:
        execute(desk, driver)
    else:
        denied(desk, "not today" if isinstance(verdict, Denied) else "was not approved$", driver)


@pytest.mark.parametrize("ids", [IDS, {}])
def test_a_cancelled_wait_ends(store: Any, ids: Any) -> None:
    desk = desk_on(store, wait=60)

    async def main() -> None:
        task = asyncio.create_task(desk.executor.execute_call(desk.call(), **ids))
        while not store.requests():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert desk.ran == 0
    for thread in threading.enumerate():
        if thread.name == "schemarouter-expire":
            thread.join()
    assert only(store).status == ("pending" if ids else "expired"), "what comes again may still be answered"


# Whoever can write the store


FORGERIES: dict[str, Callable[[Any, str], Answer]] = {
    "no signature": lambda store, id_: Answer(id_, True, 1, BY.id, ""),
    "nonsense": lambda store, id_: Answer(id_, True, 1, BY.id, "A" * 86),
    "another key": lambda store, id_: answer(OTHER, store, id_),
    "another key under this name": lambda store, id_: answer(OTHER, store, id_)._replace(key=BY.id),
    "a denial turned round": lambda store, id_: answer(BY, store, id_, approved=False)._replace(approved=True),
    "another time": lambda store, id_: answer(BY, store, id_)._replace(answered=2),
    "of another request": lambda store, id_: answer(BY, store, "f" * 64)._replace(request=id_),
    "of another store": lambda store, id_: answer(BY, MemoryStore(), id_),
    "padded": lambda store, id_: (good := answer(BY, store, id_))._replace(signature=good.signature + "=="),
    "with a space": lambda store, id_: (good := answer(BY, store, id_))._replace(signature=good.signature + " "),
}


@pytest.mark.parametrize("kind", FORGERIES)
@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_forged_answer_is_none(store: Any, kind: str, driver: str) -> None:
    desk = desk_on(store)
    denied(desk, "waits", driver, **IDS)
    assert store.answer(FORGERIES[kind](store, only(store).request.id)) == "approved", "so the store believes"
    denied(desk, "waits for an answer", driver, **IDS)


def moved(store: Any, **changes: Any) -> None:
    """Move a validly signed answer to a row that says something else."""
    filed = store.requests()[0]
    other = filed.request._replace(**changes)
    other = other if "id" in changes else other._replace(id=request_id(other))
    given = filed.answer._replace(request=other.id)
    if isinstance(store, MemoryStore):
        store._requests = {other.id: Filed(other, "approved", given)}
        return
    columns = {**changes, "id": other.id, "status": "approved", "approved": 1}
    words = ", ".join(f"{name} = ?" for name in columns)
    store._database.write(
        lambda connection: connection.execute(f"UPDATE requests SET {words}", tuple(columns.values()))
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "ns.tool.act"},  # the very same, with the id made anew: another id, so another statement
        {"deadline": 9_999_999_999},
        {"nonce": "1"},
        {"reason": "harmless"},
        {"call_id": "call"},
    ],
)
def test_an_answer_cannot_be_moved_to_another_call(store: Any, changes: dict[str, Any]) -> None:
    """The agent has an approval of a harmless call, and wants another one to run."""
    desk = desk_on(store)
    harmless = question(arguments={"secret": "harmless"}, digest=DIGEST, rule=None, reason="x")
    assert isinstance(approvals(store).ask(harmless), Denied)
    assert store.answer(answer(BY, store, only(store).request.id)) == "approved"
    dangerous = {"arguments_hash": hashed(store, {"secret": CANARY}), "digest": DIGEST, "reason": _reason()}
    moved(store, **(dangerous | changes))
    denied(desk, "waits for an answer", **IDS)


@pytest.mark.parametrize("name", ["operation", "digest", "run_id", "call_id", "arguments_hash", "rule", "reason"])
def test_everything_is_bound(store: Any, name: str) -> None:
    """An approval of a call that differs in one thing is none: also where its id is kept, and where it is made anew."""
    asked = question()
    one = approvals(store)
    assert isinstance(one.ask(asked), Denied)
    assert store.answer(answer(BY, store, only(store).request.id)) == "approved"
    value = {"arguments_hash": "0" * 64}.get(name, "other")
    moved(store, **{name: value, "id": only(store).request.id})
    assert isinstance(one.ask(asked), Denied)
    wanted = asked._replace(arguments={}) if name == "arguments_hash" else asked._replace(**{name: value})
    assert isinstance(one.ask(wanted), Denied)


def _reason() -> str:
    store = MemoryStore()
    denied(desk_on(store), "waits", **IDS)
    return only(store).request.reason


def test_an_approval_ends_with_the_policy(store: Any) -> None:
    denied(desk_on(store), "waits", **IDS)
    store.answer(answer(BY, store, only(store).request.id))
    changed = ExecutionPolicy(approval_mode="all", rules=(PolicyRule(effect="deny", operation="x.y"),))
    denied(Desk(changed, approval_callback=approvals(store)), "waits", **IDS)


def test_every_key_of_several_counts(store: Any) -> None:
    denied(desk_on(store), "waits", **IDS)
    store.answer(answer(OTHER, store, only(store).request.id))
    execute(desk_on(store, [PUBLIC, f" {OTHER_PUBLIC}\n"]), **IDS)


def test_spent_before_it_runs(store: Any) -> None:
    """What happens after the callback loses the approval, and never doubles it."""
    desk = desk_on(store)
    denied(desk, "waits", **IDS)
    store.answer(answer(BY, store, only(store).request.id))

    def crash() -> Any:
        assert only(store).status == "spent"
        raise SystemExit

    desk.invoke = crash
    with pytest.raises(SystemExit):
        execute(desk, **IDS)
    denied(desk_on(store), "waits", **IDS)


class Lying:
    """A store that says yes to everything that it is asked to do, and shows what it likes."""

    def __init__(self, store: Any, **says: Any) -> None:
        self._store, self._says = store, {"spend": True, "use": True, **says}

    def __getattr__(self, name: str) -> Any:
        return (lambda *_: self._says[name]) if name in self._says else getattr(self._store, name)


def test_a_store_that_lies_makes_no_approval() -> None:
    clock = WallClock()
    store = MemoryStore(clock=clock)
    approvals(store).ask(question(operation="ns.tool.harmless"))
    store.answer(answer(BY, store, only(store).request.id))
    other = only(store)
    approvals(store, lifetime=10).ask(question())
    mine = store.requests()[-1] if store.requests()[-1] != other else store.requests()[0]
    said = Answer(mine.request.id, True, 1, "", "")
    signed = mine._replace(status="approved", answer=BY.sign_answer(store.identity().name, said))
    shown = [
        other,
        mine._replace(status="approved", answer=other.answer),
        mine._replace(status="approved", answer=other.answer._replace(request=mine.request.id)),
        signed._replace(status="spent"),
        signed._replace(request=signed.request._replace(operation="ns.tool.harmless")),
        signed._replace(request=signed.request._replace(deadline=9_999_999_999)),
    ]
    for filed in shown:
        assert isinstance(approvals(Lying(store, requests_like=[filed], request=filed)).ask(question()), Denied), filed
    honest = Lying(store, requests_like=[signed], request=signed)
    assert approvals(honest).ask(question()) is True
    clock.now += 10
    assert isinstance(approvals(honest).ask(question()), Denied), "too late"


def test_a_store_that_lies_makes_no_grant() -> None:
    clock = WallClock()
    store = MemoryStore(clock=clock)

    def asked(**says: Any) -> Any:
        return approvals(Lying(store, **says)).ask(question())

    good = StandingGrant(grant(BY, store, expires=int(clock.now) + 10), 0, revoked=False)
    assert asked(grants=[good]) is True
    for bad in (good._replace(revoked=True), good._replace(grant=grant(BY, store, operation="ns.tool.harmless"))):
        assert isinstance(asked(grants=[bad]), Denied)
    clock.now += 10
    assert isinstance(asked(grants=[good]), Denied)


# Standing grants


@pytest.mark.parametrize("driver", ["sync", "async"])
def test_a_grant_is_used_so_often(store: Any, driver: str) -> None:
    store.grant(grant(BY, store, digest=DIGEST, arguments_hash=hashed(store, {"secret": CANARY})))
    desk = desk_on(store)
    execute(desk, driver)
    execute(desk, driver)
    denied(desk, "nobody answered in time", driver)
    assert store.grants()[0].uses == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "ns.tool.other"},
        {"operation": "*"},
        {"operation": "ns.tool.*"},
        {"arguments_hash": "0" * 64},
        {"digest": "0" * 64},
        {"expires": 5},
        {"max_uses": 0},
        {"max_uses": -1},
    ],
)
def test_a_grant_is_for_what_it_says(store: Any, changes: dict[str, Any]) -> None:
    store.grant(grant(BY, store, **changes))
    denied(desk_on(store), "nobody answered in time")


@pytest.mark.parametrize(
    "changes",
    [
        {"max_uses": 99},
        {"expires": 9_999},
        {"arguments_hash": None},
        {"digest": None},
        {"operation": "ns.tool.act"},
        {"key": OTHER.id},
        {"id": "another"},
    ],
)
def test_a_grant_that_was_changed_is_none(store: Any, changes: dict[str, Any]) -> None:
    made = grant(BY, store, operation="ns.other", arguments_hash="0" * 64, digest="0" * 64, expires=50)
    wanted = {"operation": "ns.tool.act", "arguments_hash": None, "digest": None, "expires": 99_999_999_999}
    changed = made._replace(**(wanted | changes))
    store.grant(changed)
    denied(desk_on(store), "nobody answered in time")


def test_a_grant_of_another_store_or_key_is_none(store: Any) -> None:
    store.grant(grant(BY, MemoryStore(), id="1"))
    store.grant(grant(OTHER, store, id="2"))
    denied(desk_on(store), "nobody answered in time")


def test_a_grant_that_is_revoked_or_over(store: Any) -> None:
    clock = WallClock()
    store._clock = clock
    made = grant(BY, store, expires=int(clock.now) + 10, max_uses=9)
    store.grant(made)
    desk = desk_on(store)
    execute(desk)
    clock.now += 10
    denied(desk, "nobody answered in time")
    store.grant(again := grant(BY, store, id="2"))
    execute(desk)
    assert store.revoke(again.id)
    denied(desk, "nobody answered in time")
    assert not store.revoke("none")


# What goes wrong


def test_a_store_that_fails_denies_with_its_reason(tmp_path: Path) -> None:
    desk = desk_on(SqliteStore(tmp_path / "none" / "state.db"))
    for driver in ("sync", "async"):
        denied(desk, "was not approved: the state store .* cannot be used: it cannot be opened", driver)


def test_a_store_with_a_fault_of_its_own_denies() -> None:
    class Broken(MemoryStore):
        def now(self) -> float:
            raise RuntimeError(CANARY)

    for driver in ("sync", "async"):
        denied(desk_on(Broken()), r"failed closed \(RuntimeError\)", driver)


def test_without_the_library_nothing_is_approved(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = desk_on(store)
    denied(desk, "waits", **IDS)
    store.answer(answer(BY, store, only(store).request.id))
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    denied(desk, "signatures cannot be checked: `cryptography` is not installed", **IDS)


def test_arguments_that_nobody_can_read(store: Any) -> None:
    desk = desk_on(store)
    with pytest.raises(ApprovalDeniedError, match="longer than a person can read"):
        desk.executor.execute_call_sync(desk.call(arguments={"secret": "x" * (MAX_ARGUMENTS + 1)}))


def test_a_request_that_vanishes(store: Any) -> None:
    class Forgetful:
        def __getattr__(self, name: str) -> Any:
            return (lambda _: None) if name == "request" else getattr(store, name)

    denied(desk_on(Forgetful()), "its request is gone from the store")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"lifetime": 0}, ValueError),
        ({"lifetime": 1.5}, ValueError),
        ({"lifetime": True}, ValueError),
        ({"lifetime": 10**7}, ValueError),
        ({"wait": -1}, ValueError),
        ({"wait": float("nan")}, ValueError),
        ({"wait": "1"}, ValueError),
        ({"poll": 0}, ValueError),
        ({"terminal": lambda *_: True}, TypeError),
    ],
)
def test_what_is_no_option(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        StoredApprovals(MemoryStore(), PUBLIC, **options)


@pytest.mark.parametrize(
    "key",
    ["", "ed25519:", PUBLIC[:-1], PUBLIC + "A", PUBLIC[8:], "ed25519:" + "=" * 43, "ü", None, 3],
    ids=["empty", "no-key", "short", "long", "no-kind", "padding", "letter", "none", "number"],  # the key is random
)
def test_what_is_no_key(key: Any) -> None:
    with pytest.raises(KeyFileError, match="no public key"):
        StoredApprovals(MemoryStore(), [key])


def test_an_approver_can_be_named_by_a_policy(store: Any) -> None:
    loaded = load_policy("version: 1\napproval: {mode: all, callback: desk}\n", callbacks={"desk": approvals(store)})
    assert isinstance(loaded, LoadedPolicy)
    desk = Desk(loaded, store=store)
    denied(desk, "waits", **IDS)


def test_an_approver_that_is_called_like_a_function_denies() -> None:
    assert approvals(MemoryStore())(None, None, None) == Denied("an approver has to be asked by its `ask`")


# The approver's side


def test_what_was_changed_is_not_shown(store: Any) -> None:
    approvals(store).ask(question())
    id_ = only(store).request.id
    find_request(store, id_)
    assert find_request(store, id_[:8]).request.id == id_
    for whole, text in ((True, id_[:63]), (False, id_[:7]), (False, "z" * 64), (False, "")):
        with pytest.raises(AnswerError, match="no such request"):
            find_request(store, text, whole=whole)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"arguments": '{"secret":"harmless"}'}, "not those that were hashed"),
        ({"arguments": ""}, "are gone from the store"),
        ({"operation": "ns.tool.harmless"}, "its id does not fit"),
        ({"reason": "harmless"}, "its id does not fit"),
        ({"deadline": 9_999_999_999}, "its id does not fit"),
    ],
)
def test_a_request_that_was_changed_is_not_answered(tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    store = SqliteStore(tmp_path / "state.db")
    approvals(store).ask(question())
    words = ", ".join(f"{name} = ?" for name in changes)
    store._database.write(
        lambda connection: connection.execute(f"UPDATE requests SET {words}", tuple(changes.values()))
    )
    with pytest.raises(AnswerError, match=problem):
        find_request(store, only(store).request.id)


def test_arguments_that_are_no_object(store: Any) -> None:
    from schemarouter.state.binding import text_hash

    now = int(time.time())
    for text in ("[]", "3", "{", "[" * 100_000):
        made = request(
            arguments=text,
            arguments_hash=text_hash(store.identity().secret, text),
            created=now,
            deadline=now + 900,
            nonce=text[:9],
        )
        store.file(made)
        with pytest.raises(AnswerError, match="no JSON object"):
            find_request(store, made.id)


@pytest.mark.parametrize(
    "changes",
    [{"seconds": 0}, {"seconds": 10**9}, {"max_uses": 0}, {"max_uses": 10**7}, {"digest": "x"}, {"digest": "A" * 64}],
)
def test_grants_have_bounds(store: Any, changes: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"operation": "a.b", "arguments": None, "digest": None, "seconds": 5, "max_uses": 1}
    with pytest.raises(AnswerError):
        answering.give(store, BY, **(fields | changes))
    assert store.grants() == []
    made = answering.give(store, BY, **fields)
    from schemarouter.state.signatures import parse_public

    assert answering.grant_is_signed(store, store.grants()[0], [parse_public(PUBLIC)])
    assert not answering.grant_is_signed(
        store, StandingGrant(made._replace(max_uses=2), 0, False), [parse_public(PUBLIC)]
    )


def test_the_same_call_has_the_same_hash_in_one_store_only() -> None:
    one, two = MemoryStore(), MemoryStore()
    assert hashed(one, {"a": 1.0, "b": [True]}) == hashed(one, {"b": [True], "a": 1})
    assert hashed(one, {"a": 1}) != hashed(two, {"a": 1})
    assert hashed(one, {"a": 1}) != hashed(one, {"a": True})


def test_a_secret_key_shows_itself_nowhere() -> None:
    import pickle

    assert re.fullmatch(r"<schemarouter\.state\.signatures\.Signer object at 0x\w+>", repr(BY))
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(BY)
    with pytest.raises(KeyFileError, match="no Ed25519 key"):
        Signer(object())


def test_a_process_that_asks_nobody_loads_no_library_for_keys() -> None:
    code = (
        "import sys; from schemarouter.state.sqlite import SqliteStore; "
        "from schemarouter.state.stored_approvals import StoredApprovals; "
        "from schemarouter.state.ledger import StoreLedger; from schemarouter.state.kill_switch import KillSwitch; "
        "from schemarouter.state.terminal import TerminalApproval; "
        f"StoredApprovals(SqliteStore('x'), {PUBLIC!r}); "
        "heavy = {'asyncio', '_hashlib', 'cryptography', 'pydantic', 'ruamel', 'jsonschema', 'click', 'rich'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
