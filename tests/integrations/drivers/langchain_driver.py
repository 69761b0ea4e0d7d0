"""LangChain's `create_agent` behind `PolicyMiddleware`."""

from __future__ import annotations

from typing import Any, ClassVar

from conformance.driving import Call, InProcess, Seen, Setup, World
from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from schemarouter import load_policy
from schemarouter.integrations.boundary import HostBoundary
from schemarouter.integrations.langchain import PolicyMiddleware
from schemarouter.integrations.names import HostNames

CONFIG: Any = {"configurable": {"thread_id": "t1"}}


class Model(GenericFakeChatModel):
    """Makes the calls that it was given, turn by turn."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def says(*turns: list[Call]) -> Model:
    messages = [
        AIMessage(
            content="",
            tool_calls=[{"name": one.name, "args": one.arguments, "id": one.id, "type": "tool_call"} for one in calls],
        )
        for calls in turns
    ]
    return Model(messages=iter([*messages, *(AIMessage(content="done") for _ in range(9))]))


class LangChainHost(InProcess):
    def __init__(self, setup: Setup, world: World, saver: InMemorySaver | None = None) -> None:
        self.setup, self.world = setup, world
        self.saver = saver or InMemorySaver()
        self.boundary = HostBoundary(
            load_policy(setup.policy, hooks=setup.hooks),
            names=setup.names,
            store=setup.store,
            run_id=setup.run_id,
            approver=setup.approver,
            where="LangChain",
        )
        self.tools = [StructuredTool.from_function(one) for one in (world.read, world.pay, world.flaky)]
        if setup.nested:
            self.tools.append(StructuredTool.from_function(self.delegate))
        middleware = PolicyMiddleware(self.boundary, tools=self.tools, pause=setup.pause)
        self.middleware: list[Any] = [middleware]
        if setup.retries:
            self.middleware.append(ToolRetryMiddleware(max_retries=setup.retries, initial_delay=0.0))

    def delegate(self, task: str) -> str:
        """Hand a task to another agent."""
        calls = [Call("read", {"path": path}, f"n{path}") for path in task.split()[1:]]
        nested = create_agent(says(calls), self.tools[:3], middleware=self.middleware)
        return str(nested.invoke({"messages": [("user", task)]})["messages"][-1].content)

    def agent(self, *calls: Call) -> Any:
        return create_agent(
            says(list(calls)) if calls else says(),
            self.tools,
            middleware=self.middleware,
            checkpointer=self.saver,
        )

    def run(self, *calls: Call) -> Seen:
        return _seen(self.agent(*calls).invoke({"messages": [("user", "go")]}, CONFIG))

    def resume(self, answers: dict[str, Any]) -> Seen:
        return _seen(self.agent().invoke(Command(resume=next(iter(answers.values()))), CONFIG))

    def restarted(self) -> LangChainHost:
        import copy

        return LangChainHost(self.setup, self.world, copy.deepcopy(self.saver))

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        agent = self.agent()
        message = agent.get_state(CONFIG).values["messages"][-1]
        calls = [{**one, "args": arguments} if one["id"] == call_id else one for one in message.tool_calls]
        agent.update_state(CONFIG, {"messages": [message.model_copy(update={"tool_calls": calls})]}, as_node="model")
        # The pause is over once the state is another one; the host walks to the tools again.
        _seen(agent.invoke(None, CONFIG))
        return True


def _seen(state: dict[str, Any]) -> Seen:
    told = {one.tool_call_id: str(one.content) for one in state["messages"] if isinstance(one, ToolMessage)}
    return Seen(told, [one.value for one in state.get("__interrupt__", ())])


class LangChain:
    name = "LangChain"
    missing: ClassVar[dict[str, str]] = {"positional_and_keyword": "a model names every argument"}

    def build(self, setup: Setup, world: World) -> LangChainHost:
        return LangChainHost(setup, world)

    def bypassed(self, setup: Setup, world: World) -> None:
        class Deaf(PolicyMiddleware):
            """What a host of another release would make of it: the hooks are never called."""

            def wrap_tool_call(self, request: Any, handler: Any) -> Any:
                return handler(request)

        adapter_boundary = HostBoundary(load_policy(setup.policy), names=HostNames("agent"))
        Deaf(adapter_boundary, tools=[StructuredTool.from_function(world.read)])
