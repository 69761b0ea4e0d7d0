"""Pydantic AI: one capability that puts the boundary around every tool call of an agent.

Needs the extra ``pydantic-ai``. Approval is the host's own pause: the run ends with ``DeferredToolRequests``, and goes on with
``DeferredToolResults`` and the messages so far, so the agent's ``output_type`` has to name ``DeferredToolRequests``. A run that
shall survive its process needs a store and a ``run_id`` in the boundary.

What a provider runs itself (native tools) and what the application runs elsewhere (external tools) never comes here, so an
agent that has one is refused. Output functions are no tools.
"""

from __future__ import annotations

import asyncio
import copy
import uuid
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, Tool, ToolDefinition, ToolDenied
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset

from schemarouter.errors import RegistrationError
from schemarouter.integrations.adapting import REFUSALS, Attributes, in_a_thread
from schemarouter.integrations.arguments import read_arguments, with_defaults
from schemarouter.integrations.boundary import HostBoundary, HostTool, denial
from schemarouter.integrations.passes import Pass, read_answer
from schemarouter.model.json_value import JsonValueError, canonical_json, checked_copy


class PolicyCapability(AbstractCapability[Any]):  # type: ignore[misc]  # untyped where the framework is not installed
    """Puts the boundary around every tool of an agent, wherever the tool comes from.

    ``attributes``: per tool ``remote``, ``read_only`` and ``destructive``, where known. ``pause``: whether a call that needs
    approval ends the run with a question; without it the boundary's approver is asked. At first a canary is called through
    a small agent; raises ``SelfTestError`` if the call does not come here.

    It stands outermost, and looks again right before the tool: what other capabilities make of the arguments in between
    was not decided about and does not run, and what they repeat is an attempt that is charged.
    """

    def __init__(
        self,
        boundary: HostBoundary,
        *,
        attributes: Attributes | None = None,
        pause: bool = True,
        self_test: bool = True,
    ) -> None:
        self.boundary = boundary
        self._pause = pause
        self._attributes = attributes or {}
        self._schemas: dict[str, str] = {}
        if self_test:
            check_host(self)

    def get_ordering(self) -> CapabilityOrdering:
        """See ``AbstractCapability``."""
        return CapabilityOrdering(position="outermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """See ``AbstractCapability``."""
        return _LastLook(toolset, self)

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:  # noqa: ARG002
        """Refuse a request that lets the provider run tools: nobody would decide about them."""
        native = request_context.model_request_parameters.native_tools
        if native:
            kinds = ", ".join(sorted(f"`{tool.kind}`" for tool in native))
            raise RegistrationError(
                f"the provider would run {kinds} by itself, and nobody would decide about it; "
                "leave native tools out, or use the local tools that do the same"
            )
        return request_context

    def learn(self, tools: Mapping[str, ToolDefinition]) -> None:
        """Make the tools of a step known. What has no place in the mapping of names stays unknown, and is denied.

        Raises :class:`~schemarouter.errors.RegistrationError` for a tool that is run elsewhere, and for one whose arguments
        are not what they were.
        """
        new = []
        for name, tool in tools.items():
            if tool.kind == "external":
                raise RegistrationError(f"the tool `{name}` is run elsewhere, where nobody decides about it")
            if self.boundary.is_canary(name) or self.boundary.names.operation(name) is None:
                continue
            schema = canonical_json(tool.parameters_json_schema)
            known = self._schemas.get(name)
            if known is not None and known != schema:
                raise RegistrationError(f"there are two tools `{name}` with different arguments; rename one")
            if known is None:
                attributes = self._attributes.get(name, {})
                new.append(HostTool(name, tool.parameters_json_schema, tool.description or "", **attributes))
                self._schemas[name] = schema
        if new:
            self.boundary.add_tools(new)

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Any],
    ) -> Any:
        """See ``AbstractCapability``."""
        name, call_id = call.tool_name, ctx.tool_call_id or uuid.uuid4().hex

        async def run(decided: dict[str, Any]) -> Any:
            ready = _ready(ctx, name, decided, args)
            token = _ENTERED.set(_Entered(name, call_id, copy.deepcopy(ready), [False]))
            try:
                return await handler(ready)
            finally:
                _ENTERED.reset(token)

        try:
            arguments = _arguments(call, tool_def, args)
            passed = await self._ask(ctx, tool_def, arguments, call_id)
            return await self.boundary.call(name, arguments, run, call_id=call_id, approved=passed, to_json=_shown)
        except REFUSALS as error:
            raise ToolFailed(denial(error)) from None

    async def _ask(
        self, ctx: RunContext[Any], tool_def: ToolDefinition, arguments: dict[str, Any], call_id: str
    ) -> Pass | None:
        """Defer the call where approval is needed. When the run goes on, this runs again, and then has an answer."""
        boundary = self.boundary
        if not self._pause or boundary.is_canary(tool_def.name):
            return None
        pending = boundary.pending(tool_def.name, arguments, call_id=call_id)
        if pending is None:
            return None
        given = ctx.tool_call_metadata
        if ctx.tool_call_approved and isinstance(given, Mapping) and "token" in given:
            return read_answer(given, pending) or Pass("")
        asked = await asyncio.to_thread(boundary.was_asked, pending)
        # A tool that is marked `requires_approval` was approved before the policy could ask its question.
        if not ctx.tool_call_approved or (tool_def.kind == "unapproved" and not asked):
            await asyncio.to_thread(boundary.note_asked, pending)
            raise ApprovalRequired(metadata=pending.as_json())
        return Pass(pending.token if asked else "")

    async def charge_again(self, name: str) -> None:
        """Charge a run of a tool within a call that is in progress. Raises ``ToolFailed`` where there is no room for it."""
        try:
            await asyncio.to_thread(self.boundary.charge_attempt, name)
        except REFUSALS as error:
            raise ToolFailed(denial(error)) from None


def answers(requests: DeferredToolRequests, given: Mapping[str, Any]) -> DeferredToolResults:
    """Answers, by call id, to the questions in ``requests.metadata``, for ``deferred_tool_results``."""
    results = DeferredToolResults()
    for call in requests.approvals:
        if call.tool_call_id not in given:
            continue
        answer = given[call.tool_call_id]
        if isinstance(answer, Mapping) and answer.get("approved") is True:
            results.approvals[call.tool_call_id] = True
            results.metadata[call.tool_call_id] = dict(answer)
        else:
            results.approvals[call.tool_call_id] = ToolDenied("not allowed: a person said no")
    return results


class _Entered(NamedTuple):
    """The call that was decided about; ``ran`` has one value, whether its tool ran."""

    name: str
    call_id: str
    arguments: dict[str, Any]
    ran: list[bool]


_ENTERED: ContextVar[_Entered | None] = ContextVar("schemarouter_pydantic_ai", default=None)


@dataclass
class _LastLook(WrapperToolset[Any]):  # type: ignore[misc]  # as above
    """All tools of a run, in front of which nothing stands any more."""

    policy: PolicyCapability

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, Any]:
        """See ``AbstractToolset``."""
        tools: dict[str, Any] = await super().get_tools(ctx)
        self.policy.learn({name: tool.tool_def for name, tool in tools.items()})
        return tools

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: Any) -> Any:
        """See ``AbstractToolset``."""
        entered = _ENTERED.get()
        if entered is None or (entered.name, entered.call_id) != (name, ctx.tool_call_id):
            raise ToolFailed(f"not allowed: `{ascii(name)[1:-1]}` was called without a decision")
        if not _same(tool_args, entered.arguments):
            raise ToolFailed(f"not allowed: the arguments for `{ascii(name)[1:-1]}` were changed after the decision")
        if entered.ran[0]:
            await self.policy.charge_again(name)
        entered.ran[0] = True
        return await super().call_tool(name, tool_args, ctx, tool)


def _arguments(call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]) -> dict[str, Any]:
    """What is decided about: the validated arguments as they are, or what the model wrote if they are objects of Python."""
    written = read_arguments(call.args, call.tool_name) if isinstance(call.args, str) else dict(call.args or {})
    try:
        return with_defaults(checked_copy(args), tool_def.parameters_json_schema)
    except JsonValueError:
        return with_defaults(written, tool_def.parameters_json_schema)


def _ready(ctx: RunContext[Any], name: str, decided: dict[str, Any], args: dict[str, Any]) -> dict[str, Any]:
    """The arguments that the tool gets, made from those that were decided about."""
    try:
        checked_copy(args)
    except JsonValueError:
        pass
    else:
        return decided
    validator = ctx.tool_manager.tools[name].args_validator
    made: dict[str, Any] = validator.validate_json(canonical_json(decided), context=ctx.validation_context)
    if not _same(made, args):
        raise ToolFailed(f"not allowed: the arguments for `{ascii(name)[1:-1]}` are not what the model wrote")
    return made


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return canonical_json(checked_copy(one)) == canonical_json(checked_copy(other))
    except JsonValueError:
        return bool(one == other)


def _shown(result: Any) -> Any:
    return {"content": result} if isinstance(result, str) else {"type": type(result).__name__}


def check_host(policy: PolicyCapability) -> None:
    """Call a canary through a small agent of the installed Pydantic AI. Raises ``SelfTestError`` if it does not come here."""

    def never() -> str:
        return "ran"

    with policy.boundary.expect_canary() as name:
        turns = [ModelResponse(parts=[TextPart("done")]), ModelResponse(parts=[ToolCallPart(name, {})])]
        model = FunctionModel(lambda _messages, _info: turns.pop())
        agent: Any = Agent(model, tools=[Tool(never, name=name, description="never runs")], capabilities=[policy])
        in_a_thread(lambda: asyncio.run(agent.run("canary")))
