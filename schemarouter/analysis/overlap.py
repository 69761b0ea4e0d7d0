"""Which rules of a policy may have words in common with a pattern, without asking each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from schemarouter.analysis.words import literal_word, may_overlap, plain_prefix
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import GraphRule


class OverlapIndex:
    """The patterns of a graph's rules, by the plain characters that they begin with."""

    __slots__ = ("_by_prefix", "_graph", "_lengths", "_prefixes")

    def __init__(self, graph: EvaluationGraph) -> None:
        self._graph = graph
        by_prefix: dict[str, list[tuple[int, str]]] = {}
        for number, rule in enumerate(graph.rules):
            for pattern in rule.patterns:
                by_prefix.setdefault(plain_prefix(pattern), []).append((number, pattern))
        self._by_prefix = by_prefix
        self._prefixes = sorted(by_prefix)
        self._lengths = sorted({len(prefix) for prefix in by_prefix})

    def find(self, pattern: str) -> set[int]:
        """Numbers of the rules that may have a word in common with ``pattern``; what is left out has none."""
        word = literal_word(pattern)
        if word is not None:
            return set(self._graph.matching(word))
        prefix = plain_prefix(pattern)
        found: set[int] = set()
        for length in self._lengths:
            if length >= len(prefix):
                break
            self._add(found, prefix[:length], pattern)
        position = bisect_left(self._prefixes, prefix)
        while position < len(self._prefixes) and self._prefixes[position].startswith(prefix):
            self._add(found, self._prefixes[position], pattern)
            position += 1
        return found

    def of(self, rule: GraphRule) -> list[int]:
        """Numbers of the rules that may have a word in common with one of the rule's patterns, rising."""
        found: set[int] = set()
        for pattern in rule.patterns:
            found |= self.find(pattern)
        return sorted(found)

    def _add(self, found: set[int], prefix: str, pattern: str) -> None:
        for number, other in self._by_prefix.get(prefix, ()):
            if number not in found and may_overlap(pattern, other):
                found.add(number)


def align(old: Sequence[GraphRule], new: Sequence[GraphRule]) -> list[tuple[int, int]]:
    """Pairs of rules that match the same calls, in the same order on both sides, as many as possible.

    Effects do not count: a pair may have another effect, or another outcome, on each side.
    """
    places: dict[object, list[int]] = {}
    for number in range(len(new) - 1, -1, -1):
        places.setdefault(_matcher(new[number]), []).append(number)
    pairs: list[tuple[int, int]] = []
    for number, rule in enumerate(old):
        mine = places.get(_matcher(rule))
        if mine:
            pairs.append((number, mine.pop()))
    return _longest_rising(pairs)


def _matcher(rule: GraphRule) -> tuple[object, ...]:
    return (rule.patterns, rule.predicates, rule.conditions)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest subsequence whose second members rise (patience sorting)."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for position, (_, value) in enumerate(pairs):
        place = bisect_left(tails, value)
        before.append(last[place - 1] if place else -1)
        if place == len(tails):
            tails.append(value)
            last.append(position)
        else:
            tails[place] = value
            last[place] = position
    result: list[tuple[int, int]] = []
    position = last[-1] if last else -1
    while position >= 0:
        result.append(pairs[position])
        position = before[position]
    result.reverse()
    return result
