"""Approvals through the proxy: by the client's person in both protocols, and out of band by an approver."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client

from schemarouter.integrations.mcp_proxy.gate import form_of, is_yes
from schemarouter.model.approval import Question
from schemarouter.state.memory import MemoryStore
from schemarouter.state.port import Answer
from schemarouter.state.sqlite import SqliteStore
from schemarouter.state.stored_approvals import StoredApprovals
from support.mcp_proxies import PROTOCOLS, Person, client_of, full, lines, proxied, text
from support.stores import signer

POLICY = """
version: 1
budget: {max_tool_calls: 100}
rules:
  - {name: asking, operation: s.note, effect: require_approval, reason: it is written down}
  - {name: rest, operation: "s.*", effect: allow}
"""
VOUCHED: dict[str, Any] = {"client_asks_a_person": True}


def asked_first(found: Any) -> types.InputRequiredResult:
    assert isinstance(found, types.InputRequiredResult)
    return found


async def call(client: Client, arguments: dict[str, Any], **more: Any) -> Any:
    """One ``tools/call``, without the SDK's own loop of questions and answers."""
    return await client.session.call_tool("note", arguments, allow_input_required=True, **more)


def accept(approve: Any = True) -> dict[str, Any]:
    return {"approval": types.ElicitResult(action="accept", content={"approve": approve})}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_person_at_the_client_says_yes_and_it_runs_once(tmp_path: Path, protocol: str) -> None:
    person = Person()

    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, protocol, elicitation_callback=person) as client,
        ):
            assert text(await client.call_tool("note", {"text": "x"})) == "x"

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == ["note"]
    [message] = person.asked
    assert message == (
        'May this call run, once?\n\noperation: s.note\narguments: {"text": "x"}\n'
        "why you are asked: rule `asking` requires approval for `s.note`: it is written down"
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "person",
    [Person(False), Person(1), Person("true"), Person(action="decline"), Person(action="cancel")],
    ids=["false", "1", "text", "decline", "cancel"],
)
def test_anything_but_the_literal_true_is_a_no(tmp_path: Path, protocol: str, person: Person) -> None:
    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, protocol, elicitation_callback=person) as client,
        ):
            result = await client.call_tool("note", {"text": "x"})
            assert (result.is_error, "the person at the client said no" in text(result)) == (True, True)

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_is_not_asked_unless_somebody_vouches_for_it(tmp_path: Path, protocol: str) -> None:
    person = Person()

    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e")) as proxy,
            client_of(proxy, protocol, elicitation_callback=person) as client,
        ):
            result = await client.call_tool("note", {"text": "x"})
            assert "--client-asks-a-person" in text(result)
            assert "--approver-key" in text(result)

    asyncio.run(scenario())
    assert (person.asked, lines(tmp_path / "e")) == ([], [])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_client_that_cannot_ask_a_person_is_not_asked(tmp_path: Path, protocol: str) -> None:
    async def scenario() -> None:
        async with proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy, client_of(proxy, protocol) as client:
            assert "does not offer elicitation" in text(await client.call_tool("note", {"text": "x"}))

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


def test_a_client_that_answers_with_garbage_or_an_error_approves_nothing(tmp_path: Path) -> None:
    async def garbage(_: Any, __: Any) -> Any:
        return types.ErrorData(code=-32000, message="s3cret")

    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, "2025-11-25", elicitation_callback=garbage) as client,
        ):
            result = text(await client.call_tool("note", {"text": "x"}))
            assert "error code -32000" in result
            assert "s3cret" not in result

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


# 2026-07-28: what a client could forge


def test_an_answer_on_the_first_call_is_refused(tmp_path: Path) -> None:
    """INTEGRATIONS: a client can send `input_responses` on its first call and so forge an approval."""

    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
        ):
            for state in (None, "", "x", "e30=.abc", "\u00fc.\u00fc", "." * 3000):
                forged = await call(client, {"text": "x"}, input_responses=accept(), request_state=state)
                assert forged.is_error, state
                assert "send the call again without an answer" in text(forged)
            only_state = await call(client, {"text": "x"}, request_state="x")
            assert only_state.is_error
            # Also where nothing had to be approved: nobody asked anything.
            other = await client.session.call_tool(
                "image", {}, allow_input_required=True, input_responses=accept(), request_state=None
            )
            assert isinstance(other, types.CallToolResult)
            assert other.is_error

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


def test_an_answer_counts_for_the_very_call_once(tmp_path: Path) -> None:
    effects = tmp_path / "e"

    async def scenario() -> None:
        store = MemoryStore()
        async with (
            proxied(POLICY, full(effects), store=store, run_id="r", **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
        ):
            asked = asked_first(await call(client, {"text": "x"}))
            assert set(asked.input_requests or {}) == {"approval"}
            state = asked.request_state
            assert state is not None

            # Arguments changed between approval and execution, an answer with another name, two answers, none.
            for arguments, answers in (
                ({"text": "y"}, accept()),
                ({"text": "x", "more": 1}, accept()),
                ({}, accept()),
            ):
                changed = await call(client, arguments, input_responses=answers, request_state=state)
                assert "the answer is to another question" in text(changed)
            for tampered in (state + "0", state[:-1] + ("0" if state[-1] != "0" else "1"), "A" + state[1:]):
                refused = await call(client, {"text": "x"}, input_responses=accept(), request_state=tampered)
                assert refused.is_error
            assert lines(effects) == []

            answered = await call(client, {"text": "x"}, input_responses=accept(), request_state=state)
            assert text(answered) == "x"
            replayed = await call(client, {"text": "x"}, input_responses=accept(), request_state=state)
            assert "the answer was used before" in text(replayed)

            # At the same time: one of them.
            state = asked_first(await call(client, {"text": "x"})).request_state
            several = [call(client, {"text": "x"}, input_responses=accept(), request_state=state) for _ in range(8)]
            assert sum(not result.is_error for result in await asyncio.gather(*several)) == 1
        assert lines(effects) == ["note", "note"]

    asyncio.run(scenario())


def test_a_no_spends_the_question_and_answers_to_other_parts_are_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
        ):
            state = asked_first(await call(client, {})).request_state
            said_no = await call(client, {}, input_responses=accept(False), request_state=state)
            assert "said no" in text(said_no)
            after = await call(client, {}, input_responses=accept(), request_state=state)
            assert "used before" in text(after)
            for answers in ({}, {"other": accept()["approval"]}, {**accept(), "more": accept()["approval"]}):
                state = asked_first(await call(client, {})).request_state
                refused = await call(client, {}, input_responses=answers, request_state=state)
                assert refused.is_error, answers

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


def test_a_policy_or_a_run_that_changed_while_the_person_thought_is_another_question(tmp_path: Path) -> None:
    other_policy = POLICY.replace("it is written down", "it is written down for good")

    async def scenario() -> None:
        path = tmp_path / "state.db"
        store = SqliteStore(path)
        states = []
        async with (
            proxied(POLICY, full(tmp_path / "e"), store=store, run_id="r", **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
        ):
            states = [asked_first(await call(client, {})).request_state for _ in range(3)]
        store.close()

        async def again(policy: str, run: str, state: str | None) -> Any:
            store = SqliteStore(path)
            try:
                async with (
                    proxied(policy, full(tmp_path / "e"), store=store, run_id=run, **VOUCHED) as proxy,
                    client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
                ):
                    return await call(client, {}, input_responses=accept(), request_state=state)
            finally:
                store.close()

        assert "another question" in text(await again(other_policy, "r", states[0]))
        assert "another question" in text(await again(POLICY, "other", states[0]))
        assert lines(tmp_path / "e") == []
        # The same policy and run in another process: the question is still open.
        assert not (await again(POLICY, "r", states[0])).is_error
        assert "used before" in text(await again(POLICY, "r", states[0]))

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == ["note"]


def test_an_answer_that_comes_too_late_is_none(tmp_path: Path) -> None:
    class Later(MemoryStore):
        late = 0.0

        def now(self) -> float:
            return super().now() + self.late

    async def scenario() -> None:
        store = Later()
        async with (
            proxied(POLICY, full(tmp_path / "e"), store=store, run_id="r", **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28", elicitation_callback=Person()) as client,
        ):
            state = asked_first(await call(client, {})).request_state
            store.late = 901.0
            late = await call(client, {}, input_responses=accept(), request_state=state)
            assert "too late" in text(late)

    asyncio.run(scenario())


def test_a_client_of_2025_cannot_bring_an_answer_along(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            proxied(POLICY, full(tmp_path / "e"), **VOUCHED) as proxy,
            client_of(proxy, "2025-11-25") as client,
        ):
            forged = await call(client, {}, input_responses=accept(), request_state="x")
            assert forged.is_error

    asyncio.run(scenario())
    assert lines(tmp_path / "e") == []


# Out of band


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_approver_answers_out_of_band_and_the_same_call_runs_once(tmp_path: Path, protocol: str) -> None:
    by, public = signer()
    effects = tmp_path / "e"

    async def scenario() -> None:
        store = SqliteStore(tmp_path / "state.db")
        approvals = StoredApprovals(store, public, wait=0)
        options: dict[str, Any] = {"store": store, "run_id": "r", "approver": approvals}

        async def ask(arguments: dict[str, Any]) -> types.CallToolResult:
            async with (
                proxied(POLICY, full(effects), **options) as proxy,  # each time a new process, as it were
                client_of(proxy, protocol) as client,
            ):
                return await client.call_tool("note", arguments)

        waiting = text(await ask({"text": "x"}))
        assert waiting.startswith("not allowed yet: `s.note` was not approved: it waits for an answer: ")
        assert "the same call, sent again with the same arguments, runs once" in waiting
        [filed] = store.requests()
        assert f"`schemarouter approvals show {filed.request.id}`" in waiting
        assert json.loads(filed.request.arguments) == {"text": "x"}

        assert (await ask({"text": "x"})).is_error  # nobody answered yet, and it is the same question
        assert len(store.requests()) == 1
        said = Answer(filed.request.id, True, int(store.now()), "", "")
        store.answer(by.sign_answer(store.identity().name, said))
        assert (await ask({"text": "other"})).is_error
        assert lines(effects) == []
        assert text(await ask({"text": "x"})) == "x"
        assert (await ask({"text": "x"})).is_error  # once
        assert lines(effects) == ["note"]
        assert store.used("r")["calls"] == 1  # an approval that is waited for is not charged
        store.close()

    asyncio.run(scenario())


def test_an_approver_is_asked_where_the_client_cannot(tmp_path: Path) -> None:
    _, public = signer()

    async def scenario() -> None:
        store = MemoryStore()
        approvals = StoredApprovals(store, public, wait=0)
        async with (
            proxied(POLICY, full(tmp_path / "e"), store=store, run_id="r", approver=approvals, **VOUCHED) as proxy,
            client_of(proxy, "2026-07-28") as client,
        ):
            assert "approvals show" in text(await client.call_tool("note", {}))

    asyncio.run(scenario())


# The form


def test_the_form_shows_nothing_that_hides_or_reorders() -> None:
    asked = Question(
        *(
            "s.note",
            True,
            None,
            None,
            {"text": "a\u202eb\n\x1b[2J"},
            "d" * 64,
            "r\u200b",
            "why\u2066",
            "run",
            "call",
            None,
        )
    )
    params = form_of(asked).params
    assert isinstance(params, types.ElicitRequestFormParams)
    assert params.message.isprintable() is False  # its own line ends
    assert all(line.isprintable() for line in params.message.split("\n"))
    assert "<U+202E>" in params.message
    assert "<U+2066>" in params.message


def test_only_one_answer_is_yes() -> None:
    yes = types.ElicitResult(action="accept", content={"approve": True})
    assert is_yes(yes)
    for content in (
        None,
        {},
        {"approve": False},
        {"approve": 1},
        {"approve": "true"},
        {"approve": None},
        {"other": True},
    ):
        assert not is_yes(types.ElicitResult(action="accept", content=content))  # type: ignore[arg-type]
    assert not is_yes(types.ElicitResult(action="decline", content={"approve": True}))
    for other in (True, {"action": "accept", "content": {"approve": True}}, None):
        assert not is_yes(other)
