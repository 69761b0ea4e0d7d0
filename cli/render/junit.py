"""The result of policy tests as JUnit XML, which most build servers read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

from schemarouter_cli.render.testing import policy_text, shortfall_text
from schemarouter_cli.text import escape, printable

if TYPE_CHECKING:
    from schemarouter.testkit.run import PolicyReport, TestReport
    from schemarouter_cli.testing import Shortfall, Thresholds

#: What no XML holds, beside what nothing shows.
_NO_XML = frozenset("\ufffe\uffff")


def render_junit(report: TestReport, thresholds: Thresholds, missed: list[Shortfall]) -> str:
    """One suite for each policy, and one for each file that could not be used. A percentage that is asked for is a case."""
    root = Xml.Element("testsuites")
    for policy in report.policies:
        _policy(root, policy, thresholds, [short for short in missed if short.path == policy.path])
    for path in dict.fromkeys(finding.path for finding in report.errors):
        found = [finding for finding in report.errors if finding.path == path]
        suite = _suite(root, path, len(found), errors=len(found))
        for finding in found:
            case = _case(suite, f"{finding.code}[{finding.name}]", path, finding.span.line)
            text = finding.message if finding.help is None else f"{finding.message}; help: {finding.help}"
            Xml.SubElement(case, "error", message=_text(text), type=finding.code)
    totals = {
        key: str(sum(int(suite.get(key, "0")) for suite in root)) for key in ("tests", "failures", "errors", "skipped")
    }
    root.attrib.update({"name": "schemarouter", **totals})
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _policy(root: Xml.Element, policy: PolicyReport, thresholds: Thresholds, missed: list[Shortfall]) -> None:
    asked = [("rules", thresholds.coverage), ("mutants", thresholds.mutation if policy.mutation else None)]
    extra = [what for what, wanted in asked if wanted is not None]
    failed = sum(not result.ok for result in policy.results) + len(missed)
    suite = _suite(root, policy.path, len(policy.results) + len(extra), failures=failed)
    for result in policy.results:
        case = _case(suite, result.name, result.path, result.line)
        if not result.ok:
            message = _text(f"expected {result.expected}, got {result.actual}")
            Xml.SubElement(case, "failure", message=message, type="expectation")
    for what in extra:
        case = _case(suite, f"enough {what}", policy.path, 1)
        for short in missed:
            if short.what == what:
                Xml.SubElement(case, "failure", message=_text(shortfall_text(short)), type="threshold")
    output = Xml.SubElement(suite, "system-out")
    lines = [policy_text(policy)]
    lines += (f"no test is decided by {rule.rule}, line {rule.line}" for rule in policy.coverage.uncovered)
    for mutant in () if policy.mutation is None else policy.mutation.unnoticed:
        lines.append(f"mutant {mutant.fate}: {mutant.description}, line {mutant.span.line}")
    output.text = "\n".join(map(_text, lines))


def _text(text: str) -> str:
    """``text`` as XML can hold it."""
    return "".join(character if character not in _NO_XML else escape(character) for character in printable(text))


def _suite(root: Xml.Element, name: str, tests: int, *, failures: int = 0, errors: int = 0) -> Xml.Element:
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": "0"}
    return Xml.SubElement(root, "testsuite", {"name": _text(name), **counts})


def _case(suite: Xml.Element, name: str, path: str, line: int) -> Xml.Element:
    shown = _text(path)
    return Xml.SubElement(suite, "testcase", name=_text(name), classname=shown, file=shown, line=str(line))
