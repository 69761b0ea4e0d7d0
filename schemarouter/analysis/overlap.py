"""Which rules of a policy may have words in common with a pattern, without asking each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from schemarouter.analysis.words import literal_word, may_overlap, plain_ends, plain_prefix
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import GraphRule


class OverlapIndex:
    """The patterns of a graph's rules, by the plain characters that they begin with."""

    __slots__ = ("_all", "_by_prefix", "_graph", "_lengths", "_numbers", "_prefixes")

    def __init__(self, graph: EvaluationGraph) -> None:
        self._graph = graph
        by_prefix: dict[str, list[tuple[int, str]]] = {}
        for number, rule in enumerate(graph.rules):
            for pattern in rule.patterns:
                by_prefix.setdefault(plain_prefix(pattern), []).append((number, pattern))
        self._by_prefix = by_prefix
        self._numbers = {prefix: [number for number, _ in members] for prefix, members in by_prefix.items()}
        self._all = range(len(graph.rules))
        self._prefixes = sorted(by_prefix)
        self._lengths = sorted({len(prefix) for prefix in by_prefix})

    def find(self, pattern: str) -> set[int]:
        """Numbers of the rules that may have a word in common with ``pattern``; what is left out has none."""
        word = literal_word(pattern)
        if word is not None:
            return set(self._graph.matching(word))
        prefix, suffix = plain_ends(pattern)
        found: set[int] = set()
        if not prefix and not suffix:
            return set(self._all)
        # What ends in a star has words in common with everything that it begins like.
        add = self._add if suffix else self._add_all
        for length in self._lengths:
            if length >= len(prefix):
                break
            add(found, prefix[:length], pattern)
        position = bisect_left(self._prefixes, prefix)
        while position < len(self._prefixes) and self._prefixes[position].startswith(prefix):
            add(found, self._prefixes[position], pattern)
            position += 1
        return found

    def of(self, rule: GraphRule) -> list[int]:
        """Numbers of the rules that may have a word in common with one of the rule's patterns, rising."""
        found: set[int] = set()
        for pattern in rule.patterns:
            found |= self.find(pattern)
        return sorted(found)

    def _add_all(self, found: set[int], prefix: str, _pattern: str) -> None:
        found.update(self._numbers.get(prefix, ()))

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


def twins(old: Sequence[GraphRule], new: Sequence[GraphRule]) -> tuple[dict[int, int], dict[int, int]]:
    """For each old rule the first new one that matches the same calls, if there is one; and the other way round."""
    mine, theirs = _first_places(old), _first_places(new)
    return (
        {number: theirs[key] for number, rule in enumerate(old) if (key := _matcher(rule)) in theirs},
        {number: mine[key] for number, rule in enumerate(new) if (key := _matcher(rule)) in mine},
    )


def _first_places(rules: Sequence[GraphRule]) -> dict[object, int]:
    places: dict[object, int] = {}
    for number, rule in enumerate(rules):
        places.setdefault(_matcher(rule), number)
    return places


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
