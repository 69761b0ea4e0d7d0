"""``check_policy``: everything that can be said about one policy file, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.compiler.compile import compile_policy, locations_of
from schemarouter.compiler.examples import failed_examples
from schemarouter.document.codes import READER_CODES
from schemarouter.document.collector import collector_paused
from schemarouter.document.findings import to_findings
from schemarouter.document.reader import read_policy
from schemarouter.errors import SchemaRouterError
from schemarouter.lint import registry
from schemarouter.lint.context import LintContext
from schemarouter.lint.invariants import broken
from schemarouter.lint.precedence import without_repetitions
from schemarouter.lint.select import Selection
from schemarouter.lint.suppress import apply_suppressions, find_suppressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from schemarouter.catalog.lock import Lock
    from schemarouter.catalog.records import Catalog
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Format, Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.lint.context import Resolver
    from schemarouter.lint.invariants import InvariantFile
    from schemarouter.lint.rule import Rule
    from schemarouter.lint.suppress import Suppression
    from schemarouter.model.diagnostic import Finding, Problem


#: The code that says that the analysis did not finish (SPEC 12): a finding whatever its severity is.
UNDECIDED = "SR903"


class LintRuleError(SchemaRouterError):
    """A lint rule failed: a mistake in this package, not in the policy. The cause is chained."""


class CheckReport(NamedTuple):
    """What a check gave. ``graph`` is ``None`` where the file compiles to nothing, ``document`` where it has no structure.

    ``findings`` are sorted by position; ``suppressed`` counts those that a comment in the file took out.
    """

    path: str
    findings: tuple[Finding, ...]
    suppressed: int
    document: PolicyDocument | None
    source: Source | None
    graph: EvaluationGraph | None


def check_policy(
    raw: bytes | str,
    path: str,
    format: Format,  # noqa: A002 - the word for it everywhere in this package
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    pedantic: bool = False,
    resolve: Resolver | None = None,
    today: date | None = None,
    catalog: Catalog | None = None,
    lock: Lock | None = None,
    tested: frozenset[int] | None = None,
    invariants: Sequence[InvariantFile] = (),
) -> CheckReport:
    """Read, compile and lint a policy file. Never raises for anything that stands in ``raw``.

    ``path`` is what findings call the file. ``select`` and ``ignore``: see :class:`~schemarouter.lint.select.Selection`;
    errors that keep a file from compiling, and questions that could not be decided, are reported whatever is selected. ``resolve`` says why a hook or callback has
    no callable, or ``None`` if it has one. ``today`` is the date that suppressions expire by; without it suppressions are not read
    and suppress nothing, which is right for loading a policy. ``catalog`` holds the tools that the policy is about, for the
    rules that need one; ``lock`` is what was decided about them when somebody last looked, and has a meaning only with a catalog.
    ``tested`` are the indices of the rules that decide a policy test, for the rule that looks for the others. ``invariants`` are
    files of questions that must never come true of any policy; what they find is reported whatever is selected or suppressed.

    Raises :class:`~schemarouter.lint.select.UnknownSelectorError` for a selector that fits no code, and
    :class:`LintRuleError` if a rule fails.
    """
    selection = Selection(registry.names(), select, ignore, pedantic=pedantic)
    with collector_paused():
        return _check(raw, path, format, selection, resolve, today, catalog, lock, tested, invariants)


def _check(
    raw: bytes | str,
    path: str,
    format_: Format,
    selection: Selection,
    resolve: Resolver | None,
    today: date | None,
    catalog: Catalog | None,
    lock: Lock | None,
    tested: frozenset[int] | None,
    invariants: Sequence[InvariantFile],
) -> CheckReport:
    document, source, found = read_policy(raw, path, format_)
    findings = list(found)
    suppressions: list[Suppression] = []
    problems: list[Problem] = []
    if source is not None and today is not None:
        suppressions, problems = find_suppressions(source, registry.names(), today)
    graph = None
    suppressed = 0
    if document is not None and source is not None:
        graph = compile_policy(document, locations=locations_of(document, source))
        failed = failed_examples(document, graph)
        given = {"resolver": resolve, "catalog": catalog, "lock": lock, "tests": tested}
        rules = [
            rule
            for rule in registry.rules()
            if (rule.code == UNDECIDED or selection.wants(rule.code, rule.severity))
            and all(given[need] is not None for need in rule.needs)
        ]
        linted = _lint(rules, LintContext(document, source, graph, resolve, catalog, lock, tested))
        findings += to_findings([*failed, *linted], source, path, codes=registry.codes())
        findings, suppressed, unused = apply_suppressions(findings, suppressions, {rule.code for rule in rules})
        findings = without_repetitions(findings)
        problems += unused
        if failed:
            graph = None
    findings += to_findings(problems, source, path, codes=registry.codes())
    wanted = [finding for finding in findings if _always(finding) or selection.wants(finding.code, finding.severity)]
    if invariants and document is not None and source is not None and graph is not None:
        wanted += broken(invariants, document, graph, source, path, registry.codes())
    return CheckReport(path, tuple(sorted(wanted, key=lambda one: one.sort_key)), suppressed, document, source, graph)


def _lint(rules: Iterable[Rule], context: LintContext) -> list[Problem]:
    problems: list[Problem] = []
    for rule in rules:
        try:
            problems += rule.check(context)
        except Exception as error:
            raise LintRuleError(f"lint rule {rule.code} ({rule.name}) failed with {type(error).__name__}") from error
    return problems


def _always(finding: Finding) -> bool:
    """Whether ``finding`` is reported whatever is selected.

    The file compiles to nothing because of it, or it says that something selected could not be decided: without it, a
    broken file, or one of which nothing is known, would be called clean.
    """
    return finding.code == UNDECIDED or (finding.severity == "error" and finding.code in READER_CODES)
