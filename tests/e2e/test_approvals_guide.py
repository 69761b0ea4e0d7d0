"""What ``docs/approvals.md`` shows is what happens, in its order: the agent's code, and the approver's commands."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.command import Run

GUIDE = (Path(__file__).parents[2] / "docs" / "approvals.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(python|yaml|console)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def plain(text: str, folder: Path) -> str:
    """Without what differs from run to run: ids, keys, times and the folder."""
    text = text.replace(str(folder), "/srv/agent")
    text = re.sub(r"ed25519:[\w-]{43}", "ed25519:KEY", re.sub(r"\b[0-9a-f]{32,64}\b", "ID", text))
    return re.sub(r"\d+ s ago|just now", "AGO", text)


def test_the_guide_is_what_happens(quick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chmod(tmp_path, 0o700)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pass").write_text("a passphrase\n")
    (tmp_path / "policy.yaml").write_text(next(text for kind, text in BLOCKS if kind == "yaml"))
    names: dict[str, Any] = {}
    setup = []
    seen = 0
    for kind, text in BLOCKS:
        if kind == "console":
            command, _, expected = text.removeprefix("$ ").partition("\n")
            if command.startswith("touch "):
                Path(command.removeprefix("touch ")).touch()
                continue
            words = (
                shlex.split(command.replace(_id_of(command), waiting(names)))
                if "router" in names
                else shlex.split(command)
            )
            if "keygen" in words:
                words += ["--passphrase-file", "pass"]
            result = quick(*words[1:])
            assert result.code == 0, result.err
            assert plain(result.out, tmp_path) == plain(expected, tmp_path)
            if "keygen" in words:
                (tmp_path / "approver.pub").write_text(result.out)
                for code in setup:
                    exec(code, names)
            seen += 1
        elif kind == "python" and "\n# " in text:
            code, _, comment = text.partition("\n# ")
            shown = " ".join(line.removeprefix("# ") for line in comment.strip().splitlines())
            assert plain(outcome(code, names), tmp_path) == plain(shown, tmp_path)
            seen += 1
        elif kind == "python":
            setup.append(text)
    assert seen == 8
    assert names["store"].used("run-7") == {"calls": 2, "attempts": 2}


def outcome(code: str, names: dict[str, Any]) -> str:
    try:
        return repr(eval(code, names))
    except Exception as error:  # noqa: BLE001 - what the guide shows
        return f"{type(error).__name__}: {error}"


def _id_of(command: str) -> str:
    found = re.search(r"\b[0-9a-f]{64}\b", command)
    return found[0] if found else "no id"


def waiting(names: dict[str, Any]) -> str:
    """The id of the request that waits."""
    return next((one.request.id for one in names["store"].requests() if one.status == "pending"), "none")
