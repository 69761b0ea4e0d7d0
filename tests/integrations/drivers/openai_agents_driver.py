"""Agents of the OpenAI Agents SDK behind `AgentsPolicy`.

The SDK runs no function tool again by itself; its loop tells the model, and the model calls again. So a retrying host is a model
that does that.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

from agents import Agent, RunConfig, Runner, RunState, function_tool
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from conformance.driving import Call, InProcess, Seen, Setup, World
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from schemarouter import load_policy
from schemarouter.integrations.boundary import HostBoundary
from schemarouter.integrations.names import HostNames
from schemarouter.integrations.openai_agents import AgentsPolicy

CONFIG = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")


class Says(Model):
    """Makes the calls that it was given, turn by turn, and then ends."""

    def __init__(self, *turns: list[Call]) -> None:
        self.turns = list(turns)
        self.heard: list[Any] = []

    async def get_response(self, *_: Any, **said: Any) -> ModelResponse:
        self.heard = said["input"]
        calls = self.turns.pop(0) if self.turns else []
        output: list[Any] = [
            ResponseFunctionToolCall(
                arguments=one.arguments if isinstance(one.arguments, str) else json.dumps(one.arguments),
                call_id=one.id,
                name=one.name,
                type="function_call",
            )
            for one in calls
        ] or [message("done")]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def message(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


class OpenAIAgentsHost(InProcess):
    def __init__(self, setup: Setup, world: World, state: str | None = None) -> None:
        self.setup, self.world, self.state = setup, world, state
        self.boundary = HostBoundary(
            load_policy(setup.policy, hooks=setup.hooks),
            names=setup.names,
            store=setup.store,
            run_id=setup.run_id,
            approver=setup.approver,
            where="OpenAI Agents",
        )
        self.policy = AgentsPolicy(self.boundary, pause=setup.pause)
        self.tools = [function_tool(one) for one in (world.read, world.pay, world.flaky)]

    def agent(self, *turns: list[Call]) -> Agent[Any]:
        tools = list(self.tools)
        if self.setup.nested and turns:
            ((delegation,),) = turns
            calls = [Call("read", {"path": path}, f"n{path}") for path in delegation.arguments["task"].split()[1:]]
            nested = self.policy.agent(Agent(name="nested", tools=self.tools, model=Says(calls)))
            tools.append(nested.as_tool("delegate", "Hand a task to another agent."))
            turns = ([Call("delegate", {"input": delegation.arguments["task"]}, delegation.id)],)
        return self.policy.agent(Agent(name="agent", tools=tools, model=Says(*turns)))

    def run(self, *calls: Call) -> Seen:
        again = [[Call(one.name, one.arguments, f"{one.id}-{n}") for one in calls] for n in range(self.setup.retries)]
        return self.seen(Runner.run(self.agent(list(calls), *again), "go", run_config=CONFIG))

    def resume(self, answers: dict[str, Any]) -> Seen:
        async def go_on() -> Any:
            agent = self.agent()
            state = await RunState.from_string(agent, self.state)
            self.policy.answer(state, answers)
            return await Runner.run(agent, state, run_config=CONFIG)

        return self.seen(go_on())

    def seen(self, running: Any) -> Seen:
        result = asyncio.run(running)
        self.state = result.to_state().to_string()
        told = {
            item["call_id"]: str(item["output"])
            for item in result.to_input_list()
            if isinstance(item, dict) and item.get("type") == "function_call_output"
        }
        return Seen(told, self.policy.questions(result))

    def restarted(self) -> OpenAIAgentsHost:
        return OpenAIAgentsHost(self.setup, self.world, self.state)

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        # The SDK has a fingerprint of every call in its state; whoever can write the state can write that, too.
        forged = OpenAIAgentsHost(Setup(self.setup.policy), self.world)
        forged.run(Call("pay", arguments, call_id))
        self.state = forged.state
        return True


class OpenAIAgents:
    name = "OpenAI Agents"
    missing: ClassVar[dict[str, str]] = {"positional_and_keyword": "a model names every argument"}

    def build(self, setup: Setup, world: World) -> OpenAIAgentsHost:
        return OpenAIAgentsHost(setup, world)

    def bypassed(self, setup: Setup, world: World) -> None:
        class Deaf(AgentsPolicy):
            """What an SDK of another release would make of it: it runs the tool without our function."""

            def _wrapped(self, tool: Any) -> Any:
                return tool

        Deaf(HostBoundary(load_policy(setup.policy), names=HostNames("agent")))
