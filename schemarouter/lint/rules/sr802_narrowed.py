r"""Calls that could run are denied, or need approval, now.

## What it does
Reports each pair of rules (or category guards) where the change takes authority away.

## Why it matters
It breaks no protection, but may break an agent that relied on it.

## Example
Before:
```yaml
version: 1
rules:
  - {name: read, operation: "notes.*", effect: allow}
```
After:
```yaml
version: 1
rules:
  - {name: read, operation: "notes.*", effect: deny}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
rules:
  - {name: all-notes, operation: "notes.*", effect: allow}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
