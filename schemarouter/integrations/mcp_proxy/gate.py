"""Who is asked about a call that needs approval: the client's person, if the application vouches for that, else approvers.

Before 2026-07-28 the client is asked while the call waits, and only the response to that very request counts. Since then
the call ends with the question, and the answer comes with the call's second sending (see ``tickets``).
"""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types

from schemarouter.integrations.mcp_proxy.client import ClientInFront, ClientRefusedError
from schemarouter.integrations.mcp_proxy.entered import ENTERED, Entered
from schemarouter.integrations.mcp_proxy.tickets import LIFETIME, Ticket
from schemarouter.model.approval import Approver, Denied, Question
from schemarouter.model.json_value import canonical_json
from schemarouter.state.limits import MAX_ARGUMENTS
from schemarouter.state.visible import visible

#: The name of the question, and of the field that has to be true.
APPROVAL = "approval"
APPROVE = "approve"

_NO = Denied("the person at the client said no")
_LATE = Denied("nobody answered in time")
_WAITS = Denied("the client has to ask a person first")
_NOBODY = Denied(
    "there is nobody to ask: this proxy was started without an approver's key (`--store` and `--approver-key`), "
    "and nobody vouched that its client asks a person (`--client-asks-a-person`)"
)
_CANNOT = Denied(
    "the client cannot ask a person (it does not offer elicitation), and this proxy was started without an approver's key"
)


class ProxyGate(Approver):
    """The approval callback of a proxy. ``stored`` asks approvers out of band; only it is used unless ``client_asks_a_person``."""

    def __init__(self, *, client_asks_a_person: bool = False, stored: Approver | None = None) -> None:
        self._vouched = client_asks_a_person
        self._stored = stored

    def ask(self, question: Question) -> Denied:  # noqa: ARG002 - calls of a proxy have an event loop
        """See ``Approver``."""
        return _NOBODY

    async def ask_async(self, question: Question) -> bool | Denied:
        """See ``Approver``."""
        entered = ENTERED.get()
        if entered is None:
            return _NOBODY
        answer = await self._answer(question, entered)
        entered.approved = answer is True
        return answer

    async def _answer(self, question: Question, entered: Entered) -> bool | Denied:
        ticket = entered.ticket
        if ticket is not None:
            if not _is_about(question, entered):
                return Denied("the answer was to another question")
            if ticket.kind == "approval":
                return True if is_yes(entered.answers.get(APPROVAL)) else _NO
            if ticket.approved:
                return True
        if not self._vouched:
            return _NOBODY if self._stored is None else await self._stored.ask_async(question)
        if len(canonical_json(question.arguments)) > MAX_ARGUMENTS:
            return Denied("its arguments are longer than a person can read")
        form = form_of(question)
        if not entered.client.takes(form) or (entered.client.modern and not entered.can_pause):
            return _CANNOT if self._stored is None else await self._stored.ask_async(question)
        if entered.client.modern:
            entered.question = (Ticket("approval", (APPROVAL,)), {APPROVAL: form})
            return _WAITS
        return await _ask_now(entered.client, form, question)


async def _ask_now(client: ClientInFront, form: types.ElicitRequest, question: Question) -> bool | Denied:
    seconds = LIFETIME if question.seconds is None else min(LIFETIME, question.seconds)
    try:
        return True if is_yes(await client.ask(form, types.ElicitResult, seconds)) else _NO
    except TimeoutError:
        return _LATE
    except ClientRefusedError as error:
        return Denied(str(error))


def _is_about(question: Question, entered: Entered) -> bool:
    bound = entered.bound
    return (question.operation, question.digest, question.run_id) == (bound.operation, bound.digest, bound.run) and (
        canonical_json(question.arguments) == canonical_json(bound.arguments)
    )


def form_of(question: Question) -> types.ElicitRequest:
    """The form that a person at the client is shown. Nothing in it moves, hides or reorders what stands around it."""
    shown = json.dumps(question.arguments, ensure_ascii=False, sort_keys=True)  # as a person reads it
    text = (
        f"May this call run, once?\n\noperation: {visible(question.operation)}\n"
        f"arguments: {visible(shown)}\nwhy you are asked: {visible(question.reason)}"
    )
    field = {"type": "boolean", "title": "let it run, once", "default": False}
    schema = {"type": "object", "properties": {APPROVE: field}, "required": [APPROVE]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=schema))


def is_yes(answer: Any) -> bool:
    """Whether a person said yes: the form was accepted, and its field is the literal ``true``."""
    if not isinstance(answer, types.ElicitResult) or answer.action != "accept" or answer.content is None:
        return False
    return answer.content.get(APPROVE) is True
