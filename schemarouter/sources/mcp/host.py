"""What the side of the client lends to a connection: answers to what a server asks, ears for what it says, and a watch
over its process.

Without one, sampling, elicitation and roots are refused, and only changes of the tools are heard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class McpHost:
    """Callbacks of one connection, with the signatures of the SDK's client.

    ``sampling``, ``elicitation`` and ``roots`` answer requests of the server; what is ``None`` is not offered to it.
    ``told`` gets every notification that is not about the tools. ``process`` is called with the id of the group
    of processes that the server runs in, and ``True`` once it runs, ``False`` once it is gone.
    """

    sampling: Callable[..., Any] | None = None
    elicitation: Callable[..., Any] | None = None
    roots: Callable[..., Any] | None = None
    told: Callable[[Any], None] | None = None
    process: Callable[[int, bool], None] | None = None
