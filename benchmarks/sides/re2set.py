"""google-re2's Set: all patterns in one automaton that is made lazily. It gives every match; the first one is picked."""

from __future__ import annotations

import time
from itertools import cycle, islice
from typing import Any

import re2

from benchmarks.timing import Timed, over
from benchmarks.workload import fresh, matched, policy

#: Bytes. Within the default of 8 MB it does not compile 10,000 rules.
MEMORY = 4 << 30
#: Seconds.
WARM_UP = 2.0


def translate(pattern: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(character) or re2.escape(character) for character in pattern)


def compiled(rules: int, mix: str) -> Any:
    options = re2.Options()
    options.max_mem = MEMORY
    options.dot_nl = True
    result = re2.Set.FullMatchSet(options)
    for rule in policy(rules, mix):
        result.Add(translate(rule.operation))
    result.Compile()
    return result


def decider(rules: int, mix: str) -> Any:
    match = compiled(rules, mix).Match

    def decide(name: str) -> int:
        return min(match(name) or (-1,))  # no match is None

    return decide


def new(rules: int, mix: str = "typical") -> Timed:
    """Names that were never seen before, after two seconds of others to build the automaton on."""
    policy_rules = policy(rules, mix)
    decide = decider(rules, mix)
    until = time.perf_counter() + WARM_UP
    for name in fresh(policy_rules, seed=1):
        decide(name)
        if time.perf_counter() > until:
            break
    return over(fresh(policy_rules), decide)


def repeated(rules: int, mix: str = "typical") -> Timed:
    return over(cycle(matched(policy(rules, mix))), decider(rules, mix))


def decisions(rules: int, mix: str = "typical") -> list[int]:
    policy_rules = policy(rules, mix)
    decide = decider(rules, mix)
    return [decide(name) for name in (*matched(policy_rules), *islice(fresh(policy_rules), 200))]


CASES = {"new": new, "repeated": repeated}
VALUES = {"decisions": decisions}
