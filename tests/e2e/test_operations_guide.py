"""What ``docs/operations.md`` shows is what happens, in the order in which it stands there."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

from support.command import Run

GUIDE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def as_pattern(shown: str) -> str:
    """What is shown as a pattern: dots stand for what is different every time."""
    return ".+".join(map(re.escape, shown.split("...")))


def test_the_guide_is_what_happens(
    quick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "log.key").write_bytes(b"thirty-two bytes that nobody has\n")
    seen: dict[str, int] = {}
    names: dict[str, Any] = {}
    printed = ""
    for language, text in BLOCKS:
        seen[language] = seen.get(language, 0) + 1
        if language == "yaml":
            (tmp_path / "policy.yaml").write_text(text)
        elif language == "python":
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # shadow mode, which says so, and files that examples leave to be closed
                exec(compile(text, "operations.md", "exec"), names)
            printed = capsysbinary.readouterr().out.decode()
        elif language == "text":
            assert printed == text
        else:
            command, _, output = text.partition("\n")
            result = quick(*shlex.split(command.removeprefix("$ schemarouter ")))
            assert re.fullmatch(as_pattern(output), result.out), result.out
            assert result.code == (1 if "NOT WHOLE" in output else 0)
    assert seen == {"yaml": 1, "python": 7, "console": 4, "text": 1}
