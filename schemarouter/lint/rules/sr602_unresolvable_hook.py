"""A hook or callback that the policy names has no callable.

## What it does
With `check --resolve --allow-import PREFIX`, looks up every name that says where it comes from (`myapp.hooks:audit`)
and reports those that cannot be found, are not callable, or lie outside the allowed prefixes. Without `--resolve` it
does nothing.

## Why it matters
Loading such a policy fails. It is better to hear that from a check than from a deployment.

## Example
Checked with `--resolve --allow-import myapp.`:
```yaml
version: 1
hooks:
  before_call: ["myapp.hooks:missing"]
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
hooks:
  before_call: ["myapp.hooks:audit"]
budget: {max_tool_calls: 20}
```

## Limits
Looking up imports the application's modules and runs what stands at their top level. A plain name (`audit`) is
supplied by the application when it loads the policy and cannot be looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR602", "unresolvable-hook", "error", needs=["resolver"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at every name of a callable that the resolver does not find."""
    resolve, document = policy.resolve, policy.document
    if resolve is None:
        return
    named = [("approval callback", document.approval.callback, Target(("approval", "callback")))]
    for event in ("before_call", "after_call"):
        for index, name in enumerate(getattr(document.hooks, event)):
            named.append(("hook", name, Target(("hooks", event, index))))
    for kind, name, at in named:
        why = resolve(name) if name is not None else None
        if name is not None and why is not None:
            yield Problem(
                "SR602",
                f"{kind} {shown(name)} {why}",
                at,
                help="name a callable that can be imported, or supply it when the policy is loaded",
            )
