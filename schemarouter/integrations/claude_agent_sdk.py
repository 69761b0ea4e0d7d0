"""Claude Agent SDK: options whose hook asks the boundary before Claude Code runs a tool.

Needs the extra ``claude-agent-sdk``. Claude Code runs the tools, built-in ones and those of MCP servers, and the boundary only
answers before; so a boundary for it is made with ``enforced=ASKED_BEFORE``, which refuses policies that need to see results.
Approval is the SDK's own pause, ``can_use_tool``: the call waits there for ``ask``, and the answer is bound to it.

The permission mode is ``dontAsk``, so that nothing which changes anything runs without an ``allow``, and the hook has
``on_failure="block"``, without which Claude Code runs a tool when the hook raises.
"""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, TypeAlias

import mcp
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
    Transport,
)

from schemarouter.errors import PlanValidationError, PolicyError
from schemarouter.integrations.adapting import REFUSALS, Attributes
from schemarouter.integrations.arguments import with_defaults
from schemarouter.integrations.boundary import HostBoundary, HostTool, SelfTestError, denial
from schemarouter.integrations.claude_code.tools import BUILT_IN
from schemarouter.integrations.passes import Pass, Pending, read_answer
from schemarouter.integrations.stages import ASKED_BEFORE
from schemarouter.model.json_value import JsonValueError, canonical_json

#: A question as JSON -> ``approve(question)`` or ``reject(question)``, or an awaitable of it.
Ask: TypeAlias = Callable[[dict[str, Any]], Any]

_EVENT = "PreToolUse"
#: What Claude Code puts ``_`` for in the names of servers.
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
#: Seconds that the self-test waits for the SDK, and the hook may take: the store, the hooks and the approver of the boundary.
_SELF_TEST_SECONDS = 20.0
_HOOK_SECONDS = 600.0


class ClaudePolicy:
    """Puts the boundary before every tool call of Claude Code, its subagents included.

    ``tools`` are the tools of MCP servers that run elsewhere, by Claude Code's names (``mcp__SERVER__TOOL``) or with a contract; those
    of servers in this process, and the built-in ones, are known. A tool that is not known is denied. ``attributes``: per
    tool ``remote``, ``read_only`` and ``destructive``, where known. ``ask`` gets the question of a call that needs approval;
    without it the boundary's approver is asked.

    Raises ``PolicyError`` for a boundary that promises stages which nobody enforces here.
    """

    def __init__(
        self,
        boundary: HostBoundary,
        *,
        tools: Iterable[str | HostTool] = (),
        attributes: Attributes | None = None,
        ask: Ask | None = None,
    ) -> None:
        if not boundary.enforced <= ASKED_BEFORE:
            raise PolicyError(
                "Claude Code runs the tools itself, so nobody sees their results here",
                help="make the boundary with `enforced=ASKED_BEFORE` of `schemarouter.integrations.stages`",
            )
        self.boundary = boundary
        self._ask = ask
        self._attributes = attributes or {}
        self._waiting: dict[str, Pending] = {}
        self._schemas: dict[str, Mapping[str, Any]] = {}
        known = [name for name in BUILT_IN if boundary.names.operation(name) is not None]
        self._add([*map(HostTool, known), *(HostTool(tool) if isinstance(tool, str) else tool for tool in tools)])

    def _add(self, tools: Iterable[HostTool]) -> None:
        made = [tool._replace(**self._attributes.get(tool.name, {})) for tool in tools]
        self.boundary.add_tools(made)
        self._schemas.update((tool.name, tool.input_schema or {}) for tool in made)

    async def options(
        self, options: ClaudeAgentOptions | None = None, *, other_hooks: bool = False
    ) -> ClaudeAgentOptions:
        """A copy of ``options`` with the boundary's hook, after a self-test through the installed SDK.

        Another hook runs beside ours, and what it says in ``updatedInput`` takes the place of what was decided about; one that
        says ``defer`` lets the call run on resume without asking again; and one for ``PermissionRequest`` answers in the place of
        ``ask``. So such hooks, setting sources and plugins, which bring hooks, are refused. ``other_hooks``: you vouch that
        none of them does any of this.

        Raises ``PolicyError`` for options that would go past the hook, and ``SelfTestError`` if a call does not come here.
        """
        given = options or ClaudeAgentOptions()
        _require_no_bypass(given, other_hooks=other_hooks)
        await self._learn(given.mcp_servers)
        matcher = HookMatcher(hooks=[self._before], on_failure="block", timeout=_HOOK_SECONDS)
        hooks = dict(given.hooks or {})
        made = dataclasses.replace(
            given,
            permission_mode="dontAsk",
            can_use_tool=self._paused,
            setting_sources=given.setting_sources or [],
            hooks={**hooks, _EVENT: [matcher, *hooks.get(_EVENT, [])]},
        )
        await check_host(self, made)
        return made

    async def _learn(self, servers: Any) -> None:
        """Make the tools of servers in this process known, with their contracts."""
        if not isinstance(servers, Mapping):
            return
        for given, config in servers.items():
            if not isinstance(config, Mapping) or config.get("type") != "sdk":
                continue
            name = _NOT_IN_NAMES.sub("_", given)
            found: list[HostTool] = []
            async with mcp.Client(config["instance"]) as client:
                page = await client.list_tools()
                found += [_host_tool(name, tool) for tool in page.tools]
                while page.next_cursor is not None:
                    page = await client.list_tools(cursor=page.next_cursor)
                    found += [_host_tool(name, tool) for tool in page.tools]
            self._add(found)

    # Calls

    async def _before(self, event: Any, tool_use_id: str | None, _context: Any) -> Any:
        """The hook: allow what the boundary lets go, ask where approval is needed, deny the rest."""
        try:
            name, call_id = event["tool_name"], tool_use_id or event["tool_use_id"]
            arguments = self._written(name, event["tool_input"])
            if self._ask is not None and not self.boundary.is_canary(name):
                pending = self.boundary.pending(name, arguments, call_id=call_id)
                if pending is not None:
                    self._waiting[call_id] = pending
                    return _said("ask", pending.reason)
            decided = await self._enter(name, arguments, call_id, None)
        except REFUSALS as error:
            return _said("deny", denial(error))
        except Exception as error:  # noqa: BLE001 - its text may quote a payload, and Claude Code would show it
            return _said("deny", f"not allowed: the boundary failed ({type(error).__name__})")
        return {**_said("allow", "allowed by the policy", decided)}

    async def _paused(
        self, name: str, arguments: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResultAllow | PermissionResultDeny:
        """The SDK's pause: only what the hook asked for comes with a question, and only its answer lets the call go."""
        call_id = context.tool_use_id or ""
        asked = self._waiting.pop(call_id, None)
        try:
            if asked is None or self._ask is None:
                raise PlanValidationError(
                    "Claude Code wants a permission that the policy did not ask for"
                    + (f" ({context.decision_reason})" if context.decision_reason else "")
                )
            written = self._written(name, arguments)
            pending = self.boundary.pending(name, written, call_id=call_id)
            if pending != asked:
                raise PlanValidationError("the call or the policy changed after the policy asked; make the call again")
            answer = self._ask(pending.as_json())
            if inspect.isawaitable(answer):
                answer = await answer
            decided = await self._enter(name, written, call_id, read_answer(answer, pending) or Pass(""))
        except REFUSALS as error:
            return PermissionResultDeny(message=denial(error))
        except Exception as error:  # noqa: BLE001 - as above
            return PermissionResultDeny(message=f"not allowed: the boundary failed ({type(error).__name__})")
        return PermissionResultAllow(updated_input=decided)

    def _written(self, name: str, arguments: Any) -> Any:
        return with_defaults(arguments, self._schemas.get(name, {})) if isinstance(arguments, dict) else arguments

    async def _enter(self, name: str, arguments: Any, call_id: str, passed: Pass | None) -> dict[str, Any]:
        """Walk the stages up to the attempt, which is charged; what runs then runs in Claude Code."""
        decided: list[dict[str, Any]] = []

        def let_go(given: dict[str, Any]) -> None:
            decided.append(given)

        await self.boundary.call(name, arguments, let_go, call_id=call_id, approved=passed)
        return decided[-1]


def _host_tool(server: str, tool: Any) -> HostTool:
    schema = tool.input_schema
    try:
        canonical_json(schema)
    except JsonValueError:
        schema = None
    return HostTool(f"mcp__{server}__{tool.name}", schema, tool.description or "")


def _said(permission: str, reason: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "hookEventName": _EVENT,
        "permissionDecision": permission,
        "permissionDecisionReason": reason,
    }
    if arguments is not None:
        told["updatedInput"] = arguments
    return {"hookSpecificOutput": told}


def _require_no_bypass(options: ClaudeAgentOptions, *, other_hooks: bool) -> None:
    if options.permission_mode not in (None, "default", "dontAsk"):
        raise PolicyError(
            f"the permission mode `{options.permission_mode}` lets Claude Code run what no policy allowed",
            help="leave `permission_mode` out; what the policy allows runs without a prompt",
        )
    for name in ("can_use_tool", "permission_prompt_tool_name"):
        if getattr(options, name) is not None:
            raise PolicyError(f"`{name}` is the boundary's own", help="give `ClaudePolicy` an `ask` instead")
    if options.allowed_tools:
        raise PolicyError(
            "`allowed_tools` lets tools run that the policy says nothing of, should the hook be gone",
            help="leave `allowed_tools` out, and allow the operations in the policy",
        )
    extra = sorted(name for name in options.extra_args if "permission" in name or "allow" in name)
    if extra:
        raise PolicyError(
            f"`extra_args` gives Claude Code `--{extra[0]}`, which goes past the policy", help="remove it"
        )
    brings = [
        name
        for name, value in (
            *((f"hooks[{event!r}]", (options.hooks or {}).get(event)) for event in (_EVENT, "PermissionRequest")),
            ("setting_sources", options.setting_sources),
            ("settings", options.settings),
            ("plugins", options.plugins),
        )
        if value
    ]
    if brings and not other_hooks:
        raise PolicyError(
            f"`{brings[0]}` can bring hooks that change a call after it was decided about, or approve it",
            help="leave it out, or vouch with `other_hooks=True` that no other hook says `updatedInput`, `defer` or `allow`",
        )


# Self-test


class _CanaryTransport(Transport):  # type: ignore[misc]  # untyped where the framework is not installed
    """Plays Claude Code's part of the SDK's protocol: asks the hook that the SDK registered about one call."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.blocking = False

    async def connect(self) -> None:
        """See ``Transport``."""

    def is_ready(self) -> bool:
        """See ``Transport``."""
        return True

    async def end_input(self) -> None:
        """See ``Transport``."""

    async def close(self) -> None:
        """See ``Transport``."""
        await self._messages.put(None)

    async def write(self, data: str) -> None:
        """Take what the SDK says."""
        for line in data.splitlines():
            message = json.loads(line)
            if message.get("type") == "control_request" and message["request"].get("subtype") == "initialize":
                self._begin(message)
            elif message.get("type") == "control_response" and not self.answered.done():
                self.answered.set_result(message["response"])

    def _begin(self, message: dict[str, Any]) -> None:
        response = {"hook_on_failure_supported": True, "hooks_applied": True, "commands": []}
        told = {"subtype": "success", "request_id": message["request_id"], "response": response}
        self._messages.put_nowait({"type": "control_response", "response": told})
        matchers = ((message["request"].get("hooks") or {}).get(_EVENT)) or []
        for matcher in matchers:
            if matcher.get("matcher") is None and matcher.get("onFailure") == "block":
                self.blocking = True
                self._call(matcher["hookCallbackIds"][0])
                return

    def _call(self, callback: str) -> None:
        event = {"hook_event_name": _EVENT, "tool_name": self._name, "tool_input": {}, "tool_use_id": "canary"}
        request = {"subtype": "hook_callback", "callback_id": callback, "input": event, "tool_use_id": "canary"}
        self._messages.put_nowait({"type": "control_request", "request_id": "canary", "request": request})

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """What Claude Code says."""
        while (message := await self._messages.get()) is not None:
            yield message


async def check_host(policy: ClaudePolicy, options: ClaudeAgentOptions) -> None:
    """Let the installed SDK hand a canary to the hook, over its own protocol. Raises ``SelfTestError`` if it does not come here.

    That Claude Code itself honours ``on_failure="block"`` is what the SDK asks it when a session starts.
    """
    with policy.boundary.expect_canary() as name:
        transport = _CanaryTransport(name)
        client = ClaudeSDKClient(dataclasses.replace(options, mcp_servers={}), transport=transport)
        try:
            async with asyncio.timeout(_SELF_TEST_SECONDS):
                await client.connect()
                answer = await transport.answered if transport.blocking else {}
            if "deny" not in json.dumps(answer):
                raise SelfTestError("the Claude Agent SDK did not hand on what the hook said; it is not started")
        except TimeoutError:
            raise SelfTestError("the Claude Agent SDK did not hand a call to the hook; it is not started") from None
        finally:
            await client.disconnect()


__all__ = ["Ask", "Attributes", "ClaudePolicy", "check_host"]
