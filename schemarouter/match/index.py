"""The index over a policy's rules: what could decide an operation, for each class of calls. Standard library only."""

from __future__ import annotations

from collections import namedtuple
from heapq import merge

from schemarouter.match.classes import ALL_CLASSES, CLASS_COUNT
from schemarouter.match.lookup import Lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple, TypeAlias

    #: For each class (``classes.CLASSES``) the indices of the rules to look at, rising.
    Candidates: TypeAlias = tuple[tuple[int, ...], ...]

    class Matchable(NamedTuple):
        """What the index needs to know of a rule.

        ``patterns``: any of them; ``mask``: the classes that its predicates accept (``classes.class_mask``);
        ``conditional``: whether it has argument conditions.
        """

        patterns: tuple[str, ...]
        mask: int
        conditional: bool
else:
    Matchable = namedtuple("Matchable", "patterns mask conditional")

#: Where no rule matches.
_NO_CANDIDATES: Candidates = ((),) * CLASS_COUNT
#: How many distinct rows are kept for sharing.
_SHARED_ROWS = 4096


class RuleIndex:
    """Rules in declaration order. Equal inputs give equal answers; safe from several threads; pickles as its rules."""

    __slots__ = ("_conditional", "_lookup", "_masks", "_rows", "_rules", "_soles")

    def __init__(self, rules: Sequence[Matchable]) -> None:
        self._rules = tuple(rules)
        self._masks = [rule.mask for rule in self._rules]
        self._conditional = [rule.conditional for rule in self._rules]
        self._lookup = Lookup(
            [(number, pattern) for number, rule in enumerate(self._rules) for pattern in rule.patterns]
        )
        self._rows: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._soles: dict[int, Candidates] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._rules,))

    def matching(self, operation: str) -> list[int]:
        """The indices of all rules with a pattern that matches ``operation``, rising, whatever their predicates."""
        found, others = self._lookup.find(operation)
        return sorted({*found, *others})

    def candidates(self, operation: str) -> Candidates:
        """For each of the 18 classes, the conditional rules that match, up to and with the first unconditional one.

        The last index of a row is an unconditional rule, or a conditional one if no unconditional rule matches; an
        empty row means that no rule matches. Equal rows are the same object.
        """
        found, others = self._lookup.find(operation)
        if others:
            found.sort()
            return self._fold(merge(found, others))
        if not found:
            return _NO_CANDIDATES
        first = min(found)
        if self._masks[first] == ALL_CLASSES and not self._conditional[first]:
            return self._sole(first)  # the usual rule decides for every class at once
        found.sort()
        return self._fold(found)

    def _fold(self, found: Iterable[int]) -> Candidates:
        masks = self._masks
        conditional = self._conditional
        undecided = ALL_CLASSES
        # Classes that have met the same rules so far go together: (their mask, those rules).
        open_groups: list[tuple[int, list[int]]] = [(ALL_CLASSES, [])]
        decided: list[tuple[int, list[int]]] = []
        last = -1
        for number in found:
            mask = masks[number] & undecided
            if not mask or number == last:
                continue
            last = number
            if len(open_groups) > 1 or mask != undecided:
                open_groups = _split(open_groups, mask)
            for classes, row in open_groups:
                if classes & mask:
                    row.append(number)
            if not conditional[number]:
                decided += [group for group in open_groups if group[0] & mask]
                undecided &= ~mask
                if not undecided:
                    open_groups = []
                    break
                open_groups = [group for group in open_groups if not group[0] & mask]
        decided += open_groups
        if len(decided) == 1:
            return (self._share(decided[0][1]),) * CLASS_COUNT
        result: list[tuple[int, ...]] = [()] * CLASS_COUNT
        for classes, row in decided:
            shared = self._share(row)
            while classes:
                lowest = classes & -classes
                result[lowest.bit_length() - 1] = shared
                classes ^= lowest
        return tuple(result)

    def _sole(self, number: int) -> Candidates:
        sole = self._soles
        known = sole.get(number)
        if known is None:
            if len(sole) >= _SHARED_ROWS:
                sole.clear()
            known = sole[number] = (self._share([number]),) * CLASS_COUNT
        return known

    def _share(self, row: list[int]) -> tuple[int, ...]:
        rows = self._rows
        key = tuple(row)
        known = rows.get(key)
        if known is None:
            if len(rows) >= _SHARED_ROWS:
                rows.clear()
            known = rows[key] = key
        return known


def _split(groups: list[tuple[int, list[int]]], mask: int) -> list[tuple[int, list[int]]]:
    """The same groups, so divided that each lies inside ``mask`` or outside; rows are copied at most 17 times."""
    divided: list[tuple[int, list[int]]] = []
    for classes, row in groups:
        inside = classes & mask
        if inside and inside != classes:
            divided.append((inside, row.copy()))
            divided.append((classes ^ inside, row))
        else:
            divided.append((classes, row))
    return divided
