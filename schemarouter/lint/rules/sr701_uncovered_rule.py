"""No test of the policy is decided by this rule.

## What it does
With `check --tests`, and in `schemarouter test`: reports every rule that decides no policy test. Tests are the files
beside the policy (`policy.test.yaml`), and the examples that rules carry.

## Why it matters
A test is where a reviewer sees what a rule is for, and what keeps its next edit from meaning something else. A rule
without one can be turned around, and nothing fails.

## Example
```yaml
version: 1
approval: {callback: approver}
budget: {max_tool_calls: 20}
rules:
  - name: read-jobs
    operation: "jobs.get*"
    effect: allow
    when: {read_only: true, destructive: false}
    examples:
      decides: [{operation: jobs.get, remote: false, read_only: true, destructive: false}]
  - name: start-jobs
    operation: "jobs.start"
    effect: require_approval
```

## Instead
```yaml
version: 1
approval: {callback: approver}
budget: {max_tool_calls: 20}
rules:
  - name: read-jobs
    operation: "jobs.get*"
    effect: allow
    when: {read_only: true, destructive: false}
    examples:
      decides: [{operation: jobs.get, remote: false, read_only: true, destructive: false}]
  - name: start-jobs
    operation: "jobs.start"
    effect: require_approval
    examples:
      decides: [jobs.start]
```

## Limits
One call that a rule decides is enough. Whether the tests would notice a change of the rule is another question, which
`schemarouter test --mutate` answers. Without `--tests` nothing is reported, and if a file of tests has an error, its
findings are reported instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemarouter.lint.rule import rule
from schemarouter.model.diagnostic import Problem, Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemarouter.lint.context import LintContext


@rule("SR701", "uncovered-rule", "warning", needs=["tests"])
def check(policy: LintContext) -> Iterator[Problem]:
    """Yield a problem at the operation of every rule that decides no test."""
    for index in range(len(policy.graph.rules)):
        if policy.tested is not None and index not in policy.tested:
            yield Problem(
                "SR701",
                "no test is decided by this rule",
                Target(("rules", index, "operation")),
                help="add a case that it decides to the tests of the policy, or `examples: {decides: [...]}` to the rule",
            )
