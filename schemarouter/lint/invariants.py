"""Invariants, asked about a policy: those of its own file, and those of files that hold nothing else.

A file of invariants is a policy file with ``version``, perhaps ``name``, and ``invariants``; whoever writes it need not be
whoever writes the policies that it is held against, so no comment in a policy suppresses it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.document.findings import START, to_findings
from schemarouter.model.diagnostic import Problem, Related, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.codes import Code
    from schemarouter.document.source import Format, Source
    from schemarouter.document.v1 import Invariant, PolicyDocument
    from schemarouter.model.diagnostic import Finding, Span

CODE = "SR407"
#: What a file of invariants may hold.
_KEYS = ("version", "name", "invariants")


class InvariantFile(NamedTuple):
    """A file of invariants that was read; ``path`` is what findings call it."""

    path: str
    document: PolicyDocument
    source: Source


class ReadInvariants(NamedTuple):
    """``file`` is ``None`` if one of ``findings`` is an error."""

    file: InvariantFile | None
    findings: tuple[Finding, ...]
    source: Source | None


def read_invariants(raw: bytes | str, path: str, format: Format) -> ReadInvariants:  # noqa: A002 - the word of the whole package
    """Read a file of invariants. Never raises for anything that stands in ``raw``."""
    from schemarouter.analysis.query import QuestionError, parse_question
    from schemarouter.document.codes import READER_CODES
    from schemarouter.document.reader import read_policy
    from schemarouter.lint import registry

    document, source, found = read_policy(raw, path, format)
    if document is None or source is None:
        return ReadInvariants(None, found, source)
    problems: list[Problem] = []
    data = source.data if isinstance(source.data, dict) else {}
    for key in data:
        if key not in _KEYS:
            help_ = "write it in the policy; a file of invariants holds `version`, `name` and `invariants`"
            problems.append(
                Problem("SR101", f"`{key}` has no meaning in a file of invariants", Target((key,), "key"), help_)
            )
    if not document.invariants:
        problems.append(Problem("SR102", "the file has no `invariants`", START, "list what must never happen"))
    for index, invariant in enumerate(document.invariants):
        try:
            parse_question(invariant.never)
        except QuestionError as error:
            at = Target(("invariants", index, "never"))
            problems.append(Problem(CODE, str(error), at, help=error.help, rule=invariant.name))
    codes: Mapping[str, Code] = {**READER_CODES, **registry.codes()}
    findings = (*found, *to_findings(problems, source, path, codes=codes))
    failed = any(finding.severity == "error" for finding in findings)
    return ReadInvariants(None if failed else InvariantFile(path, document, source), findings, source)


def broken(
    files: Iterable[InvariantFile],
    document: PolicyDocument,
    graph: EvaluationGraph,
    source: Source,
    path: str,
    codes: Mapping[str, Code],
) -> Iterator[Finding]:
    """The invariants of other files that the policy at ``path`` does not keep, each at what decides the call."""
    for file in files:
        for index, invariant in enumerate(file.document.invariants):
            span: Span = file.source.locate(Target(("invariants", index, "never")))
            for problem in problems_of(invariant, document, graph, None):
                for finding in to_findings([problem], source, path, codes=codes):
                    related = Related(f"the invariant `{invariant.name}`", file.path, span)
                    yield replace(finding, related=(related,))


def problems_of(
    invariant: Invariant, document: PolicyDocument, graph: EvaluationGraph, at: Target | None
) -> Iterator[Problem]:
    """What is wrong with an invariant, at its question (``at``) or, without one, at what decides the call."""
    from schemarouter.analysis.query import QuestionError, ask  # where there are no invariants, nobody pays for it

    try:
        answer = ask(graph, invariant.never)
    except QuestionError as error:
        yield Problem(CODE, str(error), at or START, help=error.help, rule=invariant.name)
        return
    if answer.answer == "no":
        return
    if answer.answer == "undecided":
        message = f"whether the invariant `{invariant.name}` holds could not be decided: {answer.reason}"
        yield Problem(CODE, message, at or START, help="simplify the rules that it is about", rule=invariant.name)
        return
    if answer.rule is None:
        who, where = "the category guards decide", Target(("defaults",))
    else:
        name = document.rules[answer.rule].name
        who = f"rule number {answer.rule + 1} decides" if name is None else f"rule `{name}` decides"
        where = Target(("rules", answer.rule, "effect"))
    shown = f" for `{answer.witness.operation}`" if answer.witness is not None else ""
    yield Problem(
        CODE,
        f"the invariant `{invariant.name}` does not hold: {who}{shown}",
        at or where,
        help="narrow that rule, or put a stricter one before it",
        related=((f"{who}{shown}", where),) if at is not None else (),
        witness=answer.witness,
        rule=invariant.name,
    )
