"""A bracket is never closed, or braces are used as alternatives: both are ordinary characters here.

## What it does
Reports patterns with a `[` that no `]` closes, and patterns with `{a,b}`.

## Why it matters
An unclosed `[` matches only itself, and there is no `{a,b}` in this pattern language: `github.{get,list}_issue`
matches an operation that is spelled with braces and a comma, that is, none. An allow that matches nothing is a
nuisance; a deny that matches nothing is a hole.

## Example
```yaml
version: 1
rules:
  - name: no-loss
    operation: "files.{delete,truncate}"
    effect: deny
    reason: files are kept
```

## Instead
```yaml
version: 1
rules:
  - name: no-loss
    operation: [files.delete, files.truncate]
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Limits
Braces without a comma, as in `/users/{id}`, are taken for a part of the name. To say that a bracket or a brace is
meant literally, put it into brackets: `[[]`, `[{]`. The fix makes a list of the alternatives; it changes what the
policy decides and is *unsafe*. It is offered where `operation` is a single pattern with one group of braces, which has
at most ten alternatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import alternatives, braces, pieces, quoted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext, PatternAt


#: Alternatives that are written out.
_MOST = 10


@rule("SR302", "literal-bracket-or-brace", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern with an unclosed bracket, and for every one with alternatives in braces."""
    for pattern in policy.patterns:
        unclosed = (
            [piece.start for piece in pieces(pattern.text) if piece.kind == "open"] if "[" in pattern.text else []
        )
        if unclosed:
            yield Problem(
                "SR302",
                f"the `[` in {shown(pattern.text)} is never closed and matches only itself",
                pattern.target,
                help="close the bracket; a literal bracket is written `[[]`",
                within=(unclosed[0], unclosed[0] + 1),
            )
        group = braces(pattern.text)
        if group is not None:
            yield _braces(pattern, group)


def _braces(pattern: PatternAt, group: str) -> Problem:
    single = pattern.path[-1] == "operation" and pattern.text.count("{") == 1 and group.count(",") < _MOST
    start = pattern.text.index(group)
    choices = ", ".join(quoted(text) for text in alternatives(pattern.text)) if single else ""
    return Problem(
        "SR302",
        f"{shown(group)} matches only these very characters, there are no alternatives in braces",
        pattern.target,
        help=f"write a list: `operation: [{choices}]`" if single else "write each alternative as a pattern of the list",
        fix=("unsafe", ((pattern.target, f"[{choices}]"),)) if single else None,
        within=(start, start + len(group)),
    )
