"""Guides that are what happens: every block of a page is run, in the order in which it stands there.

The info string of a block says what it is: ``yaml NAME`` and ``json NAME`` are files, ``python`` is run in one namespace for the
page, ``console`` is a command and what it prints, ``text`` what the block before printed. ``...`` in what is printed stands for
what is different every time. Other blocks are not run.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ schemarouter "


def follow(page: Path, folder: Path, run: Callable[[list[str]], str]) -> list[str]:
    """Do what ``page`` says in ``folder``, the folder of this process; ``run`` runs our command. Returns the kinds of its blocks."""
    names: dict[str, Any] = {"__name__": "guide"}
    printed = ""
    kinds = []
    for kind, name, body in _BLOCK.findall(page.read_text("utf-8")):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(body, "utf-8")
        elif kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(body, page.name, "exec"), names)
            printed = output.getvalue()
        elif kind == "text":
            assert re.fullmatch(_pattern(body), printed, re.DOTALL), printed
        elif kind == "console":
            assert body.startswith(PROMPT)
            for part in body.split(PROMPT)[1:]:
                line, _, expected = part.partition("\n")
                said = run(shlex.split(line))
                assert re.fullmatch(_pattern(expected), said, re.DOTALL), f"{line}: {said}"
        else:
            continue
        kinds.append(kind)
    return kinds


def _pattern(shown: str) -> str:
    return ".*".join(map(re.escape, shown.split("...")))
