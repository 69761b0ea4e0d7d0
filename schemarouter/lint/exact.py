"""The exact analysis as lint rules share it: one view of the policy for all of them, each question answered once.

Work is bounded for each rule of the policy and for the whole check. What could not be decided is kept in ``gaps``, which
SR903 reports: it is never clean.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from schemarouter.analysis.lost import Lost, lost_call
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.reach import RULE_STEPS, Reachable, Unreachable, only_in_doubt, reach
from schemarouter.analysis.redundancy import Redundant, redundant
from schemarouter.analysis.search import Undecided, Work
from schemarouter.analysis.view import build_views
from schemarouter.analysis.words import may_overlap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemarouter.analysis.view import PolicyView
    from schemarouter.compiler.graph import EvaluationGraph

_Answer = TypeVar("_Answer")

#: Steps for all questions of one check together.
STEPS = 5_000_000

#: Questions, as the end of "whether ...": about one rule or several (``{}`` is who), or about the whole policy.
DECIDES = "{} can decide any call"
LOSES = "{} can lose calls to earlier rules with another outcome"
LEFT_OUT = "{} could be left out"
UNCLASSIFIED = "{} can let unclassified remote calls run without approval"
DESTRUCTIVE = "{} can let destructive calls run without approval"
RUNS = "any call can run"


class Analysis:
    """Exact answers about one policy. ``gaps``: the questions that the bound cut off, each with the rules it is about."""

    def __init__(self, graph: EvaluationGraph, steps: int = STEPS) -> None:
        self.graph = graph
        self.work = Work(steps)
        self._gaps: dict[str, list[int | None]] = {}
        self._work_of: dict[int | None, Work] = {}
        self._lost: dict[tuple[int, bool], Lost | None] = {}

    @cached_property
    def view(self) -> PolicyView:
        """The policy as the analysis sees it."""
        return build_views(self.graph)[0]

    @cached_property
    def overlaps(self) -> OverlapIndex:
        """Which rules may share calls."""
        return OverlapIndex(self.graph)

    @property
    def gaps(self) -> Mapping[str, list[int | None]]:
        """The questions that could not be decided, with the rules (``None``: the category guards) they are about."""
        return self._gaps

    def work_of(self, rule: int | None) -> Work:
        """What all questions about one rule may spend together."""
        work = self._work_of.get(rule)
        if work is None:
            work = self._work_of[rule] = self.work.part(RULE_STEPS)
        return work

    def decided(self, answer: _Answer | Undecided, question: str, rule: int | None) -> _Answer | None:
        """``answer``; ``None`` if there is none, which is kept as a gap."""
        if not isinstance(answer, Undecided):
            return answer
        about = self._gaps.setdefault(question, [])
        if rule not in about:
            about.append(rule)
        return None

    @cached_property
    def reached(self) -> tuple[Reachable | Unreachable | None, ...]:
        """For each rule whether it can decide a call; ``None`` where that is undecided."""
        found: list[Reachable | Unreachable | None] = []
        for number in range(len(self.graph.rules)):
            answer: Reachable | Unreachable | Undecided = reach(self.view, number, self.work_of(number))
            self.decided(answer, DECIDES, number)
            found.append(None if isinstance(answer, Undecided) else answer)
        return tuple(found)

    @cached_property
    def dead(self) -> Mapping[int, Unreachable]:
        """The rules that can decide no call."""
        return {number: answer for number, answer in enumerate(self.reached) if isinstance(answer, Unreachable)}

    @cached_property
    def doubtful(self) -> Mapping[int, tuple[int, ...]]:
        """The rules that decide only where their conditions are in doubt, each with the earlier rules that take the rest."""
        found: dict[int, tuple[int, ...]] = {}
        for number, rule in enumerate(self.graph.rules):
            if rule.conditions is None or number in self.dead:
                continue
            answer = self.decided(only_in_doubt(self.view, number, self.work_of(number)), DECIDES, number)
            if answer:
                found[number] = answer
        return found

    @cached_property
    def redundant(self) -> Mapping[int, Redundant]:
        """The rules that could be left out, none of which is dead."""
        found: dict[int, Redundant] = {}
        for number in range(len(self.graph.rules)):
            answer = redundant(self.view, number, self.work_of(number), self.dead, self.overlaps)
            answer = self.decided(answer, LEFT_OUT, number)
            if isinstance(answer, Redundant):
                found[number] = answer
        return found

    def classifying(self, rule: int) -> list[int]:
        """The entries of ``classify`` that may speak for operations of ``rule``."""
        patterns = self.graph.rules[rule].patterns
        return [
            number
            for number, entry in enumerate(self.graph.classify)
            if any(may_overlap(one, other) for one in entry.patterns for other in patterns)
        ]

    def lost(self, rule: int, *, looser: bool = False) -> Lost | None:
        """A call that ``rule`` matches and an earlier one decides otherwise, with ``looser`` less strictly."""
        key = (rule, looser)
        if key not in self._lost:
            answer = lost_call(self.view, rule, self.work_of(rule), self.overlaps, looser=looser)
            self._lost[key] = self.decided(answer, LOSES, rule)
        return self._lost[key]
