"""A rule or a `classify` entry names an operation that the catalog does not have.

## What it does
With `--catalog`: reports a name without wildcards, in `rules` and `classify`, that is no operation of the catalog.
Says which name was probably meant.

## Why it matters
A name is exact or it is nothing. `github.delete_fiel` denies no call, and nobody notices; `github.read_fiel` that
is allowed lets in whatever a server publishes under that name tomorrow.

## Example
With a catalog that has `files.read` and `files.delete`:
```yaml
version: 1
rules:
  - name: keep-files
    operation: files.delte
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: keep-files
    operation: files.delete
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Limits
Only as good as the catalog: a tool that is missing in it is unknown. Names in `invariants` and `examples` are not
looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.catalogued import advice
from schemarouter.lint.patterns import is_literal
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR309", "unknown-operation", "error", needs=["catalog"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every name that the catalog lacks."""
    catalog = policy.catalog
    if catalog is None:
        return
    idle = (pattern for pattern in policy.patterns if not policy.matched[pattern] and is_literal(pattern.text))
    for number, pattern in enumerate(idle):
        yield Problem(
            "SR309",
            f"{shown(pattern.text)} is no operation of the catalog",
            pattern.target,
            help=advice(pattern.text, catalog, number),
        )
