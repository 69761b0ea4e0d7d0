"""What standard output is: coloured or not, how wide, which characters."""

from __future__ import annotations

import os
import shutil
import sys

#: Without a terminal: wide enough for a policy, and the same everywhere.
DEFAULT_WIDTH = 100


def wants_color(choice: str, *, stderr: bool = False) -> bool:
    """Whether to colour: the option, then ``NO_COLOR``, then ``FORCE_COLOR``, then whether a person is looking."""
    stream = sys.stderr if stderr else sys.stdout
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def screen_width() -> int:
    """Columns of the terminal, or of ``COLUMNS``."""
    return min(max(shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns, 40), 160)


def has_unicode() -> bool:
    """Whether standard output can show box characters."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    return encoding.startswith("utf")
