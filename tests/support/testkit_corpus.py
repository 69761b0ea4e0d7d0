"""The cases under ``tests/corpus/testkit``: files of policy tests that say in ``#!`` comments what has to come of them.

``bad`` files have to give exactly the findings that they list, and run nothing. ``run`` files list what fails, with what was
expected and what came, and how many passed.
"""

from __future__ import annotations

from pathlib import Path

from schemarouter.testkit import TestReport, run_tests

CORPUS = Path(__file__).parents[1] / "corpus" / "testkit"
MARK = "#! "


def files(kind: str) -> list[Path]:
    return sorted((CORPUS / kind).glob("*.test.*"))


def expected(path: Path) -> list[str]:
    return [line.removeprefix(MARK) for line in path.read_text("utf-8").splitlines() if line.startswith(MARK)]


def described(report: TestReport) -> list[str]:
    """A report as the lines of a case."""
    lines = []
    for finding in report.findings:
        line, column, end_line, end_column = finding.span
        end = str(end_column) if line == end_line else f"{end_line}:{end_column}"
        lines.append(f"{line}:{column}-{end} {finding.code} {finding.message} | {finding.help}")
    lines += (
        f"{one.line}:{one.column} {one.name}: expected {one.expected}, got {one.actual}"
        for one in report.results
        if not one.ok
    )
    if not report.findings:
        lines.append(f"{report.passed} passed, {report.failed} failed, {report.covered} of {report.rules} rules")
    return lines


def outcome(path: Path) -> list[str]:
    return described(run_tests(path))
