r"""Another callback is asked for approval.

## What it does
Reports a change of `approval.callback`. Another name counts as widened, since nothing can tell
whom it asks; none at all counts as narrowed, since approval cannot be had then.

## Why it matters
Who approves is authority too.

## Example
Before:
```yaml
version: 1
approval: {mode: all, callback: ops}
```
After:
```yaml
version: 1
approval: {mode: all, callback: robot}
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
