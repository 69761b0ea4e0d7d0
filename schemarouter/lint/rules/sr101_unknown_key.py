r"""A key is not part of the format.

## What it does
Reports every key that the format does not know, and guesses which one was meant.

## Why it matters
A misspelled key would otherwise be ignored: `read_onyl: true` narrows nothing.

## Example
```yaml
version: 1
rules:
  - name: read
    operation: "files.*"
    effect: allow
    when: {read_onyl: true}
```

## Instead
```yaml
version: 1
rules:
  - name: read
    operation: "files.*"
    effect: allow
    when: {read_only: true, destructive: false}
```

## Limits
There are no free keys. Notes belong into comments or `reason`.
"""
