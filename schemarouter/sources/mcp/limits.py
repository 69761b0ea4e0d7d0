"""How much an MCP server may ask of this process. What goes beyond is an error with a reason, never a wait or a crash."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class McpLimits:
    """Bounds on one connection; times in seconds.

    Raises ``ValueError`` for what is not a finite number above zero.
    """

    #: From the start of the connection until the protocol version is agreed on.
    connect_seconds: float = 30.0
    #: For all pages of one listing.
    list_seconds: float = 30.0
    #: For one call. The elapsed budget of a run may end it earlier.
    call_seconds: float = 120.0
    #: For a server to end by itself once its input is closed, and again after it was told to.
    close_seconds: float = 2.0
    #: Bytes of one message from the server.
    max_message_bytes: int = 8_000_000
    #: Messages from the server in any one second.
    max_messages_per_second: int = 2_000
    #: Pages of one listing.
    max_pages: int = 100
    #: Tools of one server.
    max_tools: int = 2_000
    #: Bytes of one listing, all pages together.
    max_listing_bytes: int = 16_000_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            allowed = (int, float) if field.name.endswith("seconds") and not field.name.startswith("max") else (int,)
            if type(value) not in allowed or not math.isfinite(value) or value <= 0:
                raise ValueError(f"`{field.name}` must be a number above zero")
