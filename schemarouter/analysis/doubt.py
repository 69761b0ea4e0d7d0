"""Rules that count only in doubt: a later, stricter rule whose argument conditions imply those of an earlier, looser one.

If the conditions hold, the earlier rule decides; if they fail, neither does; but if they are in doubt, the stricter one
counts (SPEC 2.6). Everything else that doubt can do follows from what happens when conditions hold or fail, because the
outcome in doubt is the strictest of those; so these pairs are all that has to be looked for beside.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemarouter.analysis.search import Empty, Work, search
from schemarouter.analysis.view import STRICTNESS, PolicyView
from schemarouter.analysis.words import may_overlap
from schemarouter.match.classes import CLASS_COUNT


def doubtful_pairs(view: PolicyView, work: Work) -> Iterator[tuple[int, int]]:
    """Pairs (earlier, later) for which some call is decided by the later rule in doubt only, or may be."""
    for conditions, numbers in view.carriers.items():
        taking = sorted(view.holding(conditions))
        for later in numbers:
            for earlier in taking:
                if earlier >= later:
                    break
                if _counts(view, earlier, later, work):
                    yield earlier, later


def _counts(view: PolicyView, earlier: int, later: int, work: Work) -> bool:
    automaton = view.automaton
    shared = view.masks[earlier] & view.masks[later]
    for effective in range(CLASS_COUNT):
        if not shared >> effective & 1 or view.group_of[effective] != effective:
            continue
        if STRICTNESS[view.outcomes[later][effective]] <= STRICTNESS[view.outcomes[earlier][effective]]:
            continue
        for one in view.rules[earlier].patterns:
            for other in view.rules[later].patterns:
                if not may_overlap(one, other):
                    continue
                wanted = [automaton.nfa(one), automaton.nfa(other), automaton.domain()]
                if not isinstance(search(automaton, wanted, view.before(later, effective), work), Empty):
                    return True
    return False
