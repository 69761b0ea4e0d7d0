"""A compiled policy as the analysis sees it: selections of an automaton, class by class.

A *class* is one of the 18 combinations of attributes (``match.classes``). What policy goes by are the effective classes,
and ``classify`` changes them word by word; so the words are cut into *slices*, one for each entry of ``classify`` and one
for the rest, and within a slice every contract class has one effective class.

Argument conditions are atoms: equal conditions are one atom, and each may hold, fail, or be in doubt. It is enough to
look at cases where the atoms of the deciding rules hold, with what they imply, and all others fail: whatever another atom
that holds could change, it changes as the atom of a deciding rule. Doubt adds nothing, because the outcome in doubt is the
strictest one of how the doubt could be settled; but for the pairs of :mod:`schemarouter.analysis.doubt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from schemarouter.analysis.automaton import NOTHING, Automaton, Selection
from schemarouter.analysis.implication import implies
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.compiler.decide import guard_decision, needs_approval
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import GraphRule, predicate_mask
from schemarouter.match.classes import CLASS_COUNT, CLASSES, class_index
from schemarouter.match.conditions import Conditions
from schemarouter.match.pattern import matches

if TYPE_CHECKING:
    from schemarouter.model.decision import Outcome

_STRIDE = 32

#: Stricter is higher.
STRICTNESS: dict[Outcome, int] = {"allow": 0, "approval": 1, "deny": 2}


class Slice(NamedTuple):
    """Words that one entry of ``classify`` speaks for (``entry``), or none does (``None``).

    ``pattern`` is one of the entry's patterns, ``before`` selects the patterns of the entries before it. ``effective``
    has the effective class of each contract class.
    """

    entry: int | None
    pattern: str | None
    before: Selection
    effective: tuple[int, ...]


class _Shared:
    """The automaton of views that are built together. Many questions are answered without it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    @cached_property
    def automaton(self) -> Automaton:
        return Automaton(self._patterns)


class PolicyView:
    """A graph over an automaton that knows all its patterns. Immutable but for what it remembers."""

    def __init__(self, graph: EvaluationGraph, shared: _Shared) -> None:
        self.graph = graph
        self._shared = shared
        self.rules: Sequence[GraphRule] = graph.rules
        self.masks = [predicate_mask(rule.predicates) for rule in self.rules]
        self._runs: dict[int, list[Selection]] = {}
        self._holding: dict[Conditions, frozenset[int]] = {}

    @property
    def automaton(self) -> Automaton:
        """All patterns of the views that were built together; made when it is first needed."""
        return self._shared.automaton

    @cached_property
    def selections(self) -> list[Selection]:
        """Per rule, the selection of its patterns."""
        return [self.automaton.selection(rule.patterns) for rule in self.rules]

    @cached_property
    def overlaps(self) -> OverlapIndex:
        """Which rules may have words in common with a pattern."""
        return OverlapIndex(self.graph)

    @cached_property
    def slices(self) -> tuple[Slice, ...]:
        """The slices; together they hold every word, and none twice."""
        result: list[Slice] = []
        before = NOTHING
        for number, entry in enumerate(self.graph.classify):
            effective = tuple(
                class_index(
                    remote,
                    read_only if entry.read_only is None else entry.read_only,
                    destructive if entry.destructive is None else entry.destructive,
                )
                for remote, read_only, destructive in CLASSES
            )
            for pattern in entry.patterns:
                result.append(Slice(number, pattern, before, effective))
                before = before | self.automaton.selection((pattern,))
        result.append(Slice(None, None, before, tuple(range(CLASS_COUNT))))
        return tuple(result)

    def outcome(self, rule: int | None, effective: int) -> Outcome:
        """What happens to a call of an effective class if ``rule`` decides, or the category guards (``None``)."""
        remote, read_only, destructive = CLASSES[effective]
        if rule is None:
            effect = guard_decision(self.graph.defaults, "", remote, read_only, destructive).effect
        else:
            effect = self.rules[rule].effect
        if effect == "deny":
            return "deny"
        return "approval" if needs_approval(self.graph.approval, effect, read_only) else "allow"

    @cached_property
    def outcomes(self) -> list[tuple[Outcome, ...]]:
        """Per rule, and for the guards in the last row, the outcome in each effective class."""
        known: dict[str, tuple[Outcome, ...]] = {}
        rows: list[tuple[Outcome, ...]] = []
        for number, rule in enumerate(self.rules):
            if rule.effect not in known:
                known[rule.effect] = tuple(self.outcome(number, index) for index in range(CLASS_COUNT))
            rows.append(known[rule.effect])
        rows.append(tuple(self.outcome(None, index) for index in range(CLASS_COUNT)))
        return rows

    def before(self, rule: int | None, effective: int, *atoms: Conditions | None) -> Selection:
        """What the rules before ``rule`` (before the guards: ``None``) certainly decide, if ``atoms`` hold.

        Whatever these imply holds too.
        """
        end = len(self.rules) if rule is None else rule
        result = self._certain(self.group_of[effective], end)
        for number in self.holding(*atoms):
            if number < end and self.masks[number] >> effective & 1:
                result = result | self.selections[number]
        return result

    def holding(self, *atoms: Conditions | None) -> set[int]:
        """The rules whose argument conditions hold if ``atoms`` do, as far as that is seen."""
        found: set[int] = set()
        for atom in dict.fromkeys(atoms):
            if atom is not None:
                known = self._holding.get(atom)
                if known is None:
                    known = self._holding[atom] = frozenset(
                        number
                        for carried, numbers in self.carriers.items()
                        if implies(atom, carried)
                        for number in numbers
                    )
                found |= known
        return found

    def conditional_before(self, rule: int | None, effective: int) -> Selection:
        """What the rules with argument conditions before ``rule`` may decide."""
        end = len(self.rules) if rule is None else rule
        result = NOTHING
        for numbers in self.carriers.values():
            for number in numbers:
                if number >= end:
                    break
                if self.masks[number] >> effective & 1:
                    result = result | self.selections[number]
        return result

    @cached_property
    def carriers(self) -> dict[Conditions, list[int]]:
        """The argument conditions, each with the rules that have it, rising."""
        result: dict[Conditions, list[int]] = {}
        for number, rule in enumerate(self.rules):
            if rule.conditions is not None:
                result.setdefault(rule.conditions, []).append(number)
        return result

    @cached_property
    def group_of(self) -> dict[int, int]:
        """Per class, the first class of its group."""
        return {index: group[0] for group in self.class_groups for index in group}

    @cached_property
    def rules_of_pattern(self) -> dict[int, list[int]]:
        """Per pattern of the automaton, the rules that have it, rising."""
        result: dict[int, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for pattern in rule.patterns:
                result.setdefault(self.automaton.number[pattern], []).append(number)
        return result

    def _certain(self, effective: int, end: int) -> Selection:
        """The unconditional rules before ``end``; kept for each 32nd rule, so that 10,000 rules stay small."""
        runs = self._runs.get(effective)
        if runs is None:
            patterns = states = 0
            runs = self._runs[effective] = []
            for number, one in enumerate(self.selections):
                if number % _STRIDE == 0:
                    runs.append(Selection(patterns, states))
                if self.masks[number] >> effective & 1 and self.rules[number].conditions is None:
                    patterns |= one.patterns
                    states |= one.states
            runs.append(Selection(patterns, states))
        if end == len(self.rules):
            return runs[-1]
        result = runs[end // _STRIDE]
        for number in range(end - end % _STRIDE, end):
            if self.masks[number] >> effective & 1 and self.rules[number].conditions is None:
                result = result | self.selections[number]
        return result

    def certainly(self, word: str, effective: int) -> tuple[int | None] | tuple[()]:
        """The rule that decides ``word`` in an effective class whatever the arguments are, or ``()`` where it depends."""
        for number in self.graph.matching(word):
            if self.masks[number] >> effective & 1:
                return (number,) if self.rules[number].conditions is None else ()
        return (None,)

    def taking(self, word: str) -> Iterator[str]:
        """The patterns, of rules and of ``classify``, that match ``word``."""
        for number in self.graph.matching(word):
            for pattern in self.rules[number].patterns:
                if matches(pattern, word):
                    yield pattern
        for entry in self.graph.classify:
            for pattern in entry.patterns:
                if matches(pattern, word):
                    yield pattern

    @cached_property
    def class_groups(self) -> tuple[tuple[int, ...], ...]:
        """The classes, grouped so that every rule, and every outcome, treats those of a group alike."""
        columns: dict[tuple[object, ...], list[int]] = {}
        kinds = set(zip(self.masks, (rule.effect for rule in self.rules), strict=True))
        masks = sorted({mask for mask, _ in kinds})
        for index in range(CLASS_COUNT):
            outcomes = (
                self.outcomes[-1][index],
                "approval" if needs_approval(self.graph.approval, "allow", CLASSES[index][1]) else "allow",
            )
            key = (*outcomes, *(mask >> index & 1 for mask in masks))
            columns.setdefault(key, []).append(index)
        return tuple(tuple(group) for group in columns.values())


def build_views(*graphs: EvaluationGraph, patterns: Sequence[str] = ()) -> tuple[PolicyView, ...]:
    """Views of several graphs over one automaton, which also knows ``patterns``."""
    shared = _Shared((*_all_patterns(graphs), *patterns))
    return tuple(PolicyView(graph, shared) for graph in graphs)


def _all_patterns(graphs: Sequence[EvaluationGraph]) -> Iterator[str]:
    for graph in graphs:
        for rule in graph.rules:
            yield from rule.patterns
    for graph in graphs:
        for entry in graph.classify:
            yield from entry.patterns
