"""The last resort: whatever goes wrong inside, the user gets one line and an exit code."""

from __future__ import annotations

import pytest

import schemarouter_cli.app
from schemarouter_cli.__main__ import main, run


@pytest.fixture(autouse=True)
def _settings_of_a_short_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not for the process that runs the tests."""
    monkeypatch.setattr("schemarouter_cli.__main__._start_quickly", lambda: None)


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(schemarouter_cli.app, "run_command", fail)


@pytest.mark.parametrize("error", [ValueError("secret"), RecursionError(), MemoryError(), AssertionError("secret")])
def test_an_unexpected_error_is_one_line_without_its_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    monkeypatch.delenv("SCHEMAROUTER_DEBUG", raising=False)
    failing(monkeypatch, error)
    assert run(["check"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: internal error ({type(error).__name__}), please report it")
    assert "secret" not in shown
    assert "Traceback" not in shown


def test_the_traceback_is_there_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCHEMAROUTER_DEBUG", "1")
    failing(monkeypatch, ValueError("details"))
    assert run(["check"]) == 2
    assert "ValueError: details" in capsys.readouterr().err


def test_an_interrupt_at_any_moment(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    assert run(["check"]) == 130
    assert capsys.readouterr() == ("", "")


def test_an_error_of_the_system_says_what_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("schemarouter_cli.streams.abandon", lambda: None)
    failing(monkeypatch, OSError(24, "Too many open files"))
    assert run(["check"]) == 2
    assert capsys.readouterr().err == "error: too many open files\n"


def test_main_exits_with_the_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["schemarouter", "--version"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("schemarouter ")
