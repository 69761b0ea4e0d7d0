"""Policies that are built from Python objects, through names that both our build and 0.17.0 have."""

from __future__ import annotations

import fnmatch
import re
from itertools import count
from typing import Any

from benchmarks.timing import Timed, made, over, over_triples
from benchmarks.workload import LAST, Rule, matched, policy
from schemarouter import EndpointSpec, ExecutionPolicy, PolicyRule, ToolCall, ToolSpec


def python_policy(rules: list[Rule]) -> ExecutionPolicy:
    return ExecutionPolicy(
        rules=tuple(PolicyRule(name=rule.name, operation=rule.operation, effect=rule.effect) for rule in rules)
    )


def call_of(name: str) -> tuple[ToolSpec, EndpointSpec, ToolCall]:
    tool_name, _, endpoint_name = name.partition(".")
    endpoint = EndpointSpec(name=endpoint_name, read_only=True)
    tool = ToolSpec(name=tool_name, endpoints=[endpoint])
    call = ToolCall(tool=tool.key, endpoint=endpoint.name, arguments={}, schema_fingerprint=endpoint.fingerprint)
    return tool, endpoint, call


def seen(rules: int) -> Timed:
    """Operations that were decided before, in turn."""
    policy_rules = policy(rules)
    calls = [call_of(name) for name in matched(policy_rules)]
    evaluate = python_policy(policy_rules).evaluate
    for call in calls:
        evaluate(*call)
    return over_triples(calls, evaluate)


def last(rules: int) -> Timed:
    """The operation of the last rule."""
    return over_triples([call_of(LAST)], python_policy(policy(rules)).evaluate)


def load_python(rules: int) -> Timed:
    """A policy from plain values, and its first decision, which is the last rule's, as in a process that was just started.

    The standard library remembers patterns that it has translated for `fnmatch`; a new process does not know them.
    """
    policy_rules = policy(rules)
    call = call_of(LAST)

    def forget() -> None:
        re.purge()
        fnmatch._compile_pattern.cache_clear()  # type: ignore[attr-defined]  # there is no public way

    def load() -> object:
        loaded = python_policy(policy_rules)
        return loaded, loaded.evaluate(*call)

    return made(load, forget)


def last_new(rules: int) -> Timed:
    """An operation that matches the last rule of a policy and was never seen before."""
    policy_rules = [*policy(rules)[:-1], Rule("last", "zz.*", "allow")]
    evaluate = python_policy(policy_rules).evaluate
    calls = (call_of(f"zz.new_{number}") for number in count())
    return over(calls, lambda call: evaluate(*call))


def decisions(rules: int) -> list[Any]:
    policy_rules = policy(rules)
    evaluate = python_policy(policy_rules).evaluate
    return [evaluate(*call_of(name)).effect for name in matched(policy_rules)]


CASES = {"seen": seen, "last": last, "last_new": last_new, "load_python": load_python}
VALUES = {"decisions": decisions}
