"""One rule, from whatever front end, to its record: the only place where rules are checked. Standard library only."""

from __future__ import annotations

from schemarouter.compiler.records import ANY, GraphRule, Predicates, predicate_mask
from schemarouter.model.decision import EFFECTS
from schemarouter.model.names import name_problem

_new = tuple.__new__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    from schemarouter.compiler.records import Location
    from schemarouter.match.conditions import Conditions
    from schemarouter.model.decision import Effect
    from schemarouter.model.diagnostic import DocPath

    #: What is wrong: a code, a path below the rule or entry, a message.
    Wrong: TypeAlias = list[tuple[str, DocPath, str]]


def as_patterns(operation: str | Sequence[str]) -> tuple[str, ...]:
    """One pattern and a list with one pattern are the same."""
    return (operation,) if isinstance(operation, str) else tuple(operation)


def check_patterns(patterns: tuple[str, ...], wrong: Wrong) -> None:
    """Add to ``wrong`` what is wrong with the patterns of a rule or of a ``classify`` entry."""
    for pattern in patterns:
        check_name("pattern", pattern, ("operation",), wrong)
    if not patterns:
        wrong.append(("SR110", ("operation",), "an empty list of patterns matches nothing"))


def check_name(what: str, text: str, path: DocPath, wrong: Wrong) -> None:
    """Add to ``wrong``, at ``path``, what makes ``text`` illegible (SPEC 1); ``what`` is the word for it."""
    problem = name_problem(text)
    if problem is not None:
        code = "SR009" if "hidden character" in problem else "SR110"
        wrong.append((code, path, f"the {what} `{shown(text)}` {problem}"))


def shown(text: str) -> str:
    """``text`` as a message may show it: in ASCII, hidden characters as escapes."""
    return ascii(text)[1:-1]


def make_predicates(values: tuple[bool | None, bool | None, bool | None, bool | None], wrong: Wrong) -> Predicates:
    """Predicates, shared where nothing is asked. By identity, because ``1 == True``: a number is no boolean."""
    if any(value is not None and value is not True and value is not False for value in values):
        wrong.append(("SR103", ("when",), "a predicate is neither true nor false"))
        return ANY
    predicates = Predicates(*values)
    if predicates == ANY:
        return ANY
    if not predicate_mask(predicates):
        wrong.append(("SR205", ("when",), "`unclassified: true` and a `read_only` predicate contradict each other"))
    return predicates


def make_conditions(arguments: Mapping[str, object], wrong: Wrong) -> Conditions | None:
    """Compiled argument conditions, or ``None`` where they are none."""
    from schemarouter.match.conditions import ConditionError, compile_conditions  # lazily: most rules have none

    try:
        return compile_conditions(arguments)
    except ConditionError as error:
        wrong += (("SR110", ("when", "arguments", *one.path), one.message) for one in error.problems)
        return None


def make_rule(
    name: str | None,
    patterns: tuple[str, ...],
    effect: Effect,
    reason: str | None,
    predicates: tuple[bool | None, bool | None, bool | None, bool | None],
    arguments: Mapping[str, object] | None,
    location: Location | None,
    wrong: Wrong,
) -> GraphRule:
    """The record of a rule. Whatever is wrong with it is added to ``wrong``; then the record is of no use."""
    if len(patterns) != 1 or name_problem(patterns[0]) is not None:
        check_patterns(patterns, wrong)
    if name is not None:
        check_name("rule name", name, ("name",), wrong)
    if effect not in EFFECTS:
        wrong.append(("SR105", ("effect",), "the effect is unknown"))
    asks = ANY if predicates is ANY or predicates == ANY else make_predicates(predicates, wrong)
    conditions = make_conditions(arguments, wrong) if arguments is not None else None
    # Half the time of calling the class, and there may be ten thousand rules.
    return _new(GraphRule, (name, patterns, effect, reason, asks, conditions, location))
