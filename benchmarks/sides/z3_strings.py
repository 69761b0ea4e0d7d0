"""z3: each question as one formula over strings and regular expressions, as one would write it by hand."""

from __future__ import annotations

from typing import Any

import z3

from benchmarks.questions import KINDS, pieces
from benchmarks.timing import Timed, asked
from benchmarks.workload import UNKNOWN

#: Milliseconds for one question.
LIMIT = 2_000


def _regex(pattern: str) -> Any:
    anything = z3.AllChar(z3.ReSort(z3.StringSort()))
    parts: list[Any] = []
    text = ""
    for piece in pieces(pattern):
        if piece in ("*", "?") or len(piece) > 1:
            if text:
                parts.append(z3.Re(text))
                text = ""
            if len(piece) > 1:
                parts.append(z3.Union(*map(z3.Re, piece[1:-1])))
            else:
                parts.append(z3.Star(anything) if piece == "*" else anything)
        else:
            text += piece
    if text or not parts:
        parts.append(z3.Re(text))
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


def answers(patterns: list[str]) -> list[bool | str]:
    """For each pattern whether those before it match all that it matches."""
    word = z3.String("operation")
    anything = z3.Star(z3.AllChar(z3.ReSort(z3.StringSort())))
    operation = z3.Concat(anything, z3.Re("."), anything)
    found: list[bool | str] = []
    before: list[Any] = []
    for pattern in patterns:
        regex = _regex(pattern)
        solver = z3.Solver()
        solver.set("timeout", LIMIT)
        solver.add(z3.InRe(word, z3.Intersect(operation, regex)))
        if before:
            solver.add(z3.Not(z3.InRe(word, before[0] if len(before) == 1 else z3.Union(*before))))
        answer = solver.check()
        found.append(UNKNOWN if answer == z3.unknown else answer == z3.unsat)
        before.append(regex)
    return found


def unreachable(rules: int, kind: str) -> Timed:
    """Every rule that can decide no call; without the rules that take its calls, which would be further questions."""
    patterns = [rule.operation for rule in KINDS[kind](rules)]
    return asked(answers, lambda: patterns)


def dead(rules: int, kind: str) -> list[bool | str]:
    """For each rule whether it can decide no call."""
    return answers([rule.operation for rule in KINDS[kind](rules)])


CASES = {"unreachable": unreachable}
VALUES = {"dead": dead}
