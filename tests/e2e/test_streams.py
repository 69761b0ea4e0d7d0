"""Terminals, pipes, signals and hostile text: whatever happens, no traceback and no raw control character."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from support.command import SCRIPT, Run, environment

BROKEN = "version: 1\nrulez: []\n"
ESCAPE = "\x1b"


def shell(command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in bash, where ``schemarouter`` is the installed script."""
    full = f"schemarouter() {{ '{SCRIPT}' \"$@\"; }}; set -o pipefail; {command}"
    return subprocess.run(
        ["bash", "-c", full], cwd=cwd, env=environment(**env), capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(BROKEN)
    return tmp_path


# Colour


@pytest.mark.parametrize(
    ("options", "env", "colored"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": ""}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "always", "--output-format", "json"], {}, False),
        (["--color", "always", "--output-format", "github"], {}, False),
        (["--color", "always", "--output-format", "sarif"], {}, False),
    ],
)
def test_colour_without_a_terminal(
    quick: Run, broken: Path, options: list[str], env: dict[str, str], colored: bool
) -> None:
    assert (ESCAPE in quick("check", *options, env=env).out) is colored


@pytest.mark.parametrize(
    ("env", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)]
)
def test_colour_on_a_terminal(broken: Path, env: dict[str, str], colored: bool) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [SCRIPT, "check"], cwd=broken, env=environment(**{"TERM": "xterm"} | env), stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # Linux says so when the other end is closed
            pass
    os.close(ours)
    assert process.returncode == 1
    assert b"SR101" in shown
    assert (b"\x1b[" in shown) is colored


# Output that nobody takes


def test_a_reader_that_goes_away_is_no_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("version: 1\n" + "".join(f"key{number}: 1\n" for number in range(3000)))
    done = shell("schemarouter check | head -n 1", tmp_path)
    assert (done.returncode, done.stderr) == (141, "")
    assert done.stdout.startswith("error: SR010[limit-exceeded]")


@pytest.mark.parametrize("command", ["check", "--version", "rule SR301", "schema check", "compile clean.yaml -o -"])
def test_an_output_that_is_full_is_reported(broken: Path, command: str) -> None:
    (broken / "clean.yaml").write_text("version: 1\n")
    done = shell(f"schemarouter {command} > /dev/full", broken)
    assert done.returncode == 2
    assert "no space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_output_that_is_closed_is_reported(broken: Path) -> None:
    done = shell("schemarouter check >&-", broken)
    assert (done.returncode, done.stderr) == (2, "error: standard output is closed\n")
    assert shell("schemarouter check 2>&-", broken).returncode == 1
    assert shell("schemarouter check missing.yaml 2>&-", broken).returncode == 2
    assert shell("schemarouter --version >&-", broken).returncode == 2
    done = shell("schemarouter check - <&-", broken)
    assert (done.returncode, done.stderr) == (2, "error: standard input is closed\n")


def test_a_closed_output_is_not_written_into_the_next_file(broken: Path) -> None:
    (broken / "clean.yaml").write_text("version: 1\n")
    shell("schemarouter compile clean.yaml -o out.json >&- 2>&-", broken)
    assert json.loads((broken / "out.json").read_text())["format"] == "schemarouter.graph"


def test_an_interrupt_ends_quietly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "policy.yaml")
    with (
        subprocess.Popen(
            [SCRIPT, "check", "policy.yaml"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
        open(tmp_path / "policy.yaml", "wb"),
    ):  # returns when the command opens its end, to wait for the text
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


# What the terminal cannot show, and what it must not be shown


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_a_terminal_that_knows_only_ascii(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "policy.yaml").write_text('version: 1\nrulez: "北京"\n', encoding="utf-8")
    env = env | {"PYTHONCOERCECLOCALE": "0"}
    for command in ("check", "rule SR302", "check --color always", "rule", "explain policy.yaml --operation 北.京"):
        done = subprocess.run(
            [SCRIPT, *command.split()],
            cwd=tmp_path,
            env=environment(**env),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in done.stderr + done.stdout
        assert b"internal error" not in done.stderr
        if "PYTHONIOENCODING" in env:
            assert done.stdout.isascii()


HOSTILE = 'version: 1\nname: "\x1b]0;owned\x07\x1b[2J"\nrulez\u202e: 1\n# \x9b31m \u2066 \u200b \x00\n\x1b[31m: [\n'


@pytest.mark.parametrize("output_format", ["full", "concise", "json", "github", "sarif"])
@pytest.mark.parametrize("name", ["policy.yaml", "policy.toml"])
def test_nothing_of_a_hostile_file_reaches_the_terminal_as_a_control(
    quick: Run, tmp_path: Path, output_format: str, name: str
) -> None:
    (tmp_path / name).write_bytes(HOSTILE.encode())
    evil = tmp_path / "\x1b[31m\u202e\r\n::error::x.policy.yaml"
    evil.write_bytes(HOSTILE.encode())
    result = quick("check", name, evil.name, "missing\x1b[31m.yaml", "--output-format", output_format)
    assert result.code == 2
    for text in (result.out, result.err):
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", text) is None
    assert not any(line.startswith("::error::") for line in result.out.splitlines())


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff\xfev\x00", b"\x00" * 100, b"[" * 100_000, b"a: &a [*a]\n", b"\xe9", b"- " * 50_000, b"'" * 9999],
    ids=["empty", "utf-16", "nul", "nesting", "self-anchor", "latin-1", "dashes", "quotes"],
)
def test_every_file_gets_an_answer(quick: Run, raw: bytes) -> None:
    for format_ in ("yaml", "toml"):
        result = quick("check", "-", "--format", format_, stdin=raw)
        assert result.code == 1
        assert "error: SR" in result.out


def test_an_endless_input_is_cut_off(broken: Path) -> None:
    done = shell("schemarouter check /dev/zero --output-format concise", broken)
    assert (done.returncode, done.stdout.split(" ")[1]) == (1, "SR010[limit-exceeded]")
