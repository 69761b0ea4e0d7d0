"""What the exact analysis is measured against: its aims, what compiling takes, and tools that answer the same questions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.parts import Amount, Entrant, Group, Ratio
from benchmarks.questions import HOSTILE

SECTION = "Exact analysis"
REAL = "Exact analysis, over GitHub's names"
SLOW = "Exact analysis, policies made to be slow"
#: Rules -> milliseconds that are aimed at: unreachable, check, a diff of 20 edits, an unrelated policy, two questions.
AIMS = {1_000: (50.0, 300.0, 50.0, 1_000.0, 15.0, 15.0), 10_000: (500.0, 3_000.0, 1_000.0, 30_000.0, 150.0, 150.0)}


def asked(case: str, **arguments: Any) -> Entrant:
    """A question to our analysis."""
    return Entrant("analysis", case, arguments)


def analysis_groups() -> Iterator[Group]:
    """Every group about the analysis, in the order of the report."""
    for size in (10, 100, 1_000, 5_000, 10_000):
        yield _size(size)
    yield _peers()
    yield _memory()
    for catalog, size in (("mcp", 200), ("mcp", 1_000), ("rest", 1_000), ("rest", 5_000)):
        yield _real(catalog, size)
    for kind in ("typical", "infix", "covered", "mcp", "rest"):
        yield _undecided(kind)
    for family in HOSTILE:
        yield _family(family)


def _size(size: int) -> Group:
    aims = AIMS.get(size, (None,) * 6)
    entrants = {
        "compile": asked("analysis_compiled", rules=size, kind="typical"),
        "unreachable": asked("unreachable", rules=size, kind="covered"),
        "check": asked("whole_check", rules=size, kind="typical"),
        "diff": asked("difference", rules=size, kind="typical", edits=20),
        "unrelated": asked("difference", rules=size, kind="typical", other="unrelated"),
        "question": asked("question", rules=size, kind="guarded"),
        "hard question": asked("question", rules=size, kind="guarded in parts"),
    }
    titles = {
        "unreachable": "unreachable rules with their covers, one in ten",
        "check": "`check`, all rules of it",
        "diff": "`diff` of 20 edits",
        "unrelated": "`diff` of unrelated policies",
        "question": "a question, no because of one rule",
        "hard question": "a question, no because of three rules together",
    }
    rules = f"{size:,} rules"
    return Group(
        SECTION,
        rules,
        {f"{label}, {rules}": entrant for label, entrant in entrants.items()},
        tuple(
            Amount(f"{rules}: {title}", f"{label}, {rules}", 1_000, "ms", aim)
            for (label, title), aim in zip(titles.items(), aims, strict=True)
        )
        + tuple(
            Ratio(f"{rules}: {title}, to compiling", f"{label}, {rules}", f"compile, {rules}")
            for label, title in titles.items()
        ),
        fewest=3,
    )


def _peers() -> Group:
    arguments = {"rules": 100, "kind": "covered"}
    sides = {"ours": "analysis", "z3": "z3", "automata-lib": "automata-lib"}
    return Group(
        SECTION,
        "unreachable rules of 100, other tools",
        {label: Entrant(side, "unreachable", arguments) for label, side in sides.items()},
        tuple(
            Ratio(f"100 rules, unreachable: {label} to ours", label, "ours", at_least=100)
            for label in ("z3", "automata-lib")
        ),
        tuple(Entrant(side, "dead", arguments) for side in sides.values()),
    )


def _memory() -> Group:
    size = 10_000
    return Group(
        SECTION,
        "memory of a pair",
        {},
        (Amount(f"{size:,} rules: memory of `diff` at its peak, both policies compiled", "peak", 1e-6, "MB", 60),),
        values={"peak": asked("difference_peak", rules=size, kind="typical", edits=20)},
    )


def _real(catalog: str, size: int) -> Group:
    label = f"{catalog}, {size:,} rules"
    entrants = {
        f"unreachable, {label}": asked("unreachable", rules=size, kind=catalog),
        f"left out, {label}": asked("redundancies", rules=size, kind=catalog),
        f"check, {label}": asked("whole_check", rules=size, kind=catalog),
        f"diff, {label}": asked("difference", rules=size, kind=catalog, edits=20),
        f"loop, {label}": asked("analysis_matched_once", rules=size, kind=catalog),
    }
    titles = ("unreachable rules", "rules that could be left out, too", "`check`", "`diff` of 20 edits")
    return Group(
        REAL,
        label,
        entrants,
        (
            *(Amount(f"{label}: {title}", of, 1_000, "ms") for title, of in zip(titles, entrants, strict=False)),
            Ratio(f"{label}: unreachable rules, to trying each rule's name once", *_first_and_last(entrants)),
        ),
        fewest=3,
    )


def _first_and_last(entrants: dict[str, Entrant]) -> tuple[str, str]:
    labels = list(entrants)
    return labels[0], labels[-1]


def _undecided(kind: str) -> Group:
    title = f"{kind}, 1,000 rules: questions of check, diff and query without an answer"
    return Group(
        SECTION,
        f"undecided, {kind}",
        {},
        (Amount(title, "undecided", 1, "questions", 0),),
        values={"undecided": asked("undecided", rules=1_000, kind=kind)},
    )


def _family(name: str) -> Group:
    arguments = {"name": name, "patterns": HOSTILE[name][1]}
    return Group(
        SLOW,
        name,
        {},
        (
            Amount(f"{name}: the slowest rule", "seconds", 1, "s", 1),
            Amount(f"{name}: its steps", "steps", 1, "steps"),
            Amount(f"{name}: questions without an answer", "undecided", 1, "questions"),
        ),
        values={
            "seconds": asked("worst_seconds", **arguments),
            "steps": asked("worst_steps", **arguments),
            "undecided": asked("worst_undecided", **arguments),
        },
    )
