"""The result of policy tests for programs: one line each, JSON (SPEC 12.1) and GitHub workflow commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.machine import annotation, finding_record
from schemarouter_cli.render.machine import render_concise as concise_findings
from schemarouter_cli.render.machine import render_github as github_findings
from schemarouter_cli.render.plain import call_record, dump
from schemarouter_cli.render.testing import UNCOVERED, shortfall_text, summary
from schemarouter_cli.text import printable

if TYPE_CHECKING:
    from schemarouter.testkit.mutation import MutantResult, MutationReport
    from schemarouter.testkit.results import CaseResult, Coverage
    from schemarouter.testkit.run import PolicyReport, TestReport
    from schemarouter_cli.testing import Shortfall


def render_concise(report: TestReport, missed: list[Shortfall]) -> str:
    """``path:line:col: what is wrong``, one line each, and a summary."""
    lines = [concise_findings(Outcome(findings=report.findings))]
    lines += (f"{printable(path)}:{line}:{column}: {text}\n" for _, path, line, column, text in _wrong(report))
    lines += (f"{shortfall_text(short)}\n" for short in missed)
    return "".join(lines) + summary(report) + "\n"


def render_github(report: TestReport, missed: list[Shortfall]) -> str:
    """Workflow commands: annotations on a pull request."""
    lines = [github_findings(Outcome(findings=report.findings))]
    lines += (
        annotation(level, path, {"line": line, "col": column}, title, text)
        for (level, title), path, line, column, text in _wrong(report)
    )
    lines += (
        annotation("error", short.path, {"line": 1}, f"too few {short.what}", shortfall_text(short)) for short in missed
    )
    return "".join(lines)


def _wrong(report: TestReport) -> Iterator[tuple[tuple[str, str], str, int, int, str]]:
    """Everything that people should see: how severe and what it is, where, and a sentence."""
    for policy in report.policies:
        for one in policy.results:
            if not one.ok:
                text = f"{one.name}: expected {one.expected}, got {one.actual}"
                yield ("error", "policy test failed"), one.path, one.line, one.column, printable(text)
        for rule in policy.coverage.uncovered:
            text = f"{UNCOVERED} no test is decided by this rule"
            yield ("warning", UNCOVERED), rule.path, rule.line, rule.column, text
        for mutant in () if policy.mutation is None else policy.mutation.unnoticed:
            place = (mutant.path, mutant.span.line, mutant.span.column)
            text = f"mutant {mutant.fate}: {mutant.kind}: {mutant.description}"
            yield ("warning", f"mutant {mutant.fate}"), *place, printable(text)


def render_json(report: TestReport, missed: list[Shortfall]) -> str:
    """The document that ``schemas/test.v1.schema.json`` describes."""
    document = {
        "version": 1,
        "passed": report.passed,
        "failed": report.failed,
        "coverage": {
            "rules": report.rules,
            "covered": report.covered,
            "uncovered": [rule.rule for policy in report.policies for rule in policy.coverage.uncovered],
        },
        "cases": [_case(result) for result in report.results],
        "policies": [_policy(policy) for policy in report.policies],
        "missed": [
            {
                "path": short.path,
                "what": short.what,
                "part": short.part,
                "whole": short.whole,
                "wanted": f"{short.wanted:f}",
            }
            for short in missed
        ],
        "findings": [finding_record(finding) for finding in report.findings],
    }
    return dump(document, indent=2) + "\n"


def _case(result: CaseResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "path": result.path,
        "line": result.line,
        "column": result.column,
        "ok": result.ok,
        "expected": result.expected,
        "actual": result.actual,
        "witness": None if result.witness is None else call_record(result.witness),
    }


def _policy(policy: PolicyReport) -> dict[str, Any]:
    return {
        "path": policy.path,
        "files": list(policy.files),
        "passed": sum(result.ok for result in policy.results),
        "failed": sum(not result.ok for result in policy.results),
        "coverage": _coverage(policy.coverage),
        "mutation": None if policy.mutation is None else _mutation(policy.mutation),
    }


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "rules": len(coverage.rules),
        "covered": coverage.covered,
        "uncovered": [
            {"rule": rule.rule, "rule_index": rule.number, "line": rule.line, "column": rule.column}
            for rule in coverage.uncovered
        ],
    }


def _mutation(mutation: MutationReport) -> dict[str, Any]:
    return {
        "mutants": mutation.total,
        "skipped": mutation.skipped,
        "killed": mutation.killed,
        "equivalent": mutation.equivalent,
        "unnoticed": [_mutant(mutant) for mutant in mutation.unnoticed],
    }


def _mutant(mutant: MutantResult) -> dict[str, Any]:
    change = mutant.change
    return {
        "kind": mutant.kind,
        "description": mutant.description,
        "path": mutant.path,
        **mutant.span._asdict(),
        "fate": mutant.fate,
        "reason": mutant.reason,
        "direction": None if change is None else change.direction,
        "before": None if change is None else change.before,
        "after": None if change is None else change.after,
        "witness": None if change is None or change.witness is None else call_record(change.witness),
    }
