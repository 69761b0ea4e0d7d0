"""What the rules with exact analysis promise beyond single findings: replayed calls, bounds, one finding a defect."""

from __future__ import annotations

import pytest

from schemarouter import load_policy
from schemarouter.analysis.changes import WitnessError
from schemarouter.document.collector import collector_paused
from schemarouter.errors import PolicyError
from schemarouter.lint import exact
from schemarouter.lint.check import LintRuleError
from schemarouter.lint.docs import rule_docs
from support.lint_corpus import cases, check, check_file

SHADOW = """\
version: 1
rules:
  - name: use
    operation: "wiki.*"
    effect: allow
    when: {read_only: true, destructive: false}
  - name: private
    operation: "wiki.[a-m]*"
    effect: deny
    reason: private
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
"""
REPEATED = SHADOW.replace("[a-m]", "")
UNDECIDED = rule_docs("SR903").snippets("Example")[0].text


def codes(report):
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize("path", cases("bad*"), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_call_that_is_shown_replays(path):
    """Whatever the code: the call ends as the message says, decided by the rule that it is shown for."""
    report = check_file(path)
    for finding in report.findings:
        call = finding.witness
        if call is None or finding.code not in {"SR201", "SR202", "SR204", "SR401", "SR402"}:
            continue
        attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
        decided = report.graph.decide(*attributes)
        outcome = report.graph.outcome(*attributes)
        if finding.code in {"SR401", "SR402"}:
            assert outcome == "allow"
            assert decided.rule_name == finding.rule
            remote, read_only, destructive = report.graph.effective(*attributes[:4])
            assert destructive is True if finding.code == "SR402" else (remote and read_only is None)
        else:
            assert f"`{outcome}`" in finding.message
            assert decided.rule_name != finding.rule


def test_calls_are_shown_at_all():
    shown = {finding.code for path in cases("bad*") for finding in check_file(path).findings if finding.witness}
    assert shown >= {"SR201", "SR202", "SR204", "SR401", "SR402"}


def test_a_call_without_arguments_that_could_be_built_is_none():
    text = """\
version: 1
rules:
  - name: a
    operation: "chat.*"
    effect: allow
    when: {arguments: {a: {type: number}, /a: {type: string}}, destructive: false}
budget: {max_tool_calls: 20}
"""
    (finding,) = check(text).findings
    assert (finding.code, finding.witness) == ("SR401", None)


def test_a_call_that_does_not_replay_is_a_defect_and_no_finding(monkeypatch):
    def wrong(*_):
        raise WitnessError("the call `x.y` does not show what the analysis says")

    monkeypatch.setattr("schemarouter.analysis.lost.show", wrong)
    with pytest.raises(LintRuleError, match="WitnessError") as caught:
        check(SHADOW)
    assert isinstance(caught.value.__cause__, WitnessError)


def test_an_analysis_that_lies_is_found_out(monkeypatch):
    """The evaluator has the last word: a wrong answer of the search never becomes a finding."""
    from schemarouter.analysis.search import Found

    monkeypatch.setattr("schemarouter.analysis.lost.search", lambda *_: Found("wiki.zzz"))
    monkeypatch.setattr("schemarouter.analysis.lost.samples", lambda _: iter(()))
    text = SHADOW.replace('"wiki.*"', '"wiki.[!z]*"').replace("[a-m]", "[ab]")
    with pytest.raises(LintRuleError):
        check(text)


def test_one_defect_is_one_finding():
    assert codes(check(SHADOW)) == ["SR202"]
    assert codes(check(REPEATED)) == ["SR207"]
    twice = REPEATED.replace("deny", "allow").replace("    reason: private\n", "")
    assert codes(check(twice)) == ["SR201"]
    assert codes(check(REPEATED.replace("allow", "require_approval").replace("deny", "allow"), pedantic=False)) == [
        "SR403",
        "SR207",
    ]


def test_a_dead_deny_cannot_be_hushed_up():
    hushed = REPEATED.replace("  - name: private", "  - name: private  # schemarouter: ignore[SR207] leave me alone")
    report = check(hushed)
    assert (codes(report), report.suppressed) == (["SR202"], 1)
    assert codes(check(REPEATED, ignore=["SR207"])) == ["SR202"]
    assert codes(check(SHADOW.replace("name: private", "name: private  # schemarouter: ignore[SR202] please"))) == [
        "SR902",
        "SR202",
    ]


def test_a_dead_allow_behind_its_twin_can_be_suppressed():
    text = REPEATED.replace("effect: allow", "effect: deny", 1)
    text = text.replace("  - name: private", "  - name: private  # schemarouter: ignore[SR207] documents the old rule")
    text = text[: text.rindex("effect: deny")] + "effect: allow" + text[text.rindex("effect: deny") + 12 :]
    assert codes(check(text, pedantic=False)) == []


def test_what_is_undecided_is_reported_whatever_is_selected():
    assert codes(check(UNDECIDED)) == ["SR903", "SR903"]
    assert codes(check(UNDECIDED, ignore=["SR903"])) == ["SR903", "SR903"]
    assert codes(check(UNDECIDED, select=["SR201"])) == ["SR903"]
    assert codes(check(UNDECIDED, select=["SR3"])) == []


def test_many_undecided_questions_are_few_findings(monkeypatch):
    monkeypatch.setattr(exact.Analysis.__init__, "__defaults__", (0,))
    rules = "".join(
        f"  - {{name: r{number}, operation: ['*a{number}*b', 'a{number}*'], effect: deny, reason: closed}}\n"
        for number in range(50)
    )
    text = (
        "version: 1\nbudget: {max_tool_calls: 2}\nrules:\n  - {name: all, operation: '?*', effect: deny, reason: x}\n"
    )
    found = [finding for finding in check(text + rules, select=["SR201"]).findings if finding.code == "SR903"]
    assert 1 <= len(found) <= 8
    (finding,) = (one for one in found if "more can decide" in one.message)
    assert finding.related
    assert "rules `r0`, `r1`, `r2`, `r3` and 46 more can decide any call" in finding.message


def test_a_full_check_refuses_what_is_dead_and_what_is_undecided():
    load_policy(SHADOW)
    load_policy(UNDECIDED)
    with pytest.raises(PolicyError, match="SR202"):
        load_policy(SHADOW, check="full")
    with pytest.raises(PolicyError, match="SR903"):
        load_policy(UNDECIDED, check="full")


def test_a_warning_is_a_warning_where_the_operation_is_named():
    text = "version: 1\nrules: [{name: a, operation: [PATTERNS], effect: allow}]\nbudget: {max_tool_calls: 20}\n"
    for patterns, severity in (("jobs.run", "warning"), ('jobs.run, "jobs.r*"', "error"), ('"jobs.[r]un"', "error")):
        found = check(text.replace("PATTERNS", patterns)).findings
        assert {(one.code, one.severity) for one in found if one.code.startswith("SR4")} == {
            ("SR401", severity),
            ("SR402", severity),
        }


def test_the_view_is_built_once(monkeypatch):
    built = []
    original = exact.build_views
    monkeypatch.setattr(exact, "build_views", lambda *graphs: built.append(1) or original(*graphs))
    with collector_paused():
        check(SHADOW)
    assert built == [1]
