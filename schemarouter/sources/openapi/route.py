"""What an invoker knows of one operation: an endpoint of the contract, ready to be written as a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.sources.openapi.files import shown
from schemarouter.sources.openapi.parameters import split_path
from schemarouter.sources.openapi.styles import DEFAULT_STYLES
from schemarouter.sources.problem import SourceError


@dataclass(frozen=True, slots=True)
class Wire:
    """How one argument is sent."""

    argument: str
    name: str
    location: str
    style: str
    explode: bool
    reserved: bool
    media_type: str | None


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. ``server`` is the URL of the document that it names for itself; ``unsendable`` why it has no request.

    ``others`` are paths of other operations that arguments must not make of this one's.
    """

    name: str
    method: str
    path: str
    fixed_query: tuple[tuple[str, str], ...]
    read_only: bool
    parameters: tuple[Wire, ...]
    body: Mapping[str, Any] | None
    server: str | None
    unsendable: str | None
    others: tuple[str, ...]
    fingerprint: str


def make_routes(tool: ToolSpec) -> dict[str, Route]:
    """The operations of a tool by endpoint name. Raises ``SourceError`` for what no import made."""
    if tool.source_type != "openapi":
        raise SourceError("the tool is none of an OpenAPI document", help="pass what `load_openapi` gave")
    return {endpoint.name: _route(endpoint) for endpoint in tool.endpoints}


def _route(endpoint: EndpointSpec) -> Route:
    if endpoint.method is None or endpoint.path is None:
        raise SourceError(
            f"the endpoint `{shown(endpoint.name)}` has no method or no path", help="pass what `load_openapi` gave"
        )
    wire = endpoint.execution_metadata
    deviating = wire.get("parameters", {})
    parameters = []
    for each in endpoint.parameters:
        if each.location not in DEFAULT_STYLES:
            continue  # the body
        what = deviating.get(each.name, {})
        style = what.get("style", DEFAULT_STYLES[each.location])
        parameters.append(
            Wire(
                each.name,
                what.get("name", each.name),
                each.location,
                style,
                what.get("explode", style in ("form", "cookie", "deepObject")),
                what.get("reserved", False),
                what.get("media_type"),
            )
        )
    path, fixed = split_path(endpoint.path)
    return Route(
        endpoint.name,
        endpoint.method,
        path,
        tuple(fixed),
        endpoint.read_only is True,
        tuple(parameters),
        wire.get("body"),
        wire.get("server"),
        wire.get("unsendable"),
        tuple(wire.get("others", ())),
        endpoint.fingerprint,
    )
