"""The evaluation graph (SPEC 10): a compiled policy that decides. Standard library only.

A graph is deeply immutable, safe from several threads, picklable, and equal to every graph that says the same, whatever
file it came from. What it remembers of operations that it has decided is a cache: bounded, private, not part of it.
"""

from __future__ import annotations

from schemarouter.compiler.decide import guard_decision, needs_approval, refusal, rule_decision, settle, tried
from schemarouter.compiler.records import ANY, Content, GraphStage, predicate_mask
from schemarouter.match.classes import ALL_CLASSES, class_index
from schemarouter.match.index import Matchable, RuleIndex
from schemarouter.model.frozen import FrozenMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NoReturn, TypeVar

    from schemarouter.compiler.records import (
        ApprovalGate,
        Budget,
        Classification,
        GraphInvariant,
        GraphRule,
        Guards,
        HookNames,
        Retry,
    )
    from schemarouter.model.decision import Outcome, PolicyDecision

    Key = TypeVar("Key")
    Value = TypeVar("Value")
    #: A decision, whether the call needs approval, and the rules that the arguments have to settle, if any.
    _Known = tuple[PolicyDecision, bool, tuple[int, ...] | None]
    #: Candidates of each class, and the classified ``read_only`` and ``destructive``.
    _Row = tuple[tuple[tuple[int, ...], ...], bool | None, bool | None]

#: Entries of a cache; at this number it is emptied, which costs less than keeping an order of use.
CACHE_LIMIT = 16_384
#: Longer operations are decided anew each time, so that the size of a cache is bounded in bytes as well.
REMEMBERED_LENGTH = 512


class EvaluationGraph:
    """A compiled policy. Made by ``compile_policy``, ``load_policy``, ``load_artifact`` or an ``ExecutionPolicy``."""

    __slots__ = ("__weakref__", "_classify", "_content", "_decided", "_digest", "_index", "_rows", "_stages")
    _content: Content
    _index: RuleIndex
    _classify: RuleIndex | None
    _decided: dict[tuple[str, bool, bool | None, bool | None], _Known]
    _rows: dict[str, _Row]
    _digest: str | None
    _stages: tuple[GraphStage, ...] | None

    def __init__(self, content: Content) -> None:
        rules = content.rules
        new = tuple.__new__  # half the time of calling the class
        index = RuleIndex(
            [
                new(
                    Matchable,
                    (rule[1], ALL_CLASSES if rule[4] is ANY else predicate_mask(rule[4]), rule[5] is not None),
                )
                for rule in rules
            ]
        )
        classify = RuleIndex([Matchable(entry.patterns, ALL_CLASSES, False) for entry in content.classify])
        put = object.__setattr__
        put(self, "_content", content)
        put(self, "_index", index)
        put(self, "_classify", classify if content.classify else None)
        put(self, "_decided", {})
        put(self, "_rows", {})
        put(self, "_digest", None)
        put(self, "_stages", None)

    # What the policy says

    @property
    def content(self) -> Content:
        """Everything the policy says, as one record."""
        return self._content

    @property
    def name(self) -> str | None:
        """The policy's name."""
        return self._content.name

    @property
    def defaults(self) -> Guards:
        """The category guards."""
        return self._content.defaults

    @property
    def approval(self) -> ApprovalGate:
        """Approval mode, and the name of the callback."""
        return self._content.approval

    @property
    def classify(self) -> tuple[Classification, ...]:
        """The entries of the local classification, in declaration order."""
        return self._content.classify

    @property
    def rules(self) -> tuple[GraphRule, ...]:
        """The rules in declaration order, each with the place it came from."""
        return self._content.rules

    @property
    def budget(self) -> Budget | None:
        """The ceiling of every run, or ``None``."""
        return self._content.budget

    @property
    def retry(self) -> Retry | None:
        """The ceiling of every run's retries, or ``None``."""
        return self._content.retry

    @property
    def hooks(self) -> HookNames:
        """Names of the hooks."""
        return self._content.hooks

    @property
    def invariants(self) -> tuple[GraphInvariant, ...]:
        """Questions that must never come true."""
        return self._content.invariants

    @property
    def named_callables(self) -> tuple[str, ...]:
        """The names that an application has to supply callables for: callback first, then hooks, each once."""
        content = self._content
        callback = () if content.approval.callback is None else (content.approval.callback,)
        return tuple(dict.fromkeys((*callback, *content.hooks.before_call, *content.hooks.after_call)))

    @property
    def stages(self) -> tuple[GraphStage, ...]:
        """The fixed order of one logical call, with this policy's parameters for each stage."""
        if self._stages is None:
            stages = _stages(self._content)
            object.__setattr__(self, "_stages", stages)
            return stages
        return self._stages

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal over the canonical JSON of what the policy says; positions are not part of it."""
        if self._digest is None:
            from schemarouter.compiler.digest import digest_of

            digest = digest_of(self._content)
            object.__setattr__(self, "_digest", digest)
            return digest
        return self._digest

    # What it decides

    def decide(
        self,
        operation: str,
        remote: bool,
        read_only: bool | None,
        destructive: bool | None,
        arguments: Mapping[str, object] | None = None,
    ) -> PolicyDecision:
        """Decide a call by its *contract* attributes (SPEC 2).

        ``arguments=None`` means that they are not known: every condition is then indeterminate, while ``{}`` is a call
        without arguments. Never raises: attributes of a wrong type, and any error on the way, are a deny.
        """
        return self.assess(operation, remote, read_only, destructive, arguments)[0]

    def assess(
        self,
        operation: object,
        remote: object,
        read_only: object,
        destructive: object,
        arguments: Mapping[str, object] | None = None,
    ) -> tuple[PolicyDecision, bool]:
        """As :meth:`decide`, with whether the call needs approval. Takes whatever it is given, and never raises."""
        try:
            if type(operation) is not str:  # a subclass may answer for itself what it equals, and spoil the cache
                return refusal(operation, "an operation is text"), True
            # Equal is not enough for a key of the cache: 1 == True. Only the three objects themselves are attributes.
            if not (
                (remote is True or remote is False)
                and (read_only is None or read_only is True or read_only is False)
                and (destructive is None or destructive is True or destructive is False)
            ):
                return refusal(operation, "an attribute of the call is neither true, false nor unknown"), True
            known = self._decided.get((operation, remote, read_only, destructive))
            if known is None:
                known = self._first_sight(operation, remote, read_only, destructive)
            decision, approval, open_rules = known
            if open_rules is None:
                return decision, approval
            content = self._content
            classified = self._row(operation)[1]
            actual = read_only if classified is None else classified
            steps = tried(content.rules, open_rules, arguments)
            decision = settle(content, steps, operation, actual, decision)
            approval = needs_approval(content.approval, decision.effect, actual)
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the answer is a deny
            return refusal(operation, f"{type(error).__name__} while deciding"), True
        return decision, approval

    def settled(
        self, operation: str, remote: bool, read_only: bool | None, destructive: bool | None
    ) -> PolicyDecision | None:
        """The decision that holds whatever the arguments are; ``None`` where it depends on them, or on an error."""
        try:
            class_index(remote, read_only, destructive)
            known = self._decided.get((operation, remote, read_only, destructive))
            if known is None:
                known = self._first_sight(operation, remote, read_only, destructive)
        except Exception:  # noqa: BLE001 - the same error makes `decide` deny
            return None
        return known[0] if known[2] is None else None

    def outcome(
        self,
        operation: str,
        remote: bool,
        read_only: bool | None,
        destructive: bool | None,
        arguments: Mapping[str, object] | None = None,
    ) -> Outcome:
        """What happens to a call in the end: ``deny``, ``approval`` (it runs if approved), or ``allow``. Never raises."""
        decision, approval = self.assess(operation, remote, read_only, destructive, arguments)
        if decision.effect == "deny":
            return "deny"
        return "approval" if approval else "allow"

    def requires_approval(
        self,
        operation: str,
        remote: bool,
        read_only: bool | None,
        destructive: bool | None,
        arguments: Mapping[str, object] | None = None,
    ) -> bool:
        """Whether a call that is not denied needs approval, by a rule or by the mode (SPEC 2.5). Never raises.

        ``False`` for a call that the policy denies; ``True`` where no decision could be made.
        """
        return self.assess(operation, remote, read_only, destructive, arguments)[1]

    def effective(
        self, operation: str, remote: bool, read_only: bool | None, destructive: bool | None
    ) -> tuple[bool, bool | None, bool | None]:
        """The attributes that policy goes by: the contract's, as the first matching ``classify`` entry changes them.

        Raises ``TypeError`` for attributes of a wrong type.
        """
        class_index(remote, read_only, destructive)
        _, classified, harmful = self._row(operation)
        return (
            remote,
            read_only if classified is None else classified,
            destructive if harmful is None else harmful,
        )

    def candidates(
        self, operation: str, remote: bool, read_only: bool | None, destructive: bool | None
    ) -> tuple[int, ...]:
        """Indices of the rules that match but for their argument conditions, up to the first that has none.

        Takes contract attributes. Raises ``TypeError`` for attributes of a wrong type.
        """
        return self._row(operation)[0][class_index(*self.effective(operation, remote, read_only, destructive))]

    def matching(self, operation: str) -> list[int]:
        """Indices of all rules whose pattern matches ``operation``, in order, whatever their predicates."""
        return self._index.matching(operation)

    def classification(self, operation: str) -> int | None:
        """The index of the ``classify`` entry that speaks for ``operation``, or ``None``."""
        found = self._classify.matching(operation) if self._classify is not None else []
        return found[0] if found else None

    def warm(self, calls: Iterable[tuple[str, bool, bool | None, bool | None]]) -> None:
        """Decide ``(operation, remote, read_only, destructive)`` of a catalog beforehand, so that none is seen first."""
        for call in calls:
            self.assess(*call)

    def _row(self, operation: str) -> _Row:
        known = self._rows.get(operation)
        if known is None:
            # Most policies classify nothing, and need not look for an entry.
            entry = None if self._classify is None else self.classification(operation)
            read_only, destructive = (None, None) if entry is None else self._content.classify[entry][1:]
            known = (self._index.candidates(operation), read_only, destructive)
            remember(self._rows, operation, known, len(operation))
        return known

    def _first_sight(self, operation: str, remote: bool, read_only: bool | None, destructive: bool | None) -> _Known:
        rows, classified, harmful = self._row(operation)
        actual = read_only if classified is None else classified
        harm = destructive if harmful is None else harmful
        candidates = rows[class_index(remote, actual, harm)]
        content = self._content
        open_rules: tuple[int, ...] | None = None
        if candidates and content.rules[candidates[0]].conditions is None:
            decision = rule_decision(content.rules[candidates[0]], candidates[0], operation)
        else:
            decision = guard_decision(content.defaults, operation, remote, actual, harm)
            open_rules = candidates or None
        known = (decision, needs_approval(content.approval, decision.effect, actual), open_rules)
        remember(self._decided, (operation, remote, read_only, destructive), known, len(operation))
        return known

    # What it is as an object

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EvaluationGraph):
            return NotImplemented
        return self is other or self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        name = "" if self.name is None else f" {self.name!r}"
        return f"<EvaluationGraph{name} rules={len(self.rules)} digest={self.digest[:12]}>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be set: a graph is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"`{name}` cannot be deleted: a graph is immutable")

    def __copy__(self) -> EvaluationGraph:
        return self

    def __deepcopy__(self, memo: object) -> EvaluationGraph:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (EvaluationGraph, (self._content,))


def remember(cache: dict[Key, Value], key: Key, value: Value, length: int) -> None:
    """Put an entry about an operation of ``length`` characters into a bounded cache."""
    if length <= REMEMBERED_LENGTH:
        if len(cache) >= CACHE_LIMIT:
            cache.clear()
        cache[key] = value


def _stages(content: Content) -> tuple[GraphStage, ...]:
    from schemarouter.model.stages import STAGES

    budget = content.budget
    deciding = {"rules": len(content.rules), "classify": len(content.classify), "defaults": content.defaults}
    parameters: dict[str, dict[str, object]] = {
        "validate": deciding,
        "clock": {"max_elapsed_seconds": budget.max_elapsed_seconds if budget else None},
        "approval": {"mode": content.approval.mode, "callback": content.approval.callback},
        "revalidate-approved": deciding,
        "budget": {
            "max_tool_calls": budget.max_tool_calls if budget else None,
            "per_tool_calls": budget.per_tool_calls if budget else FrozenMap(),
        },
        "before-hooks": {"hooks": content.hooks.before_call},
        "revalidate-attempt": deciding,
        "attempts": {
            "retry": content.retry,
            "max_attempts": budget.max_attempts if budget else None,
            "max_remote_attempts": budget.max_remote_attempts if budget else None,
            "max_cost_units": budget.max_cost_units if budget else None,
            "cost_units": budget.cost_units if budget else FrozenMap(),
        },
        "after-hooks": {"hooks": content.hooks.after_call},
    }
    return tuple(GraphStage(stage.name, stage.does, FrozenMap(parameters.get(stage.name, {}))) for stage in STAGES)
