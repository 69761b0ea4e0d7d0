"""automata-lib: each pattern as a deterministic automaton, and the union of those before it, kept minimal."""

from __future__ import annotations

import time

from automata.fa.dfa import DFA
from automata.fa.nfa import NFA

from benchmarks.questions import KINDS, pieces
from benchmarks.timing import Timed, asked
from benchmarks.workload import UNKNOWN

#: Seconds for all rules of a policy; past it the answers are unknown.
LIMIT = 100.0


def _dfa(pattern: str, alphabet: set[str]) -> DFA:
    """The automaton of a pattern, built as one would: a state for each place in it."""
    transitions: dict[str, dict[str, set[str]]] = {}
    read = pieces(pattern)
    for place, piece in enumerate(read):
        state, following = str(place), str(place + 1)
        if piece == "*":
            transitions[state] = {"": {following}, **{one: {state} for one in alphabet}}
        elif piece == "?":
            transitions[state] = {one: {following} for one in alphabet}
        else:
            transitions[state] = {one: {following} for one in piece.strip("[]")}
    last = str(len(read))
    transitions[last] = {}
    nfa = NFA(
        states=set(transitions), input_symbols=alphabet, transitions=transitions, initial_state="0", final_states={last}
    )
    return DFA.from_nfa(nfa, minify=True)


def answers(patterns: list[str]) -> list[bool | str]:
    """For each pattern whether those before it match all that it matches."""
    alphabet = {character for pattern in patterns for character in pattern if character not in "*?[]"} | {".", "\0"}
    operation = _dfa("*.*", alphabet)
    start = time.perf_counter()
    covered: DFA | None = None
    found: list[bool | str] = []
    for pattern in patterns:
        if time.perf_counter() - start > LIMIT:
            found.append(UNKNOWN)
            continue
        mine = _dfa(pattern, alphabet).intersection(operation)
        found.append(mine.isempty() if covered is None else mine.issubset(covered))
        covered = mine if covered is None else covered.union(mine)
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
