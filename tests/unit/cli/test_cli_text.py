"""What a file holds never reaches a terminal as a control character."""

from __future__ import annotations

import json
import os
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from schemarouter.model.names import HIDDEN
from schemarouter_cli.render.plain import dump
from schemarouter_cli.text import count, display_path, printable


def test_plain_text_stays_as_it_is() -> None:
    assert printable("unknown key `efect` in 北京") == "unknown key `efect` in 北京"


def test_hidden_characters_are_named() -> None:
    assert printable("a\x1b[31m\u202eb\nc") == "a<U+001B>[31m<U+202E>b<U+000A>c"
    assert printable("\U000e0041") == "<U+E0041>"


@given(st.text())
def test_nothing_hidden_is_left(text: str) -> None:
    result = printable(text)
    assert HIDDEN.search(result) is None
    assert not any(unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for one in result)


def test_bytes_of_a_file_name_that_are_no_utf8_are_written_out() -> None:
    assert display_path(os.fsdecode(b"caf\xe9/\xc3\xa9.yaml")) == "caf\\xe9/é.yaml"


@given(st.text())
def test_json_is_ascii_and_has_no_lone_surrogate(text: str) -> None:
    written = dump({text: [text]})
    assert written.isascii()
    (key, values), *_ = json.loads(written).items()
    assert [key] == values
    key.encode("utf-8")  # raises for a lone surrogate


def test_counts() -> None:
    assert (count(0, "file"), count(1, "file"), count(2, "file")) == ("0 files", "1 file", "2 files")
