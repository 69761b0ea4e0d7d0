r"""An invariant is new, gone, or asks something else.

## What it does
Reports each name under `invariants` with another question. Only a new one counts as narrowed.

## Why it matters
Invariants hold back whoever changes the policy next.

## Example
Before:
```yaml
version: 1
invariants:
  - {name: no-remote-destruction, never: destructive and remote}
```
After:
```yaml
version: 1
invariants: []
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
invariants:
  - {name: no-remote-destruction, never: destructive and remote}
name: desk
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
