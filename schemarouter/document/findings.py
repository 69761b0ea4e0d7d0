"""Problems, which speak in document paths, become findings, which stand at a line and a column."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from schemarouter.document.codes import READER_CODES
from schemarouter.document.words import legible
from schemarouter.model.diagnostic import Edit, Finding, Fix, Related, Span, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemarouter.document.codes import Code
    from schemarouter.document.source import Source
    from schemarouter.model.diagnostic import DocPath, Problem

#: Where a finding stands that has no place in the text.
START = Span(1, 1, 1, 1)
#: Problems of one pass that are listed one by one; a file with more of them is told so (SR010).
MAX_PROBLEMS = 1_000


def to_findings(
    problems: Iterable[Problem],
    source: Source | None,
    path: str,
    *,
    codes: Mapping[str, Code] = READER_CODES,
) -> list[Finding]:
    """Resolve ``problems`` to findings in the file ``path``: sorted by position, each once, fingerprinted.

    ``codes`` names every code that can occur; another one is a ``KeyError``. Without a ``source`` only problems that
    carry a span have a place, the others stand at the start of the file.
    """
    found: dict[tuple[object, ...], tuple[Finding, str]] = {}
    for problem in problems:
        code = codes[problem.code]
        target = problem.at if isinstance(problem.at, Target) else None
        span = _span(problem.at, source)
        excerpt = source.text_at(span).partition("\n")[0].strip() if source is not None else ""
        if target is not None and problem.within is not None:
            span = _narrowed(span, target, problem.within, source)
        finding = Finding(
            code=problem.code,
            name=code.name,
            severity=problem.severity or code.severity,
            message=legible(problem.message),
            path=path,
            span=span,
            help=legible(problem.help) if problem.help is not None else None,
            pointer=target.pointer if target is not None else "",
            rule=problem.rule if problem.rule is not None else _rule_name(target, source),
            related=tuple(Related(message, path, _span(at, source)) for message, at in problem.related),
            witness=problem.witness,
            fix=_fix(problem, source),
        )
        stable = f"{problem.code}\n{_stable_pointer(target, source)}\n{excerpt or problem.message}"
        found.setdefault((finding.code, finding.span, finding.message, finding.pointer), (finding, stable))
    ordered = sorted(found.values(), key=lambda item: item[0].sort_key)
    seen: Counter[str] = Counter()
    result = []
    for finding, stable in ordered:
        seen[stable] += 1
        numbered = stable if seen[stable] == 1 else f"{stable}\n{seen[stable]}"
        digest = sha256(numbered.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        result.append(replace(finding, fingerprint=digest))
    return result


def _span(at: Target | Span, source: Source | None) -> Span:
    if isinstance(at, Span):
        return at
    return source.locate(at) if source is not None else START


def _fix(problem: Problem, source: Source | None) -> Fix | None:
    if problem.fix is None:
        return None
    applicability, edits = problem.fix
    return Fix(applicability, tuple(Edit(_span(at, source), text) for at, text in edits))


def _rule(path: DocPath, source: Source | None) -> object:
    """The raw rule that ``path`` lies in, or ``None``."""
    if source is None or len(path) < 2 or path[0] != "rules" or not isinstance(source.data, dict):
        return None
    rules, index = source.data.get("rules"), path[1]
    return rules[index] if isinstance(rules, list) and isinstance(index, int) and index < len(rules) else None


def _rule_name(target: Target | None, source: Source | None) -> str | None:
    rule = _rule(target.path, source) if target is not None else None
    name = rule.get("name") if isinstance(rule, dict) else None
    return name if isinstance(name, str) else None


def _stable_pointer(target: Target | None, source: Source | None) -> str:
    """The pointer with the rule's name (else its first pattern) in place of its index, which every insertion changes."""
    if target is None:
        return ""
    rule = _rule(target.path, source)
    if not isinstance(rule, dict):
        return target.pointer
    label, patterns = rule.get("name"), rule.get("operation")
    if not isinstance(label, str):
        label = patterns[0] if isinstance(patterns, list) and patterns else patterns
    if not isinstance(label, str):
        return target.pointer
    return target._replace(path=("rules", f"[{label}]", *target.path[2:])).pointer


def _narrowed(span: Span, target: Target, within: tuple[int, int], source: Source | None) -> Span:
    """The characters ``within`` the scalar at ``target``; all of ``span`` where escapes or line ends move them."""
    if source is None or span.line != span.end_line:
        return span
    value: object = target.path[-1] if target.path else None
    if target.part != "key":
        value = source.data
        for step in target.path:
            value = value[step]  # type: ignore[index]  # a problem within a scalar has a path that exists
    start = source.text_at(span).find(value) if isinstance(value, str) else -1
    if start < 0:
        return span
    column = span.column + start
    return span._replace(column=column + within[0], end_column=column + within[1])
