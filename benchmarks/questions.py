"""What exact analysis is asked about: policies in which rules take each other's calls, changes of policies, real names.

Standard library only, and seeded, as in :mod:`benchmarks.workload`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.workload import LAST, Rule, policy

_DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
#: No policy of the mixes below says anything about these calls but by a wildcard in front.
PURGE = "operation:*.purge_*"


def covered(size: int) -> list[Rule]:
    """The typical mix, in which every tenth rule lost all its calls: to one earlier rule, or to two only together."""
    rng = random.Random(f"covered {size}")
    rules = policy(size)
    for number in range(9, size - 1, 10):
        if number % 20 == 9:
            earlier = rng.choice(rules[: number - 2]).operation
            rules[number] = rules[number]._replace(operation=_narrower(earlier, number))
        else:
            stem = f"vault.seal_{number}"
            for at, pattern in ((2, f"{stem}*_a"), (1, f"{stem}*_b"), (0, f"{stem}_?_[ab]")):
                rules[number - at] = rules[number - at]._replace(operation=pattern)
    return rules


def _narrower(pattern: str, number: int) -> str:
    """A pattern, or a name, all of whose operations ``pattern`` matches."""
    head, star, tail = pattern.partition("*")
    if not star:
        return pattern
    return f"jira.x{number}{tail}" if not head else f"{head}_{number}*{tail}"


def guarded(size: int) -> list[Rule]:
    """The typical mix below a rule that forbids what :data:`PURGE` asks for: no rule with a wildcard can allow it any more."""
    return [Rule("no-purge", "*.purge_*", "deny"), *policy(size)[1:]]


def pieces(pattern: str) -> list[str]:
    """The pieces of a pattern of these policies: ``*``, ``?``, ``[ab]`` and single characters."""
    return re.findall(r"\[\w+\]|.", pattern)


def guarded_in_parts(size: int) -> list[Rule]:
    """As ``guarded``, but no rule alone takes all of these calls."""
    parts = ("*.purge_", "*.purge_[a-m]*", "*.purge_[!a-m]*")
    return [*(Rule(f"no-purge-{n}", part, "deny") for n, part in enumerate(parts)), *policy(size)[3:]]


def unrelated(size: int) -> list[Rule]:
    """Another policy of the same mix, with no more in common than two policies of one company."""
    return policy(size, seed=" unrelated")


def edited(rules: list[Rule], edits: int) -> list[Rule]:
    """``rules`` after so many edits all over them: other effects, rules gone, new, swapped with the next, and widened."""
    rng = random.Random(f"{len(rules)} {edits}")
    result: list[Rule | None] = list(rules)
    places = rng.sample(range(len(rules) - 2), min(edits, len(rules) - 2))
    for kind, place in enumerate(places):
        rule = result[place]
        assert rule is not None
        if kind % 5 == 0:
            result[place] = rule._replace(effect="deny" if rule.effect == "allow" else "allow")
        elif kind % 5 == 1:
            result[place] = None
        elif kind % 5 == 2:
            result[place] = rule._replace(operation=f"crm.merge_{kind}_{place}*")
        elif kind % 5 == 3 and place + 1 not in places:
            result[place], result[place + 1] = result[place + 1], rule
        else:
            result[place] = rule._replace(operation=f"{rule.operation.rstrip('*')[:-1]}*")
    return [rule for rule in result if rule is not None]


@cache
def names(catalog: str) -> tuple[str, ...]:
    """The tools of GitHub's MCP server (``mcp``), or the operations of its REST API (``rest``)."""
    if catalog == "mcp":
        lines = (_DATA / "github-mcp-tools.txt").read_text(encoding="utf-8").splitlines()
        return tuple(line for line in lines if line and not line.startswith("#"))
    lines = (_DATA / "github-rest-operations.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[1] for line in lines if line and not line.startswith("#"))


def catalogued(size: int, catalog: str, seed: str = "", *, shuffled: bool = False) -> list[Rule]:
    """``size`` rules over real names, no two alike: half are names, three in ten their beginnings, two in ten words in them.

    As many servers with these names as the rules need. What is narrow stands first, as people write it, but for one rule in
    ten; ``shuffled`` puts them in any order, and most rules stand behind wider ones.
    """
    rng = random.Random(f"{catalog} {size}{seed}")
    known = names(catalog)
    servers = ["github", *(f"github-{number}" for number in range(2, 2 + size // len(known)))]
    patterns: dict[str, None] = {}
    while len(patterns) < size - 1:
        name = f"{rng.choice(servers)}.{rng.choice(known)}"
        share = rng.randrange(10)
        if share < 5:
            pattern = name
        elif share < 8:
            pattern = name[: rng.randint(name.index(".") + 2, len(name))] + "*"
        else:
            words = re.split(r"[/_-]", name.partition(".")[2])
            start = rng.randrange(len(words))
            pattern = f"*{'*'.join(words[start : start + rng.randint(1, 3)])}*"
        patterns[pattern] = None

    def place(pattern: str) -> tuple[float, int]:
        stray = shuffled or rng.random() < 0.1
        return (rng.uniform(0, 3) if stray else 1 + pattern.count("*"), -len(pattern))

    ordered = sorted(patterns, key=place)
    made = [Rule(f"rule-{n}", pattern, rng.choice(("allow", "deny"))) for n, pattern in enumerate(ordered)]
    return [*made, Rule("last", LAST, "allow")]


def _words(rng: random.Random, _: int) -> str:
    return "*" + "*".join("".join(rng.choices("ab", k=rng.randint(1, 3))) for _ in range(4)) + "*"


def _clause(rng: random.Random, _: int) -> str:
    """One clause of a random formula of 24 variables: the words that do not satisfy it."""
    letters = ["?"] * 24
    for place in rng.sample(range(24), 3):
        letters[place] = rng.choice("ab")
    return "".join(letters) + ".x"


def _permutation(rng: random.Random, _: int) -> str:
    return "*" + "*".join(rng.sample("abcdefghij", 10)) + "*"


def _stars(rng: random.Random, _: int) -> str:
    return "*" + "*".join(rng.choice("abcdef") for _ in range(12)) + "*"


def _brackets(rng: random.Random, _: int) -> str:
    return "*" + "".join(rng.choice(("[ab]", "[!a]", "?", "[!b]", "*")) for _ in range(8)) + f"{rng.choice('ab')}*"


#: Families that are exponential for an automaton that is determinised: (number -> pattern) and the last rule, whose calls
#: they may take or not. ``clauses`` is a formula with more clauses than it can satisfy: whether they take all is coNP-hard.
HOSTILE: dict[str, tuple[Callable[[random.Random, int], str], int, str]] = {
    "many stars": (_stars, 64, "*"),
    "permutations": (_permutation, 64, "*"),
    "words of two letters": (_words, 64, "*[ab]*.[ab]*"),
    "far from the end": (lambda _, number: f"*a{'?' * number}", 24, "*"),
    "gaps": (lambda _, number: f"*a{'?' * number}a*", 24, "*"),
    "growing gaps": (lambda _, number: f"*{'?' * number}a*", 24, "*"),
    "brackets": (_brackets, 64, "*"),
    "clauses": (_clause, 160, "[ab]" * 24 + ".x"),
}


def hostile(family: str, patterns: int) -> list[Rule]:
    """The first rules of a family, all with one effect, and the last one with another."""
    make, size, last = HOSTILE[family]
    rng = random.Random(family)
    count = min(patterns, size)
    return [*(Rule(f"rule-{n}", make(rng, n), "deny") for n in range(count)), Rule("last", last, "allow")]


#: Policies by the name of their kind.
KINDS: dict[str, Callable[[int], list[Rule]]] = {
    "typical": policy,
    "infix": lambda size: policy(size, "infix"),
    "question": lambda size: policy(size, "question"),
    "covered": covered,
    "guarded": guarded,
    "guarded in parts": guarded_in_parts,
    "unrelated": unrelated,
    "mcp": lambda size: catalogued(size, "mcp"),
    "rest": lambda size: catalogued(size, "rest"),
    "shuffled rest": lambda size: catalogued(size, "rest", shuffled=True),
    "other mcp": lambda size: catalogued(size, "mcp", " other"),
    "other rest": lambda size: catalogued(size, "rest", " other"),
}
