"""A hook is listed twice for the same event.

## What it does
Reports a name that occurs more than once in `before_call`, or more than once in `after_call`.

## Why it matters
The hook runs twice for every call: an audit log has every line twice, a counter counts double.

## Example
```yaml
version: 1
hooks:
  before_call: [audit, quota, audit]
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
hooks:
  before_call: [audit, quota]
budget: {max_tool_calls: 20}
```

## Limits
One hook before and after calls is no duplicate. Two names for the same callable are not noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR601", "duplicate-hook", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at every repetition of a hook."""
    for event in ("before_call", "after_call"):
        first: dict[str, Target] = {}
        for index, name in enumerate(getattr(policy.document.hooks, event)):
            at = Target(("hooks", event, index))
            earlier = first.setdefault(name, at)
            if earlier is not at:
                yield Problem(
                    "SR601",
                    f"hook {shown(name)} runs twice for every call",
                    at,
                    help="remove the repetition",
                    related=(("listed first here", earlier),),
                )
