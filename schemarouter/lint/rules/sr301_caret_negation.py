"""A bracket starts with `^`, which negates nothing here.

## What it does
Reports brackets such as `[^a]` in patterns of `rules` and `classify`.

## Why it matters
In regular expressions and some shells `[^a]` means "any character but a". In this pattern language, as in Python's
`fnmatch`, it means "`^` or `a`"; negation is written `[!a]`. A rule with `[^a]` matches nearly the opposite of what
was meant.

## Example
```yaml
version: 1
rules:
  - name: all-but-internal
    operation: "files.[^_]*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: all-but-internal
    operation: "files.[!_]*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
`[^]`, which matches a caret and nothing else, is a way to quote it and is not reported. The fix writes `[!` in place
of `[^`. It changes what the policy decides, as is its purpose, and is therefore marked *unsafe*: read it before you
keep it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import pieces, quoted
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR301", "caret-negation", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern with a bracket that seems to be meant as a negation."""
    for pattern in policy.patterns:
        if "[^" not in pattern.text:
            continue
        parts = pieces(pattern.text)
        carets = [part for part in parts if _is_negation(part.text)]
        if not carets:
            continue
        first = carets[0]
        mended = "".join("[!" + part.text[2:] if _is_negation(part.text) else part.text for part in parts)
        yield Problem(
            "SR301",
            f"{shown(first.text)} matches a caret as well, it negates nothing",
            pattern.target,
            help=f"negation is written {shown('[!' + first.text[2:])}",
            within=(first.start, first.start + len(first.text)),
            fix=("unsafe", ((pattern.target, quoted(mended)),)),
        )


def _is_negation(piece: str) -> bool:
    return piece.startswith("[^") and piece.endswith("]") and piece != "[^]"
