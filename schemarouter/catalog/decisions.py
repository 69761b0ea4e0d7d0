"""What a policy decides about each operation of a catalog, whatever the arguments are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from schemarouter.compiler.decide import guard_decision, needs_approval

if TYPE_CHECKING:
    from typing import TypeAlias

    from schemarouter.catalog.records import Catalog, Operation
    from schemarouter.compiler.graph import EvaluationGraph
    from schemarouter.model.decision import Effect, Outcome

    Attributes: TypeAlias = tuple[bool, bool | None, bool | None]

#: An outcome, or that it depends on the arguments.
Verdict = Literal["allow", "approval", "deny", "depends"]


class Decider(NamedTuple):
    """What may decide: a rule, by name and index from 0, or the category guards, where both are ``None``."""

    rule: str | None
    rule_index: int | None
    outcome: Outcome


class Decided(NamedTuple):
    """An operation and who decides about it: one decider, or all that may, in the order in which they are tried.

    ``effective`` are the attributes that policy goes by, after ``classify``. Every call has the outcome of one of the
    ``deciders``; which one, is for the arguments to say.
    """

    operation: Operation
    effective: Attributes
    deciders: tuple[Decider, ...]

    @property
    def verdict(self) -> Verdict:
        """The outcome of every call, or ``depends``."""
        return verdict(self.deciders)

    @property
    def may_ask(self) -> bool:
        """Whether a person is asked about some calls."""
        return any(one.outcome == "approval" for one in self.deciders)


def verdict(deciders: tuple[Decider, ...]) -> Verdict:
    """The one outcome of ``deciders``, or ``depends``."""
    outcomes = {one.outcome for one in deciders}
    return outcomes.pop() if len(outcomes) == 1 else "depends"


def decide_all(graph: EvaluationGraph, catalog: Catalog) -> tuple[Decided, ...]:
    """Who decides about every operation of ``catalog``, in their order."""
    return tuple(decide(graph, operation) for operation in catalog)


def decide(graph: EvaluationGraph, operation: Operation) -> Decided:
    """Who decides about ``operation``."""
    name, attributes = operation.operation, operation.attributes
    effective = graph.effective(name, *attributes)

    def outcome(effect: Effect) -> Outcome:
        if effect == "deny":
            return "deny"
        return "approval" if needs_approval(graph.approval, effect, effective[1]) else "allow"

    deciders = []
    for index in graph.candidates(name, *attributes):
        rule = graph.rules[index]
        deciders.append(Decider(rule.name, index, outcome(rule.effect)))
        if rule.conditions is None:
            break
    else:
        default = guard_decision(graph.defaults, name, *effective)
        deciders.append(Decider(None, None, outcome(default.effect)))
    return Decided(operation, effective, tuple(deciders))


class Load(NamedTuple):
    """How many operations come to which outcome, and of how many that depend on arguments a person may be asked."""

    operations: int
    allow: int
    approval: int
    deny: int
    depends: int
    may_ask: int


def approval_load(decided: tuple[Decided, ...]) -> Load:
    """The share of operations that would ask: ``approval`` always do, ``may_ask`` for some arguments."""
    counts = dict.fromkeys(("allow", "approval", "deny", "depends"), 0)
    may_ask = 0
    for one in decided:
        counts[one.verdict] += 1
        may_ask += one.verdict == "depends" and one.may_ask
    return Load(len(decided), **counts, may_ask=may_ask)
