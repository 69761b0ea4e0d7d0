"""Findings for programs: one line each, JSON (SPEC 12.1) and GitHub workflow commands. SARIF has its own module."""

from __future__ import annotations

from collections.abc import Mapping

from schemarouter.model.diagnostic import Finding, Fix
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.plain import call_record, dump
from schemarouter_cli.text import printable

_GITHUB_LEVEL = {"error": "error", "warning": "warning", "info": "notice"}


def render_concise(outcome: Outcome) -> str:
    """``path:line:col: CODE[name] message``, one line a finding."""
    return "".join(
        f"{printable(finding.path)}:{finding.span.line}:{finding.span.column}: "
        f"{finding.code}[{finding.name}] {printable(finding.message)}\n"
        for finding in outcome.findings
    )


def render_json(outcome: Outcome) -> str:
    """The document that ``schemas/check.v1.schema.json`` describes."""
    summary: dict[str, int] = {**outcome.counts(), "suppressed": outcome.suppressed}
    document: dict[str, object] = {
        "version": 1,
        "files": outcome.files,
        "summary": summary,
        "findings": [finding_record(finding) for finding in outcome.findings],
    }
    if outcome.loads is not None:
        document["catalog"] = [{"path": path, **load._asdict()} for path, load in outcome.loads.items()]
    return dump(document, indent=2) + "\n"


def finding_record(finding: Finding) -> dict[str, object]:
    """One finding as SPEC 12.1 lists it."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": finding.message,
        "help": finding.help,
        "path": finding.path,
        **finding.span._asdict(),
        "pointer": finding.pointer,
        "rule": finding.rule,
        "fingerprint": finding.fingerprint,
        "related": [
            {"message": related.message, "path": related.path, "line": related.span.line, "column": related.span.column}
            for related in finding.related
        ],
        "witness": call_record(finding.witness) if finding.witness is not None else None,
        "fix": _fix_record(finding.fix) if finding.fix is not None else None,
    }


def _fix_record(fix: Fix) -> dict[str, object]:
    return {
        "applicability": fix.applicability,
        "edits": [{**edit.span._asdict(), "text": edit.text} for edit in fix.edits],
    }


def render_github(outcome: Outcome) -> str:
    """Workflow commands: annotations on a pull request."""
    return "".join(_annotation(finding) for finding in outcome.findings)


def _annotation(finding: Finding) -> str:
    span = finding.span
    # A column range is only understood within one line.
    columns = {"col": span.column, "endColumn": span.end_column} if span.line == span.end_line else {}
    place = {"line": span.line, "endLine": span.end_line, **columns}
    text = finding.message if finding.help is None else f"{finding.message}\nhelp: {finding.help}"
    return annotation(_GITHUB_LEVEL[finding.severity], finding.path, place, f"{finding.code}[{finding.name}]", text)


def annotation(level: str, path: str, place: Mapping[str, int], title: str, text: str) -> str:
    """One workflow command. ``level`` is error, warning or notice."""
    properties = {"file": path, **place, "title": title}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {listed}::{_data(text)}\n"


def _data(text: str) -> str:
    lines = [printable(line).replace("%", "%25") for line in text.split("\n")]
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
