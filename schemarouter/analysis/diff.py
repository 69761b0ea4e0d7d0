"""What a change of a policy gives or takes away (SPEC 13), each claim with a call that anyone can replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from schemarouter.analysis.arguments import find_arguments
from schemarouter.analysis.automaton import NOTHING
from schemarouter.analysis.changes import (
    Change as Change,
)
from schemarouter.analysis.changes import (
    PolicyDiff as PolicyDiff,
)
from schemarouter.analysis.changes import (
    Verdict as Verdict,
)
from schemarouter.analysis.changes import (
    WitnessError as WitnessError,
)
from schemarouter.analysis.doubt import doubtful_pairs
from schemarouter.analysis.regions import Gap, Region, Rest, differing_regions
from schemarouter.analysis.search import Found, Work, search
from schemarouter.analysis.settings import setting_changes
from schemarouter.analysis.view import PolicyView, build_views
from schemarouter.analysis.words import lies_within, literal_word, may_overlap, plain_prefix, some_word
from schemarouter.compiler.graph import EvaluationGraph
from schemarouter.compiler.records import NO_GUARDS_LIFTED, NO_HOOKS, ApprovalGate, Content, GraphRule, Predicates
from schemarouter.match.classes import CLASSES, class_index
from schemarouter.match.conditions import Conditions
from schemarouter.model.diagnostic import Call

#: Steps for one comparison; a fifth of a second each million on this kind of work.
STEPS = 20_000_000
#: Exceptions that a description names; of more it says that there are some.
_NAMED_EXCEPTIONS = 3
#: Steps for finding out whether one exception belongs into a description.
_DESCRIPTION_STEPS = 5_000

#: What a policy file that is not there says: nothing may run.
NOTHING_ALLOWED = EvaluationGraph(
    Content(
        None,
        NO_GUARDS_LIFTED,
        ApprovalGate("never", None),
        (),
        (GraphRule(None, ("*",), "deny", None, Predicates(None, None, None, None), None, None),),
        None,
        None,
        NO_HOOKS,
        (),
    )
)


def diff_policies(
    old: EvaluationGraph | None,
    new: EvaluationGraph | None,
    *,
    steps: int = STEPS,
    cancelled: Callable[[], bool] | None = None,
    enough: int | None = None,
) -> PolicyDiff:
    """Compare two policies; ``None`` is a file that is not there, and allows nothing.

    With ``enough``, no more than so many differing regions are looked for: for whoever asks whether, and not what.

    Raises :class:`WitnessError` if a call that should show a difference does not: a defect, which a caller reports as
    such and never as a result.
    """
    before, after = old or NOTHING_ALLOWED, new or NOTHING_ALLOWED
    changes: list[Change] = []
    undecided: list[str] = []
    unlisted = False
    if before != after:
        one, other = build_views(before, after)
        comparison = _Comparison(one, other, old is None, new is None)
        work = Work(steps, cancelled=cancelled)
        if before.rules != after.rules or before.approval != after.approval:
            undecided += comparison.doubts(work)
        for region in differing_regions(one, other, work):
            if isinstance(region, Rest):
                unlisted = True
            elif isinstance(region, Gap):
                undecided.append(comparison.gap(region))
            else:
                changes.append(comparison.change(region))
                if len(changes) == enough:
                    break
        if old is not None and new is not None:
            changes += comparison.classification()
            changes += setting_changes(before, after)
    changes.sort(key=_order)
    return PolicyDiff(
        None if old is None else old.digest,
        None if new is None else new.digest,
        tuple(changes),
        tuple(undecided),
        unlisted,
    )


def _order(change: Change) -> tuple[object, ...]:
    """Widened first, then decisions before settings, then by place and text, so that two runs give the same list."""
    place = change.new_location or change.old_location
    return (
        ("widened", "narrowed", "neutral").index(change.direction),
        change.kind != "decision",
        place[:3] if place else ("", 0, 0),
        change.kind,
        change.operations,
        change.before,
        change.after,
    )


class _Comparison:
    def __init__(self, old: PolicyView, new: PolicyView, old_missing: bool, new_missing: bool) -> None:
        self.old, self.new = old, new
        self.old_missing, self.new_missing = old_missing, new_missing
        self._found: dict[tuple[bool, str], list[int]] = {}

    def gap(self, gap: Gap) -> str:
        """A gap as a sentence."""
        one = _label(self.old, gap.old_rule, self.old_missing)
        other = _label(self.new, gap.new_rule, self.new_missing)
        return f"{one} against {other}: {gap.reason}"

    def doubts(self, work: Work) -> Iterator[str]:
        """Rules that count only in doubt, of which nothing is said here, as sentences."""
        for view in (self.old, self.new):
            for earlier, later in doubtful_pairs(view, work):
                yield (
                    f"{_label(view, later, False)} has the same argument conditions as {_label(view, earlier, False)} "
                    "before it and counts only when they are in doubt, which is not compared"
                )

    def change(self, region: Region) -> Change:
        """A region as a change, its witness replayed."""
        witness = self._witness(region)
        old_rule = None if self.old_missing else region.old_rule
        new_rule = None if self.new_missing else region.new_rule
        return Change(
            "decision",
            _code(region),
            "widened" if region.widened else "narrowed",
            region.before,
            region.after,
            self._operations(region),
            region.conditional,
            witness,
            None if old_rule is None else self.old.rules[old_rule].name,
            None if new_rule is None else self.new.rules[new_rule].name,
            None if old_rule is None else self.old.rules[old_rule].location,
            None if new_rule is None else self.new.rules[new_rule].location,
        )

    # Witnesses

    def _witness(self, region: Region) -> Call | None:
        if not region.conditional:
            self._replay(region, region.witness)
            return region.witness
        hold = [
            conditions
            for view, rule in ((self.old, region.old_rule), (self.new, region.new_rule))
            if rule is not None and (conditions := view.rules[rule].conditions) is not None
        ]
        fail = [*self._tried(self.old, region.old_rule, region), *self._tried(self.new, region.new_rule, region)]
        arguments = find_arguments(hold, fail)
        if arguments is None:
            return None
        witness = replace(region.witness, arguments=arguments)
        self._replay(region, witness)
        return witness

    def _tried(self, view: PolicyView, rule: int | None, region: Region) -> Iterator[Conditions]:
        """Conditions of the rules that are tried for the witness before ``rule``."""
        call = region.witness
        effective = class_index(*view.graph.effective(call.operation, call.remote, call.read_only, call.destructive))
        for number in view.graph.matching(call.operation):
            if rule is not None and number >= rule:
                return
            conditions = view.rules[number].conditions
            if conditions is not None and view.masks[number] >> effective & 1:
                yield conditions

    def _replay(self, region: Region, call: Call) -> None:
        attributes = (call.operation, call.remote, call.read_only, call.destructive, call.arguments)
        for view, rule, outcome in (
            (self.old, region.old_rule, region.before),
            (self.new, region.new_rule, region.after),
        ):
            decided = view.graph.decide(*attributes).rule_index
            if decided != rule or view.graph.outcome(*attributes) != outcome:
                raise WitnessError(f"the call `{call.operation}` does not show what the comparison says")

    # Descriptions

    def _operations(self, region: Region) -> str:
        """The region in the patterns that people wrote: what both rules match, without what earlier rules take."""
        sides = ((self.old, region.old_rule), (self.new, region.new_rule))
        wanted = [
            next(one for one in view.rules[rule].patterns if _matches(view, one, region.witness.operation))
            for view, rule in sides
            if rule is not None
        ]
        wanted = list(dict.fromkeys(wanted)) or ["*"]
        if len(wanted) == 2:
            wanted = _narrower(*wanted)
        text = " and ".join(wanted)
        exceptions = self._exceptions(wanted, region)
        if exceptions:
            named = ", ".join(exceptions[:_NAMED_EXCEPTIONS])
            text += f" except {named}" + (" and more" if len(exceptions) > _NAMED_EXCEPTIONS else "")
        return text

    def _exceptions(self, wanted: list[str], region: Region) -> list[str]:
        """Patterns of earlier rules that certainly take calls of the region, one more than a description names."""
        call = region.witness
        found: list[str] = []
        for view, rule in ((self.old, region.old_rule), (self.new, region.new_rule)):
            graph = view.graph
            effective = class_index(*graph.effective(call.operation, call.remote, call.read_only, call.destructive))
            for number in self._overlapping(view, min(wanted, key=_reach)):
                if rule is not None and number >= rule:
                    break
                if view.rules[number].conditions is not None or not view.masks[number] >> effective & 1:
                    continue
                for pattern in view.rules[number].patterns:
                    if pattern not in found and self._shared(wanted, pattern):
                        found.append(pattern)
                        if len(found) > _NAMED_EXCEPTIONS:
                            return found
        return found

    def _overlapping(self, view: PolicyView, pattern: str) -> list[int]:
        key = (view is self.new, pattern)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = sorted(view.overlaps.find(pattern))
        return known

    def _shared(self, wanted: list[str], pattern: str) -> bool:
        """Whether some operation matches all of ``wanted`` and ``pattern``."""
        if not all(may_overlap(pattern, one) for one in wanted):
            return False
        if some_word([*wanted, pattern]) is not None:
            return True
        automaton = self.old.automaton
        # No policy needs to hold the pattern `*`, and it asks nothing of an operation.
        required = [automaton.domain(), *(automaton.nfa(one) for one in (*wanted, pattern) if one != "*")]
        return isinstance(search(automaton, required, NOTHING, Work(_DESCRIPTION_STEPS)), Found)

    # Classification

    def classification(self) -> Iterator[Change]:
        """Where `classify` says something else: who is asked may not change by it, but retries and parallel runs may."""
        if self.old.graph.classify == self.new.graph.classify:
            return
        automaton = self.old.automaton
        work = Work(STEPS)
        for mine in self.old.slices:
            for theirs in self.new.slices:
                contract = next(
                    (index for index in range(len(CLASSES)) if mine.effective[index] != theirs.effective[index]), None
                )
                if contract is None:
                    continue
                patterns = [one for one in dict.fromkeys((mine.pattern, theirs.pattern)) if one is not None]
                wanted = [*map(automaton.nfa, patterns), automaton.domain()]
                answer = search(automaton, wanted, mine.before | theirs.before, work)
                if not isinstance(answer, Found):
                    continue
                call = Call(answer.word, *CLASSES[contract])
                before, after = CLASSES[mine.effective[contract]], CLASSES[theirs.effective[contract]]
                yield Change(
                    "classification",
                    "SR815",
                    "narrowed" if _harm(after) > _harm(before) else "widened",
                    _attributes(before),
                    _attributes(after),
                    " and ".join(patterns) or "*",
                    witness=call,
                )


def _code(region: Region) -> str:
    if region.old_rule is None and region.new_rule is None:
        return "SR804"
    if region.before == "approval" and region.after == "allow":
        return "SR803"
    return "SR801" if region.widened else "SR802"


def _label(view: PolicyView, rule: int | None, missing: bool) -> str:
    if missing:
        return "nothing allowed"
    if rule is None:
        return "the category guards"
    name = view.rules[rule].name
    return f"rule number {rule + 1}" if name is None else f"rule `{name}`"


def _matches(view: PolicyView, pattern: str, word: str) -> bool:
    return pattern in view.taking(word)


def _narrower(one: str, other: str) -> list[str]:
    """One of the patterns if it is easily seen to lie within the other, else both."""
    for inner, outer in ((one, other), (other, one)):
        if lies_within(inner, outer):
            return [inner]
    return [one, other]


def _reach(pattern: str) -> tuple[bool, int]:
    """Small where few patterns can overlap: one word, or much plain text at the beginning."""
    return (literal_word(pattern) is None, -len(plain_prefix(pattern)))


def _harm(attributes: tuple[bool, bool | None, bool | None]) -> tuple[int, int]:
    _, read_only, destructive = attributes
    return ((True, None, False).index(read_only), (False, None, True).index(destructive))


def _attributes(attributes: tuple[bool, bool | None, bool | None]) -> str:
    _, read_only, destructive = attributes
    says = {True: "true", False: "false", None: "unknown"}
    return f"read_only: {says[read_only]}, destructive: {says[destructive]}"
