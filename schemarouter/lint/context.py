"""What a lint rule sees: a policy that was read and compiled without an error, and the text that it came from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.model.diagnostic import Span, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from schemarouter.catalog.decisions import Decided
    from schemarouter.catalog.drift import Drift
    from schemarouter.catalog.lock import Lock
    from schemarouter.catalog.records import Catalog, Operation
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.lint.exact import Analysis
    from schemarouter.lint.removal import Lines
    from schemarouter.model.diagnostic import Applicability, DocPath

    #: Says why a name of a hook or callback has no callable, as the end of a sentence, or ``None`` if it has one.
    Resolver: TypeAlias = Callable[[str], str | None]

Section = Literal["rules", "classify"]


class PatternAt(NamedTuple):
    """A pattern of the policy, where it stands, and the index (``entry``) of the rule or ``classify`` entry that it belongs to."""

    text: str
    path: DocPath
    section: Section
    entry: int

    @property
    def target(self) -> Target:
        """The pattern's own place."""
        return Target(self.path)


class LintContext:
    """The input of every rule. Immutable by convention: rules run in one process and see the same object."""

    def __init__(
        self,
        document: PolicyDocument,
        source: Source,
        graph: EvaluationGraph,
        resolve: Resolver | None = None,
        catalog: Catalog | None = None,
        lock: Lock | None = None,
        tested: frozenset[int] | None = None,
    ) -> None:
        self.document = document
        self.source = source
        self.graph = graph
        self.resolve = resolve
        self.catalog = catalog
        self.lock = lock
        #: Indices of the rules that decide a policy test; ``None`` where nobody looked.
        self.tested = tested
        self._analysis: Analysis | None = None

    @property
    def analysis(self) -> Analysis:
        """The exact analysis, made when the first rule asks for it."""
        if self._analysis is None:
            from schemarouter.lint.exact import Analysis  # lazily: a check of selected codes may not need it

            self._analysis = Analysis(self.graph)
        return self._analysis

    @property
    def gaps(self) -> Mapping[str, list[int | None]]:
        """The questions that rules have asked so far and that the bound on work cut off; asks nothing."""
        return {} if self._analysis is None else self._analysis.gaps

    @cached_property
    def _lines(self) -> Lines:
        from schemarouter.lint.removal import Lines

        return Lines(self.source)

    def removal(self, rule: int) -> tuple[Applicability, tuple[tuple[Target | Span, str], ...]] | None:
        """The fix that takes a rule out of the file, for rules of which that is proven to change nothing.

        ``None`` where the rule's lines are not its own, or a comment speaks of it.
        """
        span = self._lines.of_rule(rule)
        return None if span is None else ("safe", ((span, ""),))

    @cached_property
    def rule_patterns(self) -> tuple[PatternAt, ...]:
        """The patterns of all rules, in order."""
        return tuple(_patterns("rules", self.document.rules))

    @cached_property
    def classify_patterns(self) -> tuple[PatternAt, ...]:
        """The patterns of all ``classify`` entries, in order."""
        return tuple(_patterns("classify", self.document.classify))

    @property
    def patterns(self) -> tuple[PatternAt, ...]:
        """All patterns that stand for operations: those of ``classify``, then those of ``rules``."""
        return self.classify_patterns + self.rule_patterns

    # With a catalog

    @cached_property
    def matched(self) -> dict[PatternAt, tuple[Operation, ...]]:
        """For each pattern the operations of the catalog that it matches. Empty without a catalog."""
        if self.catalog is None:
            return {}
        from schemarouter.match.lookup import Lookup

        patterns = self.patterns
        lookup = Lookup((number, pattern.text) for number, pattern in enumerate(patterns))
        found: dict[PatternAt, list[Operation]] = {pattern: [] for pattern in patterns}
        for operation in self.catalog:
            some, others = lookup.find(operation.operation)
            for number in {*some, *others}:
                found[patterns[number]].append(operation)
        return {pattern: tuple(operations) for pattern, operations in found.items()}

    @cached_property
    def decided(self) -> tuple[Decided, ...]:
        """Who decides about every operation of the catalog. Empty without a catalog."""
        if self.catalog is None:
            return ()
        from schemarouter.catalog.decisions import decide_all

        return decide_all(self.graph, self.catalog)

    @cached_property
    def drift(self) -> tuple[Drift, ...]:
        """Every operation of the catalog that is not as the lock has it. Empty without both."""
        if self.catalog is None or self.lock is None:
            return ()
        from schemarouter.catalog.drift import drift

        return tuple(drift(self.lock, self.decided, self.graph.digest))


def _patterns(section: Section, entries: Iterable[object]) -> Iterator[PatternAt]:
    for index, entry in enumerate(entries):
        operation: str | list[str] = entry.operation  # type: ignore[attr-defined] # rules and classify entries both have it
        if isinstance(operation, str):
            yield PatternAt(operation, (section, index, "operation"), section, index)
        else:
            for position, text in enumerate(operation):
                yield PatternAt(text, (section, index, "operation", position), section, index)
