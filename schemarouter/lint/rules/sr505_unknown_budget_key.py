"""A budget counts or weighs something that the catalog does not have.

## What it does
With `--catalog`: reports a key of `per_tool_calls` that is no tool, and a key of `cost_units` that is neither a tool,
an operation, nor `"*"`.

## Why it matters
Budgets go by exact keys, without wildcards. A limit on `github.search` where the tool is `github` limits nothing, and a
weight for it is never charged.

## Example
With a catalog whose one tool is `files`:
```yaml
version: 1
budget: {max_tool_calls: 20, per_tool_calls: {files.read: 3}}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 20, per_tool_calls: {files: 3}}
```

## Limits
Only as good as the catalog: a tool that is missing in it is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import closest, shown
from schemarouter.lint.catalogued import GUESSED, MAX_GUESSES
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR505", "unknown-budget-key", "error", needs=["catalog"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at every unknown key."""
    budget, catalog = policy.document.budget, policy.catalog
    if budget is None or catalog is None:
        return
    tools, both = sorted(catalog.keys), sorted({*catalog.keys, *catalog.operations, "*"})
    found = [("per_tool_calls", key, tools) for key in budget.per_tool_calls or () if key not in catalog.keys]
    known = frozenset(both)
    found += [("cost_units", key, both) for key in budget.cost_units or () if key not in known]
    for number, (table, key, names) in enumerate(found):
        near = catalog.operations[key].tool if key in catalog.operations else None
        if near is None and number < GUESSED and len(names) <= MAX_GUESSES:
            near = closest(key, names)
        what = "is no tool" if table == "per_tool_calls" else "is neither a tool nor an operation"
        yield Problem(
            "SR505",
            f"{shown(key)} {what} of the catalog",
            Target(("budget", table, key), "key"),
            help=f"did you mean {shown(near)}?"
            if near
            else "take it out, or write the catalog again if the tool is new",
        )
