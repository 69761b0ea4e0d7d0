"""Descriptions of servers and limits: what they refuse, and that they do not show what may be a credential."""

from __future__ import annotations

from typing import Any

import pytest

from schemarouter.sources.mcp import HttpServer, McpLimits, McpSource, StdioServer
from schemarouter.sources.problem import SourceError


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://h/",
        "file:///etc/passwd",
        "http://",
        "http:///mcp",
        "http://h:0/",
        "http://h:99999/",
        "http://h/ x",
        "http://h/\n",
        "http://ä/",
        3,
        None,
    ],
)
def test_addresses_that_are_none(url: Any) -> None:
    with pytest.raises(SourceError, match="must be a plain http or https URL"):
        HttpServer(url)


@pytest.mark.parametrize("url", ["http://user:s3cret@h/mcp", "http://s3cret@h/mcp", "http://h/mcp#s3cret"])
def test_credentials_do_not_belong_into_an_address(url: str) -> None:
    with pytest.raises(SourceError, match="a user name, a password or a fragment") as caught:
        HttpServer(url)
    assert "s3cret" not in str(caught.value)
    assert caught.value.help == "put credentials into `headers`"


@pytest.mark.parametrize("headers", [{"a": "b\r\nc: d"}, {"a\n": "b"}, {"": "b"}, {"a": 3}, {"a": "ä"}])
def test_headers_that_are_none(headers: Any) -> None:
    with pytest.raises(SourceError, match="must be printable ASCII"):
        HttpServer("http://h/mcp", headers)


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": ""},
        {"command": "a\0b"},
        {"command": 3},
        {"command": "a", "args": ["\0"]},
        {"command": "a", "args": [3]},
        {"command": "a", "env": {"A": 3}},
        {"command": "a", "env": {"A\0": "b"}},
    ],
)
def test_commands_that_are_none(arguments: Any) -> None:
    with pytest.raises(SourceError, match="needs a command"):
        StdioServer(**arguments)


def test_other_mistakes_of_a_command() -> None:
    with pytest.raises(SourceError, match="a list of texts, not one text"):
        StdioServer("a", "--flag")
    with pytest.raises(SourceError, match="`stderr` of a server"):
        StdioServer("a", stderr="show")


def test_descriptions_keep_what_may_be_a_credential_to_themselves() -> None:
    assert "s3cret" not in repr(StdioServer("server", ["--token=s3cret"], {"TOKEN": "s3cret"}))
    assert "s3cret" not in repr(HttpServer("https://h/mcp?key=s3cret", {"authorization": "s3cret"}))


def test_descriptions_do_not_change_later() -> None:
    args, env = ["a"], {"A": "b"}
    server = StdioServer("c", args, env)
    args.append("x")
    env["B"] = "y"
    assert (server.args, server.env) == (("a",), {"A": "b"})


@pytest.mark.parametrize(
    "limits",
    [
        {"connect_seconds": 0},
        {"call_seconds": -1},
        {"list_seconds": float("inf")},
        {"list_seconds": float("nan")},
        {"max_pages": 1.5},
        {"max_tools": True},
        {"max_messages_per_second": 1.5},
        {"max_message_bytes": "1"},
    ],
)
def test_limits_are_numbers_above_zero(limits: Any) -> None:
    with pytest.raises(ValueError, match="must be a number above zero"):
        McpLimits(**limits)


def test_sources_refuse_what_is_no_server() -> None:
    with pytest.raises(TypeError, match="a server is a `StdioServer` or a `HttpServer`, not a `str`"):
        McpSource("s", "http://h/mcp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`protocol` must be"):
        McpSource("s", StdioServer("a"), protocol="2024-11-05")  # type: ignore[arg-type]
    with pytest.raises(SourceError, match="the local name of a server is empty"):
        McpSource("", StdioServer("a"))
