"""The mapping of names in front: total, injective, and undone by its way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemarouter.errors import RegistrationError
from schemarouter.integrations.mcp_proxy.names import FrontNames

NAMES = st.text("ab_.:%/é", min_size=1, max_size=5)


@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_has_one_way_there_and_back(servers: list[str], names: list[str]) -> None:
    try:
        mapping = FrontNames(servers)
    except RegistrationError:
        return
    pairs = [(server, name) for server in servers for name in names]
    for there, back in ((mapping.front, mapping.behind), (mapping.front_uri, mapping.behind_uri)):
        front = [there(*pair) for pair in pairs]
        assert len(set(front)) == len(pairs)
        assert [back(name) for name in front] == pairs


@given(st.lists(NAMES, min_size=2, max_size=3, unique=True), st.text("ab_.:%/émcp-roxy2F", max_size=20))
def test_a_name_in_front_is_that_of_one_thing_behind_or_of_nothing(servers: list[str], front: str) -> None:
    try:
        mapping = FrontNames(servers)
    except RegistrationError:
        return
    for there, back in ((mapping.front, mapping.behind), (mapping.front_uri, mapping.behind_uri)):
        found = back(front)
        assert found is None or there(*found) == front


def test_names_that_could_be_read_in_two_ways_are_refused() -> None:
    for servers in (["a", "a__b"], ["a_", "a"], ["x", "a_"], ["a", "a"], ["a", "a.b"]):
        with pytest.raises(RegistrationError):
            FrontNames(servers)
    assert FrontNames(["a__b"]).behind("tool") == ("a__b", "tool")  # alone, nothing is renamed
    assert FrontNames(["git", "a-b"]).front("git", "git__status") == "git__git__status"
    assert FrontNames(["git", "files"]).behind("git__git__status") == ("git", "git__status")
