"""cedarpy: exact names as `action ==`, patterns as `like`, policies parsed beforehand.

Cedar has no order: a `forbid` beats every `permit`. So only the operation of the last rule, which no other rule is
about, is decided alike; the work, one look at each policy, is comparable.
"""

from __future__ import annotations

from itertools import cycle
from typing import Any

import cedarpy

from benchmarks.timing import Timed, each, over
from benchmarks.workload import LAST, Rule, matched, policy

ENTITIES = cedarpy.Entities.from_json_str("[]")


def cedar_policy(rule: Rule) -> str:
    effect = "permit" if rule.effect == "allow" else "forbid"
    if "*" not in rule.operation:
        return f'{effect}(principal, action == Action::"{rule.operation}", resource);'
    return f'{effect}(principal, action, resource) when {{ context.operation like "{rule.operation}" }};'


def request(name: str) -> dict[str, Any]:
    return {
        "principal": 'Agent::"a"',
        "action": f'Action::"{name}"',
        "resource": 'Tool::"t"',
        "context": {"operation": name},
    }


def policies(rules: int) -> Any:
    return cedarpy.PolicySet.from_str("\n".join(map(cedar_policy, policy(rules))))


def last(rules: int) -> Timed:
    parsed, asked = policies(rules), request(LAST)
    return each(lambda: cedarpy.is_authorized(asked, parsed, ENTITIES))


def mixed(rules: int) -> Timed:
    parsed = policies(rules)
    requests = cycle([request(name) for name in matched(policy(rules))])
    return over(requests, lambda asked: cedarpy.is_authorized(asked, parsed, ENTITIES))


def last_decision(rules: int) -> str:
    return "allow" if cedarpy.is_authorized(request(LAST), policies(rules), ENTITIES).allowed else "deny"


CASES = {"last": last, "mixed": mixed}
VALUES = {"last_decision": last_decision}
