"""What a server and a client ask of each other beside calling tools, as operations of the server: ``git.resources/read``.

They are endpoints of the same contract as the tools, remote and unclassified, so they are denied until a rule says
otherwise. A server whose *tool* is called like one of them is refused: its contract would hold one operation twice.
"""

from __future__ import annotations

from typing import Any, Final

from schemarouter.contract.admission import admit
from schemarouter.errors import RegistrationError
from schemarouter.model.tool import EndpointSpec, ToolSpec
from schemarouter.sources.problem import SourceError

_TEXT: dict[str, Any] = {"type": "string"}
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_WHATEVER: dict[str, Any] = {"type": "object"}


def _object(required: tuple[str, ...], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


#: What the client asks of the server, with the schemas of the arguments that conditions are about.
ASKED_BY_CLIENT: Final[dict[str, dict[str, Any]]] = {
    "resources/list": _NOTHING,
    "resources/templates/list": _NOTHING,
    "resources/read": _object(("uri",), uri=_TEXT),
    "prompts/list": _NOTHING,
    "prompts/get": _object(
        ("name",), name=_TEXT, arguments={"type": "object", "additionalProperties": {"type": "string"}}
    ),
    "completion/complete": _object(("ref", "argument"), ref=_WHATEVER, argument=_WHATEVER, context=_WHATEVER),
}
#: What the server asks of the client; the arguments are the parameters of the request.
ASKED_BY_SERVER: Final[dict[str, dict[str, Any]]] = {
    "sampling/createMessage": _WHATEVER,
    "elicitation/create": _WHATEVER,
    "roots/list": _NOTHING,
}
PROTOCOL: Final = ASKED_BY_CLIENT | ASKED_BY_SERVER


def with_protocol(tool: ToolSpec) -> ToolSpec:
    """The contract of a server's tools, with the operations of the protocol added. Raises ``SourceError`` for a clash."""
    for endpoint in tool.endpoints:
        if endpoint.name in PROTOCOL:
            raise SourceError(
                f"its tool `{endpoint.name}` is called like an operation of the protocol, whose rules would reach it",
                where=f"server `{tool.key}`",
            )
    more = [EndpointSpec(name=name, input_schema=schema) for name, schema in PROTOCOL.items()]
    whole = tool.model_copy(update={"endpoints": [*tool.endpoints, *more]})
    try:
        admit(whole)
    except RegistrationError as error:
        raise SourceError(str(error), where=f"server `{tool.key}`") from None
    return whole
