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
from schemarouter.lint.catalogued import MAX_GUESSES
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schemarouter.lint.context import LintContext


@rule("SR505", "unknown-budget-key", "error", needs=["catalog"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at every unknown key."""
    budget, catalog = policy.document.budget, policy.catalog
    if budget is None or catalog is None:
        return
    for key in budget.per_tool_calls or ():
        if key not in catalog.keys:
            tool = catalog.operations[key].tool if key in catalog.operations else None
            yield _problem("per_tool_calls", key, "is no tool of the catalog", tool, catalog.keys)
    for key in budget.cost_units or ():
        if key != "*" and key not in catalog.keys and key not in catalog.operations:
            known = [*catalog.keys, *catalog.operations]
            yield _problem("cost_units", key, "is neither a tool nor an operation of the catalog", None, known)


def _problem(table: str, key: str, what: str, meant: str | None, known: Iterable[str]) -> Problem:
    names = sorted(known)
    near = meant or (closest(key, names) if len(names) <= MAX_GUESSES else None)
    return Problem(
        "SR505",
        f"{shown(key)} {what}",
        Target(("budget", table, key), "key"),
        help=f"did you mean {shown(near)}?" if near else "take it out, or write the catalog again if the tool is new",
    )
