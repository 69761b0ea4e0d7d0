"""Fixes: what they remove, what they leave alone, and what is not believed of them."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from schemarouter.document.source import Format
from schemarouter.document.text import decode
from schemarouter.lint.check import CheckReport, check_policy
from schemarouter.lint.edits import Change, Offsets, apply, clash
from schemarouter.lint.fix import fix_policy, same_meaning
from schemarouter.model.diagnostic import Edit, Finding, Fix, Span

CORPUS = Path(__file__).parents[2] / "corpus"
#: Codes whose fixes take out lines.
REMOVING = {"SR201", "SR203", "SR901"}
FILES = [
    path
    for folder in ("bad", "lint")
    for path in sorted((CORPUS / folder).rglob("*"))
    if path.suffix in (".yaml", ".toml")
]


def check(raw: bytes, format_: Format = "yaml", **options: object) -> CheckReport:
    return check_policy(raw, "policy", format_, **{"pedantic": True, "today": date(2026, 12, 1), **options})


def of(path: Path, raw: bytes) -> CheckReport:
    return check(raw, "toml" if path.suffix == ".toml" else "yaml")


def fixable(path: Path, *kinds: str) -> list[Finding]:
    return [one for one in of(path, path.read_bytes()).findings if one.fix and one.fix.applicability in kinds]


SAFE = [path for path in FILES if fixable(path, "safe")]
ANY = [path for path in FILES if fixable(path, "safe", "unsafe")]


def test_the_corpus_has_fixes_of_many_codes() -> None:
    codes = {finding.code for path in ANY for finding in fixable(path, "safe", "unsafe")}
    assert codes >= {"SR003", "SR006", "SR101", "SR104", "SR105", "SR301", "SR302", "SR303", "SR304", "SR901"}


@pytest.mark.parametrize("path", SAFE, ids=lambda path: str(path.relative_to(CORPUS)))
def test_a_safe_fix_removes_its_finding_and_changes_no_meaning(path: Path) -> None:
    raw = path.read_bytes()
    result = fix_policy(raw, lambda text: of(path, text))
    wanted = fixable(path, "safe")
    assert Counter(one.code for one in wanted) <= Counter(one.code for one in result.applied)
    assert result.refused == ()
    assert not [one for one in result.report.findings if one.fix and one.fix.applicability == "safe"]
    before = of(path, raw)
    if before.graph is not None:
        assert result.report.graph is not None
        removed = any(one.code in REMOVING for one in result.applied)
        assert removed or result.report.graph.digest == before.graph.digest
        assert same_meaning(before.graph, result.report.graph)


@pytest.mark.parametrize("path", ANY, ids=lambda path: str(path.relative_to(CORPUS)))
def test_an_unsafe_fix_removes_its_finding(path: Path) -> None:
    result = fix_policy(path.read_bytes(), lambda text: of(path, text), unsafe=True)
    assert result.refused == ()
    assert not [one for one in result.report.findings if one.fix]


@pytest.mark.parametrize("path", ANY, ids=lambda path: str(path.relative_to(CORPUS)))
def test_comments_and_everything_else_stay(path: Path) -> None:
    """Line by line: what no fix speaks of is the same, and so is every comment but removed suppressions."""
    text, _ = decode(path.read_bytes())
    assert text is not None
    result = fix_policy(path.read_bytes(), lambda raw: of(path, raw), unsafe=True)
    after = result.data.decode()
    comments = [line for line in text.splitlines() if "#" in line and "schemarouter:" not in line]
    for line in comments:
        assert line.partition("#")[2] in after
    if result.report.source is not None and not any(one.code in REMOVING for one in result.applied):
        assert after.count("\n") == text.count("\n")


def test_fixing_twice_changes_nothing_more() -> None:
    for path in ANY:
        once = fix_policy(path.read_bytes(), lambda text, path=path: of(path, text), unsafe=True)
        again = fix_policy(once.data, lambda text, path=path: of(path, text), unsafe=True)
        assert (again.data, again.applied) == (once.data, ())


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_line_ends_and_byte_order_mark_stay(mark: str, end: str) -> None:
    lines = [
        "version: 1",
        "rules:",
        "- {operation: '*.read',  effect: deny}  # why",
        "- {operation: *.x, effect: deny}",
        "",
    ]
    result = fix_policy((mark + end.join(lines)).encode(), check)
    lines[3] = '- {operation: "*.x", effect: deny}'
    assert result.data.decode() == mark + end.join(lines)


def test_a_suppression_that_is_removed_leaves_no_white_space() -> None:
    raw = b"version: 1\nbudget: {max_tool_calls: 2}  # schemarouter: ignore[SR501] not needed"
    assert fix_policy(raw, check).data == b"version: 1\nbudget: {max_tool_calls: 2}"
    raw = b"version: 1\r\n# schemarouter: ignore[SR501] not needed\r\nbudget: {max_tool_calls: 2}\r\n"
    assert fix_policy(raw, check).data == b"version: 1\r\nbudget: {max_tool_calls: 2}\r\n"


def test_what_is_not_wanted_is_not_fixed() -> None:
    raw = b"version: 1\nrules: [{name: a, operation: 'jobs.[^a]', effect: deny, reason: why}]\n"
    assert fix_policy(raw, check).data == raw
    assert fix_policy(raw, lambda text: check(text, ignore=["SR301", "SR303"]), unsafe=True).data == raw
    assert b"[!a]" in fix_policy(raw, check, unsafe=True).data


POLICY = b"version: 1\nrules: [{name: a, operation: jobs.get, effect: deny, reason: why}]\n"


def claiming(text: str, applicability: str = "safe", spans: tuple[Span, ...] = (Span(2, 35, 2, 38),)):
    """A check that reports one more finding, whose fix is not what it claims, as long as `jobs.get` stands there."""

    def checked(raw: bytes) -> CheckReport:
        report = check(raw)
        if b"jobs.get" not in raw:
            return report
        fix = Fix(applicability, tuple(Edit(span, text) for span in spans))
        claim = Finding("SR203", "redundant-rule", "warning", "m", "policy", Span(2, 1, 2, 2), fix=fix, fingerprint="f")
        return report._replace(findings=(*report.findings, claim))

    return checked


@pytest.mark.parametrize(
    ("check_", "reason"),
    [
        (claiming("put"), "the policy would not be proven equal"),
        (claiming("get"), "it does not remove the finding"),
        (claiming("{", "unsafe"), "the policy would no longer compile"),
        (claiming("x", spans=(Span(2, 35, 2, 38), Span(2, 37, 2, 39))), "its edits overlap"),
    ],
)
def test_a_fix_is_not_believed(check_, reason: str) -> None:
    result = fix_policy(POLICY, check_, unsafe=True)
    assert (result.data, result.applied) == (POLICY, ())
    assert [refused.reason for refused in result.refused] == [reason]


def test_a_safe_fix_may_rewrite_what_decides_alike() -> None:
    """Other patterns, the same operations: another digest, and proven equal."""
    raw = POLICY.replace(b"jobs.get", b"'jobs.ge[t]'")

    def checked(text: bytes) -> CheckReport:
        report = check(text)
        if b"[t]" not in text:
            return report
        fix = Fix("safe", (Edit(Span(2, 30, 2, 42), "jobs.get"),))
        claim = Finding("SR203", "redundant-rule", "warning", "m", "policy", Span(2, 1, 2, 2), fix=fix, fingerprint="f")
        return report._replace(findings=(*report.findings, claim))

    result = fix_policy(raw, checked)
    assert (result.data, result.refused) == (POLICY, ())
    assert checked(raw).graph.digest != result.report.graph.digest


def test_a_fix_that_fails_does_not_take_others_down() -> None:
    raw = POLICY + b"# schemarouter: ignore[SR501] not needed\nbudget: {max_tool_calls: 2}\n"
    result = fix_policy(raw, claiming("put"))
    assert result.data == POLICY + b"budget: {max_tool_calls: 2}\n"
    assert [one.code for one in result.applied] == ["SR901"]
    assert [one.finding.code for one in result.refused] == ["SR203"]


def test_many_fixes_need_few_rounds() -> None:
    calls = []

    def counted(raw: bytes) -> CheckReport:
        calls.append(raw)
        return check(raw)

    rules = "".join(f"- {{name: r{number}, operation: *.x{number}, effect: deny}}\n" for number in range(300))
    result = fix_policy(f"version: 1\nrules:\n{rules}".encode(), counted)
    assert len(result.applied) == 300
    assert len(calls) <= 10


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"\x00", b"[" * 5000, b"version: 1"])
def test_every_file_gets_an_answer(raw: bytes) -> None:
    result = fix_policy(raw, check, unsafe=True)
    assert result.data == raw


def test_changes_of_a_text() -> None:
    offsets = Offsets("ab\r\ncd\ref\ngh")
    assert [offsets.offset(line, 1) for line in (1, 2, 3, 4, 5)] == [0, 4, 7, 10, 12]
    assert offsets.offset(4, 99) == 12
    assert apply("abcd", [Change(2, 3, "X"), Change(0, 1, "")]) == "bXd"
    with pytest.raises(ValueError, match="overlap"):
        apply("abcd", [Change(0, 2, ""), Change(1, 3, "")])
    assert not clash(Change(0, 2, ""), Change(2, 3, ""))
    assert clash(Change(0, 2, ""), Change(1, 3, ""))
    assert clash(Change(2, 2, "x"), Change(2, 3, ""))
    assert clash(Change(1, 2, ""), Change(2, 2, "x"))
