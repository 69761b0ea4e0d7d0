"""What one request brings along on its way through the boundary; the invoker and the gate find it in their context."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemarouter.integrations.mcp_proxy.client import ClientInFront
    from schemarouter.integrations.mcp_proxy.tickets import Bound, Ticket


@dataclass(slots=True)
class Entered:
    """One request of the client in front, or of a server behind."""

    client: ClientInFront
    bound: Bound
    #: Whether the request can end with a question, and be sent again with the answer.
    can_pause: bool = False
    progress: Callable[..., Any] | None = None
    #: The ticket that came with the request, redeemed, and the answers.
    ticket: Ticket | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    #: What has to be asked before the call can run: ticket, and requests by their names.
    question: tuple[Ticket, dict[str, Any]] | None = None
    approved: bool = False
    #: What came from the other side, whole.
    result: Any = None


ENTERED: ContextVar[Entered | None] = ContextVar("schemarouter_mcp_entered", default=None)
