r"""The policy decides as before.

## What it does
Says, in the formats that annotate files, that a change has no effect: rules were reordered, renamed or rewritten, and
every call is decided alike.

## Why it matters
A reviewer need not work that out.

## Example
Before:
```yaml
version: 1
rules:
  - {name: read, operation: notes.read, effect: allow}
  - {name: list, operation: notes.list, effect: allow}
```
After:
```yaml
version: 1
rules:
  - {name: list, operation: notes.list, effect: allow}
  - {name: read, operation: notes.read, effect: allow}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
rules:
  - {name: read, operation: notes.read, effect: allow}
```

## Limits
Settings that count for nothing, such as waiting times, are changes all the same and listed by themselves.
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
