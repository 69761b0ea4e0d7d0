"""Where findings about a lock stand in the policy, and what to do about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.model.diagnostic import Target

if TYPE_CHECKING:
    from schemarouter.catalog.decisions import Decided
    from schemarouter.lint.context import LintContext

REVIEW = "review it, then write the lock again: `schemarouter lock`"


def place_of(policy: LintContext, decided: Decided) -> Target:
    """The rule that decides, or is the first that may; the top of the policy where that is the category guards."""
    index = decided.deciders[0].rule_index
    if index is None or index >= len(policy.document.rules):
        return Target(("version",), "entry")
    return Target(("rules", index, "operation"))
