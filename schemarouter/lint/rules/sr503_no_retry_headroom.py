"""The attempts that the budget allows leave no room for the retries that are configured.

## What it does
Reports `budget.max_attempts` below `retry.max_attempts`, and, with retries, `budget.max_attempts` at or below
`max_tool_calls`.

## Why it matters
Every retry spends an attempt. With three attempts for three calls, the first retry takes the attempt of the last
call, which then fails for a reason that has nothing to do with it.

## Example
```yaml
version: 1
budget: {max_tool_calls: 4, max_attempts: 4}
retry: {max_attempts: 3}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 4, max_attempts: 8}
retry: {max_attempts: 3}
```

## Limits
Whether the room that is left suffices is not judged, only whether there is any. `max_remote_attempts` is not looked
at, because not every call is remote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR503", "no-retry-headroom", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield one problem, at the budget's ``max_attempts``."""
    budget, retry = policy.graph.budget, policy.graph.retry
    if budget is None or budget.max_attempts is None or retry is None or retry.max_attempts < 2:
        return
    attempts, each, calls = budget.max_attempts, retry.max_attempts, budget.max_tool_calls
    if attempts < each:
        message = f"{attempts} attempts are fewer than one call may make: retry.max_attempts {each}"
    elif calls is not None and attempts <= calls:
        message = f"{attempts} attempts for {calls} calls leave none for a retry"
    else:
        return
    yield Problem(
        "SR503",
        message,
        Target(("budget", "max_attempts")),
        help="raise `budget.max_attempts`, or lower `retry.max_attempts`",
    )
