"""What a policy decides. Standard library only; no dataclass, because a hook process pays for every import."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, NamedTuple, TypeAlias

    Effect: TypeAlias = Literal["allow", "deny", "require_approval"]
    DecisionSource: TypeAlias = Literal["rule", "default"]
    Outcome: TypeAlias = Literal["allow", "approval", "deny"]
    ApprovalMode: TypeAlias = Literal["never", "non_read_only", "all"]

    class PolicyDecision(NamedTuple):
        """A decision: ``effect``, where it comes from, which rule, and a one-line reason.

        ``rule_name`` and ``rule_index`` (from 0) are ``None`` when no rule matched. Immutable; equal by value.
        """

        effect: Effect
        source: DecisionSource
        rule_name: str | None
        rule_index: int | None
        operation: str
        reason: str
else:
    PolicyDecision = namedtuple("PolicyDecision", "effect source rule_name rule_index operation reason")

EFFECTS = ("allow", "deny", "require_approval")
APPROVAL_MODES = ("never", "non_read_only", "all")
