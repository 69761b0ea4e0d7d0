"""Mutation testing of a policy: which small mistakes its tests do not notice, and a call that shows each."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.analysis.diff import diff_policies
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.match.pattern import PatternSet
from schemarouter.model.diagnostic import Span, Target
from schemarouter.testkit.decisions import Subject
from schemarouter.testkit.mutants import Mutant, mutants
from schemarouter.testkit.runs import RunTest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from schemarouter.analysis.changes import Change, PolicyDiff
    from schemarouter.document.source import Source
    from schemarouter.testkit.assemble import Test
    from schemarouter.testkit.suite import Suite

#: Mutants that are tried, at most: of more, so many are taken evenly.
MAX_MUTANTS = 2_000
#: What all mutants together may cost where that leaves more than a few, in rules that are indexed and calls that are run.
_MOST_WORK = 1_000_000
_A_FEW = 100
#: Work of one comparison; one rule was edited, so most need far less.
_STEPS = 2_000_000

Fate = Literal["killed", "survived", "equivalent", "undecided"]


class MutantResult(NamedTuple):
    """A mutant that no test noticed. ``survived``: ``change`` says what it decides otherwise, with a call if one is known.

    ``undecided``: whether it decides anything otherwise could not be worked out, for the ``reason``.
    """

    kind: str
    description: str
    path: str
    span: Span
    fate: Literal["survived", "undecided"]
    change: Change | None
    reason: str | None


class MutationReport(NamedTuple):
    """What became of the mutants: ``total`` is how many there are, of which all but ``skipped`` were tried."""

    total: int
    skipped: int
    killed: int
    equivalent: int
    unnoticed: tuple[MutantResult, ...]

    @property
    def counted(self) -> int:
        """The mutants that tests can notice, as far as is known: those that were tried and are not equivalent."""
        return self.total - self.skipped - self.equivalent


def mutate(
    suite: Suite,
    source: Source | None,
    *,
    most: int = MAX_MUTANTS,
    cancelled: Callable[[], bool] | None = None,
) -> MutationReport:
    """Try the mutants of a policy whose tests pass.

    A test that names a rule also notices that another rule decides the same. Raises
    :class:`~schemarouter.analysis.changes.WitnessError` as a comparison does.
    """
    every = list(mutants(suite.graph))
    most = min(most, max(_A_FEW, _MOST_WORK // (len(suite.graph.rules) + suite.work + 1)))
    tried = every if len(every) <= most else [every[number * len(every) // most] for number in range(most)]
    notice = _Notice(suite)
    fates = {"killed": 0, "equivalent": 0}
    unnoticed = []
    for number, mutant in enumerate(tried):
        if cancelled is not None and cancelled():
            tried = tried[:number]
            break
        made = mutant.make()
        graph = EvaluationGraph(made.content)
        if notice.notices(mutant, graph, made.origin):
            fates["killed"] += 1
            continue
        found = diff_policies(suite.graph, graph, steps=_STEPS, cancelled=cancelled, enough=1)
        fate, change = _fate(found)
        if fate == "equivalent":
            fates["equivalent"] += 1
            continue
        span = Span(1, 1, 1, 1) if source is None else source.locate(Target(mutant.at, "entry"))
        reason = found.undecided[0] if fate == "undecided" else None
        unnoticed.append(MutantResult(mutant.kind, mutant.change, suite.path, span, fate, change, reason))
    return MutationReport(len(every), len(every) - len(tried), fates["killed"], fates["equivalent"], tuple(unnoticed))


def _fate(found: PolicyDiff) -> tuple[Literal["survived", "equivalent", "undecided"], Change | None]:
    """A change that was found counts, whatever else could not be decided; the one with a call is shown."""
    changes = [change for change in found.changes if change.direction != "neutral"]
    if changes:
        return "survived", next((change for change in changes if change.witness is not None), changes[0])
    return ("undecided", None) if found.undecided else ("equivalent", None)


class _Notice:
    """Finds the tests that a mutant can change, and runs them."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        #: Tests by the rules that match one of their operations, whoever decides; decisions before runs, which take longer.
        self._by_rule: dict[int, list[int]] = {}
        self._order = sorted(range(len(suite.tests)), key=lambda number: isinstance(suite.tests[number], RunTest))
        for number in self._order:
            matching = map(suite.graph.matching, suite.tests[number].operations)
            for rule in frozenset(chain.from_iterable(matching)):
                self._by_rule.setdefault(rule, []).append(number)

    def notices(self, mutant: Mutant, graph: EvaluationGraph, origin: tuple[int, ...] | None) -> bool:
        """Whether any test fails on the mutant."""
        subject = Subject(graph, range(len(graph.rules)) if origin is None else origin)
        tests: Sequence[Test] = self._suite.tests
        return any(
            not verdict.result.ok for number in self._concerned(mutant) for verdict in tests[number].run(subject)
        )

    def _concerned(self, mutant: Mutant) -> Iterable[int]:
        """The tests that can come out otherwise: those of a call that the changed rules match, as they were or as they are."""
        if not mutant.rules:
            return self._order
        found = dict.fromkeys(number for rule in mutant.rules for number in self._by_rule.get(rule, ()))
        if mutant.wider is not None:
            wider = PatternSet((mutant.wider,))
            tests = self._suite.tests
            found |= dict.fromkeys(
                number for number in self._order if any(map(wider.matches, tests[number].operations))
            )
        return found
