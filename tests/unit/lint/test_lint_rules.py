"""What every lint rule has to bring: documentation that is true, a case that triggers it, and a clean one."""

from __future__ import annotations

import ast
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from schemarouter.analysis.changes import CHANGE_CODES
from schemarouter.compiler.compile import compile_policy
from schemarouter.document.codes import READER_CODES
from schemarouter.document.reader import read_policy
from schemarouter.lint import registry
from schemarouter.lint.docs import SECTIONS, all_docs, rule_docs
from schemarouter.lint.fix import same_meaning
from schemarouter.lint.suppress import SUPPRESSION_CODES
from schemarouter.model.diagnostic import Edit
from support.lint_corpus import cases, check, check_file, expected, found, resolve, surroundings

CODES = tuple(registry.names())
#: Codes whose cases stand here; those that only the reader reports stand in tests/corpus/bad.
LINTED = tuple(
    code for code in CODES if (code not in READER_CODES or code in registry.ANALYSED) and code not in CHANGE_CODES
)


def test_every_code_is_documented_and_every_document_has_a_code():
    assert set(READER_CODES) | set(SUPPRESSION_CODES) | set(CHANGE_CODES) <= set(CODES)
    assert {code: name for code, (name, _) in registry.codes().items()} == dict(registry.names())


def test_codes_and_names_are_unique():
    assert not [name for name, count in Counter(registry.names().values()).items() if count > 1]


def test_no_rule_is_listed_anywhere():
    """A rule is added by adding its file: no module of the package names a rule's module."""
    package = Path(import_module("schemarouter.lint").__file__).parent
    for path in package.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [
                getattr(node, "module", None) or "",
                *(alias.name for alias in getattr(node, "names", []) if isinstance(alias, ast.alias)),
            ]
            assert not [name for name in names if "sr" in name and name.rpartition(".")[2].startswith("sr")], path


@pytest.mark.parametrize("rule", registry.rules(), ids=lambda rule: rule.code)
def test_a_rule_is_what_its_file_is_called(rule):
    assert registry.names()[rule.code] == rule.name
    assert rule.severity in {"error", "warning", "info"}


@pytest.mark.parametrize("code", CODES)
def test_documentation_has_every_section(code):
    doc = rule_docs(code)
    assert tuple(doc.sections) == SECTIONS
    assert doc.summary.endswith(".")
    assert "\n" not in doc.summary
    assert all(text.strip() for text in doc.sections.values())
    assert all(len(line) <= 120 or "[[[" in line for line in doc.markdown.splitlines())


@pytest.mark.parametrize("code", [code for code in CODES if code not in CHANGE_CODES])
def test_the_example_triggers_and_the_instead_does_not(code):
    doc = rule_docs(code)
    examples, insteads = doc.snippets("Example"), doc.snippets("Instead")
    assert examples
    assert insteads
    for snippet in examples:
        around = surroundings(code, snippet.text, snippet.format, good=False)
        findings = check(snippet.text, snippet.format, resolve=resolve, **around).findings
        assert code in {finding.code for finding in findings}, findings
    for snippet in insteads:
        around = surroundings(code, snippet.text, snippet.format, good=True)
        findings = check(snippet.text, snippet.format, resolve=resolve, **around).findings
        assert code not in {finding.code for finding in findings}
        assert [finding for finding in findings if finding.severity == "error"] == []


@pytest.mark.parametrize("code", LINTED)
def test_a_rule_has_a_triggering_and_a_clean_case(code):
    assert cases("bad*", code), f"tests/corpus/lint/{code}/bad.yaml is missing"
    assert cases("good*", code), f"tests/corpus/lint/{code}/good.yaml is missing"
    for path in cases("bad*", code):
        assert any(f" {code} " in line for line in expected(path)), path


def test_every_case_belongs_to_a_code():
    assert {path.parent.name for path in cases()} == set(LINTED)


@pytest.mark.parametrize("path", cases(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_case(path):
    wanted = expected(path)
    assert bool(wanted) == path.name.startswith("bad")
    assert found(path) == wanted


@pytest.mark.parametrize("path", cases("bad*"), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_findings_read_as_one(path):
    """House style: one line, lower case or a quotation first, no final period; advice stands in the help."""
    for finding in check_file(path).findings:
        for text in (finding.message, finding.help or ""):
            assert text == text.strip()
            assert "\n" not in text
            assert not text.endswith(".") or text.endswith("..")
            assert text[:1].islower() or text[:1] in "`0123456789" or text.startswith("SR") or not text
        assert finding.help
        assert finding.fingerprint


def apply_fix(text: str, edits: tuple[Edit, ...]) -> str:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for span, replacement in sorted(edits, reverse=True):
        start, end = starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1
        text = text[:start] + replacement + text[end:]
    return text


FIXABLE = [
    (path, number) for path in cases("bad*") for number, finding in enumerate(check_file(path).findings) if finding.fix
]


@pytest.mark.parametrize(("path", "number"), FIXABLE, ids=lambda value: getattr(value, "name", value))
def test_a_fix_removes_its_finding(path, number):
    text = path.read_text("utf-8")
    format_ = "toml" if path.suffix == ".toml" else "yaml"
    before = check_file(path)
    finding = before.findings[number]
    after = check(apply_fix(text, finding.fix.edits), format_)
    same = [one for one in after.findings if (one.code, one.pointer) == (finding.code, finding.pointer)]
    was = [one for one in before.findings if (one.code, one.pointer) == (finding.code, finding.pointer)]
    # A rule that is taken out moves the pointers of those below it.
    assert len(same) < len(was) or finding.fingerprint not in {one.fingerprint for one in after.findings}
    if finding.fix.applicability == "safe":
        assert same_meaning(before.graph, after.graph)
    else:
        assert after.graph is not None


def test_fixes_are_exercised():
    assert {path.parent.name for path, _ in FIXABLE} >= {"SR301", "SR302", "SR303", "SR304", "SR901"}


SHIPPED = sorted(path for path in Path("config").rglob("*.[yt][ao]ml") if ".test." not in path.name)


@pytest.mark.parametrize("path", SHIPPED, ids=str)
def test_shipped_policies_are_clean(path):
    text = path.read_text("utf-8")
    assert check(text, "toml" if path.suffix == ".toml" else "yaml", pedantic=False).findings == ()


def test_rules_do_not_import_each_other():
    for rule in registry.rules():
        path = Path(import_module(registry.modules()[rule.code]).__file__)
        assert "lint.rules" not in path.read_text("utf-8"), path


def test_compiling_does_not_need_a_lint_rule():
    document = read_policy("version: 1\n", "policy", "yaml").document
    assert compile_policy(document).rules == ()


def test_all_docs_are_in_order():
    docs = all_docs()
    assert [doc.code for doc in docs] == sorted(CODES)
    assert all(doc.markdown.startswith(f"# {doc.code}: {doc.name} ({doc.severity})\n") for doc in docs)
