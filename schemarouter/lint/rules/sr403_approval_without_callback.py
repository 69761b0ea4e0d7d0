"""Approval can be needed and no callback is named.

## What it does
Reports a policy in which `approval.mode` is not `never`, or a rule says `require_approval`, and `approval.callback` is
absent.

## Why it matters
A call that needs approval and has nobody to ask is denied, so such a policy refuses calls that it seems to permit.
The name also tells whoever reviews the policy who decides, and lets `diff` notice when that changes.

## Example
```yaml
version: 1
approval: {mode: non_read_only}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
approval: {mode: non_read_only, callback: ops-approver}
budget: {max_tool_calls: 20}
```

## Limits
Static: a rule counts even if earlier rules leave nothing for it, unless the first rule denies everything. An
application that passes its callback in code instead may suppress the finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.predicates import denies_everything
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR403", "approval-without-callback", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield one problem, at the mode or else at the first rule that asks for approval."""
    document = policy.document
    if document.approval.callback is not None or (document.rules and denies_everything(document.rules[0])):
        return
    asking = [index for index, entry in enumerate(document.rules) if entry.effect == "require_approval"]
    if document.approval.mode != "never":
        at = Target(("approval", "mode"))
        message = f"approval mode `{document.approval.mode}` needs a callback and none is named"
    elif asking:
        at = Target(("rules", asking[0], "effect"))
        message = "this rule needs an approval callback and none is named"
    else:
        return
    yield Problem(
        "SR403",
        message,
        at,
        help="name it: `approval: {callback: NAME}`; the application supplies the callable",
        related=tuple(
            ("needs it as well", Target(("rules", index, "effect")))
            for index in asking[:5]
            if at.path != ("rules", index, "effect")
        ),
    )
