"""What a lint rule sees: a policy that was read and compiled without an error, and the text that it came from."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.model.diagnostic import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.document.source import Source
    from schemarouter.document.v1 import PolicyDocument
    from schemarouter.model.diagnostic import DocPath

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
    ) -> None:
        self.document = document
        self.source = source
        self.graph = graph
        self.resolve = resolve

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


def _patterns(section: Section, entries: Iterable[object]) -> Iterator[PatternAt]:
    for index, entry in enumerate(entries):
        operation: str | list[str] = entry.operation  # type: ignore[attr-defined] # rules and classify entries both have it
        if isinstance(operation, str):
            yield PatternAt(operation, (section, index, "operation"), section, index)
        else:
            for position, text in enumerate(operation):
                yield PatternAt(text, (section, index, "operation", position), section, index)
