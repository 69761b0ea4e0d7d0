"""Diffs without processes: the documentation of their codes, verdicts, Markdown that stays text, commands that replay."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from datetime import date

import pytest

from schemarouter.analysis.changes import CHANGE_CODES, Change, PolicyDiff
from schemarouter.lint.docs import rule_docs
from schemarouter.lint.suppress import is_suppressible
from schemarouter.model.diagnostic import Call
from schemarouter_cli.changes import FileDiff, combined, fails
from schemarouter_cli.diffing import diff_pairs
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.pairs import Pair, Text
from schemarouter_cli.render.diff_findings import as_outcome
from schemarouter_cli.render.diff_full import render_full
from schemarouter_cli.render.diff_json import render_json
from schemarouter_cli.render.diff_markdown import MOST_ROWS, escape, render_markdown
from schemarouter_cli.render.sarif import render_sarif
from schemarouter_cli.replay import explain_command
from schemarouter_cli.sides import read_side


def compare(old: str | None, new: str | None) -> FileDiff:
    texts = [
        None if text is None else Text(name, text.encode()) for name, text in (("old.yaml", old), ("new.yaml", new))
    ]
    files, broken = diff_pairs([Pair("new.yaml", *texts)], allow_empty=False)
    assert broken.findings == []
    return files[0]


def codes(file: FileDiff) -> set[str]:
    return {finding.code for finding in as_outcome([file], "widened").findings}


@pytest.mark.parametrize("code", CHANGE_CODES)
def test_documented_examples_are_true(code: str) -> None:
    doc = rule_docs(code)
    before, after = doc.snippets("Example")
    (instead,) = doc.snippets("Instead")
    assert code in codes(compare(before.text, after.text))
    if code == "SR809":
        assert compare(before.text, after.text).verdict == "equivalent"
    assert code not in codes(compare(before.text, instead.text))
    assert not is_suppressible(code)


POLICY = """\
version: 1
rules:
  - {name: read, operation: "notes.*", effect: allow}
"""


def test_a_file_that_is_new_or_deleted() -> None:
    new = compare(None, POLICY)
    assert (new.verdict, new.title, new.path) == ("widened", "widened (new file)", "new.yaml")
    assert {change.direction for change in new.changes} == {"widened"}
    deleted = compare(POLICY, None)
    assert (deleted.verdict, deleted.title, deleted.path) == ("narrowed", "narrowed (deleted file)", "old.yaml")
    assert "no file: nothing is allowed" in render_full([deleted], color=False, width=100)


def suppressions(text: str) -> str:
    rules = "".join(
        f"  - {{name: {name}, operation: {name}.x, effect: deny}}{comment}\n" for name, comment in rules_of(text)
    )
    return f"version: 1\nrules:\n{rules}"


def rules_of(text: str) -> list[tuple[str, str]]:
    pairs = [part.split(":") for part in text.split()]
    return [(name, f"  # schemarouter: ignore[{code}] why" if code else "") for name, code in pairs]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("a: b:", "a:SR306 b:", [("rule `a`", "not suppressed", "SR306 suppressed: why")]),
        ("a:SR306 b:", "a: b:", [("rule `a`", "SR306 suppressed: why", "not suppressed")]),
        ("a:SR306 b:", "b: a:SR306", []),
        (
            "a:SR306 b:",
            "a: b:SR306",
            [
                ("rule `a`", "SR306 suppressed: why", "not suppressed"),
                ("rule `b`", "not suppressed", "SR306 suppressed: why"),
            ],
        ),
    ],
)
def test_suppressions(old: str, new: str, found: list[tuple[str, str, str]]) -> None:
    file = compare(suppressions(old), suppressions(new))
    changes = [change for change in file.changes if change.kind == "suppression"]
    assert [(change.operations, change.before, change.after) for change in changes] == found
    assert file.verdict == "equivalent"
    assert fails([file], "any") is bool(found)
    assert fails([file], "widened") is False


def test_suppressions_of_sections_and_of_rules_without_a_name() -> None:
    text = (
        "version: 1\nrules:\n  # schemarouter: ignore[SR306] x\n  - {operation: [a.b, c.d], effect: deny}\n"
        "budget: {max_tool_calls: 1} # schemarouter: ignore[SR502, SR501] y until=2020-01-01\n"
    )
    side = read_side(text.encode(), "p.yaml", Outcome(), date(2019, 1, 1))
    assert [(one.code, one.block, one.reason) for one in side.suppressed] == [
        ("SR306", "rule `['a.b', 'c.d']`", "x"),
        ("SR502", "`budget`", "y"),
        ("SR501", "`budget`", "y"),
    ]
    assert len(read_side(text.encode(), "p.yaml", Outcome(), date(2021, 1, 1)).suppressed) == 1


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        ([], "equivalent"),
        (["equivalent", "equivalent"], "equivalent"),
        (["equivalent", "widened"], "widened"),
        (["narrowed", "narrowed"], "narrowed"),
        (["narrowed", "widened"], "mixed"),
        (["mixed", "equivalent"], "mixed"),
        (["narrowed", "undecided", "widened"], "undecided"),
    ],
)
def test_verdicts_of_several_files(verdicts: list, together: str) -> None:
    assert combined(verdicts) == together


SAME = compare(POLICY, POLICY)
UNDECIDED = replace(SAME.diff, undecided=("rule `a` against rule `b`: the bound on work was reached",))


def test_what_fails() -> None:
    undecided = SAME._replace(diff=UNDECIDED)
    narrowed, widened = compare(POLICY, None), compare(None, POLICY)
    for file, failing in (
        (SAME, ()),
        (narrowed, ("any",)),
        (widened, ("widened", "any")),
        (undecided, ("widened", "any")),
    ):
        assert [one for one in ("none", "widened", "any") if fails([file], one)] == list(failing)
    assert fails([SAME, widened], "widened")


def test_undecided_is_said_in_every_format() -> None:
    file = SAME._replace(diff=UNDECIDED)
    for text in (
        render_full([file], color=False, width=100),
        render_markdown([file]),
        render_json([file], None),
        render_sarif(as_outcome([file], "widened")),
        "".join(f"{one.code} {one.name} {one.severity}" for one in as_outcome([file], "widened").findings),
    ):
        assert "undecided" in text.lower()
        assert "no semantic change" not in text.lower()
    assert [one.severity for one in as_outcome([file], "widened").findings] == ["error"]


HOSTILE = "a`b|c*d_e<img src=x onerror=y>[f](http://g) @h #1 www.i.example \\ ~~j~~ &amp; \x1b[31m \u202e"


def test_nothing_becomes_markup() -> None:
    escaped = escape(HOSTILE)
    assert not set("`|*_<>[]@#\\~\n\x1b\u202e") & set(escaped.replace("&#", ""))
    assert "www" not in escaped
    assert "http:" not in escaped
    change = Change("decision", "SR801", "widened", "deny", "allow", HOSTILE, old_rule=HOSTILE, new_rule="</code>|")
    text = render_markdown([SAME._replace(name=HOSTILE, diff=PolicyDiff(None, None, (change,)))])
    row = next(line for line in text.splitlines() if line.startswith("| **"))
    assert row.count("|") == 5
    assert "<img" not in text
    assert text.count("<code>") == text.count("</code>")


def test_a_replay_cannot_leave_its_fence() -> None:
    call = Call("a.b", True, True, False, {"x": "```\n</details>`````"})
    change = Change("decision", "SR801", "widened", "deny", "allow", "a.b", witness=call)
    lines = render_markdown([SAME._replace(diff=PolicyDiff(None, None, (change,)))]).splitlines()
    fence = next(line for line in lines if line.endswith("sh")).removesuffix("sh")
    inside = lines[lines.index(fence + "sh") + 1 : lines.index(fence)]
    assert len(inside) == 1
    assert fence not in inside[0]
    assert shlex.split(inside[0])[-1] == json.dumps(call.arguments)


def test_a_long_table_is_cut() -> None:
    changes = tuple(Change("budget", "SR805", "widened", str(n), str(n + 1)) for n in range(MOST_ROWS + 7))
    text = render_markdown([SAME._replace(diff=PolicyDiff(None, None, changes))])
    assert text.count("budget-raised") == MOST_ROWS
    assert "and 7 more" in text
    assert f"{MOST_ROWS + 7} widened in 1 file." in text


@pytest.mark.parametrize("operation", ["a.b", "a b.c'd", "$(x).`y`", "-x.--y", "ü.;&|"])
def test_a_command_is_quoted(operation: str) -> None:
    words = shlex.split(explain_command("a dir/p.yaml", Call(operation, False, None, True, {"a": "it's"})))
    assert words == [
        *("schemarouter", "explain", "a dir/p.yaml", "--operation", operation),
        *("--local", "--unclassified", "--destructive", "--arguments", '{"a": "it\'s"}'),
    ]


def test_widened_comes_first() -> None:
    old = "version: 1\nrules:\n  - {name: a, operation: a.x, effect: allow}\n  - {name: z, operation: z.x, effect: deny}\n"
    new = old.replace("allow", "_").replace("deny", "allow").replace("_", "deny")
    text = render_full([compare(old, new)], color=False, width=100)
    assert text.index("widened: SR801") < text.index("narrowed: SR802")


def test_more_than_anybody_reads_is_counted() -> None:
    change = Change("decision", "SR801", "widened", "deny", "allow", operations="jobs.*")
    taken = replace(change, code="SR802", direction="narrowed", before="allow", after="deny")
    diff = PolicyDiff(None, None, (*[change] * 120, taken), unlisted=True)
    assert diff.verdict == "mixed"
    assert PolicyDiff(None, None, (change,), unlisted=True).verdict == "undecided"
    text = render_full([SAME._replace(diff=diff)], color=False, width=100)
    assert text.count("widened: SR801") == 100
    assert "widened: 20 more, see the format `json`" in text
    assert "decisions differ in more places than these 121" in text
    assert "Decisions differ in more places" in render_markdown([SAME._replace(diff=diff)])
    assert json.loads(render_json([SAME._replace(diff=diff)], None))["files"][0]["unlisted"] is True
