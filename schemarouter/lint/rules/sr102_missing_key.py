r"""A key that must be there is not.

## What it does
Reports what a rule, an entry of `classify` or an invariant lacks.

## Why it matters
There is no safe guess for a rule without an effect or without an operation.

## Example
```yaml
version: 1
rules:
  - name: read
    operation: files.read
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
A missing `version` is `unsupported-version` (SR104).
"""
