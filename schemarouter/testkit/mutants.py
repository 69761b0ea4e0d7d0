"""Mutants of a policy: copies with one small mistake each. Tests that say what the policy is for notice every one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from schemarouter.compiler.decide import rule_label
from schemarouter.compiler.records import ANY, Budget, Content, GraphRule, Predicates, Retry
from schemarouter.document.words import shown
from schemarouter.model.diagnostic import DocPath

if TYPE_CHECKING:
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import Effect

_FLIPPED: dict[Effect, Effect] = {"allow": "deny", "deny": "allow", "require_approval": "allow"}
_WEAKER = {"all": "non_read_only", "non_read_only": "never"}
_SPECIAL = frozenset("*?[")


class Made(NamedTuple):
    """A mutant as a policy. ``origin`` says which rule of the policy each of its rules is; ``None``: rule for rule."""

    content: Content
    origin: tuple[int, ...] | None = None


class Mutant(NamedTuple):
    """One mistake: its kind, what is changed, and where in the document. ``make`` makes it: there may be very many.

    ``rules`` are the rules that it is about: only calls that one of them matches, or that match ``wider``, a pattern that it
    has and the policy has not, can come out otherwise. Without ``rules`` that may be any call.
    """

    kind: str
    change: str
    at: DocPath
    make: Callable[[], Made]
    rules: tuple[int, ...] = ()
    wider: str | None = None


class Operator(NamedTuple):
    """A kind of mistake, and how it is made."""

    kind: str
    make: Callable[[Content], Iterator[Mutant]]


def mutants(graph: EvaluationGraph) -> Iterator[Mutant]:
    """Every mutant of a policy, in a fixed order: rule by rule within each kind."""
    for operator in OPERATORS:
        yield from operator.make(graph.content)


def _label(rule: GraphRule, index: int) -> str:
    return rule_label(rule.name, index)


def _with(content: Content, index: int, rule: GraphRule) -> Callable[[], Made]:
    return lambda: Made(content._replace(rules=(*content.rules[:index], rule, *content.rules[index + 1 :])))


def _is(content: Content) -> Callable[[], Made]:
    return lambda: Made(content)


def _ordered(content: Content, order: Callable[[], list[int]]) -> Callable[[], Made]:
    def make() -> Made:
        numbers = order()
        return Made(content._replace(rules=tuple(content.rules[number] for number in numbers)), tuple(numbers))

    return make


def _flip(content: Content) -> Iterator[Mutant]:
    for index, rule in enumerate(content.rules):
        effect = _FLIPPED[rule.effect]
        change = f"{_label(rule, index)}: `{rule.effect}` becomes `{effect}`"
        changed = _with(content, index, rule._replace(effect=effect))
        yield Mutant("flip-effect", change, ("rules", index, "effect"), changed, rules=(index,))


def _drop(content: Content) -> Iterator[Mutant]:
    for index, rule in enumerate(content.rules):

        def rest(index: int = index) -> list[int]:
            return [number for number in range(len(content.rules)) if number != index]

        change = f"{_label(rule, index)} is left out"
        yield Mutant("drop-rule", change, ("rules", index), _ordered(content, rest), rules=(index,))


def _swap(content: Content) -> Iterator[Mutant]:
    rules = content.rules
    for index in range(len(rules) - 1):

        def order(index: int = index) -> list[int]:
            numbers = list(range(len(rules)))
            numbers[index : index + 2] = [index + 1, index]
            return numbers

        change = f"{_label(rules[index], index)} and {_label(rules[index + 1], index + 1)} change places"
        yield Mutant("swap-rules", change, ("rules", index), _ordered(content, order), rules=(index, index + 1))


def _widen(content: Content) -> Iterator[Mutant]:
    for index, rule in enumerate(content.rules):
        for number, pattern in enumerate(rule.patterns):
            wider = widened(pattern)
            if wider is None:
                continue
            patterns = (*rule.patterns[:number], wider, *rule.patterns[number + 1 :])
            at: DocPath = ("rules", index, "operation", *((number,) if len(rule.patterns) > 1 else ()))
            change = f"{_label(rule, index)}: {shown(pattern)} becomes {shown(wider)}"
            changed = _with(content, index, rule._replace(patterns=patterns))
            yield Mutant("widen-pattern", change, at, changed, rules=(index,), wider=wider)


def widened(pattern: str) -> str | None:
    """A pattern that matches more: its last literal part becomes a ``*``; ``None`` where nothing is left to widen."""
    end = len(pattern.rstrip("*"))
    if end == 0:
        return None
    if any(character in _SPECIAL for character in pattern[:end]):
        return "*"
    # `jobs.delete_draft*` -> `jobs.delete_*` -> `jobs.*` -> `*`
    start = max(pattern.rfind(mark, 0, end - 1) for mark in "._-/ ")
    return pattern[: start + 1] + "*"


def _drop_predicate(content: Content) -> Iterator[Mutant]:
    for index, rule in enumerate(content.rules):
        for field in Predicates._fields:
            if getattr(rule.predicates, field) is None:
                continue
            predicates = rule.predicates._replace(**{field: None})
            predicates = ANY if predicates == ANY else predicates
            change = f"{_label(rule, index)}: the predicate `{field}` is left out"
            changed = _with(content, index, rule._replace(predicates=predicates))
            yield Mutant("drop-predicate", change, ("rules", index, "when", field), changed, rules=(index,))


def _drop_conditions(content: Content) -> Iterator[Mutant]:
    for index, rule in enumerate(content.rules):
        if rule.conditions is not None:
            change = f"{_label(rule, index)}: the argument conditions are left out"
            changed = _with(content, index, rule._replace(conditions=None))
            yield Mutant("drop-conditions", change, ("rules", index, "when", "arguments"), changed, rules=(index,))


def _drop_classification(content: Content) -> Iterator[Mutant]:
    for index in range(len(content.classify)):
        rest = (*content.classify[:index], *content.classify[index + 1 :])
        change = f"`classify` entry {index + 1} is left out"
        yield Mutant("drop-classification", change, ("classify", index), _is(content._replace(classify=rest)))


def _lift_guard(content: Content) -> Iterator[Mutant]:
    for field, value in content.defaults._asdict().items():
        if value is False:
            changed = content._replace(defaults=content.defaults._replace(**{field: True}))
            yield Mutant("lift-guard", f"`{field}` becomes true", ("defaults", field), _is(changed))


def _weaken_mode(content: Content) -> Iterator[Mutant]:
    weaker = _WEAKER.get(content.approval.mode)
    if weaker is not None:
        changed = content._replace(approval=content.approval._replace(mode=weaker))  # type: ignore[arg-type]  # a mode
        change = f"the approval mode `{content.approval.mode}` becomes `{weaker}`"
        yield Mutant("weaken-mode", change, ("approval", "mode"), _is(changed))


def _raise_limit(content: Content) -> Iterator[Mutant]:
    budget = content.budget
    if budget is None:
        return
    for field in Budget._fields[:5]:
        limit = getattr(budget, field)
        if limit is not None:
            raised: Any = str(Decimal(limit) + 1) if field == "max_cost_units" else limit + 1
            change = f"`{field}` becomes {raised}"
            yield _limit(content, ("budget", field), change, budget._replace(**{field: raised}))
    for key, limit in budget.per_tool_calls.items():
        per_tool = type(budget.per_tool_calls)({**budget.per_tool_calls, key: limit + 1})
        change = f"`per_tool_calls` of {shown(key)} becomes {limit + 1}"
        yield _limit(content, ("budget", "per_tool_calls", key), change, budget._replace(per_tool_calls=per_tool))


def _limit(content: Content, at: DocPath, change: str, budget: Budget) -> Mutant:
    return Mutant("raise-limit", change, at, _is(content._replace(budget=budget)))


def _more_attempts(content: Content) -> Iterator[Mutant]:
    retry = content.retry
    if retry is not None:
        raised = retry._replace(max_attempts=retry.max_attempts + 1)
        change = f"`max_attempts` of `retry` becomes {raised.max_attempts}"
        yield Mutant("raise-limit", change, ("retry", "max_attempts"), _is(content._replace(retry=raised)))
        if not retry.retry_non_read_only and retry.max_attempts > 1:
            changed: Retry = retry._replace(retry_non_read_only=True)
            at: DocPath = ("retry", "retry_non_read_only")
            yield Mutant("raise-limit", "`retry_non_read_only` becomes true", at, _is(content._replace(retry=changed)))


def _drop_hook(content: Content) -> Iterator[Mutant]:
    for slot, names in content.hooks._asdict().items():
        for index, name in enumerate(names):
            rest = (*names[:index], *names[index + 1 :])
            changed = content._replace(hooks=content.hooks._replace(**{slot: rest}))
            change = f"the hook {shown(name)} of `{slot}` is left out"
            yield Mutant("drop-hook", change, ("hooks", slot, index), _is(changed))


#: The kinds of mistakes; those that people make in rules come first.
OPERATORS: tuple[Operator, ...] = (
    Operator("flip-effect", _flip),
    Operator("drop-rule", _drop),
    Operator("swap-rules", _swap),
    Operator("widen-pattern", _widen),
    Operator("drop-predicate", _drop_predicate),
    Operator("drop-conditions", _drop_conditions),
    Operator("drop-classification", _drop_classification),
    Operator("lift-guard", _lift_guard),
    Operator("weaken-mode", _weaken_mode),
    Operator("raise-limit", _raise_limit),
    Operator("raise-limit", _more_attempts),
    Operator("drop-hook", _drop_hook),
)
