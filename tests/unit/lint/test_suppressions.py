"""Where a suppression counts, where it does not, and that no doubtful one counts at all."""

from __future__ import annotations

from datetime import date

import pytest

from schemarouter.document.codes import READER_CODES
from schemarouter.lint import registry
from schemarouter.lint.blocks import Blocks, block_of_pointer
from schemarouter.lint.suppress import is_suppressible
from support.lint_corpus import check

#: So that what is allowed is no finding of its own.
CLASSIFY = 'classify: [{operation: "*", read_only: false, destructive: false}]\n'
DIRECTIVE = "# schemarouter: ignore[SR306] ours"

YAML = """\
version: 1
rules:{rules}
  - name: first{behind_name}
    operation: "notes.*"{behind_pattern}
{within}
    effect: allow
{after}
  - name: second
    operation: wiki.read
    effect: allow
budget: {{max_tool_calls: 20}}{behind_budget}
classify: [{{operation: "*", read_only: false, destructive: false}}]
"""

TOML = """\
version = 1
{above}
[[rules]]{behind_header}
name = "first"
operation = "notes.*"{behind_pattern}
{within}
effect = "allow"
{blank}
[budget]{behind_budget}
max_tool_calls = 20

[[rules]]
name = "second"
operation = "wiki.read"
effect = "allow"

[[classify]]
operation = "*"
read_only = false
destructive = false
"""


def found(text, format_="yaml", **options):
    report = check(text, format_, pedantic=False, **options)
    return report.suppressed, [finding.code for finding in report.findings]


def filled(template, **places):
    names = (
        "rules",
        "behind_name",
        "behind_pattern",
        "within",
        "after",
        "behind_budget",
        "above",
        "behind_header",
        "blank",
    )
    return template.format(**{name: places.get(name, "") for name in names})


@pytest.mark.parametrize(
    "places",
    [
        {"rules": f"\n  {DIRECTIVE}"},
        {"rules": f"\n  {DIRECTIVE}\n  # and more about it"},
        {"rules": f"\n{DIRECTIVE}"},
        {"behind_name": f"  {DIRECTIVE}"},
        {"behind_pattern": f" {DIRECTIVE}"},
        {"within": f"    {DIRECTIVE}"},
        {"within": f"{DIRECTIVE}"},
    ],
)
def test_in_yaml_it_counts_above_and_within_its_rule(places):
    assert found(filled(YAML, **places)) == (1, [])


@pytest.mark.parametrize("places", [{"rules": f"  {DIRECTIVE}"}, {"behind_budget": f"  {DIRECTIVE}"}])
def test_in_yaml_it_does_not_count_elsewhere(places):
    assert found(filled(YAML, **places)) == (0, ["SR306", "SR901"] if "behind_budget" in places else ["SR901", "SR306"])


def test_a_comment_between_two_rules_belongs_to_the_second():
    text = filled(YAML, after=f"  {DIRECTIVE}")
    assert found(text) == (0, ["SR306", "SR901"])


def test_a_comment_above_a_blank_line_belongs_to_the_rule_before():
    text = filled(YAML, after=f"    {DIRECTIVE}\n")
    assert found(text) == (1, [])


def test_a_comment_between_blank_lines_belongs_to_nothing():
    text = filled(YAML, after=f"\n    {DIRECTIVE}\n")
    assert found(text) == (0, ["SR306", "SR902"])


@pytest.mark.parametrize(
    "places",
    [
        {"above": DIRECTIVE},
        {"behind_header": f" {DIRECTIVE}"},
        {"behind_pattern": f" {DIRECTIVE}"},
        {"within": DIRECTIVE},
    ],
)
def test_in_toml_it_counts_above_and_within_its_rule(places):
    assert found(filled(TOML, **places), "toml") == (1, [])


def test_in_toml_it_does_not_count_elsewhere():
    assert found(filled(TOML, behind_budget=f" {DIRECTIVE}"), "toml") == (0, ["SR306", "SR901"])


def test_a_table_of_a_section_may_stand_apart():
    text = """\
version = 1
[budget]
max_tool_calls = 20
[hooks]
before_call = ["audit"]
[budget.per_tool_calls]
chat = 20  # schemarouter: ignore[SR502] stated for the reader
"""
    assert found(text, "toml") == (1, [])
    elsewhere = text.replace('["audit"]', '["audit"]  # schemarouter: ignore[SR502] not here')
    assert found(elsewhere, "toml") == (1, ["SR901"])


def test_a_table_of_a_rule_may_stand_apart():
    text = """\
version = 1
[[rules]]
name = "tool"
operation = "a.*"
effect = "allow"
[budget]
max_tool_calls = 20
[[classify]]
operation = "*"
read_only = false
destructive = false
[rules.examples]
decides = [
  "a.b",
]  # schemarouter: ignore[SR306] ours
"""
    assert found(text, "toml") == (1, [])


def test_rules_on_one_line_share_its_comment():
    text = (
        'version: 1\nrules: [{name: a, operation: "a.*", effect: allow}, {name: b, operation: "b.*", effect: allow}]'
        f"  {DIRECTIVE}\nbudget: {{max_tool_calls: 20}}\n{CLASSIFY}"
    )
    assert found(text) == (2, [])


def test_a_dash_of_its_own_is_the_rule():
    text = f'version: 1\nrules:\n  {DIRECTIVE}\n  -\n    name: a\n    operation: "a.*"\n    effect: allow\nbudget: {{max_tool_calls: 2}}\n{CLASSIFY}'
    assert found(text) == (1, [])


def test_a_section_is_a_block():
    text = "version: 1\nbudget:\n  # schemarouter: ignore[SR504] weights are set by the application\n  max_cost_units: 5\n  max_tool_calls: 3\n"
    assert found(text) == (1, [])


def test_a_finding_without_a_budget_is_suppressed_where_it_stands():
    assert found("version: 1  # schemarouter: ignore[SR501] limited by the host\n") == (1, [])
    assert found("# schemarouter: ignore[SR501] limited by the host\nversion: 1\n") == (1, [])


def test_text_that_is_no_comment_suppresses_nothing():
    text = """\
version: 1
rules:
  - name: tool
    operation: "notes.*"
    effect: allow
    reason: >-
      # schemarouter: ignore[SR306] inside a text
  - name: "# schemarouter: ignore[SR306] x"
    operation: wiki.read
    effect: allow
budget: {max_tool_calls: 20}
"""
    assert found(text + CLASSIFY) == (0, ["SR306"])


def test_it_suppresses_only_the_codes_that_it_lists():
    text = filled(YAML, behind_name="  # schemarouter: ignore[SR305] another one")
    assert found(text) == (0, ["SR901", "SR306"])


def test_several_codes_and_several_comments():
    text = """\
version: 1
rules:
  # schemarouter: ignore[SR305, SR403] a reason
  # schemarouter: ignore[SR403] another reason
  - name: ask
    operation: "*.send"
    effect: require_approval
    reason: it leaves the house
budget: {max_tool_calls: 20}
"""
    assert found(text) == (1, ["SR901"])


def test_the_last_day_counts_and_the_next_does_not():
    text = filled(YAML, behind_name="  # schemarouter: ignore[SR306] until=2026-12-24 until we know more")
    assert found(text, today=date(2026, 12, 24)) == (1, [])
    assert found(text, today=date(2026, 12, 25)) == (0, ["SR902", "SR306"])


def test_without_a_date_suppressions_are_not_read():
    """Loading a policy with a full check must not depend on comments."""
    text = filled(YAML, behind_name=f"  {DIRECTIVE}") + "# schemarouter: ignore[SR9] bad\n"
    assert found(text, today=None) == (0, ["SR306"])


def test_a_bad_suppression_suppresses_nothing():
    for bad in ("[SR306]", "[SR306, SR998] ours", "[SR306, SR101] ours", "[SR306] until=soon ours", "[sr306] ours"):
        suppressed, codes = found(filled(YAML, behind_name=f"  # schemarouter: ignore{bad}"))
        assert suppressed == 0, bad
        assert codes == ["SR902", "SR306"], bad


def test_what_cannot_be_suppressed():
    cannot = [code for code in registry.names() if not is_suppressible(code)]
    assert set(cannot) >= {*READER_CODES, "SR107", "SR108", "SR901", "SR902"}
    assert not is_suppressible("SR202")
    assert [code for code in registry.names() if is_suppressible(code) and code < "SR300"] == [
        "SR201",
        "SR203",
        "SR204",
        "SR206",
        "SR207",
        "SR208",
    ]


def test_unnamed_rules_cannot_be_suppressed():
    text = "version: 1\nrules:\n  - operation: a.b  # schemarouter: ignore[SR107] no name\n    effect: deny\nbudget: {max_tool_calls: 2}\n"
    assert found(text) == (0, ["SR107", "SR902"])


def test_an_error_of_the_reader_leaves_suppressions_unjudged_and_bad_ones_reported():
    text = "version: 1\nrulse: []  # schemarouter: ignore[SR306] ours\n# schemarouter: ignore[SR3] prefix\nname: x\n"
    assert found(text) == (0, ["SR101", "SR902"])


def test_what_was_not_looked_for_is_not_called_unused():
    text = filled(
        YAML, behind_name="  # schemarouter: ignore[SR306] ours", after="  # schemarouter: ignore[SR206, SR602] x"
    )
    assert found(text) == (1, [])
    assert found(text, select=["SR5"]) == (0, [])
    assert found(text, select=["SR3", "SR9"]) == (1, [])
    assert found(text, ignore=["SR306"]) == (0, [])
    assert check(text, pedantic=False, ignore=["no-limit"], resolve=lambda name: None).findings[0].code == "SR901"


@pytest.mark.parametrize(
    "comment",
    [
        "# schemarouter ignores such things",
        "# the schemarouter documentation says: `# schemarouter: ignore[SR306] reason`",
        "# see schemarouter rule SR306",
        "# yaml-language-server: $schema=schemarouter.json",
        "# SR306 is fine here",
        "# ignore what follows",
        "# schemarouter 1.0, ignored by nobody",
    ],
)
def test_prose_is_left_alone(comment):
    assert found(f"{comment}\nversion: 1\nbudget: {{max_tool_calls: 2}}\n") == (0, [])


@pytest.mark.parametrize(
    "comment",
    [
        "# schemarouter:ignore SR306",
        "#schemarouter: Ignore[SR306] ours",
        "# Schemarouter: ignore[SR306] ours",
        "# schemarouter: ignore [SR306] ours",
        "# schemarouter: ignore(SR306) ours",
        "# schemarouter: ignore-file",
        "# schemarouter: noqa",
        "# schema_router: ignore[SR306] ours",
        "# schemarouter ignore[SR306] ours",
        "## schemarouter: ignore[SR306] ours",
        "# ignore[SR306] ours",
        "# noqa: SR306",
        "# ours. # schemarouter: ignore[SR306] ours",
    ],
)
def test_near_misses_are_told(comment):
    report = check(f"{comment}\nversion: 1\nbudget: {{max_tool_calls: 2}}\n")
    assert [finding.code for finding in report.findings] == ["SR902"]
    assert report.findings[0].span[:2] == (1, 1)
    assert report.findings[0].span.end_column == len(comment) + 1


def test_a_tight_form_is_still_the_form():
    assert found(filled(YAML, behind_name="  #schemarouter:ignore[SR306]ours")) == (1, [])


def test_windows_line_ends():
    text = filled(YAML, rules=f"\n  {DIRECTIVE}").replace("\n", "\r\n")
    assert found(text) == (1, [])


def test_blocks_of_comments():
    text = """\
version: 1  # one
# two
rules:  # three
  - name: a  # four
    operation: b.c
    effect: allow
budget:
  per_tool_calls: {
    b: 1,
    # five
  }  # six
# seven
"""
    source = check(text).source
    found = [set(Blocks(source).at(comment)) for comment in source.comments]
    budget = {("budget",)}
    assert found == [{("version",)}, {("rules",)}, {("rules",)}, {("rules", 0)}, budget, budget, budget]


def test_blocks_of_pointers():
    assert block_of_pointer("") == ()
    assert block_of_pointer("/rules/3/when/arguments/a~1b") == ("rules", 3)
    assert block_of_pointer("/rules") == ("rules",)
    assert block_of_pointer("/budget/per_tool_calls/rules") == ("budget",)
    assert block_of_pointer("/invariants/0") == ("invariants", 0)
    assert block_of_pointer("/a~1b~0c/1") == ("a/b~c",)
