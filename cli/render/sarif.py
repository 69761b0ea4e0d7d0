"""Findings as SARIF 2.1.0, for code scanning services."""

from __future__ import annotations

import os
from urllib.parse import quote

from schemarouter import __version__
from schemarouter.model.diagnostic import Finding, Span
from schemarouter_cli.outcome import Outcome
from schemarouter_cli.render.plain import dump

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVEL = {"error": "error", "warning": "warning", "info": "note"}


def render_sarif(outcome: Outcome) -> str:
    """A log with one run: the rules that speak in it, and their results."""
    rules = sorted({(finding.code, finding.name) for finding in outcome.findings})
    index = {code: number for number, (code, _) in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "SchemaRouter",
                "semanticVersion": __version__.replace(".dev", "-dev."),
                "rules": [_rule(code, name, outcome.findings) for code, name in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": _uri(path)}} for path in outcome.files],
        "results": [_result(finding, index[finding.code]) for finding in outcome.findings],
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str, name: str, findings: list[Finding]) -> dict[str, object]:
    from schemarouter.lint.docs import UnknownCodeError, rule_docs

    severity = next(finding.severity for finding in findings if finding.code == code)
    rule: dict[str, object] = {
        "id": code,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "defaultConfiguration": {"level": _LEVEL[severity]},
    }
    try:
        docs = rule_docs(code)
    except UnknownCodeError:  # a code without a page is no reason to lose the report
        return rule
    summary = " ".join(docs.summary.split())
    return {
        **rule,
        "shortDescription": {"text": summary},
        "help": {"text": summary, "markdown": docs.markdown},
    }


def _result(finding: Finding, rule: int) -> dict[str, object]:
    text = finding.message if finding.help is None else f"{finding.message}\n{finding.help}"
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": _LEVEL[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(finding.path, finding.span)}],
        "partialFingerprints": {"schemarouterFinding/v1": finding.fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": one.message}, "physicalLocation": _place(one.path, one.span)}
            for number, one in enumerate(finding.related, 1)
        ]
    if finding.fix is not None and finding.fix.edits:
        edits = [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in finding.fix.edits
        ]
        change = {"artifactLocation": {"uri": _uri(finding.path)}, "replacements": edits}
        result["fixes"] = [{"description": {"text": f"{finding.fix.applicability} fix"}, "artifactChanges": [change]}]
    return result


def _place(path: str, span: Span) -> dict[str, object]:
    return {"artifactLocation": {"uri": _uri(path)}, "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(path: str) -> str:
    """``path`` as a URI reference: relative paths stay relative to the checkout."""
    slashed = path.replace(os.sep, "/")
    quoted = quote(slashed, safe="/")
    return f"file://{quoted}" if slashed.startswith("/") else quoted
