"""A pattern names a tool and forgets the dot: `github*` where `github.*` was meant.

## What it does
Reports patterns that are a name without a dot, bare (`github`) or with a star behind it (`github*`), and names with
nothing on one side of their only dot (`github.`), in `rules` and `classify`.

## Why it matters
An operation is a tool's key, a dot and an endpoint's name. `github` therefore matches nothing, and `github*` matches
the operations of `github`, and those of `github-enterprise` and of every other tool whose name happens to begin in the
same way, tools that are registered later included.

## Example
```yaml
version: 1
rules:
  - name: read-github
    operation: "github*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: read-github
    operation: "github.*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
If every tool whose name begins so is meant, write `github*.*`: it matches the same operations and says so. Names with
`?` or brackets in front of the star are not judged, since those can match the dot. The fix inserts the dot; it changes
what the policy decides and is *unsafe*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import is_literal, lacks_endpoint_part, names_no_operation, quoted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR304", "missing-endpoint-part", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern without an endpoint part."""
    for pattern in policy.patterns:
        if not lacks_endpoint_part(pattern.text):
            if names_no_operation(pattern.text):
                yield Problem(
                    "SR304",
                    f"{shown(pattern.text)} matches no operation: one has a name on both sides of a dot",
                    pattern.target,
                    help="an operation is a tool's key, a dot and an endpoint's name, such as `tickets.create`",
                )
            continue
        name = pattern.text.rstrip("*")
        yield Problem(
            "SR304",
            f"{shown(name)} has no endpoint part and matches no operation"
            if is_literal(pattern.text)
            else f"{shown(pattern.text)} also matches tools whose name only begins with {shown(name)}",
            pattern.target,
            help=f"write {shown(name + '.*')} for its operations, or {shown(name + '*.*')} if every such tool is meant",
            fix=("unsafe", ((pattern.target, quoted(f"{name}.*")),)),
        )
