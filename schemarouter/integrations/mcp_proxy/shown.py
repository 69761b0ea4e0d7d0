"""What the client sees of the servers: their tools, without or with a mark on those that are denied, and what is offered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import mcp_types as types

from schemarouter.integrations.mcp_proxy.verdicts import always_denied

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.behind import Behind
    from schemarouter.integrations.mcp_proxy.core import Core
    from schemarouter.integrations.mcp_proxy.names import FrontNames
    from schemarouter.model.tool import EndpointSpec

#: What becomes in a listing of tools that are denied whatever their arguments are.
DeniedTools = Literal["hide", "mark"]
#: The key in ``_meta`` of a tool that is marked.
MARK = "schemarouter/denied"


def tools_of(core: Core, behind: Behind, names: FrontNames, denied: DeniedTools) -> list[types.Tool]:
    """The tools of a server as the client lists them, made anew from the contract; nothing if it cannot be used now."""
    if behind.tool is None or behind.problem is not None:
        return []
    found = []
    for endpoint in behind.tool.endpoints:
        attributes = core.attributes(behind.name, endpoint.name)
        decision = None if attributes is None else always_denied(core.graph, attributes)
        if attributes is None or (decision is not None and denied == "hide"):
            continue
        tool = _tool(names.front(behind.name, endpoint.name), endpoint)
        if decision is not None:
            tool.description = f"[denied: {decision.reason}] {tool.description or ''}".strip()
            tool.meta = {MARK: True}
        found.append(tool)
    return found


def _tool(name: str, endpoint: EndpointSpec) -> types.Tool:
    annotations: dict[str, Any] = endpoint.metadata.get("annotations", {})
    return types.Tool(
        name=name,
        title=endpoint.metadata.get("title"),
        description=endpoint.description or None,
        input_schema=endpoint.input_schema,
        output_schema=endpoint.output_schema or None,
        annotations=types.ToolAnnotations.model_validate(annotations, by_name=True) if annotations else None,
    )


def capabilities(core: Core, servers: Iterable[Behind]) -> types.ServerCapabilities:
    """What is offered in front: what some server offers, as far as some arguments might let it through."""
    offered: set[str] = set()
    for behind in servers:
        theirs = behind.source.capabilities
        for name, endpoints in _NEEDS.items():
            if getattr(theirs, name) is not None and any(may_run(core, behind, one) for one in endpoints):
                offered.add(name)
    return types.ServerCapabilities(
        tools=types.ToolsCapability(list_changed=True),
        resources=types.ResourcesCapability(subscribe=False, list_changed=True) if "resources" in offered else None,
        prompts=types.PromptsCapability(list_changed=True) if "prompts" in offered else None,
        completions=types.CompletionsCapability() if "completions" in offered else None,
    )


_NEEDS = {
    "resources": ("resources/list", "resources/templates/list", "resources/read"),
    "prompts": ("prompts/list", "prompts/get"),
    "completions": ("completion/complete",),
}


def may_run(core: Core, behind: Behind, endpoint: str) -> bool:
    """Whether there might be arguments with which an operation of the protocol is let through."""
    attributes = core.attributes(behind.name, endpoint)
    return attributes is not None and always_denied(core.graph, attributes) is None
