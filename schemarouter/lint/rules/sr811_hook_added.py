r"""A hook runs that did not, or hooks run in another order.

## What it does
Reports each slot of `hooks` in which a name stands more often than before, or in which only the order changed.

## Why it matters
A hook can veto calls. The order decides which veto comes first.

## Example
Before:
```yaml
version: 1
hooks: {before_call: [audit]}
```
After:
```yaml
version: 1
hooks: {before_call: [audit, limit]}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
hooks: {before_call: []}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
