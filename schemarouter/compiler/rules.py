"""One rule, from whatever front end, to its record: the only place where rules are checked and normalised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from schemarouter.compiler.records import ANY, GraphRule, Predicates
from schemarouter.match.classes import class_mask
from schemarouter.model.names import name_problem

if TYPE_CHECKING:
    from schemarouter.compiler.records import Location
    from schemarouter.match.conditions import Conditions
    from schemarouter.model.decision import Effect
    from schemarouter.model.diagnostic import DocPath

#: Told of everything wrong: a code, a path relative to the rule, a message.
Report: TypeAlias = Callable[[str, "DocPath", str], None]


def as_patterns(operation: str | Sequence[str]) -> tuple[str, ...]:
    """One pattern and a list with one pattern are the same."""
    return (operation,) if isinstance(operation, str) else tuple(operation)


def check_patterns(patterns: tuple[str, ...], report: Report) -> None:
    """Report what is wrong with the patterns of a rule or a ``classify`` entry."""
    if not patterns:
        report("SR110", ("operation",), "an empty list of patterns matches nothing")
    for pattern in patterns:
        problem = name_problem(pattern)
        if problem is not None:
            report("SR009" if "hidden" in problem else "SR110", ("operation",), f"the pattern `{pattern!a}` {problem}")


@cache
def _mask(predicates: Predicates) -> int:
    return class_mask(*predicates)


def make_rule(
    *,
    name: str | None,
    operation: str | Sequence[str],
    effect: Effect,
    reason: str | None,
    predicates: tuple[bool | None, bool | None, bool | None, bool | None],
    arguments: Mapping[str, object] | None,
    location: Location | None,
    report: Report,
) -> GraphRule:
    """The record of a rule; ``predicates`` are real booleans or ``None``. Everything wrong goes to ``report``."""
    patterns = as_patterns(operation)
    check_patterns(patterns, report)
    if name is not None:
        problem = name_problem(name)
        if problem is not None:
            report("SR009" if "hidden" in problem else "SR110", ("name",), f"the rule name `{name!a}` {problem}")
    asks = ANY
    if predicates != ANY:
        asks = Predicates(*predicates)
        if any(value is not None and value is not True and value is not False for value in predicates):
            report("SR103", ("when",), "a predicate is neither true nor false")
        elif not _mask(asks):
            report(
                "SR205",
                ("when",),
                "the predicates contradict each other: `unclassified: true` has no `read_only` value",
            )
    conditions: Conditions | None = None
    if arguments:
        from schemarouter.match.conditions import ConditionError, compile_conditions  # lazily: most rules have none

        try:
            conditions = compile_conditions(arguments)
        except ConditionError as error:
            for wrong in error.problems:
                report("SR110", ("when", "arguments", *wrong.path), wrong.message)
    return GraphRule(name, patterns, effect, reason, asks, conditions, location)
