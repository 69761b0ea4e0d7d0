"""One call through a host, with our adapter around it and without, in the environment of the frameworks."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.timing import Timed

_FOLDER = tempfile.TemporaryDirectory(prefix="schemarouter-bench-")
POLICY = 'version: 1\nname: bench\nrules:\n  - {name: all, operation: "agent.*", effect: allow}\n'
#: Ids of calls; each call is a new one.
_NUMBERS = count()


def _boundary() -> Any:
    from schemarouter.integrations.boundary import HostBoundary
    from schemarouter.integrations.names import HostNames

    return HostBoundary.from_policy(POLICY, names=HostNames("agent"), where="a benchmark")


def echo(text: str) -> str:
    """Return the text."""
    return text


def mcp(proxied: bool) -> Timed:
    """``tools/call`` of a client that stays connected."""
    from mcp import Client, StdioServerParameters

    server = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]
    policy = Path(_FOLDER.name, "policy.yaml")
    policy.write_text(POLICY)
    program = str(Path(sys.executable).with_name("schemarouter"))
    proxy = [program, "mcp-proxy", "--policy", str(policy), "--name", "agent", "--", *server]
    command, *arguments = proxy if proxied else server
    loop = asyncio.new_event_loop()
    client = Client(StdioServerParameters(command=command, args=arguments), cache=None)
    loop.run_until_complete(client.__aenter__())

    async def calls(loops: int) -> float:
        start = time.perf_counter()
        for _ in range(loops):
            result = await client.call_tool("echo", {"text": "x"})
        taken = time.perf_counter() - start
        assert result.content[0].text == "x"
        return taken

    return lambda loops: loop.run_until_complete(calls(loops))


def framework(name: str, guarded: bool) -> Timed:
    """A turn of an agent whose model makes one call, or the tool called by itself where there is no agent."""
    once = {"LangChain": _langchain, "OpenAI Agents": _openai, "Pydantic AI": _pydantic, "plain Python": _python}[name](
        guarded
    )

    def timed(loops: int) -> float:
        start = time.perf_counter()
        for _ in range(loops):
            once()
        return time.perf_counter() - start

    once()
    return timed


def _langchain(guarded: bool) -> Callable[[], object]:
    from langchain_core.messages import AIMessage
    from langchain_core.tools import StructuredTool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    from schemarouter.integrations.langchain import PolicyMiddleware, tool_node

    tool = StructuredTool.from_function(echo)
    boundary = _boundary()
    node = tool_node([tool], PolicyMiddleware(boundary, tools=[tool])) if guarded else ToolNode([tool])
    built = StateGraph(MessagesState)
    built.add_node("tools", node)
    built.add_edge(START, "tools")
    built.add_edge("tools", END)
    graph = built.compile()

    def once() -> object:
        call = {"name": "echo", "args": {"text": "x"}, "id": f"c{next(_NUMBERS)}", "type": "tool_call"}
        found = graph.invoke({"messages": [AIMessage(content="", tool_calls=[call])]})["messages"][-1]
        assert found.content == "x"
        return found

    return once


def _openai(guarded: bool) -> Callable[[], object]:
    from agents import Agent, RunConfig, Runner, function_tool
    from agents.testing import ScriptedModel, assistant_message, function_call

    from schemarouter.integrations.openai_agents import AgentsPolicy

    tool = function_tool(echo)
    policy = AgentsPolicy(_boundary()) if guarded else None
    quiet = RunConfig(tracing_disabled=True)
    loop = asyncio.new_event_loop()

    def once() -> object:
        asked = function_call("echo", {"text": "x"}, call_id=f"c{next(_NUMBERS)}")
        agent = Agent(name="a", tools=[tool], model=ScriptedModel([[asked], [assistant_message("done")]]))
        made = agent if policy is None else policy.agent(agent)
        return loop.run_until_complete(Runner.run(made, "go", run_config=quiet)).final_output

    return once


def _pydantic(guarded: bool) -> Callable[[], object]:
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from schemarouter.integrations.pydantic_ai import PolicyCapability

    def says(messages: Any, _info: Any) -> ModelResponse:
        last = len(messages) > 1
        return ModelResponse(
            parts=[TextPart("done") if last else ToolCallPart("echo", {"text": "x"}, f"c{next(_NUMBERS)}")]
        )

    capabilities = [PolicyCapability(_boundary())] if guarded else []
    agent = Agent(FunctionModel(says), tools=[Tool(echo)], capabilities=capabilities)
    loop = asyncio.new_event_loop()
    return lambda: loop.run_until_complete(agent.run("go")).output


def _python(guarded: bool) -> Callable[[], object]:
    from schemarouter.integrations.guard import guard

    called = guard(echo, _boundary()) if guarded else echo
    return lambda: called("x")


CASES = {"mcp": mcp, "framework": framework}
VALUES: dict[str, Any] = {}
