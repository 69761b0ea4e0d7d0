"""An allow rule begins with a wildcard and so reaches into tools that it does not name.

## What it does
Reports patterns of `allow` rules in which a `*` stands before the first dot that is written out: `*delete*`,
`*.get_issue`, `git*.list`.

## Why it matters
`*` also runs across dots. `*.get_issue` allows that operation on every tool, also on one that is registered next year
by a server that nobody reviewed, and whose author chooses the names. In a deny such a pattern is a good net; in an
allow it hands out authority by name.

## Example
```yaml
version: 1
rules:
  - name: search
    operation: "*search*"
    effect: allow
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: search
    operation: ["github.search_*", "wiki.search_*"]
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
Rules with `read_only: true` are not reported: they go by the trusted classification, not by the name alone. A pattern
of wildcards only is `allow-everything` (SR306), a name without a dot is `missing-endpoint-part` (SR304). Wildcards
other than `*` that match the dot, such as `?`, are not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.patterns import crosses_tools, lacks_endpoint_part
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR305", "wildcard-crosses-tools", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern of an allow rule that reaches into tools which it does not name."""
    for pattern in policy.rule_patterns:
        entry = policy.document.rules[pattern.entry]
        if entry.effect != "allow" or (entry.when is not None and entry.when.read_only is True):
            continue
        if crosses_tools(pattern.text) and not lacks_endpoint_part(pattern.text):
            yield Problem(
                "SR305",
                f"{shown(pattern.text)} allows operations of tools that it does not name",
                pattern.target,
                help="name the tools: one pattern `tool.…` for each; or add `when: {read_only: true}`",
            )
