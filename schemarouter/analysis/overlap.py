"""Which rules of a policy may have words in common with a pattern, without asking each of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from schemarouter.analysis.words import literal_word, may_overlap, plain_ends
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import GraphRule


class _Affixes:
    """Patterns by the plain characters that they begin with, or, read backwards, that they end with."""

    __slots__ = ("_lengths", "_numbers", "_texts")

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._numbers: dict[str, list[int]] = {}
        for number, text in texts:
            self._numbers.setdefault(text, []).append(number)
        self._texts = sorted(self._numbers)
        self._lengths = sorted({len(text) for text in self._numbers})

    def compatible(self, text: str) -> Iterator[list[int]]:
        """The patterns whose text goes on as ``text`` does, or ends before it differs."""
        for length in self._lengths:
            if length >= len(text):
                break
            yield self._numbers.get(text[:length], [])
        position = bisect_left(self._texts, text)
        while position < len(self._texts) and self._texts[position].startswith(text):
            yield self._numbers[self._texts[position]]
            position += 1


class OverlapIndex:
    """The patterns of a graph's rules, by their plain ends."""

    __slots__ = ("_graph", "_patterns", "_prefixes", "_rules", "_suffixes")

    def __init__(self, graph: EvaluationGraph) -> None:
        self._graph = graph
        #: Each pattern of each rule, and the rule's number.
        self._patterns = [pattern for rule in graph.rules for pattern in rule.patterns]
        self._rules = [number for number, rule in enumerate(graph.rules) for _ in rule.patterns]
        ends = [plain_ends(pattern) for pattern in self._patterns]
        self._prefixes = _Affixes((number, prefix) for number, (prefix, _) in enumerate(ends))
        self._suffixes = _Affixes((number, suffix[::-1]) for number, (_, suffix) in enumerate(ends))

    def find(self, pattern: str) -> set[int]:
        """Numbers of the rules that may have a word in common with ``pattern``; what is left out has none."""
        word = literal_word(pattern)
        if word is not None:
            return set(self._graph.matching(word))
        prefix, suffix = plain_ends(pattern)
        if not prefix and not suffix:
            return set(self._rules)
        members = self._prefixes.compatible(prefix) if prefix else self._suffixes.compatible(suffix[::-1])
        rules = self._rules
        if prefix and suffix:
            patterns = self._patterns
            return {rules[one] for group in members for one in group if may_overlap(pattern, patterns[one])}
        return {rules[one] for group in members for one in group}

    def of(self, rule: GraphRule) -> list[int]:
        """Numbers of the rules that may have a word in common with one of the rule's patterns, rising."""
        found: set[int] = set()
        for pattern in rule.patterns:
            found |= self.find(pattern)
        return sorted(found)


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
