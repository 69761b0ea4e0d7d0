"""LangChain and LangGraph: a middleware for ``create_agent``, a wrapper for ``ToolNode``, and tools that guard themselves.

Needs the extra ``langchain``. Approval is LangGraph's own pause: the middleware interrupts with a question before the call
enters the boundary, and the graph is resumed with ``Command(resume=approve(question))``. A run that shall survive its
process needs a checkpointer there, and a store and a ``run_id`` here.

Put the middleware first: what stands after it, such as a retry, runs inside the call, and each of its repetitions is an
attempt that is charged.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import interrupt

from schemarouter.integrations.adapting import REFUSALS, Attributes
from schemarouter.integrations.arguments import with_defaults
from schemarouter.integrations.boundary import HostBoundary, HostTool, denial
from schemarouter.integrations.passes import Pass, read_answer


def host_tools(tools: Iterable[BaseTool | Callable[..., Any]], attributes: Attributes | None = None) -> list[HostTool]:
    """The contracts of LangChain tools. ``attributes``: per tool ``remote``, ``read_only`` and ``destructive``, where known."""
    found = []
    for tool in tools:
        made = tool if isinstance(tool, BaseTool) else StructuredTool.from_function(tool)
        found.append(HostTool(made.name, _schema(made), made.description, **(attributes or {}).get(made.name, {})))
    return found


def _schema(tool: BaseTool) -> dict[str, Any]:
    schema = tool.tool_call_schema
    if isinstance(schema, dict):
        return schema
    written: dict[str, Any] = schema.model_json_schema()
    return written


class PolicyMiddleware(AgentMiddleware):  # type: ignore[misc]  # untyped where the framework is not installed
    """Puts the boundary around every tool call of an agent, sync and async. Tools that it was not told of are denied.

    ``pause``: whether a call that needs approval interrupts the graph; without it the boundary's approver is asked. The
    first use runs a self-test on a small agent of its own and raises ``SelfTestError`` if a call does not come here.
    """

    def __init__(
        self,
        boundary: HostBoundary,
        *,
        tools: Iterable[BaseTool | Callable[..., Any]] = (),
        attributes: Attributes | None = None,
        pause: bool = True,
        self_test: bool = True,
    ) -> None:
        super().__init__()
        self.boundary = boundary
        self._pause = pause
        known = host_tools(tools, attributes)
        boundary.add_tools(known)
        self._schemas = {tool.name: tool.input_schema or {} for tool in known}
        if self_test:
            check_host(self)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """See ``AgentMiddleware``."""
        call = request.tool_call
        call_id = call["id"] or uuid.uuid4().hex
        try:
            written = with_defaults(call["args"], self._schemas.get(call["name"], {}))
            passed = self._ask(call["name"], written, call_id)
            attempts = _Attempts(self.boundary, call["name"])
            return self.boundary.call_sync(
                call["name"],
                written,
                lambda arguments: handler(_with(request, arguments, attempts)),
                call_id=call_id,
                approved=passed,
                to_json=_shown,
            )
        except REFUSALS as error:
            return _refused(call, error)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """See ``AgentMiddleware``."""
        call = request.tool_call
        call_id = call["id"] or uuid.uuid4().hex
        try:
            written = with_defaults(call["args"], self._schemas.get(call["name"], {}))
            passed = self._ask(call["name"], written, call_id)
            attempts = _Attempts(self.boundary, call["name"])
            return await self.boundary.call(
                call["name"],
                written,
                lambda arguments: handler(_with(request, arguments, attempts)),
                call_id=call_id,
                approved=passed,
                to_json=_shown,
            )
        except REFUSALS as error:
            return _refused(call, error)

    def _ask(self, name: str, arguments: dict[str, Any], call_id: str) -> Pass | None:
        """Interrupt the graph where approval is needed. Runs again when the graph is resumed, and then has an answer."""
        if not self._pause or self.boundary.is_canary(name):
            return None
        pending = self.boundary.pending(name, arguments, call_id=call_id)
        if pending is None:
            return None
        answer = interrupt(pending.as_json())
        return read_answer(answer, pending) or Pass("")


def _refused(call: Mapping[str, Any], error: Exception) -> ToolMessage:
    return ToolMessage(content=denial(error), name=call["name"], tool_call_id=call["id"] or "", status="error")


def _with(request: ToolCallRequest, arguments: dict[str, Any], attempts: _Attempts) -> ToolCallRequest:
    """The request with the arguments that were decided about, and a tool that counts how often it really runs."""
    changed: dict[str, Any] = {"tool_call": {**request.tool_call, "args": arguments}}
    if request.tool is not None:
        changed["tool"] = attempts.counting(request.tool)
    return request.override(**changed)


def _shown(result: Any) -> Any:
    if isinstance(result, ToolMessage):
        return {"content": result.content if isinstance(result.content, str) else None, "status": result.status}
    return {"type": type(result).__name__}


class _Attempts:
    """Charges each run of a tool within one call but the first, which the boundary has charged."""

    def __init__(self, boundary: HostBoundary, name: str) -> None:
        self._boundary = boundary
        self._name = name
        self._begun = False

    def begin(self) -> None:
        if self._begun:
            self._boundary.charge_attempt(self._name)
        self._begun = True

    def counting(self, tool: BaseTool) -> BaseTool:
        """A copy of ``tool`` that tells before it runs."""
        copied = tool.model_copy()
        run, arun = tool.run, tool.arun

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.begin()
            return run(*args, **kwargs)

        async def counted_async(*args: Any, **kwargs: Any) -> Any:
            self.begin()
            return await arun(*args, **kwargs)

        object.__setattr__(copied, "run", counted)
        object.__setattr__(copied, "arun", counted_async)
        return copied


def tool_node(tools: Sequence[BaseTool | Callable[..., Any]], middleware: PolicyMiddleware, **options: Any) -> ToolNode:
    """A ``ToolNode`` behind the boundary, for graphs without ``create_agent``; ``options`` are those of ``ToolNode``."""
    return ToolNode(
        tools, wrap_tool_call=middleware.wrap_tool_call, awrap_tool_call=middleware.awrap_tool_call, **options
    )


def guard_tools(
    tools: Iterable[BaseTool | Callable[..., Any]], boundary: HostBoundary, attributes: Attributes | None = None
) -> list[BaseTool]:
    """Tools that go through the boundary wherever they are invoked, also by hand: ``tool.invoke`` passes every middleware by.

    They have no pause: approval comes from the boundary's approver. A refusal is what the tool returns.
    """
    made = [tool if isinstance(tool, BaseTool) else StructuredTool.from_function(tool) for tool in tools]
    boundary.add_tools(host_tools(made, attributes))
    return [_guarded(tool, boundary) for tool in made]


def _guarded(tool: BaseTool, boundary: HostBoundary) -> BaseTool:
    def call(**arguments: Any) -> Any:
        try:
            return boundary.call_sync(tool.name, arguments, tool.invoke, call_id=uuid.uuid4().hex)
        except REFUSALS as error:
            return denial(error)

    async def acall(**arguments: Any) -> Any:
        try:
            return await boundary.call(tool.name, arguments, tool.ainvoke, call_id=uuid.uuid4().hex)
        except REFUSALS as error:
            return denial(error)

    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.args_schema, func=call, coroutine=acall
    )


class _CanaryModel(GenericFakeChatModel):  # type: ignore[misc]  # as above
    """Calls the canary, then ends."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def check_host(middleware: PolicyMiddleware) -> None:
    """Call a canary through a small agent of the installed LangChain. Raises ``SelfTestError`` if it does not come here."""
    with middleware.boundary.expect_canary() as name:
        call = {"name": name, "args": {}, "id": uuid.uuid4().hex, "type": "tool_call"}
        canary = StructuredTool.from_function(lambda: "ran", name=name, description="never runs")
        model = _CanaryModel(messages=iter([AIMessage(content="", tool_calls=[call]), AIMessage(content="done")]))
        create_agent(model, [canary], middleware=[middleware]).invoke({"messages": [("user", "canary")]})
