"""Problems become findings: places, fingerprints, order, and codes of others."""

from __future__ import annotations

import pytest

from schemarouter.document.codes import READER_CODES, Code
from schemarouter.document.findings import to_findings
from schemarouter.document.reader import read_policy
from schemarouter.document.text import read_source
from schemarouter.model.diagnostic import Edit, Problem, Span, Target

RULE = "- {{name: {}, operation: a.{}, effect: deny}}\n"
TEXT = "version: 1\nrules:\n" + RULE.format("one", "b") + RULE.format("two", "c") + "- {operation: a.d, effect: deny}\n"
CODES = {"X1": Code("first", "warning"), "X2": Code("second", "info")}


def source(text=TEXT):
    found, problems = read_source(text, "p.yaml", "yaml")
    assert not problems
    return found


def one(problem, text=TEXT):
    (finding,) = to_findings([problem], source(text), "p.yaml", codes=CODES)
    return finding


def fingerprint(text, index, key="operation"):
    return one(Problem("X1", "m", Target(("rules", index, key))), text).fingerprint


def test_a_target_becomes_a_place_a_pointer_and_a_rule():
    finding = one(Problem("X1", "m", Target(("rules", 1, "operation")), "h"))
    assert (finding.name, finding.severity) == CODES["X1"]
    assert finding.span == Span(4, 26, 4, 29)
    assert finding.pointer == "/rules/1/operation"
    assert finding.rule == "two"
    assert finding.help == "h"
    assert finding.path == "p.yaml"


def test_a_span_stays_where_it_is_and_has_no_pointer():
    finding = one(Problem("X1", "m", Span(2, 1, 2, 6)))
    assert (finding.span, finding.pointer, finding.rule) == (Span(2, 1, 2, 6), "", None)


def test_a_rule_that_the_problem_names_wins_over_the_path():
    assert one(Problem("X1", "m", Target(("rules", 0)), rule="other")).rule == "other"


def test_an_unnamed_rule_is_none():
    assert one(Problem("X1", "m", Target(("rules", 2)))).rule is None


def test_related_places_and_edits_are_resolved():
    name = Target(("rules", 0, "name"))
    finding = one(Problem("X1", "m", Target(("version",)), related=(("here", name),), fix=("safe", ((name, "x"),))))
    (related,) = finding.related
    assert (related.message, related.path, related.span) == ("here", "p.yaml", Span(3, 10, 3, 13))
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"
    assert finding.fix.edits == (Edit(Span(3, 10, 3, 13), "x"),)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("name: abcdef\n", Span(1, 9, 1, 11)),
        ('name: "abcdef"\n', Span(1, 10, 1, 12)),
        ("name: 'abcdef'\n", Span(1, 10, 1, 12)),
        ('name: "ab\\u0063def"\n', Span(1, 7, 1, 20)),  # an escape moves the characters: the whole scalar
        ("name: >-\n  abcdef\n", Span(1, 7, 2, 9)),
    ],
)
def test_characters_within_a_scalar(text, span):
    assert one(Problem("X1", "m", Target(("name",)), within=(2, 4)), text).span == span


def test_characters_within_a_key():
    assert one(Problem("X1", "m", Target(("name",), "key"), within=(1, 2)), '"name": a\n').span == Span(1, 3, 1, 4)


def test_without_a_source_a_target_stands_at_the_start():
    (finding,) = to_findings([Problem("X1", "m", Target(("name",)))], None, "p", codes=CODES)
    assert finding.span == Span(1, 1, 1, 1)
    assert finding.pointer == "/name"


def test_findings_are_sorted_and_each_stands_once():
    problems = [
        Problem("X2", "late", Target(("rules", 2))),
        Problem("X2", "early", Target(("version",))),
        Problem("X1", "early", Target(("version",))),
        Problem("X2", "early", Target(("version",))),
    ]
    findings = to_findings(problems, source(), "p.yaml", codes=CODES)
    assert [(finding.code, finding.message) for finding in findings] == [
        ("X1", "early"),
        ("X2", "early"),
        ("X2", "late"),
    ]


def test_an_unknown_code_is_a_mistake_of_the_caller():
    with pytest.raises(KeyError):
        to_findings([Problem("X1", "m", Target(()))], source(), "p.yaml")


def test_messages_stay_on_one_line():
    finding = one(Problem("X1", "a\nb\u202e", Target(()), "c\x1b"))
    assert (finding.message, finding.help) == ("a\\u000ab\\u202e", "c\\u001b")


def test_a_fingerprint_survives_what_stands_above_it():
    moved = TEXT.replace("rules:\n", "# a comment\nname: x\n\nrules:\n" + RULE.format("zero", "a"))
    assert fingerprint(moved, 2) == fingerprint(TEXT, 1)


def test_a_fingerprint_survives_reordering_of_unnamed_rules():
    moved = TEXT.replace("rules:\n", "rules:\n- {operation: z.z, effect: deny}\n")
    assert fingerprint(moved, 3) == fingerprint(TEXT, 2)


def test_a_fingerprint_depends_on_code_place_and_text():
    here = Target(("rules", 0, "operation"))
    prints = {
        one(Problem("X1", "m", here)).fingerprint,
        one(Problem("X2", "m", here)).fingerprint,
        one(Problem("X1", "m", Target(("rules", 1, "operation")))).fingerprint,
        one(Problem("X1", "m", here), TEXT.replace("a.b", "a.z")).fingerprint,
    }
    assert len(prints) == 4


def test_a_fingerprint_does_not_depend_on_the_wording():
    here = Target(("rules", 0, "operation"))
    assert one(Problem("X1", "m", here)).fingerprint == one(Problem("X1", "n", here, "help")).fingerprint


def test_equal_findings_are_numbered():
    here = Target(("rules", 0, "operation"))
    findings = to_findings([Problem("X1", "m", here), Problem("X1", "n", here)], source(), "p.yaml", codes=CODES)
    assert len({finding.fingerprint for finding in findings}) == 2
    assert findings[0].fingerprint == fingerprint(TEXT, 0)


def test_a_lone_surrogate_in_a_text_can_be_fingerprinted():
    (finding,) = read_policy("version: 1\nname: a\ud800\n", "p.yaml", "yaml").findings
    assert finding.code == "SR009"
    assert len(finding.fingerprint) == 16


def test_codes_are_named_for_the_defect():
    names = [code.name for code in READER_CODES.values()]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and " " not in name for name in names)
    assert [code for code, (_, severity) in READER_CODES.items() if severity != "error"] == ["SR004"]
