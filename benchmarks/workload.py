"""What every side works on: policies, names and a contract, the same everywhere. Standard library only.

Everything comes from seeded generators, so that processes in different environments need not exchange it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import count
from typing import Any, NamedTuple

#: Distinct operations of the cases in which every operation was seen before.
SEEN_NAMES = 64
#: Stands last in every policy and is matched by no other rule.
LAST = "zz.last_resort"
#: What a side says that reached its limit of time.
UNKNOWN = "unknown"

_TOOLS = (
    *("billing", "crm", "github", "jira", "slack", "stripe", "storage", "search"),
    *("ledger", "mail", "calendar", "deploy", "metrics", "payroll", "wiki", "shop"),
)
_VERBS = (
    *("get", "list", "create", "update", "delete", "search"),
    *("send", "archive", "merge", "refund", "approve", "export"),
)
_NOUNS = (
    *("issue", "order", "invoice", "user", "file", "branch"),
    *("ticket", "message", "event", "report", "token", "page"),
)


class Rule(NamedTuple):
    """One rule of a generated policy."""

    name: str
    operation: str
    effect: str


def _typical(rng: random.Random, number: int) -> str:
    tool, verb, noun = rng.choice(_TOOLS), rng.choice(_VERBS), rng.choice(_NOUNS)
    share = number % 20
    if share < 12:
        return f"{tool}.{verb}_{noun}_{number}"
    if share < 18:
        return f"{tool}.{verb}_{noun}{number}*"
    return f"*.{verb}_{noun}_{number}" if share == 18 else f"*_{noun}{number}_*"


def _infixes(rng: random.Random, number: int) -> str:
    return f"*_{rng.choice(_NOUNS)}{number}_*"


def _many_stars(rng: random.Random, number: int) -> str:
    return "*" + "*".join(rng.choice(_NOUNS)[:2] for _ in range(6)) + f"*{number}*"


def _question_marks(rng: random.Random, number: int) -> str:
    return f"{rng.choice(_TOOLS)[:3]}?*.?{rng.choice(_VERBS)[1:]}_??{number}*"


#: Kinds of policies. ``typical``: 60 % exact names, 30 % prefixes, 5 % suffixes, 5 % infixes.
MIXES: dict[str, Callable[[random.Random, int], str]] = {
    "typical": _typical,
    "infix": _infixes,
    "stars": _many_stars,
    "question": _question_marks,
}


def policy(size: int, mix: str = "typical", seed: str = "") -> list[Rule]:
    """``size`` rules of a mix in random order, allow and deny; the last one is for :data:`LAST` alone."""
    rng = random.Random(f"{mix} {size}{seed}")
    make = MIXES[mix]
    patterns = [make(rng, number) for number in range(size - 1)]
    rng.shuffle(patterns)
    rules = [Rule(f"rule-{n}", pattern, rng.choice(("allow", "deny"))) for n, pattern in enumerate(patterns)]
    return [*rules, Rule("last", LAST, "allow")]


def instance(pattern: str, filler: str) -> str:
    """A name that ``pattern`` matches."""
    return pattern.replace("*", filler).replace("?", "q")


def matched(rules: list[Rule], number: int = SEEN_NAMES) -> list[str]:
    """Names that the policy has a rule for, of rules all over it, the last one included."""
    step = max(1, (len(rules) - 1) // (number - 1))
    names = [instance(rule.operation, "tail.x") for rule in rules[:-1:step][: number - 1]]
    return list(dict.fromkeys([*names, LAST]))


def fresh(rules: list[Rule], seed: int = 0) -> Iterator[str]:
    """Names that nobody has seen, without end: a half was made for a rule with a wildcard, the others for none.

    Streams of different seeds have no name in common.
    """
    rng = random.Random(f"{len(rules)} {seed}")
    wildcards = [rule.operation for rule in rules if "*" in rule.operation]
    for serial in count():
        if serial % 2 and wildcards:
            yield instance(rng.choice(wildcards), f"n{serial}s{seed}.k")
        else:
            yield f"{rng.choice(_TOOLS)}.{rng.choice(_VERBS)}_{rng.choice(_NOUNS)}_{serial}s{seed}_{rng.choice(_NOUNS)}"


def first_match(rules: list[Rule], name: str) -> Rule | None:
    """The definition, and at the same time the loop to compare with."""
    for rule in rules:
        if fnmatchcase(name, rule.operation):
            return rule
    return None


def yaml_text(rules: list[Rule]) -> str:
    """The policy as a file, with a reason for every rule as people write it."""
    lines = ["version: 1", "name: benchmark", "rules:"]
    for rule in rules:
        lines += (f"  - name: {rule.name}", f'    operation: "{rule.operation}"', f"    effect: {rule.effect}")
        lines.append("    reason: generated for the benchmarks")
    return "\n".join(lines) + "\n"


def toml_text(rules: list[Rule]) -> str:
    """The same file in TOML."""
    lines = ["version = 1", 'name = "benchmark"']
    for rule in rules:
        lines += ("[[rules]]", f'name = "{rule.name}"', f'operation = "{rule.operation}"')
        lines += (f'effect = "{rule.effect}"', 'reason = "generated for the benchmarks"')
    return "\n".join(lines) + "\n"


#: The contract of the endpoint that is called, and a call and a result that fit.
INPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "owner": {"type": "string", "minLength": 1},
        "repo": {"type": "string", "minLength": 1},
        "number": {"type": "integer", "minimum": 1},
        "labels": {"type": "array", "items": {"type": "string"}},
        "draft": {"type": "boolean"},
    },
    "required": ["owner", "repo", "number"],
    "additionalProperties": False,
}
OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "title": {"type": "string"},
        "state": {"enum": ["open", "closed"]},
        "labels": {"type": "array", "items": {"type": "string"}},
        "url": {"type": "string"},
    },
    "required": ["id", "title", "state"],
}
ARGUMENTS: dict[str, Any] = {"owner": "example", "repo": "site", "number": 42, "labels": ["a", "b"], "draft": False}
RESULT: dict[str, Any] = {"id": 1, "title": "a title", "state": "open", "labels": ["a", "b"], "url": "/issues/1"}
