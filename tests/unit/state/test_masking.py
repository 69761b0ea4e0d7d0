"""What a person sees of arguments: no secret that looks like one, and nothing that moves the cursor."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.state.masking import MASK, masked
from schemarouter.state.visible import visible

CANARY = "c4n4ry-s3cret"
NAMES = (
    *("password", "Passwd", "db_password", "passphrase", "secret", "client-secret", "token", "access_token", "apiKey"),
    *("API-KEY", "x_api_key", "private key", "credentials", "Authorization", "authorisation", "Cookie", "set-cookie"),
    *("session_id", "pin", "OTP", "cvv", "connectionString", "auth", "pwd", "jwt", "key", "iban", "card_number"),
)
TEXTS = (
    "Bearer abcdefghijklmnop",
    "curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nabc",
    "sk-abcdefghijklmnopqrst",
    "ghp_abcdefghijklmnopqrst",
    "xoxb-123456789012-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "postgres://user:hunter2@db.example/x",
    "export TOKEN=abc",
    "password: hunter2",
    '{"api_key": "x"}',
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
)
PLAIN = (
    *(
        "hello",
        "refund of 12.50 to Bob",
        "2026-12-01T06:18:45Z",
        "https://example.com/path?page=2",
        "/home/user/notes.txt",
    ),
    *("3fa85f64-5717-4562-b3fc-2c963f66afa6", "d3a1e6d0540328d22f02edb17cabca4312bc741257737540c2db59f681df9577"),
    *("a sentence about tokens and passwords in general", "user@example.com", ""),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_says_so_masks_what_is_below_it(name: str) -> None:
    for value in (CANARY, 1234, [CANARY], {"deep": {"deeper": [CANARY]}}, None):
        assert masked({"a": [{name: value}]}) == {"a": [{name: MASK}]}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_looks_like_one_is_masked_under_any_name(text: str) -> None:
    assert masked({"note": ["ok", {"x": text}]}) == {"note": ["ok", {"x": MASK}]}
    assert list(masked({text: 1})) == [MASK]


def test_no_argument_disappears() -> None:
    value = {"sk-abcdefghijklmnopqrst": 1, MASK: 2, "sk-abcdefghijklmnopqrsu": 3, f"{MASK} 2": 4}
    assert masked(value) == {f"{MASK} 3": 1, MASK: 2, f"{MASK} 4": 3, f"{MASK} 2": 4}


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_plain_can_be_read(text: str) -> None:
    value = {"amount": 5, "recipient": text, "flags": [True, None, 1.5], "monkey": "x", "author": "y", "compass": "z"}
    assert masked(value) == value


def test_long_texts_are_looked_at_in_linear_time() -> None:
    for text in ("a" * 200_000, "aA1" * 60_000, "://" * 60_000, "token " * 30_000, "Bearer " * 30_000, "eyJ" * 60_000):
        masked({"x": text})


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), JSON), st.sampled_from(NAMES))
def test_nothing_below_a_secret_name_is_left(value: dict[str, Any], name: str) -> None:
    value[name] = {"inner": [CANARY, {CANARY: CANARY}]}
    assert CANARY not in json.dumps(masked({"outer": [value]}))


@given(st.text())
def test_what_is_visible_is_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert visible(shown) == shown
    assert "\x1b" not in shown


def test_what_is_seen_as_itself_stays() -> None:
    for text in ("Grüße, 東京 — ok", "a b", "é", "ю"):
        assert visible(text) == text
    assert visible("\x1b[2J\u202e\u200b\r\n\ue000") == "<U+001B>[2J<U+202E><U+200B><U+000D><U+000A><U+E000>"
