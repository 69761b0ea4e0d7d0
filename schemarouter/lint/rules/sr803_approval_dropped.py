r"""Calls that needed approval run without now.

## What it does
Reports operations that a person had to approve and that the change allows at once: by a rule, or by the approval mode.

## Why it matters
Nobody looks at these calls any more.

## Example
Before:
```yaml
version: 1
rules:
  - {name: refund, operation: payments.refund, effect: require_approval}
```
After:
```yaml
version: 1
rules:
  - {name: refund, operation: payments.refund, effect: allow}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
rules:
  - {name: refund, operation: payments.refund, effect: deny}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
