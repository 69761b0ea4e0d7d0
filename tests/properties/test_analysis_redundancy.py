"""Redundant rules against brute force and against the comparison, in both directions."""

import itertools
import random

import pytest

from schemarouter.analysis.diff import diff_policies
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.reach import Unreachable, reach
from schemarouter.analysis.redundancy import Needed, Redundant, redundant
from schemarouter.analysis.search import Undecided, Work
from schemarouter.analysis.view import build_views
from schemarouter.match.classes import CLASSES
from support.random_policies import ANSWERS, EFFECTS, graph, policy, words

WORDS = tuple(words(5))[::5]
STEPS = 10**7


def answers(compiled, steps=STEPS):
    """Each rule with the answer, and the rules that are dead."""
    (view,) = build_views(compiled)
    overlaps = OverlapIndex(compiled)
    numbers = range(len(compiled.rules))
    dead = {number for number in numbers if isinstance(reach(view, number, Work(STEPS)), Unreachable)}
    return [(number, redundant(view, number, Work(steps), dead, overlaps)) for number in numbers], dead


def closed(seed, conditions=False):
    """A random policy that leaves little to the guards: only then can a rule be redundant."""
    choose = random.Random(seed)
    document = policy(seed, conditions)
    wide = choose.choice((["*"], ["*"], ["*a*", "*.?"], ["a*", "*.*"]))
    document["rules"].append({"name": "last", "operation": wide, "effect": choose.choice(EFFECTS)})
    return document


def without(document, number):
    rules = document["rules"]
    return graph({**document, "rules": rules[:number] + rules[number + 1 :]})


@pytest.mark.parametrize("block", range(4))
def test_a_redundant_rule_can_be_left_out_and_another_cannot(block):
    found = 0
    for seed in range(block * 50, block * 50 + 50):
        document = closed(seed)
        compiled = graph(document)
        listed, dead = answers(compiled)
        for number, answer in listed:
            if number in dead:
                assert answer is None
                continue
            rest = without(document, number)
            if isinstance(answer, Redundant):
                found += 1
                assert diff_policies(compiled, rest).changes == (), (seed, number)
                assert diff_policies(compiled, rest).undecided == ()
                for word, row in itertools.product(WORDS, CLASSES):
                    assert compiled.outcome(word, *row) == rest.outcome(word, *row), (seed, number, word, row)
                assert answer.takers
                assert not set(answer.takers) & dead
                assert all(taker > number for taker in answer.takers)
            else:
                # The call shows why: it goes to the guards, to a rule with another outcome, or to a dead one.
                assert isinstance(answer, Needed)
                call = (answer.call.operation, answer.call.remote, answer.call.read_only, answer.call.destructive)
                assert compiled.decide(*call).rule_index == number
                now = rest.decide(*call).rule_index
                following = None if now is None else now + (now >= number)
                assert following == answer.next, (seed, number)
                assert following is None or following in dead or compiled.outcome(*call) != rest.outcome(*call), (
                    seed,
                    number,
                )
    assert found


@pytest.mark.parametrize("block", range(4))
def test_with_conditions_nothing_is_called_redundant_wrongly(block):
    """Every combination of conditions that hold, fail and are in doubt, on every word."""
    calls = [{"x": x, "y": y} for x in ANSWERS for y in ANSWERS]
    found = 0
    for seed in range(block * 50, block * 50 + 50):
        document = closed(seed, conditions=True)
        compiled = graph(document)
        for number, answer in answers(compiled)[0]:
            if not isinstance(answer, Redundant):
                continue
            found += 1
            rest = without(document, number)
            assert diff_policies(compiled, rest).changes == (), (seed, number)
            for word, row, arguments in itertools.product(WORDS[::3], CLASSES, calls):
                assert compiled.outcome(word, *row, arguments) == rest.outcome(word, *row, arguments), (seed, number)
    assert found


def test_a_bound_that_is_reached_is_never_redundant():
    short = 0
    for seed in range(100):
        compiled = graph(closed(seed))
        full, _ = answers(compiled)
        for (_, answer), (_, bounded) in zip(full, answers(compiled, steps=4)[0], strict=True):
            assert isinstance(bounded, Undecided) or type(bounded) is type(answer), seed
            short += isinstance(bounded, Undecided)
    assert short


def rules(*entries):
    effects = {"+": "allow", "-": "deny", "?": "require_approval"}
    return {
        "version": 1,
        "rules": [
            {"name": f"r{n}", "operation": entry[1:], "effect": effects[entry[0]]} for n, entry in enumerate(entries)
        ],
    }


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (rules("+a.b", "+a.*"), {0: (1,)}),
        (rules("+a.b", "-a.[bc]", "+a.*"), {}),
        (rules("+a.b", "-a.c", "+a.*"), {0: (2,)}),
        (rules("-a.*"), {}),
        (rules("-a.*", "-a.*"), {}),  # the later one is dead, and is the one to remove
        (rules("+a.[bc]", "+?.b", "+*.c"), {0: (1, 2)}),
        (rules("-a.b", "?a.*", "-*"), {}),
    ],
)
def test_some_that_are_easy_to_see(document, expected):
    listed, _ = answers(graph(document))
    assert {number: answer.takers for number, answer in listed if isinstance(answer, Redundant)} == expected


def test_calls_that_an_earlier_rule_takes_on_the_same_conditions_do_not_count():
    """`a.b` would go on to the `allow`, but it never comes to the second rule, in doubt neither."""
    when = {"arguments": {"x": {"const": 1}}}
    document = rules("-a.b", "-a.*", "+a.b", "-a.*")
    for number in (0, 1):
        document["rules"][number]["when"] = when
    listed, _ = answers(graph(document))
    assert {number: answer.takers for number, answer in listed if isinstance(answer, Redundant)} == {0: (1,), 1: (3,)}
    for arguments in ({"x": answer} for answer in ANSWERS):
        one, other = graph(document), without(document, 1)
        for word in ("a.b", "a.c"):
            assert one.outcome(word, True, None, None, arguments) == other.outcome(word, True, None, None, arguments)
