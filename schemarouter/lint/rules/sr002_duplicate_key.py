r"""A key stands twice in one mapping.

## What it does
Reports the second occurrence, and cites the first.

## Why it matters
Parsers disagree on which of the two counts. A reader who sees the first one believes in a rule that does not hold.

## Example
```yaml
version: 1
rules:
  - name: refunds
    operation: payments.refund
    effect: deny
    effect: allow
```

## Instead
```yaml
version: 1
rules:
  - name: refunds
    operation: payments.refund
    effect: deny
```

## Limits
None: keys are compared as they are, at every level.
"""
