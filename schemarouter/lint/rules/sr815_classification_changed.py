r"""Operations are classified otherwise.

## What it does
Reports each pair of `classify` entries by which an operation counts as read-only or destructive in another way.

## Why it matters
Guards, approval mode, retries and parallel runs go by the classification. Where decisions change, that is reported
beside it.

## Example
Before:
```yaml
version: 1
classify:
  - {operation: "notes.*", read_only: false}
```
After:
```yaml
version: 1
classify:
  - {operation: "notes.*", read_only: true}
```

## Instead
A change of the first policy to this one is not reported as such:
```yaml
version: 1
classify:
  - {operation: ["notes.*"], read_only: false}
```

## Limits
`schemarouter diff` reports it; `check`, which sees one side only, does not, and no comment suppresses it.
"""
