"""The options of the hook, which it reads by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.integrations.claude_code.options import OPTIONS, HookOptions, OptionError, parse, times, write

values = st.text(min_size=1, max_size=8)


@st.composite
def options(draw: st.DrawFn) -> HookOptions:
    told = {}
    for option in OPTIONS:
        key = option.name.replace("-", "_")
        if option.metavar is None:
            told[key] = draw(st.booleans())
        elif option.many:
            told[key] = tuple(draw(st.lists(values, max_size=3)))
        else:
            told[key] = draw(st.none() | values)
    return HookOptions(**told)


@given(options())
def test_what_is_written_is_read(given: HookOptions) -> None:
    assert parse(write(given)) == given


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bogus"], "does not know"),
        (["file"], "does not know"),
        (["--art", "x"], "does not know"),
        (["--artifact"], "needs a value"),
        (["--artifact", ""], "is empty"),
        (["--artifact="], "is empty"),
        (["--artifact", "a", "--artifact", "b"], "given twice"),
        (["--any-mode=no"], "takes no value"),
    ],
)
def test_nothing_is_guessed(arguments: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse(arguments)


def test_a_value_may_look_like_an_option() -> None:
    assert parse(["--artifact", "--digest"]).artifact == "--digest"
    assert parse(["--server=a=b", "--server", "c"]).server == ("a=b", "c")


def test_times() -> None:
    assert times(parse([])) == (0, 8)
    assert times(parse(["--wait", "30"])) == (30, 38)
    assert times(parse(["--wait", "3", "--time-limit", "4"])) == (3, 4)


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "1e9", "x"])
def test_times_that_are_none(text: str) -> None:
    for arguments in (["--time-limit", text], ["--wait", text]):
        with pytest.raises(OptionError, match="no number of seconds"):
            times(parse(arguments))
    with pytest.raises(OptionError, match="not above"):
        times(parse(["--wait", "5", "--time-limit", "5"]))
