"""The decision itself (SPEC 2): what a rule says, what the category guards say, and how doubt is settled.

Plain functions over records. Standard library only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schemarouter.model.decision import PolicyDecision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schemarouter.compiler.records import ApprovalGate, Content, GraphRule, Guards
    from schemarouter.model.decision import Effect

_new = tuple.__new__  # half the time of calling the class, at every operation that is seen for the first time

_SAYS: dict[Effect, str] = {"allow": "allows", "require_approval": "requires approval for", "deny": "denies"}
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(text: str) -> str:
    """``text`` on one line: runs of white space and control characters become one space."""
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text  # nothing to do, and told in a tenth of the time
    return " ".join(_CONTROLS.sub(" ", text).split())


def rule_label(name: str | None, index: int) -> str:
    """What messages call a rule: its name, or its number counted from 1."""
    return f"rule `{one_line(name)}`" if name is not None else f"rule number {index + 1}"


def rule_decision(rule: GraphRule, index: int, operation: str, *, certain: bool = True) -> PolicyDecision:
    """The decision of a rule that matches, or that may match and is the stricter answer (``certain=False``)."""
    before, after = _around(rule.name, index, rule.effect, rule.reason, certain)
    return _new(PolicyDecision, (rule.effect, "rule", rule.name, index, operation, f"{before} `{operation}`{after}"))


@lru_cache(maxsize=4096)
def _around(name: str | None, index: int, effect: Effect, reason: str | None, certain: bool) -> tuple[str, str]:
    """What a rule's reason says before the operation, and what after it."""
    label = rule_label(name, index)
    if certain:
        before = f"{label} {_SAYS[effect]}"
    else:
        before = f"{label} may or may not apply to these arguments, and is the stricter answer for"
    return before, "" if reason is None else f": {one_line(reason)}"


def guard_decision(
    guards: Guards, operation: str, remote: bool, read_only: bool | None, destructive: bool | None
) -> PolicyDecision:
    """The decision where no rule matches (SPEC 2.4): the first category guard that fails is the reason."""
    if destructive is True and guards.allow_destructive is not True:
        missing, kind = "allow_destructive", "destructive"
    elif read_only is False and guards.allow_mutations is not True:
        missing, kind = "allow_mutations", "mutating"
    elif read_only is None and remote and guards.allow_unclassified_remote is not True:
        missing, kind = "allow_unclassified_remote", "remote and unclassified"
    else:
        reason = f"no rule matches `{operation}`, and no category guard forbids it"
        return _new(PolicyDecision, ("allow", "default", None, None, operation, reason))
    reason = f"no rule matches `{operation}`, which is {kind}, and `{missing}` is false"
    return _new(PolicyDecision, ("deny", "default", None, None, operation, reason))


def refusal(operation: object, why: str) -> PolicyDecision:
    """The decision where none could be made: a deny, never a skipped rule."""
    text = operation if isinstance(operation, str) else ""
    return PolicyDecision("deny", "default", None, None, text, f"denied, because no decision could be made: {why}")


def tried(
    rules: Sequence[GraphRule], candidates: Iterable[int], arguments: Mapping[str, object] | None
) -> list[tuple[int, bool | None]]:
    """The ``candidates`` (indices in declaration order) that are tried, up to the first that certainly applies.

    Each with whether its argument conditions hold; ``None`` where they are indeterminate.
    """
    steps: list[tuple[int, bool | None]] = []
    for index in candidates:
        conditions = rules[index].conditions
        holds = True if conditions is None else conditions.evaluate(arguments)
        if holds is not True and holds is not False and holds is not None:
            raise TypeError("a condition gave neither true, false nor indeterminate")
        steps.append((index, holds))
        if holds is True:
            break
    return steps


def settle(
    content: Content,
    steps: Iterable[tuple[int, bool | None]],
    operation: str,
    read_only: bool | None,
    otherwise: PolicyDecision,
) -> PolicyDecision:
    """Decide by the rules that were :func:`tried` (SPEC 2.6); ``otherwise`` is the decision if none of them applies.

    Where a rule is indeterminate, the answer is the stricter of its own outcome and what the rest gives; outcomes are
    compared after the approval gate, for which ``read_only`` (effective) is needed. In a tie the rest is named, which
    is where the certain rule is.
    """
    uncertain: list[int] = []
    decision = otherwise
    for index, holds in steps:
        if holds is True:
            decision = rule_decision(content.rules[index], index, operation)
        elif holds is None:
            uncertain.append(index)
    strictness = _strictness(content.approval, decision.effect, read_only)
    for index in reversed(uncertain):
        rule = content.rules[index]
        own = _strictness(content.approval, rule.effect, read_only)
        if own > strictness:
            decision = rule_decision(rule, index, operation, certain=False)
            strictness = own
    return decision


def _strictness(gate: ApprovalGate, effect: Effect, read_only: bool | None) -> int:
    """Stricter is higher: allow, approval, deny."""
    return 2 if effect == "deny" else int(needs_approval(gate, effect, read_only))


def needs_approval(gate: ApprovalGate, effect: Effect, read_only: bool | None) -> bool:
    """Whether a call needs approval (SPEC 2.5), by its effective ``read_only``. A denied call needs none."""
    if effect == "deny":
        return False
    return effect != "allow" or (gate.mode != "never" and (gate.mode != "non_read_only" or read_only is not True))
