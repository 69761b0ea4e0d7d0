"""Small random policies over small alphabets, in which every corner of the pattern language meets every other."""

import itertools
import json
import random

from schemarouter.compiler.compile import compile_policy
from schemarouter.document.reader import read_policy

PIECES = ("a", "b", "ab", "b.a", ".", "*", "*", "?", "[ab]", "[!a]", "[!]]", "[", "z", "[]-a]", "[^a]", "[z-a]")
EFFECTS = ("allow", "deny", "require_approval")
#: Distinct conditions on one argument each, so that every combination of answers can be had.
CONDITIONS = ({"x": {"const": 1}}, {"y": {"const": 1}})
#: Conditions that imply or exclude each other, or nearly do.
RELATED = (
    {"x": {"maximum": 1}},
    {"x": {"maximum": 5}},
    {"x": {"type": "integer", "maximum": 5}},
    {"x": {"minimum": 3}},
    {"x": {"exclusiveMinimum": 1, "absent": True}},
    {"x": {"enum": [0, 4]}},
    {"x": {"const": "1"}},
    {"x": {"maximum": 1}, "y": {"const": 1}},
)
#: Values that tell them apart, and a missing argument.
TELLING = (0, 1, 1.5, 2, 3, 4, 4.5, 9, "1", None)
#: What makes such a condition hold, fail, and be in doubt.
ANSWERS = (1, 2, "1")


def words(longest, letters="ab.z"):
    """Every operation over ``letters`` up to a length."""
    for length in range(3, longest + 1):
        for word in map("".join, itertools.product(letters, repeat=length)):
            if "." in word[1:-1]:
                yield word


def pattern(choose):
    return "".join(choose.choice(PIECES) for _ in range(choose.randint(1, 5)))


def rule(choose, name, conditions=False):
    made = {
        "name": name,
        "operation": [pattern(choose) for _ in range(choose.choice((1, 1, 1, 2)))],
        "effect": choose.choice(EFFECTS),
    }
    when = {}
    if choose.random() < 0.4:
        when[choose.choice(("remote", "read_only", "destructive", "unclassified"))] = choose.random() < 0.5
    if conditions and choose.random() < 0.5:
        when["arguments"] = choose.choice(CONDITIONS if conditions is True else conditions)
    if when:
        made["when"] = when
    return made


def policy(seed, conditions=False):
    choose = random.Random(seed)
    classify = [
        {"operation": pattern(choose), choose.choice(("read_only", "destructive")): choose.random() < 0.5}
        for _ in range(choose.choice((0, 0, 1, 2)))
    ]
    return {
        "version": 1,
        "defaults": {"allow_mutations": choose.random() < 0.5},
        "approval": {"mode": choose.choice(("never", "all", "non_read_only")), "callback": "x"},
        "classify": classify,
        "rules": [rule(choose, f"r{number}", conditions) for number in range(choose.randint(1, 6))],
    }


def edited(seed, old, conditions=False):
    """``old`` after up to three edits of the kinds that people make."""
    choose = random.Random(seed)
    new = json.loads(json.dumps(old))
    rules = new["rules"]
    for number in range(choose.randint(0, 3)):
        kind = choose.choice(("effect", "drop", "swap", "add", "flag", "mode", "classify"))
        place = choose.randrange(len(rules))
        if kind == "effect":
            rules[place]["effect"] = choose.choice(EFFECTS)
        elif kind == "drop" and len(rules) > 1:
            del rules[place]
        elif kind == "swap":
            rules.append(rules.pop(place))
        elif kind == "add":
            rules.insert(place, rule(choose, f"n{number}", conditions))
        elif kind == "flag":
            new["defaults"]["allow_destructive"] = choose.random() < 0.5
        elif kind == "mode":
            new["approval"]["mode"] = choose.choice(("never", "all", "non_read_only"))
        else:
            new["classify"] = [{"operation": pattern(choose), "read_only": choose.random() < 0.5}]
    return new


def graph(document):
    result = read_policy(json.dumps(document), "policy.yaml", "yaml")
    assert result.document is not None, result.findings
    return compile_policy(result.document)
