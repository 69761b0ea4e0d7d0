"""A question about the policy could not be decided within the bound on work.

## What it does
Names each question that the exact analysis gave up on, and the rules it is about.

## Why it matters
Whether patterns cover a pattern together can take a time that grows beyond all bounds with their number of stars. The
analysis does a fixed amount of work, the same on every machine, and then says so instead of guessing. What is undecided
is not clean: `check` ends with exit code 1, and `load_policy(..., check="full")` refuses.

## Example
```yaml
version: 1
rules:
  - name: first
    operation: ["*a???????????????????a*", "*a???????????????????b*", "*b???????????????????[ab]*"]
    effect: deny
    reason: done by people
  - name: hard
    operation: "[ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab].x"
    effect: deny
    reason: done by people as well
budget: {max_tool_calls: 20}
```

## Instead
```yaml
version: 1
rules:
  - name: known
    operation: ["jobs.list", "jobs.get_*"]
    effect: deny
    reason: done by people
  - name: all-the-rest
    operation: "jobs.*"
    effect: deny
    reason: done by people as well
  - name: reads
    operation: "*"
    effect: allow
    when: {read_only: true, destructive: false}
budget: {max_tool_calls: 20}
```

## Limits
It cannot be suppressed, and it is reported whatever codes are selected, as long as one of them asked the question. An
invariant that is undecided is SR407. Fewer stars in a pattern, and patterns that begin with plain text, make questions
easy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.naming import rule_named, rules_named
from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schemarouter.lint.context import LintContext

#: Rules up to which a question is reported for each of them.
_SINGLE = 8


@rule("SR903", "undecided", "warning")
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem for every question that was asked and not decided. It runs last and asks nothing itself."""
    for question, about in policy.gaps.items():
        if len(about) <= _SINGLE:
            for number in about:
                yield _problem(question.format(rule_named(policy.graph, number)), [number])
        else:
            rules = [number for number in about if number is not None]
            yield _problem(question.format(rules_named(policy.graph, rules)), rules)


def _problem(question: str, about: Sequence[int | None]) -> Problem:
    places = [
        Target(("rules",), "key") if number is None else Target(("rules", number, "operation")) for number in about
    ]
    return Problem(
        "SR903",
        f"the bound on work was reached before it was decided whether {question}",
        places[0],
        help="use fewer stars in patterns that overlap, or begin them with plain text",
        related=tuple(("this rule as well", place) for place in places[1 : _SINGLE + 1]),
    )
