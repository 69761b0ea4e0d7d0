"""The compiled artifact: what is written is read back; whatever else it may hold is refused with one kind of error."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from schemarouter import ExecutionPolicy, PolicyRule
from schemarouter.compiler.artifact import dump_artifact, load_artifact
from schemarouter.compiler.digest import canonical, digest_of_text
from schemarouter.errors import ArtifactError, PolicyError
from support.policies import from_yaml

TEXT = """\
version: 1
name: pay
classify: [{operation: "books.*", read_only: true}]
approval: {mode: non_read_only, callback: ops}
rules:
  - {name: jobs, operation: jobs.create, effect: allow, reason: "ruhig Blut: grün"}
  - name: refunds
    operation: [pay.refund, pay.return]
    effect: require_approval
    when: {remote: true, arguments: {amount: {type: number, maximum: 500}}}
budget: {max_tool_calls: 4, max_elapsed_seconds: 1.5, cost_units: {"*": 0.25}, per_tool_calls: {pay: 2}}
retry: {max_attempts: 3}
hooks: {before_call: [audit]}
invariants: [{name: no-deletes, never: "destructive remote allow"}]
"""
GRAPH = from_yaml(TEXT)
DATA = dump_artifact(GRAPH)
PLACES = '"rules":[6,5,7,5]'
assert PLACES in DATA.decode()
MALFORMED = "cannot be read"


def changed(**members: Any) -> str:
    """The artifact with other members, and a digest that fits: malformed on purpose, not by accident."""
    parts = json.loads(DATA) | members
    if "digest" not in members:
        parts["digest"] = digest_of_text(canonical(parts["policy"]))
    return json.dumps(parts)


def with_policy(path: tuple[str | int, ...], value: Any) -> str:
    policy = json.loads(DATA)["policy"]
    place = policy
    for step in path[:-1]:
        place = place[step]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed(policy=policy)


REMOVED = "<removed>"


@pytest.mark.parametrize(
    "data", [DATA, DATA.decode(), json.dumps(json.loads(DATA), indent=2), DATA.replace(b"\n", b"")]
)
def test_what_was_written_is_read(data: bytes | str) -> None:
    graph = load_artifact(data)
    assert graph == GRAPH
    assert graph.rules == GRAPH.rules, "with their positions"
    assert graph.content == GRAPH.content
    assert load_artifact(data, GRAPH.digest).digest == GRAPH.digest
    assert dump_artifact(graph) == DATA


def test_the_file_is_ascii_json_with_one_member_a_line() -> None:
    assert DATA.isascii()
    assert [line.split(":")[0] for line in DATA.decode().splitlines()] == [
        "{", '"format"', '"version"', '"digest"', '"policy"', '"locations"', "}",
    ]  # fmt: skip


def test_a_policy_without_a_file_has_no_locations() -> None:
    built = ExecutionPolicy(rules=[PolicyRule("allow", "a.b")]).graph
    assert json.loads(dump_artifact(built))["locations"] is None
    assert load_artifact(dump_artifact(built)).rules == built.rules


@pytest.mark.parametrize("flip", [1, 0x20, 0x80, 0xFF])
def test_every_flipped_byte_is_found_or_changes_nothing(flip: int) -> None:
    """Positions and layout are outside the digest; everything else is found."""
    survived = 0
    for place in range(len(DATA)):
        damaged = bytearray(DATA)
        damaged[place] ^= flip
        try:
            graph = load_artifact(bytes(damaged))
        except ArtifactError:
            continue
        survived += graph == GRAPH
        assert graph == GRAPH
    assert survived < len(DATA) / 10


def test_every_truncation_is_found() -> None:
    for size in range(len(DATA) - 2):
        with pytest.raises(ArtifactError):
            load_artifact(DATA[:size])


def test_damage_is_told_from_malformed_content() -> None:
    with pytest.raises(ArtifactError, match="does not match its digest"):
        load_artifact(DATA.replace(b"jobs.create", b"jobs.delete"))
    with pytest.raises(ArtifactError, match="does not match its digest"):
        load_artifact(changed(digest="0" * 64))
    with pytest.raises(ArtifactError, match="does not match its digest"):
        load_artifact(changed(digest=None))


def test_a_pinned_digest_is_compared() -> None:
    with pytest.raises(ArtifactError, match="is not the one that is expected") as caught:
        load_artifact(DATA, "0" * 64)
    assert isinstance(caught.value, PolicyError)
    assert GRAPH.digest in str(caught.value)


def test_a_forged_line_is_not_hashed_in_place_of_the_policy() -> None:
    """The text that is hashed is the text that is read, wherever a second `policy` is put."""
    policy = json.loads(DATA)["policy"]
    policy["rules"][0][2] = "deny"
    lines = DATA.decode().split("\n")
    with pytest.raises(ArtifactError):
        load_artifact("\n".join([*lines[:5], f'"policy":{canonical(policy)},', *lines[5:]]))
    with pytest.raises(ArtifactError):
        load_artifact("\n".join([*lines[:5], f'"locations":null,"policy":{canonical(policy)}', "}", ""]))


@pytest.mark.parametrize("version", [2, 99, 10**30])
def test_a_newer_version_asks_for_an_upgrade(version: int) -> None:
    for data in (changed(version=version), with_policy(("version",), version)):
        with pytest.raises(ArtifactError, match=f"version {version}, and this release reads up to 1") as caught:
            load_artifact(data)
        assert caught.value.help is not None
        assert "upgrade" in caught.value.help


def test_a_newer_version_may_look_different() -> None:
    with pytest.raises(ArtifactError, match="version 2"):
        load_artifact('{"format": "schemarouter.graph", "version": 2, "rules": {}}')


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{}", b"[]", b"null", b"1", b'"x"', b"{", b"\xff\xfe", b"\xef\xbb\xbf" + DATA, b"version: 1\n",
        "[" * 100_000, "{\"a\":" * 100_000, "\ud800", "1" * 5000, DATA * 2, DATA + b"x",
        changed(format="other"), changed(version=0), changed(version=True), changed(version="1"), changed(version=1.0),
        changed(extra=1), changed(policy=None), changed(policy=[]), changed(policy={}), changed(locations={}),
        changed(locations=[]), changed(locations={"path": 1, "rules": [1, 1, 2, 2]}),
        changed(locations={"path": "p", "rules": [1, 1]}), changed(locations={"path": "p", "rules": [1, 1, 2]}),
        changed(locations={"path": "p", "rules": [1, 1, 2, 0]}), changed(locations={"path": "p", "rules": [1, 1, 2, True]}),
        changed(locations={"path": "p", "rules": [1, 1, 2, 2.0]}), changed(locations={"path": "p", "rules": None}),
        DATA.replace(b'"format":', b'"format":"schemarouter.graph","format":'),
        DATA.replace(b'"digest":', b'"digest":"x","digest":'),
        DATA.decode().replace(PLACES, PLACES.replace("6", "NaN")),
        DATA.decode().replace(PLACES, PLACES.replace("6", "Infinity")),
    ],
    ids=lambda data: repr(data[:30]),
)  # fmt: skip
def test_what_is_no_artifact_is_refused(data: bytes | str) -> None:
    with pytest.raises(ArtifactError) as caught:
        load_artifact(data)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("format",), "x"), (("name",), 5), (("rules",), {}), (("rules", 0), {}), (("rules", 0), []),
        (("rules", 0, 0), 5), (("rules", 0, 0), ""), (("rules", 0, 0), "a\u202eb"), (("rules", 0, 1), "jobs.create"),
        (("rules", 0, 1), []), (("rules", 0, 1), [5]), (("rules", 0, 1), [" a.b"]), (("rules", 0, 1, 0), "a\u0000.b"),
        (("rules", 0, 2), "permit"), (("rules", 0, 2), None), (("rules", 0, 2), ["allow"]), (("rules", 0, 3), 5),
        (("rules", 0, 4), []), (("rules", 0, 4), [1, None, None, None]), (("rules", 0, 4), ["true", None, None, None]),
        (("rules", 0, 4), [None, True, None, True]), (("rules", 0, 4), [None, None, None]), (("rules", 0, 4), {}),
        (("rules", 0, 5), {}), (("rules", 0, 5), []), (("rules", 0, 5), {"a": {"pattern": "x"}}),
        (("rules", 0, 5), {"a": {"maximum": "5"}}), (("rules", 0, 5), {"a": 5}),
        (("classify", 0), []), (("classify", 0), [["a.b"], 1, None]), (("classify", 0), [[], True, None]),
        (("classify", 0), [["a\u200b.b"], True, None]), (("classify", 0), ["a.b", True, None]), (("classify",), None),
        (("approval", "mode"), "sometimes"), (("approval", "mode"), ["all"]), (("approval", "callback"), 5),
        (("approval",), {"mode": "all"}), (("defaults", "allow_mutations"), 1), (("defaults", "allow_mutations"), "true"),
        (("defaults", "allow_all"), True), (("budget", "max_tool_calls"), -1), (("budget", "max_tool_calls"), True),
        (("budget", "max_tool_calls"), 1.5), (("budget", "max_elapsed_seconds"), 0), (("budget", "max_elapsed_seconds"), -1.5),
        (("budget", "max_elapsed_seconds"), "1"), (("budget", "max_elapsed_seconds"), 2.0), (("budget", "cost_units", "*"), 0.25),
        (("budget", "cost_units", "*"), "0.250"), (("budget", "cost_units", "*"), "NaN"), (("budget", "cost_units", "*"), "-1"),
        (("budget", "cost_units", "*"), "1e5"), (("budget", "cost_units", "*"), "٣"), (("budget", "cost_units", "*"), "1\n"),
        (("budget", "per_tool_calls", "pay"), "2"), (("budget", "per_tool_calls"), []), (("budget", "max_cost_units"), 5),
        (("retry", "max_attempts"), 0), (("retry", "backoff_multiplier"), 0), (("retry", "retry_non_read_only"), None),
        (("retry", "max_backoff_seconds"), -1), (("retry",), []), (("hooks", "before_call"), "audit"),
        (("hooks", "before_call"), [5]), (("hooks",), None), (("invariants", 0), ["a"]), (("invariants", 0), ["a", 5, None]),
        (("rules",), REMOVED), (("budget", "max_attempts"), REMOVED), (("name",), ""), (("name",), "a\u200b"),
        (("approval", "callback"), "a\u001b[31m"), (("hooks", "before_call"), [""]), (("invariants", 0), ["a\n", "x", None]),
        (("budget", "per_tool_calls"), {"": 1}), (("budget", "cost_units", "a\u202e"), "1"),
        (("budget", "cost_units", "*"), "1E+99999"),
    ],
    ids=str,
)  # fmt: skip
def test_content_that_is_never_written_is_refused_even_with_a_fitting_digest(
    path: tuple[str | int, ...], value: Any
) -> None:
    with pytest.raises(ArtifactError, match=MALFORMED):
        load_artifact(with_policy(path, value))


def test_loading_imports_the_standard_library_only() -> None:
    """A hook process pays for every module: neither models, nor a parser, nor a command line."""
    code = """
import sys
before = set(sys.modules)
from schemarouter.compiler.artifact import load_artifact
graph = load_artifact(sys.stdin.buffer.read())
assert graph.outcome("pay.refund", True, None, None, {"amount": 5}) == "approval"
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted((loaded - set(sys.stdlib_module_names)) | (loaded & {"dataclasses", "inspect", "typing", "asyncio"})))
"""
    done = subprocess.run([sys.executable, "-c", code], input=DATA, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['schemarouter']"
