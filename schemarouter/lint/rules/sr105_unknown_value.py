r"""A value is none of those that are allowed at its place.

## What it does
Reports values of `effect`, `approval.mode` and the like that do not exist, and guesses which one was meant.

## Why it matters
An effect that nobody knows can neither be enforced nor be ignored.

## Example
```yaml
version: 1
rules:
  - name: read
    operation: files.read
    effect: permit
```

## Instead
```yaml
version: 1
rules:
  - name: read
    operation: files.read
    effect: allow
```

## Limits
Numbers out of range are `invalid-value` (SR110).
"""
