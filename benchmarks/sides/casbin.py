"""pycasbin: the nearest policy it can say is `priority`, the first matching rule, with `globMatch` on the operation."""

from __future__ import annotations

import logging
from itertools import cycle
from typing import Any

import casbin

from benchmarks.timing import Timed, each, over
from benchmarks.workload import LAST, matched, policy

MODEL = """
[request_definition]
r = op
[policy_definition]
p = op, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = globMatch(r.op, p.op)
"""
logging.disable(logging.INFO)


def enforcer(rules: int) -> Any:
    model = casbin.Enforcer.new_model(text=MODEL)
    result = casbin.Enforcer(model)
    result.add_policies([[rule.operation, rule.effect] for rule in policy(rules)])
    return result


def last(rules: int) -> Timed:
    decide = enforcer(rules).enforce
    return each(lambda: decide(LAST))


def mixed(rules: int) -> Timed:
    return over(cycle(matched(policy(rules))), enforcer(rules).enforce)


def decisions(rules: int) -> list[str]:
    decide = enforcer(rules).enforce
    return ["allow" if decide(name) else "deny" for name in matched(policy(rules))]


CASES = {"last": last, "mixed": mixed}
VALUES = {"decisions": decisions}
