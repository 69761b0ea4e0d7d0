r"""The predicates of a rule contradict each other: it can match nothing.

## What it does
Reports `unclassified: true` together with `read_only`.

## Why it matters
Unclassified means that nobody said whether an operation is read-only. Such a rule never decides. If it is a deny, it
protects nothing.

## Example
```yaml
version: 1
rules:
  - name: unknown-reads
    operation: "files.*"
    effect: deny
    when: {unclassified: true, read_only: true}
```

## Instead
```yaml
version: 1
rules:
  - name: unknown-reads
    operation: "files.*"
    effect: deny
    when: {unclassified: true}
```

## Limits
Rules that match nothing because earlier rules take all their calls are not reported here.
"""
