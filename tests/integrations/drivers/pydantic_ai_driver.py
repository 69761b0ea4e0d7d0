"""An agent of Pydantic AI behind `PolicyCapability`.

The host's way to run a tool again is `ModelRetry`: the model is told, and calls again. So a retrying host is a tool that asks for it.
"""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any, ClassVar

from conformance.driving import Call, InProcess, Seen, Setup, World
from pydantic_ai import Agent, DeferredToolRequests, ModelRetry, Tool
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

from schemarouter import load_policy
from schemarouter.integrations.boundary import HostBoundary
from schemarouter.integrations.names import HostNames
from schemarouter.integrations.pydantic_ai import PolicyCapability, answers


def says(*turns: list[Call]) -> FunctionModel:
    """Makes the calls that it was given, turn by turn, and then ends."""
    left = list(turns)

    def speak(_messages: Any, _info: Any) -> ModelResponse:
        calls = left.pop(0) if left else []
        parts = [ToolCallPart(one.name, one.arguments, one.id) for one in calls]
        return ModelResponse(parts=parts or [TextPart("done")])

    return FunctionModel(speak)


class PydanticAIHost(InProcess):
    def __init__(self, setup: Setup, world: World, messages: bytes = b"[]") -> None:
        self.setup, self.world, self.messages = setup, world, messages
        self.requests: Any = None
        self.boundary = HostBoundary(
            load_policy(setup.policy, hooks=setup.hooks),
            names=setup.names,
            store=setup.store,
            run_id=setup.run_id,
            approver=setup.approver,
            where="Pydantic AI",
        )
        self.capability = PolicyCapability(self.boundary, pause=setup.pause)
        self.tools: list[Any] = [
            Tool(world.read),
            Tool(world.pay),
            Tool(self.flaky, max_retries=setup.retries),
        ]

    def flaky(self, path: str) -> str:
        """Fails every time."""
        try:
            return self.world.flaky(path)
        except TimeoutError as error:
            raise ModelRetry("try again") from error

    async def delegate(self, task: str) -> str:
        """Hand a task to another agent."""
        calls = [Call("read", {"path": path}, f"n{path}") for path in task.split()[1:]]
        nested = Agent(says(calls), tools=self.tools, capabilities=[self.capability])
        return str((await nested.run(task)).output)

    def agent(self, *turns: list[Call]) -> Any:
        tools = [*self.tools, Tool(self.delegate)] if self.setup.nested else self.tools
        return Agent(says(*turns), tools=tools, capabilities=[self.capability], output_type=[str, DeferredToolRequests])

    def run(self, *calls: Call) -> Seen:
        again = [[Call(one.name, one.arguments, f"{one.id}-{n}") for one in calls] for n in range(self.setup.retries)]
        return self.seen(self.agent(list(calls), *again).run("go"))

    def resume(self, given: dict[str, Any]) -> Seen:
        requests = self.requests or DeferredToolRequests(
            approvals=[
                part
                for message in ModelMessagesTypeAdapter.validate_json(self.messages)
                for part in message.parts
                if isinstance(part, ToolCallPart)
            ]
        )
        return self.seen(
            self.agent().run(
                message_history=ModelMessagesTypeAdapter.validate_json(self.messages),
                deferred_tool_results=answers(requests, given),
            )
        )

    def seen(self, running: Any) -> Seen:
        result = asyncio.run(running)
        self.messages = result.all_messages_json()
        told = {
            part.tool_call_id: str(part.content)
            for message in result.all_messages()
            for part in message.parts
            if isinstance(part, ToolReturnPart | RetryPromptPart)
        }
        self.requests = result.output if isinstance(result.output, DeferredToolRequests) else None
        return Seen(told, list(self.requests.metadata.values()) if self.requests else [])

    def restarted(self) -> PydanticAIHost:
        return PydanticAIHost(self.setup, self.world, self.messages)

    def change_pending(self, call_id: str, arguments: dict[str, Any]) -> bool:
        messages = ModelMessagesTypeAdapter.validate_json(self.messages)
        for message in messages:
            message.parts = [
                dataclasses.replace(part, args=arguments)
                if isinstance(part, ToolCallPart) and part.tool_call_id == call_id
                else part
                for part in message.parts
            ]
        self.messages = ModelMessagesTypeAdapter.dump_json(messages)
        return True


class PydanticAI:
    name = "Pydantic AI"
    missing: ClassVar[dict[str, str]] = {"positional_and_keyword": "a model names every argument"}

    def build(self, setup: Setup, world: World) -> PydanticAIHost:
        return PydanticAIHost(setup, world)

    def bypassed(self, setup: Setup, world: World) -> None:
        class Deaf(PolicyCapability):
            """What a host of another release would make of it: the hooks are never called."""

            async def wrap_tool_execute(self, *_: Any, args: Any, handler: Any, **__: Any) -> Any:
                return await handler(args)

            def get_wrapper_toolset(self, toolset: Any) -> Any:
                return toolset

        Deaf(HostBoundary(load_policy(setup.policy), names=HostNames("agent")))
