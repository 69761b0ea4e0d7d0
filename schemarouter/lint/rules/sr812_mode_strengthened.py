r"""The approval mode asks for more approvals.

## What it does
Reports a change of `approval.mode` from `never` towards `all`.

## Why it matters
More calls wait for a person.

## Example
Before:
```yaml
version: 1
approval: {mode: never, callback: ops}
```
After:
```yaml
version: 1
approval: {mode: all, callback: ops}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
approval: {mode: never, callback: ops}
name: desk
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
