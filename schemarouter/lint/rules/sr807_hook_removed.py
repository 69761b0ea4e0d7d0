r"""A hook no longer runs.

## What it does
Reports each slot of `hooks` in which a name stands less often than before.

## Why it matters
A hook can veto a call or record it. Without it, calls go through that it would have stopped or written down.

## Example
Before:
```yaml
version: 1
hooks: {before_call: [audit, limit]}
```
After:
```yaml
version: 1
hooks: {before_call: [audit]}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
hooks: {before_call: [audit, limit, trace]}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
