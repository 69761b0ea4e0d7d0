"""The rule index gives what a loop over ``fnmatchcase`` gives, whatever the shapes of the patterns."""

from __future__ import annotations

import pickle
import random
import threading
from fnmatch import fnmatchcase

import pytest

from schemarouter.match import literals, shiftand
from schemarouter.match.classes import ALL_CLASSES, CLASS_COUNT
from schemarouter.match.index import Matchable, RuleIndex

PATTERN_LETTERS = {"brackets": "ab[]!-^\\*?.\n", "stars": "aab**?", "literals": "ab"}


def naive_matching(rules: list[Matchable], name: str) -> list[int]:
    return [number for number, rule in enumerate(rules) if any(fnmatchcase(name, pattern) for pattern in rule.patterns)]


def naive_candidates(rules: list[Matchable], name: str) -> tuple[tuple[int, ...], ...]:
    rows = []
    for index in range(CLASS_COUNT):
        row: list[int] = []
        for number in naive_matching(rules, name):
            if rules[number].mask >> index & 1:
                row.append(number)
                if not rules[number].conditional:
                    break
        rows.append(tuple(row))
    return tuple(rows)


def text(source: random.Random, letters: str, longest: int) -> str:
    return "".join(source.choice(letters) for _ in range(source.randint(0, longest)))


def random_rules(source: random.Random, letters: str, most: int) -> list[Matchable]:
    return [
        Matchable(
            tuple(text(source, letters, 9) for _ in range(source.choice((1, 1, 2, 3)))),
            source.choice((ALL_CLASSES, source.getrandbits(CLASS_COUNT))),
            source.random() < 0.3,
        )
        for _ in range(source.randint(0, most))
    ]


@pytest.mark.parametrize("letters", PATTERN_LETTERS.values(), ids=PATTERN_LETTERS)
@pytest.mark.parametrize(("direct", "shared", "numbered"), [(64, 24, 254), (0, 1, 254), (0, 24, 2), (0, 0, 0)])
def test_the_index_agrees_with_the_loop(
    letters: str, direct: int, shared: int, numbered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The thresholds between the ways of finding a pattern are lowered, so that small policies take all of them.
    monkeypatch.setattr(literals, "_DIRECT", direct)
    monkeypatch.setattr(literals, "_SHARED", shared)
    monkeypatch.setattr(shiftand, "_NUMBERED", numbered)
    monkeypatch.setattr(shiftand, "_FILED", 1 if numbered < 254 else 2)
    monkeypatch.setattr(shiftand, "_FEW", 2)
    monkeypatch.setattr(shiftand, "_FEWEST_MASKS", 2)
    monkeypatch.setattr(shiftand, "_MOST_MASKS", 2)
    source = random.Random(f"{letters}{direct}{shared}{numbered}")
    for _ in range(300):
        rules = random_rules(source, letters, 12)
        index = RuleIndex(rules)
        for name in [text(source, "ab[]-^\\.*\n" if letters.startswith("ab[") else "ab", 9) for _ in range(6)]:
            assert index.matching(name) == naive_matching(rules, name), (rules, name)
            assert index.candidates(name) == naive_candidates(rules, name), (rules, name)


def test_large_policies_agree_with_the_loop() -> None:
    source = random.Random(4)
    words = ["get", "list", "delete", "issue", "repo", "user", "ü", "日本"]
    shapes = [
        "{0}.{1}_{2}",
        "{0}.{1}*",
        "*.{1}_{2}",
        "*{1}_{2}*",
        "*{0}*{1}*{2}",
        "{0}?{1}*",
        "[{0}]*{2}",
        "{0}*{2}",
        "*",
    ]
    rules = [
        Matchable((source.choice(shapes).format(*source.choices(words, k=3)),), source.getrandbits(18), number % 7 == 0)
        for number in range(1500)
    ]
    index = RuleIndex(rules)
    for _ in range(25):
        name = "{}.{}_{}".format(*source.choices(words, k=3))
        assert index.matching(name) == naive_matching(rules, name)
        assert index.candidates(name) == naive_candidates(rules, name)


def test_indexes_of_equal_rules_and_unpickled_ones_agree() -> None:
    source = random.Random(9)
    rules = random_rules(source, "ab*?[]", 40)
    one, other = RuleIndex(rules), RuleIndex(tuple(rules))
    third = pickle.loads(pickle.dumps(one))
    for _ in range(200):
        name = text(source, "ab", 8)
        assert one.candidates(name) == other.candidates(name) == third.candidates(name)


def test_equal_rows_are_one_object() -> None:
    index = RuleIndex([Matchable(("a*",), ALL_CLASSES, True), Matchable(("*",), ALL_CLASSES, False)])
    first, second = index.candidates("ab"), index.candidates("ac")
    assert first == ((0, 1),) * CLASS_COUNT
    assert all(row is first[0] for row in (*first, *second))


def test_first_sight_from_several_threads() -> None:
    source = random.Random(11)
    rules = random_rules(source, "aabc*?[]", 60)
    names = [text(source, "abcdefgh", 8) for _ in range(300)]
    expected = [naive_candidates(rules, name) for name in names]
    index = RuleIndex(rules)
    seen: list[list[object]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(target=lambda mine=mine: mine.extend(map(index.candidates, names)), daemon=True)
        for mine in seen
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(mine == expected for mine in seen)


@pytest.mark.parametrize("pattern", ["*", "*a*", "a*b*c", "[ab]*", "?*", "*b*c"])
@pytest.mark.parametrize("conditional", [False, True])
def test_everything_matches(pattern: str, conditional: bool) -> None:
    rules = [Matchable((pattern,), ALL_CLASSES, conditional)] * 20_000
    index = RuleIndex(rules)
    assert index.matching("abc") == list(range(20_000))
    assert index.candidates("abc") == (((0,) if not conditional else tuple(range(20_000))),) * CLASS_COUNT


def test_a_very_long_name() -> None:
    shapes = ["*a*", "*b*c*", "?*", "a*", "*b", "[!x]*x*", "*" + "a" * 50 + "b*"]
    index = RuleIndex([Matchable((pattern,), ALL_CLASSES, False) for pattern in shapes * 10])
    name = "a" * 1_000_000
    assert index.matching(name) == [number for number in range(70) if number % 7 in (0, 2, 3)]


def test_more_distinct_characters_than_numbers() -> None:
    rules = [
        Matchable((f"?{chr(0x4E00 + number)}*[{chr(0x5E00 + number)}x-z]",), ALL_CLASSES, False)
        for number in range(800)
    ]
    index = RuleIndex(rules)
    assert index.matching("a\u4e05b\u5e05") == [5]
    assert index.matching("a\u4e05by") == [5]
    assert index.matching("a\u4e05bw") == []
