r"""The approval mode asks for fewer approvals.

## What it does
Reports a change of `approval.mode` from `all` towards `never`.

## Why it matters
The mode covers every call that no rule sends to approval. What becomes of single calls is reported beside it.

## Example
Before:
```yaml
version: 1
approval: {mode: all, callback: ops}
```
After:
```yaml
version: 1
approval: {mode: never, callback: ops}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
approval: {mode: all, callback: ops}
name: desk
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
