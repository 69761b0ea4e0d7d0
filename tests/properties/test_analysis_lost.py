"""Calls that a rule loses, and calls that a rule decides, against brute force in both directions."""

import itertools

import pytest

from schemarouter.analysis.decided import Decided, decided_call
from schemarouter.analysis.lost import Lost, lost_call
from schemarouter.analysis.overlap import OverlapIndex
from schemarouter.analysis.search import Undecided, Work
from schemarouter.analysis.view import STRICTNESS, build_views
from schemarouter.compiler.records import predicate_mask
from schemarouter.match.classes import ALL_CLASSES, CLASSES, class_mask
from schemarouter.match.pattern import matches
from support.random_policies import ANSWERS, graph, policy, words

WORDS = tuple(words(5))[::3]
STEPS = 10**7
ARGUMENTS = [{"x": x, "y": y} for x in ANSWERS for y in ANSWERS]


def applies(compiled, number, word, row):
    """Whether a rule takes a call, argument conditions aside."""
    rule = compiled.rules[number]
    effective = CLASSES.index(compiled.effective(word, *row))
    return predicate_mask(rule.predicates) >> effective & 1 and any(matches(one, word) for one in rule.patterns)


def outcome_of(compiled, view, number, word, row):
    return view.outcomes[number][CLASSES.index(compiled.effective(word, *row))]


@pytest.mark.parametrize("looser", [False, True])
@pytest.mark.parametrize("block", range(3))
def test_lost_calls_are_exact(block, looser):
    for seed in range(block * 30, block * 30 + 30):
        compiled = graph(policy(seed))
        (view,) = build_views(compiled)
        overlaps = OverlapIndex(compiled)
        decided = {(word, row): compiled.decide(word, *row).rule_index for word in WORDS for row in CLASSES}
        for number in range(len(compiled.rules)):
            answer = lost_call(view, number, Work(STEPS), overlaps, looser=looser)
            if isinstance(answer, Lost):
                call = (answer.call.operation, answer.call.remote, answer.call.read_only, answer.call.destructive)
                assert compiled.decide(*call).rule_index == answer.rule < number, seed
                assert compiled.outcome(*call) == answer.outcome, seed
                assert applies(compiled, number, call[0], call[1:])
                assert outcome_of(compiled, view, number, call[0], call[1:]) == answer.wanted
                gap = STRICTNESS[answer.wanted] - STRICTNESS[answer.outcome]
                assert gap > 0 if looser else gap != 0
                continue
            assert answer is None
            for (word, row), first in decided.items():
                if first is None or first >= number or not applies(compiled, number, word, row):
                    continue
                gap = STRICTNESS[outcome_of(compiled, view, number, word, row)]
                gap -= STRICTNESS[outcome_of(compiled, view, first, word, row)]
                assert gap <= 0 if looser else gap == 0, (seed, number, word, row)


@pytest.mark.parametrize("block", range(3))
def test_decided_calls_are_exact(block):
    questions = [
        (class_mask(remote=True, unclassified=True), ("allow",)),
        (class_mask(destructive=True), ("allow",)),
        (ALL_CLASSES, ("allow", "approval")),
    ]
    for seed in range(block * 30, block * 30 + 30):
        compiled = graph(policy(seed))
        (view,) = build_views(compiled)
        for classes, outcomes in questions:
            shown = {
                compiled.decide(word, *row).rule_index
                for word, row in itertools.product(WORDS, CLASSES)
                if classes >> CLASSES.index(compiled.effective(word, *row)) & 1
                and compiled.outcome(word, *row) in outcomes
            }
            for rule in (*range(len(compiled.rules)), None):
                answer = decided_call(view, rule, classes, outcomes, Work(STEPS))
                if answer is None:
                    assert rule not in shown, (seed, rule)
                    continue
                assert isinstance(answer, Decided)
                call = answer.call
                attributes = (call.operation, call.remote, call.read_only, call.destructive)
                assert compiled.decide(*attributes).rule_index == rule, (seed, rule)
                assert compiled.outcome(*attributes) in outcomes
                assert classes >> CLASSES.index(compiled.effective(*attributes)) & 1


def test_with_conditions_a_call_has_arguments_that_show_it():
    seen = 0
    for seed in range(60):
        compiled = graph(policy(seed, conditions=True))
        (view,) = build_views(compiled)
        overlaps = OverlapIndex(compiled)
        for number in range(len(compiled.rules)):
            answer = decided_call(view, number, ALL_CLASSES, ("allow", "approval", "deny"), Work(STEPS))
            if answer is None:
                for word, row, arguments in itertools.product(WORDS[::5], CLASSES, ARGUMENTS):
                    decision = compiled.decide(word, *row, arguments)
                    doubtful = "may or may not" in decision.reason
                    assert decision.rule_index != number or doubtful, (seed, number)
            elif answer.call is not None and answer.conditional:
                seen += 1
                call = answer.call
                attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
                assert compiled.decide(*attributes).rule_index == number
            lost = lost_call(view, number, Work(STEPS), overlaps)
            if isinstance(lost, Lost) and lost.call is not None:
                call = lost.call
                attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
                assert compiled.decide(*attributes).rule_index == lost.rule
                conditions = compiled.rules[number].conditions
                assert conditions is None or conditions.evaluate(call.arguments) is True
    assert seen


def test_a_bound_that_is_reached_is_never_a_no():
    short = 0
    for seed in range(100):
        compiled = graph(policy(seed))
        (view,) = build_views(compiled)
        overlaps = OverlapIndex(compiled)
        for number in range(len(compiled.rules)):
            for ask in (
                lambda steps, view=view, number=number: decided_call(
                    view, number, ALL_CLASSES, ("allow", "deny"), Work(steps)
                ),
                lambda steps, view=view, number=number, overlaps=overlaps: lost_call(
                    view, number, Work(steps), overlaps
                ),
            ):
                bounded = ask(3)
                assert isinstance(bounded, Undecided) or type(bounded) is type(ask(STEPS)), seed
                short += isinstance(bounded, Undecided)
    assert short
