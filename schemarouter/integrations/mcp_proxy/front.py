"""The server in front: what a client sends, decided one by one, and handed to the server that it is for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from schemarouter import __version__
from schemarouter.errors import PlanValidationError, SchemaRouterError
from schemarouter.integrations.mcp_proxy import answers
from schemarouter.integrations.mcp_proxy.client import ClientInFront
from schemarouter.integrations.mcp_proxy.operations import PROTOCOL
from schemarouter.integrations.mcp_proxy.requests import arguments_of
from schemarouter.integrations.mcp_proxy.shown import DeniedTools, capabilities, may_run, tools_of
from schemarouter.sources.mcp.errors import McpToolError
from schemarouter.sources.problem import SourceError

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.behind import Behind
    from schemarouter.integrations.mcp_proxy.core import Core
    from schemarouter.integrations.mcp_proxy.entered import Entered
    from schemarouter.integrations.mcp_proxy.names import FrontNames

#: What a denied request that is no call of a tool is answered with.
NOT_ALLOWED = types.INVALID_REQUEST

Context = ServerRequestContext[Any, Any]
_EVENTS: dict[str, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}


class Front:
    """Serves one client. ``client`` is the client as its last request showed it."""

    def __init__(self, core: Core, servers: Mapping[str, Behind], names: FrontNames, denied: DeniedTools) -> None:
        self._core = core
        self._servers = servers
        self._names = names
        self._denied: DeniedTools = denied
        self._bus = InMemorySubscriptionBus()
        self.client: ClientInFront | None = None
        #: Calls of tools that do not exist which came here, by name: how a self-test sees that calls do come here.
        self.refused: set[str] = set()
        self.server: Server[Any] = Server(
            "schemarouter",
            version=__version__,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.add_request_handler("server/discover", types.RequestParams, self._discover)

    def capabilities(self) -> types.ServerCapabilities:
        """What is offered, in both protocols."""
        return capabilities(self._core, self._servers.values())

    async def _discover(self, _context: Context, _params: Any) -> types.DiscoverResult:
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS), capabilities=self.capabilities(), instructions=None
        )

    def _seen(self, context: Context) -> ClientInFront:
        self.client = ClientInFront(context)
        return self.client

    # Changes

    async def tell(self, what: str) -> None:
        """Tell the client that the list of ``tools``, ``prompts`` or ``resources`` changed. A client that is gone is told nothing."""
        await self._bus.publish(_EVENTS[what])
        if self.client is None or self.client.modern:
            return
        session = self.client.session
        send = {
            "tools": session.send_tool_list_changed,
            "prompts": session.send_prompt_list_changed,
            "resources": session.send_resource_list_changed,
        }[what]
        await send()

    # Tools

    async def _list_tools(self, context: Context, _params: Any) -> types.ListToolsResult:
        self._seen(context)
        found: list[types.Tool] = []
        for behind in self._servers.values():
            with contextlib.suppress(SourceError):  # then it has no tools that could be used
                await behind.catch_up()
            found += tools_of(self._core, behind, self._names, self._denied)
        return types.ListToolsResult(tools=found)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        client = self._seen(context)
        entered: Entered | None = None
        try:
            behind, name = self._tool_of(params.name)
            with contextlib.suppress(SourceError):  # the call will say so
                await behind.catch_up()
            entered = await self._enter(client, behind, name, params.arguments or {}, params, context)
            data = await self._core.execute(behind.name, name, entered)
        except McpToolError as error:
            if entered is None or entered.result is None:
                return answers.denied(error)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the model is told, and nothing else happens
            if entered is not None and entered.question is not None:
                return await self._question(entered)
            return answers.denied(error)
        else:
            del data  # it was checked; what is handed on is the result that it was made from
        return answers.result_of_tool(entered, modern=client.modern)

    async def _question(self, entered: Entered) -> types.CallToolResult | types.InputRequiredResult:
        try:
            return await answers.question(self._core, entered)
        except SchemaRouterError as error:  # a store that cannot say
            return answers.denied(error)

    def _tool_of(self, front: str) -> tuple[Behind, str]:
        found = self._names.behind(front)
        if found is not None and found[0] in self._servers and found[1] not in PROTOCOL:
            behind = self._servers[found[0]]
            if self._core.attributes(*found) is not None:
                return behind, found[1]
        if len(self.refused) < 100:
            self.refused.add(front)
        raise PlanValidationError(f"unknown tool `{ascii(front)[1:-1][:200]}`")

    async def _enter(
        self, client: ClientInFront, behind: Behind, endpoint: str, arguments: Any, params: Any, context: Context
    ) -> Entered:
        token = None if context.meta is None else context.meta.get("progress_token")
        return await self._core.enter(
            client,
            behind.name,
            endpoint,
            arguments,
            state=params.request_state,
            answers=params.input_responses,
            can_pause=True,
            progress=None if token is None else client.session.report_progress,
        )

    # The rest of the protocol

    async def _one(self, context: Context, behind: Behind, endpoint: str, arguments: Any, params: Any) -> Any:
        """One operation of the protocol: its result, a question, or an error."""
        entered: Entered | None = None
        try:
            entered = await self._enter(self._seen(context), behind, endpoint, arguments, params, context)
            await self._core.execute(behind.name, endpoint, entered)
        except Exception as error:  # noqa: BLE001 - as for tools
            if entered is not None and entered.question is not None:
                return await answers.question(self._core, entered)
            raise MCPError(NOT_ALLOWED, answers.told(error)) from None
        return entered.result

    async def _all(self, context: Context, endpoint: str, field: str) -> list[tuple[Behind, Any]]:
        """A list of all servers for which the policy does not rule it out; an error if that is none."""
        client = self._seen(context)
        found: list[tuple[Behind, Any]] = []
        asked = [behind for behind in self._servers.values() if may_run(self._core, behind, endpoint)]
        for behind in asked or self._servers.values():  # where nobody may be asked, the denial says why
            try:
                entered = await self._core.enter(client, behind.name, endpoint, {})
                await self._core.execute(behind.name, endpoint, entered)
            except Exception as error:  # noqa: BLE001 - as for tools
                raise MCPError(NOT_ALLOWED, answers.told(error)) from None
            found += ((behind, item) for item in getattr(entered.result, field))
        return found

    async def _list_resources(self, context: Context, _params: Any) -> types.ListResourcesResult:
        found = await self._all(context, "resources/list", "resources")
        items = [
            one.model_copy(update={"uri": self._names.front_uri(behind.name, str(one.uri))}) for behind, one in found
        ]
        return types.ListResourcesResult(resources=items)

    async def _list_templates(self, context: Context, _params: Any) -> types.ListResourceTemplatesResult:
        found = await self._all(context, "resources/templates/list", "resource_templates")
        items = [
            one.model_copy(update={"uri_template": self._names.front_uri(behind.name, one.uri_template)})
            for behind, one in found
        ]
        return types.ListResourceTemplatesResult(resource_templates=items)

    async def _list_prompts(self, context: Context, _params: Any) -> types.ListPromptsResult:
        found = await self._all(context, "prompts/list", "prompts")
        items = [one.model_copy(update={"name": self._names.front(behind.name, one.name)}) for behind, one in found]
        return types.ListPromptsResult(prompts=items)

    async def _read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> Any:
        behind, uri = self._server_of(self._names.behind_uri(str(params.uri)), "resource")
        result = await self._one(context, behind, "resources/read", {"uri": uri}, params)
        if isinstance(result, types.ReadResourceResult):
            contents = [
                one.model_copy(update={"uri": self._names.front_uri(behind.name, str(one.uri))})
                for one in result.contents
            ]
            return types.ReadResourceResult(contents=contents)
        return result

    async def _get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> Any:
        behind, name = self._server_of(self._names.behind(params.name), "prompt")
        arguments: dict[str, Any] = {"name": name}
        if params.arguments is not None:
            arguments["arguments"] = params.arguments
        return await self._one(context, behind, "prompts/get", arguments, params)

    async def _complete(self, context: Context, params: types.CompleteRequestParams) -> Any:
        ref = params.ref
        if isinstance(ref, types.PromptReference):
            behind, name = self._server_of(self._names.behind(ref.name), "prompt")
            real: Any = ref.model_copy(update={"name": name})
        else:
            behind, uri = self._server_of(self._names.behind_uri(ref.uri), "resource")
            real = ref.model_copy(update={"uri": uri})
        arguments = arguments_of(params.model_copy(update={"ref": real}))
        try:
            entered = await self._core.enter(self._seen(context), behind.name, "completion/complete", arguments)
            await self._core.execute(behind.name, "completion/complete", entered)
        except Exception as error:  # noqa: BLE001 - as for tools
            raise MCPError(NOT_ALLOWED, answers.told(error)) from None
        return entered.result

    def _server_of(self, found: tuple[str, str] | None, what: str) -> tuple[Behind, str]:
        if found is None:
            raise MCPError(NOT_ALLOWED, f"not allowed: unknown {what}")
        return self._servers[found[0]], found[1]


async def tell_changes(front: Front, changes: asyncio.Queue[str]) -> None:
    """Tell the client of changes, each kind once however often it comes meanwhile; never returns."""
    while True:
        kinds = {await changes.get()}
        while not changes.empty():
            kinds.add(changes.get_nowait())
        for kind in sorted(kinds):
            await front.tell(kind)
