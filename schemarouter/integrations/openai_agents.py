"""OpenAI Agents: agents whose tools go through the boundary, nested agents, handoffs and MCP servers included.

Needs the extra ``openai-agents``. Approval is the SDK's own pause: a run ends with interruptions, its ``RunState`` can be
kept as JSON, and goes on when every question has an answer. A run that shall survive its process needs a store and a
``run_id`` in the boundary.

What OpenAI runs itself (web search, hosted MCP, code interpreter) and tools that are not function tools never come here, so an
agent that has one is refused. A handoff is no call of a tool: what it does is decided where its agent calls tools.
"""

from __future__ import annotations

import asyncio
import dataclasses
import uuid
import weakref
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from agents import Agent, AgentHooks, Handoff, RunConfig, Runner
from agents.items import ModelResponse, ToolApprovalItem
from agents.mcp import MCPServer, MCPUtil
from agents.models.interface import Model
from agents.testing import assistant_message, function_call
from agents.tool import (
    FunctionTool,
    invoke_function_tool,
    maybe_invoke_function_tool_failure_error_function,
    set_function_tool_failure_error_function,
)
from agents.tool_context import ToolContext
from agents.usage import Usage

from schemarouter.errors import RegistrationError
from schemarouter.integrations.adapting import REFUSALS, Attributes, in_a_thread
from schemarouter.integrations.arguments import read_arguments, with_defaults
from schemarouter.integrations.boundary import HostBoundary, HostTool, denial
from schemarouter.integrations.names import Operation
from schemarouter.integrations.passes import Pass, Pending, read_answer, token_of
from schemarouter.model.json_value import canonical_json


class AgentsPolicy:
    """Puts the boundary around every tool of agents.

    ``attributes``: per tool ``remote``, ``read_only`` and ``destructive``, where known. ``pause``: whether a call that needs
    approval interrupts the run; without it the boundary's approver is asked. At first a canary is called through a small
    agent of the installed SDK; raises ``SelfTestError`` if the call does not come here.
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
        self.pause = pause
        self._attributes = attributes or {}
        self._contracts: dict[str, HostTool] = {}
        if self_test:
            check_host(self)

    # Agents and tools

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of ``agent`` behind the boundary, and copies of all agents that it can hand over to.

        Raises :class:`~schemarouter.errors.RegistrationError` for a tool that would not come here: hosted tools, local shells,
        MCP servers (see :meth:`mcp_tools`), and agents that were made tools before they were guarded.
        """
        return self._guarded(agent, {})

    def _guarded(self, agent: Agent[Any], made: dict[int, Agent[Any]]) -> Agent[Any]:
        if not isinstance(agent, Agent):
            raise RegistrationError(f"an agent of type `{type(agent).__name__}` cannot be guarded")
        if id(agent) in made:
            return made[id(agent)]
        if isinstance(agent.hooks, _Watch) and agent.hooks.policy is self:
            return agent
        if agent.mcp_servers:
            raise RegistrationError(
                f"the agent `{agent.name}` has MCP servers, whose tools would run without a decision; "
                "give it `tools=await policy.mcp_tools(server)` instead of `mcp_servers`"
            )
        guarded = agent.clone(tools=self.tools(agent.tools), hooks=_Watch(self, agent.hooks))
        made[id(agent)] = guarded
        guarded.handoffs = [self._handoff(one, made) for one in agent.handoffs]
        return guarded

    def _handoff(self, one: Any, made: dict[int, Agent[Any]]) -> Any:
        if not isinstance(one, Handoff):
            return self._guarded(one, made)
        invoke = one.on_invoke_handoff

        async def invoke_guarded(context: Any, text: str) -> Any:
            return self._guarded(await invoke(context, text), made)

        copied = dataclasses.replace(one, on_invoke_handoff=invoke_guarded)
        target = None if one._agent_ref is None else one._agent_ref()
        if target is not None:
            copied._agent_ref = weakref.ref(self._guarded(target, made))
        return copied

    def tools(self, tools: Iterable[Any]) -> list[Any]:
        """Tools that go through the boundary, whoever calls them. Raises as :meth:`agent`."""
        found = list(tools)
        plain = [tool for tool in found if not self.guards(tool)]
        for tool in plain:
            self._check(tool)
        contracts = [self._contract(tool) for tool in plain]
        self.boundary.add_tools(contracts)
        self._contracts.update((contract.name, contract) for contract in contracts)
        return [tool if self.guards(tool) else self._wrapped(tool) for tool in found]

    async def mcp_tools(self, server: MCPServer, *, name: str | None = None, strict: bool = False) -> list[Any]:
        """The tools that a connected MCP server has now, behind the boundary; what it adds later is not there.

        ``name`` is the server's local name in the mapping of names, by default the one it was given in code. Raises
        :class:`~schemarouter.errors.RegistrationError` for a tool that the mapping has no place for, and for a server that
        runs calls again by itself, because nobody would count that.
        """
        local = server.name if name is None else name
        if getattr(server, "max_retry_attempts", 0):
            raise RegistrationError(
                f"the MCP server `{local}` runs calls again by itself, and nobody would count that; "
                "make it with `max_retry_attempts=0`, and say `retry` in the policy"
            )
        found = []
        for tool in await server.list_tools():
            operation = Operation(local, tool.name)
            host_name = self.boundary.names.name(operation)
            if self.boundary.names.operation(host_name) != operation:
                raise RegistrationError(f"the mapping of names has no place for `{ascii(str(operation))[1:-1]}`")
            found.append(MCPUtil.to_function_tool(tool, server, strict, tool_name_override=host_name))
        return self.tools(found)

    def guards(self, tool: object) -> bool:
        """Whether a call of ``tool`` comes here."""
        return (
            isinstance(tool, FunctionTool)
            and isinstance(tool.on_invoke_tool, _Invoke)
            and (tool.on_invoke_tool.policy is self)
        )

    def _check(self, tool: Any) -> None:
        if not isinstance(tool, FunctionTool):
            raise RegistrationError(
                f"the tool `{getattr(tool, 'name', type(tool).__name__)}` is no function tool, so its calls do not come here; "
                "leave it out, or offer what it does as a function tool"
            )
        inner = getattr(tool, "_agent_instance", None)
        if inner is not None and not (isinstance(inner.hooks, _Watch) and inner.hooks.policy is self):
            raise RegistrationError(
                f"the agent behind the tool `{tool.name}` calls its tools without a decision; "
                "guard the agent first: `policy.agent(inner).as_tool(...)`"
            )
        if callable(tool.needs_approval):
            raise RegistrationError(
                f"the tool `{tool.name}` decides by itself whether it needs approval; "
                "say it in the policy, with `effect: require_approval`"
            )

    def _contract(self, tool: FunctionTool) -> HostTool:
        schema = tool.params_json_schema
        properties = schema.get("properties", {})
        # A strict schema requires what has a default, too; the tool itself does not.
        required = [key for key in schema.get("required", ()) if "default" not in properties.get(key, {})]
        name = tool.qualified_name
        contract = HostTool(name, {**schema, "required": required}, tool.description, **self._attributes.get(name, {}))
        known = self._contracts.get(name)
        if known is not None and known != contract:
            raise RegistrationError(f"there are two tools `{name}` with different contracts; rename one")
        return contract

    def _wrapped(self, tool: FunctionTool) -> FunctionTool:
        invoke = _Invoke(self, tool, tool.qualified_name)
        needs: Any = invoke.needs_approval if self.pause else False
        # Its time limit stays with the tool itself, so that each attempt has it.
        return dataclasses.replace(tool, on_invoke_tool=invoke, needs_approval=needs, timeout_seconds=None)

    # Questions and answers

    def questions(self, paused: Any) -> list[dict[str, Any]]:
        """The questions that a result or a ``RunState`` waits for, as JSON. What would be denied anyway is no question."""
        found = []
        for item in _interruptions(paused):
            try:
                found.append(self._question(item).as_json())
            except REFUSALS:
                continue
        return found

    def answer(self, state: Any, answers: Mapping[str, Any]) -> None:
        """Put answers, by call id, into a ``RunState``. An answer to another question is a no; without one it goes on waiting."""
        for item in _interruptions(state):
            try:
                pending = self._question(item)
            except REFUSALS as error:
                state.reject(item, rejection_message=denial(error))
                continue
            if pending.call_id not in answers:
                continue
            given = answers[pending.call_id]
            if read_answer(given, pending) is not None:
                self.boundary.note_asked(pending)
                state.approve(item)
            elif isinstance(given, Mapping) and given.get("approved") is False:
                state.reject(item, rejection_message="not allowed: a person said no")
            else:
                state.reject(item, rejection_message="not allowed: the answer was to another question")

    def _question(self, item: ToolApprovalItem) -> Pending:
        name, call_id = item.qualified_name or "", item.call_id or ""
        arguments = self.arguments(item.arguments or "", name)
        pending = self.boundary.pending(name, arguments, call_id=call_id)
        if pending is not None:
            return pending
        operation = str(self.boundary.names.operation(name))
        token = token_of(operation, arguments, self.boundary.graph.digest, self.boundary.run_id, call_id)
        return Pending(token, operation, arguments, "the tool itself asks for approval", None, call_id)

    def arguments(self, text: str, name: str) -> dict[str, Any]:
        """The arguments that are decided about, and that the tool gets. Raises ``PlanValidationError``."""
        contract = self._contracts.get(name)
        schema = {} if contract is None or contract.input_schema is None else contract.input_schema
        return with_defaults(read_arguments(text, name), schema)


class _Invoke:
    """``on_invoke_tool`` of one tool behind the boundary, and its ``needs_approval``."""

    def __init__(self, policy: AgentsPolicy, tool: FunctionTool, name: str) -> None:
        self.policy = policy
        self._name = name
        self._tool = tool
        self._asks = tool.needs_approval is True
        # The SDK turns what a tool raises into text, out of sight of whoever stands around it: here it is raised, and
        # turned into the same text behind the boundary, so that a failed attempt is one.
        self._formats = hasattr(tool.on_invoke_tool, "__agents_bind_function_tool__")
        self._inner = set_function_tool_failure_error_function(dataclasses.replace(tool), None)

    async def needs_approval(self, _context: Any, given: dict[str, Any], call_id: str) -> bool:
        """Whether the run has to pause. Nobody is asked about a call that would be denied."""
        boundary = self.policy.boundary
        if boundary.is_canary(self._name):
            return False
        try:
            # The SDK has parsed the text, where a second key of the same name wins; the strict reading comes with the call.
            arguments = self.policy.arguments(canonical_json(given), self._name)
            pending = boundary.pending(self._name, arguments, call_id=call_id)
        except REFUSALS:
            return False
        if pending is not None:
            await asyncio.to_thread(boundary.note_asked, pending)
        return pending is not None or self._asks

    async def __call__(self, context: ToolContext[Any], text: str) -> Any:
        """See ``FunctionTool.on_invoke_tool``."""
        boundary = self.policy.boundary

        async def run(arguments: dict[str, Any]) -> Any:
            return await invoke_function_tool(
                function_tool=self._inner, context=context, arguments=canonical_json(arguments)
            )

        try:
            arguments = self.policy.arguments(text, self._name)
            passed = await self._pass(context, arguments)
            return await boundary.call(
                self._name, arguments, run, call_id=context.tool_call_id, approved=passed, to_json=_shown
            )
        except REFUSALS as error:
            return denial(error)
        except Exception as error:
            if not self._formats:
                raise
            told = await maybe_invoke_function_tool_failure_error_function(
                function_tool=self._tool, context=context, error=error
            )
            if told is None:
                raise
            return told

    async def _pass(self, context: ToolContext[Any], arguments: dict[str, Any]) -> Pass | None:
        """The pass that the SDK's approval gives, if it is one to the question that was asked."""
        boundary = self.policy.boundary
        if not self.policy.pause or boundary.is_canary(self._name):
            return None
        pending = boundary.pending(self._name, arguments, call_id=context.tool_call_id)
        if pending is None:
            return None
        asked = await asyncio.to_thread(boundary.was_asked, pending)
        return Pass(pending.token if asked and _approved(context) else "")


def _approved(context: ToolContext[Any]) -> bool:
    call = context.tool_call
    if call is None:
        return False
    item = ToolApprovalItem(agent=context.agent, raw_item=call, tool_name=context.tool_name)
    status = context.get_approval_status(
        context.tool_name,
        context.tool_call_id,
        tool_namespace=item.tool_namespace,
        tool_lookup_key=item.tool_lookup_key,
        current_invocation=item,
    )
    return status is True


def _interruptions(paused: Any) -> list[ToolApprovalItem]:
    found = paused.get_interruptions() if hasattr(paused, "get_interruptions") else paused.interruptions
    return list(found)


def _shown(result: Any) -> Any:
    return {"content": result} if isinstance(result, str) else {"type": type(result).__name__}


class _Watch(AgentHooks[Any]):  # type: ignore[misc]  # untyped where the framework is not installed
    """The agent's own hooks, behind a look at what the agent has: tools that came later are refused before they run."""

    def __init__(self, policy: AgentsPolicy, hooks: Any) -> None:
        self.policy = policy
        self._hooks = hooks if hooks is not None else AgentHooks()

    async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
        """See ``AgentHooks``."""
        if agent.mcp_servers or not all(self.policy.guards(tool) for tool in agent.tools):
            raise RegistrationError(
                f"the agent `{agent.name}` got tools that are not guarded; guard it again: `policy.agent(agent)`"
            )
        await self._hooks.on_llm_start(context, agent, system_prompt, input_items)

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        """See ``AgentHooks``."""
        if not self.policy.guards(tool):
            raise RegistrationError(f"the tool `{tool.name}` is not guarded, so it does not run")
        await self._hooks.on_tool_start(context, agent, tool)

    async def on_start(self, context: Any, agent: Any) -> None:
        """See ``AgentHooks``."""
        await self._hooks.on_start(context, agent)

    async def on_end(self, context: Any, agent: Any, output: Any) -> None:
        """See ``AgentHooks``."""
        await self._hooks.on_end(context, agent, output)

    async def on_handoff(self, context: Any, agent: Any, source: Any) -> None:
        """See ``AgentHooks``."""
        await self._hooks.on_handoff(context, agent, source)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
        """See ``AgentHooks``."""
        await self._hooks.on_tool_end(context, agent, tool, result)

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        """See ``AgentHooks``."""
        await self._hooks.on_llm_end(context, agent, response)


class _CanaryModel(Model):  # type: ignore[misc]  # as above
    """Calls the canary, then ends."""

    def __init__(self, name: str) -> None:
        self._turns: list[Any] = [assistant_message("done"), function_call(name, {}, call_id=uuid.uuid4().hex)]

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """See ``Model``."""
        return ModelResponse(output=[self._turns.pop()], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """See ``Model``; nothing streams here."""
        raise NotImplementedError


def check_host(policy: AgentsPolicy) -> None:
    """Call a canary through a small agent of the installed SDK. Raises ``SelfTestError`` if it does not come here."""

    async def never(_context: ToolContext[Any], _text: str) -> str:
        return "ran"

    with policy.boundary.expect_canary() as name:
        schema = {"type": "object", "properties": {}, "additionalProperties": False}
        canary = FunctionTool(name=name, description="never runs", params_json_schema=schema, on_invoke_tool=never)
        agent = Agent(name="canary", tools=[policy._wrapped(canary)], model=_CanaryModel(name))
        in_a_thread(lambda: asyncio.run(Runner.run(agent, "canary", run_config=RunConfig(tracing_disabled=True))))
