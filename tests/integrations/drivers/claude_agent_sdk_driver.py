"""Claude Code itself, as the Claude Agent SDK brings it, behind `ClaudePolicy`; the model is one on loopback.

The tools are those of an MCP server in this process, and an agent that is a tool is Claude Code's own.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import queue
import tempfile
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    SdkMcpTool,
    ToolResultBlock,
    UserMessage,
    create_sdk_mcp_server,
)
from conformance.driving import Call, InProcess, Seen, Setup, World
from fake_model import fake_model, prompt

from schemarouter import load_policy
from schemarouter.integrations.boundary import HostBoundary
from schemarouter.integrations.claude_agent_sdk import ClaudePolicy
from schemarouter.integrations.names import HostNames, Operation
from schemarouter.integrations.stages import ASKED_BEFORE

SECONDS = 60
#: Nothing of the machine's user is read or written, and nothing but the model on loopback is asked.
SILENT = {
    "ANTHROPIC_API_KEY": "nobody's",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
}
_SCHEMAS = {
    "read": {"path": {"type": "string"}},
    "pay": {"amount": {"type": "number"}, "to": {"type": "string", "default": "ops"}},
    "flaky": {"path": {"type": "string"}},
}


def served(function: Any) -> SdkMcpTool[Any]:
    """A function of the world as a tool of the SDK."""

    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        result = function(**arguments)
        text = await result if inspect.isawaitable(result) else result
        return {"content": [{"type": "text", "text": str(text)}]}

    properties = _SCHEMAS[function.__name__]
    required = [name for name, schema in properties.items() if "default" not in schema]
    schema = {"type": "object", "properties": properties, "required": required}
    return SdkMcpTool(function.__name__, function.__doc__ or "", schema, run)


def names_of(setup: Setup) -> HostNames:
    """Claude Code calls our `read` `mcp__agent__read`, and its own agents are what the cases call `delegate`."""
    explicit = {"Agent": Operation("agent", "delegate")}
    read = setup.names.operation("read")
    if read is not None and read != Operation("agent", "read"):
        explicit["mcp__agent__read"] = read
    return HostNames("claude", servers=["agent"], explicit=explicit)


def spelled(call: Call) -> dict[str, Any]:
    """A call of a case as Claude Code's model makes it."""
    if call.name != "delegate":
        return {"id": call.id, "name": f"mcp__agent__{call.name}", "input": call.arguments}
    reads = [Call("read", {"path": path}, f"n{path}") for path in call.arguments["task"].split()[1:]]
    task = {
        "description": "a task",
        "prompt": prompt([spelled(one) for one in reads]),
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    return {"id": call.id, "name": "Agent", "input": task}


def turn(calls: Sequence[Call]) -> str:
    """A prompt for which the model makes these calls in one turn."""
    return prompt([spelled(call) for call in calls])


def tools_of(world: World) -> list[SdkMcpTool[Any]]:
    """The tools of a world."""
    return [served(world.read), served(world.pay), served(world.flaky)]


async def talk(options: ClaudeAgentOptions, text: str) -> Seen:
    """Start Claude Code, let it do what a prompt says, and tell what its model saw."""
    seen = Seen()
    with fake_model() as (address, _):
        env = {**options.env, "ANTHROPIC_BASE_URL": address}
        async with asyncio.timeout(SECONDS), ClaudeSDKClient(dataclasses.replace(options, env=env)) as client:
            await client.query(text)
            async for message in client.receive_response():
                if isinstance(message, UserMessage) and isinstance(message.content, list):
                    for block in message.content:
                        if isinstance(block, ToolResultBlock):
                            seen.told[block.tool_use_id] = str(block.content)
    return seen


def told_in_a_thread(talking: Coroutine[Any, Any, Seen]) -> Seen:
    """Run what ends by itself, whatever loop the caller may have."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, talking).result()


class ClaudeHost(InProcess):
    def __init__(self, setup: Setup, world: World) -> None:
        self.world = world
        self.boundary = HostBoundary(
            load_policy(setup.policy, hooks=setup.hooks),
            names=names_of(setup),
            store=setup.store,
            run_id=setup.run_id,
            approver=setup.approver,
            enforced=ASKED_BEFORE,
            where="the Claude Agent SDK",
        )
        self.policy = ClaudePolicy(self.boundary, ask=self._ask if setup.pause else None)
        #: What happens in the thread of the session: a question, or what was seen at the end.
        self.news: queue.Queue[Any] = queue.Queue()
        self.waiting: dict[str, Any] = {}

    async def _ask(self, question: dict[str, Any]) -> Any:
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        self.waiting[question["call_id"]] = lambda given: loop.call_soon_threadsafe(answer.set_result, given)
        self.news.put(question)
        return await answer

    def run(self, *calls: Call) -> Seen:
        threading.Thread(target=self._session, args=(turn(calls),), daemon=True).start()
        return self._next()

    def resume(self, answers: dict[str, Any]) -> Seen:
        for call_id, given in answers.items():
            self.waiting.pop(call_id)(given)
        return self._next()

    def _next(self) -> Seen:
        news = self.news.get(timeout=SECONDS)
        if isinstance(news, BaseException):
            raise news
        return Seen(questions=[news]) if isinstance(news, dict) else news

    def _session(self, text: str) -> None:
        try:
            self.news.put(asyncio.run(self._talk(text)))
        except BaseException as error:  # noqa: BLE001 - the case fails with it, in its own thread
            self.news.put(error)

    async def _talk(self, text: str) -> Seen:
        with tempfile.TemporaryDirectory() as folder:
            options = ClaudeAgentOptions(
                cwd=folder,
                mcp_servers={"agent": create_sdk_mcp_server("agent", tools=tools_of(self.world))},
                env={**SILENT, "HOME": folder, "CLAUDE_CONFIG_DIR": folder},
            )
            return await talk(await self.policy.options(options), text)


class ClaudeAgentSDK:
    name = "Claude Agent SDK"
    stages = ASKED_BEFORE
    missing: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            ("after_a_restart", "answer_used_twice"),
            "its pause ends with the process; a stored approval outlives it",
        ),
        "argument_changed": "nobody else holds the call while it waits",
        "retrying_host": "the host runs nothing again by itself",
        "positional_and_keyword": "a model names every argument",
    }

    def build(self, setup: Setup, world: World) -> ClaudeHost:
        return ClaudeHost(setup, world)

    def bypassed(self, setup: Setup, world: World) -> None:
        class Deaf(ClaudePolicy):
            """What an SDK of another release would make of it: the hook is not called."""

            async def _before(self, *_: Any) -> Any:
                return {}

        boundary = HostBoundary(
            load_policy(setup.policy), names=names_of(setup), enforced=ASKED_BEFORE, where="the Claude Agent SDK"
        )
        asyncio.run(Deaf(boundary).options())
