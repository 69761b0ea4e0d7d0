"""Reachability, comparison and questions against brute force: every call over small alphabets, both directions."""

import itertools
import random

import pytest

from schemarouter.analysis.diff import diff_policies
from schemarouter.analysis.query import Question, ask
from schemarouter.analysis.reach import Reachable, Unreachable, only_in_doubt, reach
from schemarouter.analysis.regions import Region, differing_regions
from schemarouter.analysis.search import Work
from schemarouter.analysis.view import build_views
from schemarouter.match.classes import CLASSES, class_mask
from support import brute
from support.random_policies import ANSWERS, RELATED, TELLING, edited, graph, policy, words

WORDS = tuple(words(5))[::2]
STEPS = 10**7


def arguments_of(call):
    return call.operation, call.remote, call.read_only, call.destructive, call.arguments


@pytest.mark.parametrize("block", range(10))
def test_reach_is_exact(block):
    for seed in range(block * 60, block * 60 + 60):
        document = policy(seed)
        compiled = graph(document)
        (view,) = build_views(compiled)
        named = {rule for row in CLASSES for _, rule, _ in brute.decided(compiled, row)}
        for number in range(len(compiled.rules)):
            answer = reach(view, number, Work(STEPS))
            if isinstance(answer, Reachable):
                assert compiled.decide(*arguments_of(answer.call)).rule_index == number, (seed, number)
                continue
            assert isinstance(answer, Unreachable)
            assert number not in named, (seed, number)
            kept = [*answer.covers, number]
            alone = graph({**document, "rules": [document["rules"][index] for index in kept]})
            (view_alone,) = build_views(alone)
            assert isinstance(reach(view_alone, len(kept) - 1, Work(STEPS)), Unreachable), (seed, number)
            for left_out in answer.covers:
                fewer = [index for index in kept if index != left_out]
                smaller = graph({**document, "rules": [document["rules"][index] for index in fewer]})
                (view_smaller,) = build_views(smaller)
                assert isinstance(reach(view_smaller, len(fewer) - 1, Work(STEPS)), Reachable), (seed, number)


def conditional(seed):
    """A policy of a few rules with argument conditions that imply or exclude each other, over few patterns."""
    choose = random.Random(seed)
    rules = []
    for number in range(choose.randint(2, 4)):
        made = {
            "name": f"r{number}",
            "operation": choose.choice(("a.b", "a.*", "*")),
            "effect": choose.choice(("allow", "deny", "require_approval")),
        }
        if choose.random() < 0.8:
            made["when"] = {"arguments": choose.choice(RELATED)}
        rules.append(made)
    return {"version": 1, "approval": {"callback": "x"}, "rules": rules}


def test_with_conditions_a_dead_rule_counts_for_nothing():
    """What is unreachable could be left out; what counts only in doubt decides no call for which its conditions hold."""
    calls = [{name: v for name, v in (("x", x), ("y", y)) if v is not None} for x in TELLING for y in ANSWERS]
    cases = tuple(itertools.product(("a.b", "a.z", "z.z"), CLASSES[::3], calls))
    dead = doubtful = 0
    for seed in range(400):
        document = conditional(seed)
        compiled = graph(document)
        (view,) = build_views(compiled)
        for number, rule in enumerate(compiled.rules):
            if rule.conditions is None:
                continue
            if isinstance(reach(view, number, Work(STEPS)), Unreachable):
                dead += 1
                rules = [one for place, one in enumerate(document["rules"]) if place != number]
                without = graph({**document, "rules": rules})
                for word, row, arguments in cases:
                    assert compiled.outcome(word, *row, arguments) == without.outcome(word, *row, arguments), seed
            elif only_in_doubt(view, number, Work(STEPS)):
                doubtful += 1
                for word, row, arguments in cases:
                    if compiled.decide(word, *row, arguments).rule_index == number:
                        assert rule.conditions.evaluate(arguments) is None, seed
    assert dead > 30
    assert doubtful > 20


@pytest.mark.parametrize("block", range(10))
def test_regions_are_exact(block):
    for seed in range(block * 120, block * 120 + 120):
        before = policy(seed)
        after = edited(seed, before) if seed % 4 else policy(seed + 10_000)
        old, new = graph(before), graph(after)
        keys = set()
        for region in differing_regions(*build_views(old, new), Work(STEPS)):
            assert isinstance(region, Region)
            shown = arguments_of(region.witness)
            assert (old.decide(*shown).rule_index, new.decide(*shown).rule_index) == region[:2], seed
            assert (old.outcome(*shown), new.outcome(*shown)) == region[2:4], seed
            keys.add(region[:4])
        for bits, row, key in brute.both(old, new):
            assert key[2] == key[3] or key in keys, (seed, brute.shown(bits), row, key)


def test_brute_force_is_the_evaluator():
    for seed in range(12):
        compiled = graph(policy(seed))
        for row in CLASSES[::5]:
            for bits, rule, outcome in brute.decided(compiled, row):
                for place in range(0, len(brute.WORDS), 7):
                    if bits >> place & 1:
                        word = brute.WORDS[place]
                        assert (compiled.decide(word, *row).rule_index, compiled.outcome(word, *row)) == (rule, outcome)


@pytest.mark.parametrize("block", range(4))
@pytest.mark.parametrize("kind", ["independent", "related"])
def test_with_conditions_nothing_that_differs_is_called_equal(block, kind):
    """Every combination of conditions that hold, fail and are in doubt, on every word."""
    conditions = True if kind == "independent" else RELATED
    calls = [{"x": x, "y": y} for x in ANSWERS for y in ANSWERS]
    if kind == "related":
        calls = [
            {name: value for name, value in (("x", x), ("y", y)) if value is not None} for x in TELLING for y in ANSWERS
        ]
    for seed in range(block * 15, block * 15 + 15):
        before = policy(seed, conditions=conditions)
        after = edited(seed, before, conditions=conditions)
        old, new = graph(before), graph(after)
        result = diff_policies(old, new)
        wider = narrower = False
        order = ("allow", "approval", "deny")
        for word, row, arguments in itertools.product(WORDS[::4], CLASSES, calls):
            one = order.index(old.outcome(word, *row, arguments))
            other = order.index(new.outcome(word, *row, arguments))
            wider |= other < one
            narrower |= other > one
        if result.verdict != "undecided":
            directions = {change.direction for change in result.changes if change.kind == "decision"}
            assert not wider or "widened" in directions, seed
            assert not narrower or "narrowed" in directions, seed
        for change in result.changes:
            if change.kind == "decision" and change.witness is not None:
                shown = arguments_of(change.witness)
                assert (old.outcome(*shown), new.outcome(*shown)) == (change.before, change.after), seed


def raised(minimum, maximum):
    """Refunds up to an amount are allowed, others asked about up to a second one, and no others run."""
    rules = [
        {"name": "small", "operation": "pay.refund", "effect": "allow", "when": {"arguments": {"amount": minimum}}},
        {
            "name": "middle",
            "operation": "pay.*",
            "effect": "require_approval",
            "when": {"arguments": {"amount": maximum}},
        },
        {"name": "rest", "operation": "pay.*", "effect": "deny"},
    ]
    return graph({"version": 1, "approval": {"callback": "x"}, "rules": rules})


def test_a_raised_bound_only_widens():
    old = raised({"type": "number", "maximum": 100}, {"type": "number", "maximum": 500})
    for new in (
        raised({"type": "number", "maximum": 200}, {"type": "number", "maximum": 500}),
        raised({"type": "number", "maximum": 100}, {"type": "number", "maximum": 600}),
        raised({"type": "number", "maximum": 200}, {"type": "number", "maximum": 600}),
    ):
        there, back = diff_policies(old, new), diff_policies(new, old)
        assert (there.verdict, back.verdict) == ("widened", "narrowed"), there
        assert all(change.witness is not None for change in (*there.changes, *back.changes))


def test_a_region_whose_conditions_exclude_each_other_is_none():
    """Who is asked about small amounts, and who is refused large ones, is one policy as well as the other."""
    small = {"type": "number", "maximum": 100}
    large = {"type": "number", "exclusiveMinimum": 100}

    def policy_of(*order):
        rules = [
            {"name": name, "operation": "pay.*", "effect": effect, "when": {"arguments": {"amount": condition}}}
            for name, effect, condition in order
        ]
        return graph({"version": 1, "approval": {"callback": "x"}, "rules": rules})

    one = policy_of(("small", "allow", small), ("large", "deny", large))
    other = policy_of(("large", "deny", large), ("small", "allow", small))
    assert diff_policies(one, other).verdict == "equivalent"


def test_a_policy_does_not_differ_from_itself():
    for seed in range(40):
        compiled = graph(policy(seed, conditions=True))
        assert diff_policies(compiled, compiled).verdict == "equivalent"
        assert diff_policies(compiled, graph(policy(seed, conditions=True))).changes == ()


def test_a_comparison_mirrors():
    flipped = {"widened": "narrowed", "narrowed": "widened", "neutral": "neutral"}
    for seed in range(40):
        before = policy(seed)
        old, new = graph(before), graph(edited(seed, before))
        there = [change for change in diff_policies(old, new).changes if change.kind == "decision"]
        back = [change for change in diff_policies(new, old).changes if change.kind == "decision"]
        assert sorted(
            (one.before, one.after, one.direction, str(one.old_rule), str(one.new_rule)) for one in there
        ) == (
            sorted(
                (one.after, one.before, flipped[one.direction], str(one.new_rule), str(one.old_rule)) for one in back
            )
        ), seed


def test_against_nothing_every_call_that_runs_is_widened():
    for seed in range(30):
        compiled = graph(policy(seed))
        runs = any(compiled.outcome(word, *row) != "deny" for word in WORDS for row in CLASSES)
        verdict = diff_policies(None, compiled).verdict
        assert verdict in ("widened", "equivalent")
        assert verdict == "widened" or not runs, seed
        assert diff_policies(compiled, None).verdict in ("narrowed", "equivalent")


def test_questions_are_answered_exactly():
    questions = [
        (mask, frozenset((outcome,)))
        for mask in (class_mask(), class_mask(remote=True, destructive=True), class_mask(unclassified=True))
        for outcome in ("allow", "approval", "deny")
    ]
    for seed in range(30):
        compiled = graph(policy(seed))
        for mask, outcomes in questions:
            answer = ask(compiled, Question(mask, (), outcomes))

            def fits(word, row, mask=mask, outcomes=outcomes, compiled=compiled):
                effective = CLASSES.index(compiled.effective(word, *row))
                return mask >> effective & 1 and compiled.outcome(word, *row) in outcomes

            if answer.answer == "yes":
                assert answer.witness is not None
                shown = arguments_of(answer.witness)
                assert fits(shown[0], shown[1:4]), (seed, answer)
            else:
                assert answer.answer == "no"
                assert not any(fits(word, row) for word in WORDS for row in CLASSES), (seed, mask, outcomes)


def test_a_bound_that_is_reached_is_never_equal_or_no():
    for seed in range(60):
        before = policy(seed)
        old, new = graph(before), graph(edited(seed, before))
        full, short = diff_policies(old, new), diff_policies(old, new, steps=20)
        assert short.verdict == "undecided" or short.verdict == full.verdict, seed
        asked = Question(class_mask(), (), frozenset(("allow",)))
        assert ask(old, asked, steps=5).answer in ("undecided", ask(old, asked).answer), seed
