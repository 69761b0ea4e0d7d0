"""A console that renders to text."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType

SEVERITY_COLORS: dict[str, str] = {"error": "red", "warning": "yellow", "info": "cyan"}


def render(parts: Iterable[RenderableType], *, color: bool, width: int) -> str:
    """Render ``parts``, one below the other, to text; with ANSI colours if ``color``."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        legacy_windows=False,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for part in parts:
        console.print(part, soft_wrap=True)
    # Tables fill their cells up with blanks; nobody needs those at the end of a line.
    return "".join(f"{line.rstrip(' ')}\n" for line in buffer.getvalue().split("\n")[:-1])
