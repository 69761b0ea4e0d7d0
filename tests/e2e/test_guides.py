"""Every rule that the guides write down is a rule."""

import re
from pathlib import Path

import pytest

from schemarouter.lint.check import check_policy

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "coming-from.md").read_text("utf-8")
#: Whole rules in back-ticks, as the tables have them.
RULES = re.findall(r"`(\{name: .*?effect: \w+.*?\})`(?= \||;)", GUIDE)


def test_the_guide_has_rules():
    assert len(RULES) >= 9


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_of_the_guide_is_accepted(rule):
    text = f"version: 1\napproval: {{callback: approver}}\nbudget: {{max_tool_calls: 20}}\nrules:\n  - {rule}\n"
    report = check_policy(text, "policy.yaml", "yaml")
    assert [finding for finding in report.findings if finding.severity == "error"] == []
