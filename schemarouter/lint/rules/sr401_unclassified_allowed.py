"""Remote calls that nobody has classified run without approval.

## What it does
Reports every `allow` rule, and the default `allow_unclassified_remote`, that lets some remote call run whose
`read_only` is unknown, without approval. Shows such a call. Where the rule names the operation, it is a warning:
somebody has thought of this one.

## Why it matters
Everything that comes from a server is unclassified until somebody says here what it does. A wildcard then allows what
nobody has looked at, the tools that the server adds tomorrow included.

## Example
```yaml
version: 1
rules:
  - name: use-github
    operation: "github.get_*"
    effect: allow
    when: {destructive: false}
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
classify:
  - operation: "github.get_*"
    read_only: true
    destructive: false
rules:
  - name: use-github
    operation: "github.get_*"
    effect: allow
budget: {max_tool_calls: 20}
```

## Limits
Exact, `classify`, earlier rules and the approval mode included. Whether argument conditions can be met is not decided:
a call that depends on them counts as one that can run. What a tool's own contract says of itself is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.exact import UNCLASSIFIED
from schemarouter.lint.rule import rule
from schemarouter.lint.running import running
from schemarouter.match.classes import class_mask
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR401", "unclassified-allowed", "error")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for everyone who lets such calls run."""
    for found in running(policy, class_mask(remote=True, unclassified=True), UNCLASSIFIED):
        such = f", such as `{found.call.operation}`" if found.call is not None and found.literal is None else ""
        some = " with some arguments" if found.conditional else ""
        if found.rule is None:
            yield Problem(
                "SR401",
                f"remote calls that nobody classified run{some} without approval where no rule matches{such}",
                Target(("defaults", "allow_unclassified_remote")),
                help="set it to false, and say in `classify` what the operations do",
                witness=found.call,
            )
            continue
        what = "remote calls that nobody classified run" if found.literal is None else f"`{found.literal}` runs"
        tail = "" if found.literal is None else ", and nobody has classified it"
        yield Problem(
            "SR401",
            f"{what}{some} without approval{tail}{such}",
            Target(("rules", found.rule, "operation")),
            help="say in `classify` what the operations do, or add `when: {read_only: true}`",
            witness=found.call,
            severity="error" if found.literal is None else "warning",
        )
