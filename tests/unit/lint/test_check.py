"""``check_policy`` as a whole: order, selection, failures of its own."""

from __future__ import annotations

import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from schemarouter.errors import SchemaRouterError
from schemarouter.lint import registry
from schemarouter.lint.check import LintRuleError, check_policy
from schemarouter.lint.docs import UnknownCodeError, rule_docs
from schemarouter.lint.rule import Rule, rule
from schemarouter.lint.select import Selection, UnknownSelectorError
from support.lint_corpus import check

POLICY = """\
version: 1
rules:
  - name: tool
    operation: "notes.*"
    effect: allow
  - operation: wiki.send
    effect: deny
classify: [{operation: "*", read_only: false, destructive: false}]
"""
ALL = ["SR306", "SR501", "SR107", "SR108"]


def codes(report):
    return [finding.code for finding in report.findings]


def test_findings_come_in_the_order_of_the_file():
    report = check(POLICY)
    assert codes(report) == ALL
    assert [finding.span.line for finding in report.findings] == [4, 5, 6, 7]
    assert report.path == "policy"
    assert report.graph is not None
    assert report.document is not None
    assert report.source is not None


def test_infos_need_pedantic_or_their_own_code_or_name():
    assert codes(check(POLICY, pedantic=False)) == ["SR306", "SR501", "SR107"]
    assert codes(check(POLICY, pedantic=False, select=["SR108"])) == ["SR108"]
    assert codes(check(POLICY, pedantic=False, select=["missing-reason", "SR5"])) == ["SR501", "SR108"]
    assert codes(check(POLICY, pedantic=False, select=["SR1"])) == ["SR107"]
    assert codes(check(POLICY, pedantic=True, select=["SR1"])) == ["SR107", "SR108"]


def test_select_and_ignore_take_codes_prefixes_and_names():
    assert codes(check(POLICY, select=["SR3", "no-limit"])) == ["SR306", "SR501"]
    assert codes(check(POLICY, select=["SR3", "no-limit"], ignore=["allow-everything"])) == ["SR501"]
    assert codes(check(POLICY, ignore=["SR"])) == []
    assert codes(check(POLICY, select=["SR"])) == ALL


@pytest.mark.parametrize(
    ("selector", "help_"),
    [
        ("SR399", None),
        ("sr306", "did you mean `SR306`?"),
        ("allow-everythin", "did you mean `allow-everything`?"),
        ("", None),
        ("X", None),
        ("SR3066", None),
    ],
)
def test_an_unknown_selector_is_refused(selector, help_):
    for option in ("select", "ignore"):
        with pytest.raises(UnknownSelectorError, match="selects no code") as caught:
            check(POLICY, **{option: [selector]})
        assert isinstance(caught.value, SchemaRouterError)
        assert help_ is None or caught.value.help == help_
        assert pickle.loads(pickle.dumps(caught.value)).help == caught.value.help


def test_errors_of_the_reader_come_alone_and_cannot_be_deselected():
    text = POLICY.replace("effect: deny", "effect: refuse")
    for options in ({}, {"select": ["SR3"]}, {"ignore": ["SR1"]}):
        report = check(text, **options)
        assert codes(report) == ["SR105"]
        assert report.graph is None
        assert report.document is None
    assert codes(check("")) == ["SR104"]
    assert codes(check(b"\xff\xfe")) == ["SR001"]


def test_warnings_of_the_reader_can_be_deselected_and_do_not_stop_lint():
    text = POLICY.replace('"notes.*"', '&name "notes.*"')
    assert codes(check(text)) == ["SR004", *ALL]
    assert codes(check(text, ignore=["SR004"])) == ALL


def test_a_failed_example_stands_beside_lint_and_compiles_to_nothing():
    text = POLICY.replace("    effect: allow\n", "    effect: allow\n    examples: {decides: [wiki.read]}\n")
    report = check(text)
    assert codes(report) == ["SR306", "SR501", "SR109", "SR107", "SR108"]
    assert report.graph is None
    assert report.document is not None
    assert "SR109" in codes(check(text, select=["SR5"]))


def test_a_rule_that_fails_is_never_skipped(monkeypatch):
    def broken(context):
        raise KeyError("secret of the policy")

    monkeypatch.setattr(registry, "rules", lambda: (Rule("SR306", "allow-everything", "warning", broken),))
    with pytest.raises(LintRuleError, match=r"^lint rule SR306 \(allow-everything\) failed with KeyError$") as caught:
        check(POLICY)
    assert isinstance(caught.value.__cause__, KeyError)
    assert codes(check(POLICY, ignore=["SR3"])) == []


def test_the_decorator_makes_a_rule():
    @rule("SR999", "example", "info", needs=["resolver"])
    def sample(policy):
        yield from ()

    assert sample == Rule("SR999", "example", "info", sample.check, frozenset({"resolver"}))
    assert list(sample.check(None)) == []


def test_a_name_of_a_hook_is_only_resolved_with_a_resolver():
    text = (
        "version: 1\nbudget: {max_tool_calls: 2}\napproval: {callback: a}\nhooks: {before_call: [b], after_call: [c]}\n"
    )
    asked = []

    def resolve(name):
        asked.append(name)
        return None if name == "b" else "is unknown here"

    report = check(text, resolve=resolve)
    assert asked == ["a", "b", "c"]
    assert [finding.message for finding in report.findings] == [
        "approval callback `a` is unknown here",
        "hook `c` is unknown here",
    ]
    assert check(text).findings == ()


@pytest.mark.parametrize(
    ("pattern", "mended"),
    [
        ("^github.*$", "github.*"),
        ("^github\\\\.delete_.*$", "github.delete_*"),
        (".*secret.*", "*secret*"),
        ("files.x.+", "files.x?*"),
        ("files.v\\\\d", "files.v[0-9]"),
        ("files.(a|b)", None),
        ("files.[ab]+", None),
        ("^$", None),
    ],
)
def test_a_regular_expression_is_translated_where_that_is_plain(pattern, mended):
    text = f'version: 1\nbudget: {{max_tool_calls: 2}}\nrules: [{{name: a, operation: "{pattern}", effect: deny}}]\n'
    [finding] = check(text, select=["SR303"]).findings
    assert (finding.fix.edits[0].text if finding.fix else None) == (f'"{mended}"' if mended else None)


def test_fingerprints_survive_what_happens_above():
    before = check(POLICY)
    after = check(POLICY.replace("rules:\n", "rules:\n  - {name: new, operation: a.b, effect: allow}\n"))
    wanted = {finding.fingerprint for finding in before.findings if finding.code == "SR306"}
    assert wanted <= {finding.fingerprint for finding in after.findings}


def test_the_name_of_the_rule_is_told():
    assert [finding.rule for finding in check(POLICY).findings] == ["tool", "tool", None, None]


def test_reports_of_both_formats_agree():
    toml = """\
version = 1
[[rules]]
name = "tool"
operation = "notes.*"
effect = "allow"
[[rules]]
operation = "wiki.send"
effect = "deny"
[[classify]]
operation = "*"
read_only = false
destructive = false
"""
    mine, other = check(POLICY), check(toml, "toml")
    assert [(f.code, f.message, f.help, f.pointer) for f in mine.findings] == [
        (f.code, f.message, f.help, f.pointer) for f in other.findings
    ]
    assert mine.graph == other.graph


def test_documentation_by_code_and_name():
    assert rule_docs("SR306") == rule_docs("allow-everything") == rule_docs("sr306")
    with pytest.raises(UnknownCodeError, match="`allow-evrything` is no known code or name") as caught:
        rule_docs("allow-evrything")
    assert caught.value.help == "did you mean `allow-everything`?"
    assert pickle.loads(pickle.dumps(caught.value)).help == caught.value.help
    with pytest.raises(UnknownCodeError):
        rule_docs("SR3")


def test_a_selection_without_selectors_wants_everything_but_infos():
    selection = Selection(registry.names())
    assert selection.wants("SR306", "warning")
    assert not selection.wants("SR108", "info")


def test_rules_are_found_in_a_zip(tmp_path):
    root = Path(__import__("schemarouter").__file__).parent
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in root.rglob("*.py"):
            packed.write(path, path.relative_to(root.parent).as_posix())
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from schemarouter.lint import registry, docs\n"
        "assert '.zip' in registry.__file__, registry.__file__\n"
        "print(len(registry.names()), len(registry.rules()), docs.rule_docs('SR306').name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(archive)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == [str(len(registry.names())), str(len(registry.rules())), "allow-everything"]


def test_checking_imports_no_documentation():
    program = (
        "import sys\n"
        "from schemarouter.lint.check import check_policy\n"
        "check_policy('version: 1', 'p', 'yaml')\n"
        "print(*(name for name in sys.modules if name.startswith('schemarouter.lint.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "schemarouter.lint.rules.sr306_allow_everything" in loaded
    assert "schemarouter.lint.docs" not in loaded
    assert not [name for name in loaded if "rules.sr0" in name or "rules.sr901" in name]


HOSTILE = {
    "dots": "  - {name: r%d, effect: deny, reason: x, operation: '" + "a%d." * 300 + "x'}\n",
    "brackets": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d." + "[" * 1800 + "'}\n",
    "braces": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d.{" + "," * 1800 + "'}\n",
    "alternatives": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d.{" + "b," * 900 + "}'}\n",
    "stars": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d." + "*a" * 900 + "'}\n",
    "carets": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d." + "[^a]" * 400 + "'}\n",
    "backslashes": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d." + "\\" * 1800 + "'}\n",
    "scripts": "  - {name: r%d, effect: deny, reason: x, operation: 'a%d." + "жa" * 800 + "'}\n",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_patterns_cost_no_more_than_their_length(kind):
    """What a quadratic step would take minutes for takes seconds at most; output stays in proportion as well."""
    rules = "".join(HOSTILE[kind].replace("a%d.", f"a{number}.").replace("%d", str(number)) for number in range(300))
    text = "version: 1\nbudget: {max_tool_calls: 2}\nrules:\n" + rules
    report = check(text)
    size = sum(len(finding.message) + len(finding.help or "") for finding in report.findings)
    assert size < len(text)


def test_many_comments_cost_no_more_than_their_number():
    one = "  # schemarouter: ignore[SR306] ours\n"
    text = (
        "version: 1\nbudget: {max_tool_calls: 2}\nrules:\n"
        + one * 20_000
        + "  - name: a\n    effect: allow\n    operation:\n"
    )
    text += "".join(f"      - a.b{number}  # schemarouter: ignore[SR306] ours\n" for number in range(3_000))
    report = check(text + 'classify: [{operation: "*", read_only: false, destructive: false}]')
    assert codes(report) == ["SR901"] * 23_000


def test_a_large_policy_is_linted_in_proportion():
    rules = "".join(
        f"  - {{name: rule-{number}, operation: 'tool{number % 97}.endpoint_{number}', effect: deny, reason: because}}\n"
        for number in range(5_000)
    )
    report = check_policy("version: 1\nbudget: {max_tool_calls: 2}\nrules:\n" + rules, "p", "yaml")
    assert report.findings == ()
