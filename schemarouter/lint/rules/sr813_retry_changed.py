r"""Failed attempts are repeated otherwise.

## What it does
Reports each field of `retry` that changes. More attempts, and repeating calls that are not read-only, count as widened;
waiting times count as neither.

## Why it matters
A call that is repeated can have its effect twice.

## Example
Before:
```yaml
version: 1
retry: {max_attempts: 2}
```
After:
```yaml
version: 1
retry: {max_attempts: 5}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
retry: {max_attempts: 2}
name: desk
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
