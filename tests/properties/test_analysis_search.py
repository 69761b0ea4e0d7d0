"""The kernel against every word of small alphabets: nothing it finds is wrong, nothing there is missed."""

import random
from fnmatch import fnmatchcase

import pytest

from schemarouter.analysis.automaton import Automaton
from schemarouter.analysis.search import Empty, Found, Undecided, Work, search
from support.random_policies import pattern, words

WORDS = tuple(words(6))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("block", range(8))
def test_search_is_exact(block, backwards):
    for seed in range(block * 100, block * 100 + 100):
        choose = random.Random(seed)
        wanted = pattern(choose)
        others = [pattern(choose) for _ in range(choose.randint(0, 6))]
        if seed % 3 == 0:
            others += ["a*", "b*", "?.*"][: choose.randint(0, 3)]
        automaton = Automaton([wanted, *others], backwards=backwards)
        required = [automaton.nfa(wanted), automaton.domain()]
        answer = search(automaton, required, automaton.selection(others), Work(100_000))

        def fits(word, wanted=wanted, others=others):
            return fnmatchcase(word, wanted) and not any(fnmatchcase(word, other) for other in others)

        first = next(filter(fits, WORDS), None)
        if isinstance(answer, Found):
            word = answer.word[::-1] if backwards else answer.word
            assert fits(word), (seed, word)
            assert first is None or len(first) >= len(word), (seed, word, first)
        else:
            assert isinstance(answer, Empty)
            assert first is None, (seed, first)
            # The causes alone are enough.
            names = list(automaton.number)
            again = automaton.selection(names[index] for index in answer.causes)
            assert isinstance(search(automaton, required, again, Work(100_000)), Empty), seed


def test_a_tiny_bound_never_gives_another_answer():
    for seed in range(300):
        choose = random.Random(seed)
        patterns = [pattern(choose) for _ in range(5)]
        automaton = Automaton(patterns)
        required = [automaton.nfa(patterns[0]), automaton.domain()]
        forbidden = automaton.selection(patterns[1:])
        full = search(automaton, required, forbidden, Work(100_000))
        for steps in (0, 1, 7, 50):
            short = search(automaton, required, forbidden, Work(steps))
            assert isinstance(short, Undecided) or short == full, (seed, steps)


def test_work_can_be_cancelled():
    asked = []
    work = Work(10**9, cancelled=lambda: bool(asked.append(1)) or len(asked) > 2)
    part = work.part(10**6)
    assert part.spend(1)
    assert part.spend(1)
    assert not part.spend(1)
    assert not part.spend(0)


@pytest.mark.parametrize(
    "family",
    [
        ["*" + "?" * n + "a*" for n in range(24)],
        [f"*a{'?' * n}a*" for n in range(24)],
        ["*" + "*".join("abcdefghijkl"[i:] + "abcdefghijkl"[:i]) + "*" for i in range(12)],
    ],
)
def test_hostile_families_end(family):
    """Exponential for an automaton that is determinised; here decided, or said to be undecided."""
    automaton = Automaton(["*", *family])
    answer = search(automaton, [automaton.nfa("*"), automaton.domain()], automaton.selection(family), Work(200_000))
    assert isinstance(answer, (Found, Undecided))
