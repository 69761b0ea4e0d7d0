r"""Calls that were denied may run now.

## What it does
Reports each pair of rules (or category guards) where the change lets operations run, at once or after approval, that
were denied before, with a shortest call that shows it.

## Why it matters
Authority that is given away is what a review of a policy is for. `schemarouter diff` fails on it unless told otherwise.

## Example
Before:
```yaml
version: 1
rules:
  - {name: read, operation: notes.read, effect: allow}
  - {name: rest, operation: "notes.*", effect: deny}
```
After:
```yaml
version: 1
rules:
  - {name: read, operation: "notes.re*", effect: allow}
  - {name: rest, operation: "notes.*", effect: deny}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
rules:
  - {name: rest, operation: "notes.*", effect: deny}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
