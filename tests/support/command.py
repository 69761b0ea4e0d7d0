"""What tests of the command share: where the installed script is, its environment, and what a run leaves behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parents[1] / "e2e"
DATA = HERE / "data"
SNAPSHOTS = HERE / "snapshots"
SCRIPT = Path(sys.executable).with_name("schemarouter")

Run = Callable[..., "Result"]
Snapshot = Callable[[str, str], None]


class Result(NamedTuple):
    """What a process left behind."""

    code: int
    out: str
    err: str


def environment(**changes: str | None) -> dict[str, str]:
    """The environment of a plain shell: nothing that colours or widens the output unless a test says so."""
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    env |= {key: value for key, value in changes.items() if value is not None}
    return {key: value for key, value in env.items() if changes.get(key, value) is not None}
