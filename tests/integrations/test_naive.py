"""What goes wrong at each host if it is done naively, shown on the host itself, and that ours holds there."""

import asyncio
import json
import stat
import sys
from pathlib import Path

import pytest
from agents import Agent, RunConfig, Runner, function_tool
from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, create_sdk_mcp_server
from conformance.driving import ATTEMPTS_2, POLICY, POSITIONS, Call, Setup, World
from drivers.claude_agent_sdk_driver import SILENT, talk, told_in_a_thread, tools_of, turn
from drivers.claude_code_driver import schemarouter
from drivers.langchain_driver import LangChainHost
from drivers.langchain_driver import says as langchain_says
from drivers.openai_agents_driver import OpenAIAgentsHost, Says
from drivers.pydantic_ai_driver import PydanticAIHost
from drivers.pydantic_ai_driver import says as pydantic_says
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware, ToolRetryMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import ModelRetry, Tool
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset
from pydantic_ai.usage import UsageLimits

from schemarouter import SchemaRouterError, load_policy
from schemarouter.integrations.boundary import HostBoundary
from schemarouter.integrations.claude_agent_sdk import ClaudePolicy
from schemarouter.integrations.guard import guard
from schemarouter.integrations.langchain import PolicyMiddleware, guard_tools, tool_node
from schemarouter.integrations.names import HostNames
from schemarouter.integrations.passes import approve
from schemarouter.integrations.pydantic_ai import PolicyCapability
from schemarouter.integrations.stages import ASKED_BEFORE

GO = {"messages": [("user", "go")]}
DENY_ALL = 'version: 1\nname: nothing\nrules:\n  - {name: nothing, operation: "*", effect: deny}\n'


def boundary(policy=POLICY, **options):
    return HostBoundary(load_policy(policy), names=HostNames("agent"), **options)


# LangChain and LangGraph


def test_a_middleware_that_is_sync_only_does_not_work_in_an_async_agent():
    class Naive(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            return handler(request)

    world = World()
    tools = [StructuredTool.from_function(world.read)]
    model = langchain_says([Call("read", {"path": "a"}, "c1")])
    with pytest.raises(NotImplementedError):
        asyncio.run(create_agent(model, tools, middleware=[Naive()]).ainvoke(GO))
    model = langchain_says([Call("read", {"path": "a"}, "c1"), Call("pay", {"amount": 500}, "c2")])
    ours = PolicyMiddleware(boundary(), tools=tools)
    state = asyncio.run(create_agent(model, tools, middleware=[ours]).ainvoke(GO))
    assert world.ran == [("read", {"path": "a"})]
    assert any("unknown tool `pay`" in str(one.content) for one in state["messages"])


def test_a_gate_runs_again_on_resume():
    counted = []

    class Naive(AgentMiddleware):
        def wrap_tool_call(self, request, handler):
            counted.append(request.tool_call["id"])
            return handler(request) if interrupt("may it?") else None

    world = World()
    host = LangChainHost(Setup(), world)
    agent = create_agent(
        langchain_says([Call("pay", {"amount": 5}, "c1")]),
        [StructuredTool.from_function(world.pay)],
        middleware=[Naive()],
        checkpointer=host.saver,
    )
    config = {"configurable": {"thread_id": "naive"}}
    agent.invoke(GO, config)
    agent.invoke(Command(resume=True), config)
    assert counted == ["c1", "c1"]  # one call, counted twice
    world.ran.clear()
    (question,) = host.run(Call("pay", {"amount": 5}, "c1")).questions
    host.resume({"c1": approve(question)})
    assert world.names() == ["pay"]
    used = host.boundary.store.used(host.boundary.run_id)
    assert (used["calls"], used["attempts"]) == (1, 1)


def test_a_limit_of_the_host_does_not_see_what_its_retries_run():
    world = World()
    tools = [StructuredTool.from_function(world.flaky)]
    middleware = [ToolCallLimitMiddleware(run_limit=1), ToolRetryMiddleware(max_retries=4, initial_delay=0.0)]
    create_agent(langchain_says([Call("flaky", {"path": "a"}, "c1")]), tools, middleware=middleware).invoke(GO)
    assert len(world.ran) == 5
    world.ran.clear()
    LangChainHost(Setup(ATTEMPTS_2, retries=4), world).run(Call("flaky", {"path": "a"}, "c1"))
    assert len(world.ran) == 2


def test_a_tool_that_is_invoked_by_hand_passes_a_tool_node_by():
    world = World()
    tool = StructuredTool.from_function(world.read)
    ours = PolicyMiddleware(boundary(DENY_ALL), tools=[tool])
    call = {"name": "read", "args": {"path": "a"}, "id": "c1", "type": "tool_call"}

    def graph(node):
        built = StateGraph(MessagesState)
        built.add_node("tools", node)
        built.add_edge(START, "tools")
        built.add_edge("tools", END)
        return built.compile()

    asked = {"messages": [AIMessage(content="", tool_calls=[call])]}
    denied = graph(tool_node([tool], ours)).invoke(asked)["messages"][-1]
    assert (denied.status, world.ran) == ("error", [])
    tool.invoke({"path": "a"})  # what the node was made of is still there
    assert world.names() == ["read"]
    world.ran.clear()
    (guarded,) = guard_tools([tool], boundary(DENY_ALL))
    assert "not allowed" in guarded.invoke({"path": "a"})
    assert "not allowed" in asyncio.run(guarded.ainvoke({"path": "a"}))
    assert isinstance(graph(ToolNode([guarded])).invoke(asked)["messages"][-1], ToolMessage)
    assert world.ran == []


# OpenAI Agents


def test_openai_forces_an_approval_without_asking_where_a_default_is_left_out():
    asked = []

    async def needs_approval(_context, arguments, _call_id):
        asked.append(arguments)
        return False

    world = World()
    naive = function_tool(world.pay, needs_approval=needs_approval)
    agent = Agent(name="agent", tools=[naive], model=Says([Call("pay", {"amount": 5}, "c1")]))
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    assert (asked, len(result.interruptions), world.ran) == ([], 1, [])
    host = OpenAIAgentsHost(
        Setup(POSITIONS), world
    )  # under which paying `ops`, the default, is denied, and no one is asked
    seen = host.run(Call("pay", {"amount": 5}, "c1"))
    assert seen.questions == []
    assert "ops-gets-nothing" in seen.told["c1"]
    assert world.ran == []


def test_openai_asks_people_about_calls_that_would_be_denied():
    world = World()
    naive = function_tool(world.pay, needs_approval=True)
    agent = Agent(name="agent", tools=[naive], model=Says([Call("pay", {"amount": 500, "to": "x"}, "c1")]))
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    assert len(result.interruptions) == 1
    seen = OpenAIAgentsHost(Setup(), world).run(Call("pay", {"amount": 500, "to": "x"}, "c1"))
    assert seen.questions == []
    assert "no-payments" in seen.told["c1"]


def test_openai_decides_twice_and_ours_counts_once():
    world = World()
    host = OpenAIAgentsHost(Setup(), world)
    (question,) = host.run(Call("pay", {"amount": 5, "to": "ops"}, "c1")).questions
    host.resume({"c1": approve(question)})
    used = host.boundary.store.used(host.boundary.run_id)
    assert (world.names(), used["calls"], used["attempts"]) == (["pay"], 1, 1)


# Pydantic AI


def test_a_toolset_that_is_wrapped_does_not_cover_the_agents_own_tools():
    class Naive(WrapperToolset):
        async def call_tool(self, name, tool_args, ctx, tool):
            return "denied"

    world = World()
    agent = PydanticAgent(
        pydantic_says([Call("read", {"path": "a"}, "c1")]),
        tools=[Tool(world.read)],
        toolsets=[Naive(FunctionToolset())],
    )
    asyncio.run(agent.run("go"))
    assert world.names() == ["read"]
    world.ran.clear()
    ours = PolicyCapability(boundary(DENY_ALL))
    agent = PydanticAgent(
        pydantic_says([Call("read", {"path": "a"}, "c1"), Call("look", {"path": "a"}, "c2")]),
        tools=[Tool(world.read)],
        toolsets=[FunctionToolset([Tool(world.read, name="look")])],
        capabilities=[ours],
    )
    asyncio.run(agent.run("go"))
    assert world.ran == []


def test_pydantic_counts_no_attempt_that_fails():
    world = World()

    def flaky(path: str) -> str:
        """Fails every time."""
        try:
            return world.flaky(path)
        except TimeoutError as error:
            raise ModelRetry("again") from error

    turns = [[Call("flaky", {"path": "a"}, f"c{n}")] for n in range(4)]
    agent = PydanticAgent(pydantic_says(*turns), tools=[Tool(flaky, max_retries=4)])
    asyncio.run(agent.run("go", usage_limits=UsageLimits(tool_calls_limit=1)))
    assert len(world.ran) == 4
    world.ran.clear()
    PydanticAIHost(Setup(ATTEMPTS_2, retries=4), world).run(Call("flaky", {"path": "a"}, "c1"))
    assert len(world.ran) == 2


# Plain Python


def test_a_rule_on_keywords_does_not_see_a_call_by_position():
    world = World()

    def naive(function):
        def checked(*args, **kwargs):
            if kwargs.get("to") == "ops":
                raise PermissionError
            return function(*args, **kwargs)

        return checked

    naive(world.pay)(5, "ops")
    assert world.names() == ["pay"]
    world.ran.clear()
    pay = guard(world.pay, boundary(POSITIONS))
    with pytest.raises(SchemaRouterError, match="ops-gets-nothing"):
        pay(5, "ops")
    assert world.ran == []


# Claude Agent SDK and Claude Code, the real one


def claude_options(folder, **options):
    return ClaudeAgentOptions(
        cwd=folder, env={**SILENT, "HOME": str(folder), "CLAUDE_CONFIG_DIR": str(folder / "home")}, **options
    )


def reads(folder):
    (folder / "note.txt").write_text("what is in it")
    return json.dumps([{"id": "c1", "name": "Read", "input": {"file_path": str(folder / "note.txt")}}])


@pytest.mark.parametrize(("on_failure", "runs"), [(None, True), ("block", False)])
def test_a_hook_that_raises_lets_the_tool_run_unless_failures_block(tmp_path, on_failure, runs):
    async def naive(*_):
        raise RuntimeError("the policy is gone")

    options = claude_options(
        tmp_path, setting_sources=[], hooks={"PreToolUse": [HookMatcher(hooks=[naive], on_failure=on_failure)]}
    )
    seen = told_in_a_thread(talk(options, f"turns: [{reads(tmp_path)}]"))
    assert ("what is in it" in seen.told["c1"]) is runs


def test_what_another_hook_makes_of_a_call_runs_and_a_deferred_call_runs_on_resume_so_ours_stands_alone(tmp_path):
    world = World()

    async def ours(event, *_):
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}

    async def other(event, *_):
        await asyncio.sleep(0.2)
        told = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"path": "secret"}}
        return {"hookSpecificOutput": told}

    options = claude_options(
        tmp_path,
        setting_sources=[],
        permission_mode="dontAsk",
        mcp_servers={"agent": create_sdk_mcp_server("agent", tools=tools_of(world))},
        hooks={"PreToolUse": [HookMatcher(hooks=[ours], on_failure="block"), HookMatcher(hooks=[other])]},
    )
    told_in_a_thread(talk(options, turn([Call("read", {"path": "a"}, "c1")])))
    assert world.ran == [("read", {"path": "secret"})]
    policy = ClaudePolicy(
        HostBoundary(load_policy(POLICY), names=HostNames("claude", servers=["agent"]), enforced=ASKED_BEFORE)
    )
    with pytest.raises(SchemaRouterError, match="can bring hooks that change a call"):
        asyncio.run(policy.options(ClaudeAgentOptions(hooks={"PreToolUse": [HookMatcher(hooks=[other])]})))
    with pytest.raises(SchemaRouterError, match="setting_sources"):
        asyncio.run(policy.options(ClaudeAgentOptions(setting_sources=["project"])))


def test_a_counter_of_hook_processes_that_nobody_locks_lets_too_many_through(tmp_path):
    """Ours lets three of eight through: the case ``parallel``. Here eight processes meet before any of them counts."""
    hook = tmp_path / "hook.py"
    hook.write_text(
        "import json, os, pathlib, time\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "count = int((folder / 'count').read_text() or 0) if (folder / 'count').exists() else 0\n"
        "(folder / f'met-{os.getpid()}').touch()\n"
        "end = time.monotonic() + 40\n"
        "while len(list(folder.glob('met-*'))) < 8 and time.monotonic() < end:\n"
        "    time.sleep(0.01)\n"
        "(folder / 'count').write_text(str(count + 1))\n"
        "decision = 'allow' if count < 3 else 'deny'\n"
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': decision}}))\n"
    )
    (tmp_path / ".claude").mkdir()
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": f"{sys.executable} {hook}", "timeout": 50}]}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    (tmp_path / "note.txt").write_text("what is in it")
    calls = [{"id": f"c{n}", "name": "Read", "input": {"file_path": str(tmp_path / "note.txt")}} for n in range(8)]
    options = claude_options(tmp_path, setting_sources=["project"], permission_mode="dontAsk")
    seen = told_in_a_thread(talk(options, f"turns: {json.dumps([calls])}"))
    assert len(list(tmp_path.glob("met-*"))) == 8
    assert sum("denied" not in text for text in seen.told.values()) == 8


FAILURES = {
    "exit 1": "exit 1",
    "crash": "kill -SEGV $$",
    "no output": "true",
    "garbage": "echo nonsense",
    "missing": None,
    "no permission to start": "chmod",
    "hangs": "sleep 30",
    "an answer of another form": """echo '{"hookSpecificOutput": {"permissionDecision": "Allow"}}'""",
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_hook_of_claude_code_that_fails_lets_the_tool_run_and_under_our_settings_it_does_not(tmp_path, failure):
    command = tmp_path / "hook"
    if FAILURES[failure] is not None:
        command.write_text(f"#!/bin/sh\n{FAILURES[failure]}\n")
        command.chmod(stat.S_IRUSR | (0 if failure == "no permission to start" else stat.S_IXUSR))
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    entry = {"type": "command", "command": str(command), "timeout": 1}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [entry]}]}}))
    naive = told_in_a_thread(talk(claude_options(tmp_path, setting_sources=["project"]), f"turns: [{reads(tmp_path)}]"))
    assert "what is in it" in naive.told["c1"]

    (tmp_path / "policy.yaml").write_text(POLICY.replace("agent.read", "claude.Read"))
    settings.unlink()
    made = schemarouter(tmp_path, "init", "claude-code")
    assert made.returncode == 0, made.stderr
    whole = told_in_a_thread(talk(claude_options(tmp_path, setting_sources=["project"]), f"turns: [{reads(tmp_path)}]"))
    assert "what is in it" in whole.told["c1"]
    ours = json.loads(settings.read_text())
    (hook,) = ours["hooks"]["PreToolUse"][0]["hooks"]
    start = f"{sys.executable} -I {Path(sys.executable).with_name('schemarouter')}"
    assert start in hook["command"]
    hook.update(command=hook["command"].replace(start, str(command)), timeout=1)  # as if our own program did this
    settings.write_text(json.dumps(ours))
    (tmp_path / "home").mkdir(exist_ok=True)
    seen = told_in_a_thread(talk(claude_options(tmp_path, setting_sources=["project"]), f"turns: [{reads(tmp_path)}]"))
    assert "what is in it" not in seen.told["c1"]
