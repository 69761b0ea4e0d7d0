"""Calls of some kind that run without approval: who lets them run, with a call that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemarouter.analysis.decided import decided_call
from schemarouter.lint.patterns import is_literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schemarouter.lint.context import LintContext
    from schemarouter.model.decision import Outcome
    from schemarouter.model.diagnostic import Call

_RUNS: tuple[Outcome, ...] = ("allow",)


class Running(NamedTuple):
    """Calls that ``rule`` (``None``: the category guards) lets run without approval.

    ``literal``: its pattern names the operation. ``call`` is ``None`` if it depends on argument conditions
    (``conditional``) for which no arguments could be constructed.
    """

    rule: int | None
    literal: str | None
    call: Call | None
    conditional: bool


def running(policy: LintContext, classes: int, question: str) -> Iterator[Running]:
    """Everyone who lets calls of effective ``classes`` (a mask) run, each once; a wildcard counts more than a name.

    What could not be decided is kept as a gap under ``question``.
    """
    analysis = policy.analysis
    for number, rule in enumerate(policy.graph.rules):
        if rule.effect != "allow" or not analysis.view.masks[number] & classes or number in analysis.dead:
            continue
        wild = [pattern for pattern in rule.patterns if not is_literal(pattern)]
        found = _first(policy, number, classes, question, wild) if wild else None
        if found is None:
            for pattern in rule.patterns:
                if pattern not in wild:
                    found = _first(policy, number, classes, question, [pattern], literal=pattern)
                    if found is not None:
                        break
        if found is not None:
            yield found
    found = _first(policy, None, classes, question, None)
    if found is not None:
        yield found


def _first(
    policy: LintContext,
    rule: int | None,
    classes: int,
    question: str,
    patterns: Sequence[str] | None,
    *,
    literal: str | None = None,
) -> Running | None:
    analysis = policy.analysis
    answer = decided_call(analysis.view, rule, classes, _RUNS, analysis.work_of(rule), patterns=patterns)
    answer = analysis.decided(answer, question, rule)
    return None if answer is None else Running(rule, literal, answer.call, answer.conditional)
