"""The reader on files that were damaged: no exception, no document beside an error, every finding in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemarouter.document.reader import ReadResult, detect_format, read_policy
from schemarouter.model.names import HIDDEN
from support.mutate import MUTATIONS, mutate

CORPUS = Path(__file__).parents[2] / "corpus"
FILES = sorted(
    path
    for path in CORPUS.rglob("*")
    if (path.suffix in {".yaml", ".toml"} and path.parent.parent.name == "bad") or path.parent.name == "good"
)
SEEDS = [path.read_bytes() for path in FILES]


def check(raw: bytes, path: str) -> ReadResult:
    result = read_policy(raw, path, detect_format(path, raw))
    errors = [finding for finding in result.findings if finding.severity == "error"]
    assert (result.document is None) == bool(errors)
    assert list(result.findings) == sorted(result.findings, key=lambda finding: finding.sort_key)
    assert len({finding.fingerprint for finding in result.findings}) == len(result.findings)
    for finding in result.findings:
        assert finding.span[:2] <= finding.span[2:]
        assert finding.span.line >= 1
        assert finding.span.column >= 1
        assert HIDDEN.search(finding.message) is None
    return result


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.sampled_from(SEEDS),
    other=st.sampled_from(SEEDS),
    steps=st.lists(st.tuples(st.sampled_from(MUTATIONS), st.integers(0, 2**32 - 1)), min_size=1, max_size=4),
    suffix=st.sampled_from(["yaml", "toml"]),
)
def test_damaged_files(seed: bytes, other: bytes, steps: list[tuple[str, int]], suffix: str) -> None:
    for mutation, number in steps:
        seed = mutate(seed, other, mutation, number)
    check(seed, f"policy.{suffix}")


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet=st.sampled_from("version: 1\n-[]{}'\"#&*!|>%@`,?=.<~\t\x00\u2028abc01"), max_size=80))
def test_soup_of_syntax(text: str) -> None:
    for suffix in ("yaml", "toml"):
        check(text.encode(), f"policy.{suffix}")


#: JSON-like values, as whatever may stand at any key of a document.
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats()
    | st.sampled_from(["", "a", "a.b", "yes", "1:30", "\u200b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["operation", "effect", "name", "arguments", "remote", "type", "zebra"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
KEYS = [
    "version",
    "name",
    "defaults",
    "approval",
    "classify",
    "rules",
    "budget",
    "retry",
    "hooks",
    "invariants",
    "rule",
]


@settings(max_examples=250, deadline=None)
@given(document=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4), rules=st.lists(VALUES, max_size=3))
def test_every_value_at_every_key(document: dict[str, object], rules: list[object]) -> None:
    import json

    document = {"version": 1, "rules": rules, **document}
    check(json.dumps(document, indent=1).encode(), "policy.yaml")


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 10_000_000,
        b"{" * 10_000_000,
        b"- " * 5_000_000,
        b"? " * 5_000_000,
        b"a: " + b"[" * 5_000_000 + b"]" * 5_000_000,
        b"version: 1\nrules: " + b"[[" * 100_000,
        b"".join(b" " * depth + b"a:\n" for depth in range(3_000)),
        b'"' + b"a" * 10_000_000,
        b"a: b: " * 100_000,
        b"&a " * 100_000,
        b"*a\n" * 100_000,
        b"# " + b"x" * 10_000_000,
        b"x" * 17_000_000,
        b"version: 1\nrules: [" + b"a, " * 100_001 + b"]",
        b"version: 1\n" + b"".join(b"k%d: 1\n" % number for number in range(50_000)),
        b"version: 1\nrules:\n" + b"- {operation: 5, effect: x, y: 1}\n" * 20_000,
        b"version: 1\nrules:\n" + b"- {name: a, operation: [x], effect: deny, when: {remote: yes}}\n" * 20_000,
        b"version: 1\nbudget: {cost_units: {" + b",".join(b'"a%d*": 010' % number for number in range(20_000)) + b"}}",
        b"version: 1\nrules:\n- operation: [" + b'"a\\u200b", ' * 20_000 + b"]\n  effect: deny\n",
        b"version: 1\nrules:\n- operation: a.b\n  effect: deny\n  when: {arguments: {"
        + b",".join(b"a%d: {maximun: 1}" % number for number in range(20_000))
        + b"}}",
    ],
    ids=lambda raw: raw[:24].decode(errors="replace"),
)
@pytest.mark.parametrize("suffix", ["yaml", "toml"])
@pytest.mark.timeout(60)
def test_hostile_files_are_refused_quickly(raw: bytes, suffix: str) -> None:
    result = read_policy(raw, f"policy.{suffix}", "yaml" if suffix == "yaml" else "toml")
    assert result.document is None
    assert 0 < len(result.findings) < 5_000
