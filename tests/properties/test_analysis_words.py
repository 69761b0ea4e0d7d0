"""What single words and plain ends of patterns say, against every word of a small alphabet."""

import itertools
import random
from fnmatch import fnmatchcase

from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.words import common_word, is_operation, lies_within, may_overlap, plain_ends, some_word
from support.random_policies import graph, pattern

WORDS = tuple("".join(letters) for length in range(6) for letters in itertools.product("ab.z", repeat=length))
#: All patterns of up to three plain characters with or without stars at their ends, and some others.
FRAMES = tuple(
    before + "".join(text) + after
    for before in ("", "*")
    for after in ("", "*")
    for length in range(3)
    for text in itertools.product("ab.", repeat=length)
    if length
)
OTHERS = tuple(dict.fromkeys(pattern(random.Random(seed)) for seed in range(60)))
MATCHED = {one: frozenset(word for word in WORDS if fnmatchcase(word, one)) for one in (*FRAMES, *OTHERS)}


def test_patterns_that_may_not_overlap_have_no_word_in_common():
    for one, other in itertools.product(MATCHED, repeat=2):
        common = MATCHED[one] & MATCHED[other]
        assert may_overlap(one, other) or not common, (one, other, sorted(common)[:3])
        if lies_within(one, other):
            assert MATCHED[one] <= MATCHED[other], (one, other)


def test_a_common_word_is_a_shortest_one():
    for one, other in itertools.product(FRAMES, repeat=2):
        common = MATCHED[one] & MATCHED[other]
        word = common_word(one, other)
        if word is None:
            assert not common, (one, other)
        else:
            assert fnmatchcase(word, one), (one, other, word)
            assert fnmatchcase(word, other), (one, other, word)
            assert not common or len(word) == min(map(len, common)), (one, other, word)


def test_some_word_is_an_operation_of_all():
    choose = random.Random(7)
    found = 0
    for _ in range(3000):
        given = choose.sample(FRAMES, choose.choice((1, 2, 3)))
        word = some_word(given)
        if word is not None:
            found += 1
            assert is_operation(word)
            assert all(fnmatchcase(word, one) for one in given), (given, word)
    assert found > 300


def test_plain_ends_begin_and_end_every_word():
    for one, words in MATCHED.items():
        prefix, suffix = plain_ends(one)
        assert all(word.startswith(prefix) and word.endswith(suffix) for word in words), one


def test_the_index_leaves_out_only_what_does_not_overlap():
    for seed in range(20):
        choose = random.Random(seed)
        names = choose.sample(list(MATCHED), 30)
        rules = [{"name": f"r{number}", "operation": one, "effect": "allow"} for number, one in enumerate(names)]
        index = OverlapIndex(graph({"version": 1, "rules": rules}))
        for one in choose.sample(list(MATCHED), 40):
            found = index.find(one)
            for number, other in enumerate(names):
                assert number in found or not MATCHED[one] & MATCHED[other], (one, other)
