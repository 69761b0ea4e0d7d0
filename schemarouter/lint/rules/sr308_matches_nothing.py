"""A pattern, or a rule with its predicates, matches no operation of the catalog.

## What it does
With `--catalog`: reports a pattern with wildcards in `rules` and `classify` that matches no operation, and a rule that
allows or asks for approval and whose patterns match some, none of which has the attributes that its `when` asks for.
Attributes are the effective ones, after `classify`. A name without wildcards is SR309.

## Why it matters
Such a rule decides nothing. A deny that was meant to protect something protects nothing, because of a typing error or
because the tool was renamed; an allow is dead weight that wakes up when a tool of that name appears.

## Example
With a catalog that has `files.read` and `files.delete`:
```yaml
version: 1
rules:
  - name: keep-files
    operation: "file.delete*"
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: keep-files
    operation: "files.delete*"
    effect: deny
    reason: files are kept
budget: {max_tool_calls: 20}
```

## Limits
Only as good as the catalog: with tools missing in it, right patterns are reported. Several sources make one catalog:
`schemarouter catalog SOURCE SOURCE`. A rule that is meant for tools to come can be suppressed, with that as the reason.
A deny whose predicates fit nothing is taken for a net that is meant to be there, and not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.document.words import shown
from schemarouter.lint.catalogued import advice, decided_by, some_of
from schemarouter.lint.patterns import is_literal
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR308", "matches-nothing", "warning", needs=["catalog"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every pattern that matches nothing, and for every rule whose predicates leave nothing."""
    catalog = policy.catalog
    if catalog is None:
        return
    idle = (pattern for pattern in policy.patterns if not policy.matched[pattern] and not is_literal(pattern.text))
    for number, pattern in enumerate(idle):
        yield Problem(
            "SR308",
            f"{shown(pattern.text)} matches none of the {len(catalog)} operations of the catalog",
            pattern.target,
            help=advice(pattern.text, catalog, number),
        )
    by_rule: dict[int, list[str]] = {}
    deciding: set[int] = set()
    for pattern in policy.rule_patterns:
        by_rule.setdefault(pattern.entry, []).extend(each.operation for each in policy.matched[pattern])
        if decided_by(policy, pattern):
            deciding.add(pattern.entry)
    for entry, names in by_rule.items():
        if names and entry not in deciding and policy.document.rules[entry].effect != "deny":
            yield Problem(
                "SR308",
                f"this rule matches no operation of the catalog: none that its patterns match ({some_of(names)}) has these attributes",
                Target(("rules", entry, "when"), "key"),
                help="mend the predicates, or `classify`; `schemarouter explain` says which attributes an operation has",
            )
