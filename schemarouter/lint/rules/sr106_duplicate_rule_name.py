r"""Two rules have the same name.

## What it does
Reports the second rule, and cites the first. Names of invariants are compared in the same way.

## Why it matters
Logs, errors, tests and `diff` call a rule by its name. With two of them nobody knows which one decided.

## Example
```yaml
version: 1
rules:
  - {name: read, operation: files.read, effect: allow}
  - {name: read, operation: mail.read, effect: allow}
```

## Instead
```yaml
version: 1
rules:
  - {name: read-files, operation: files.read, effect: allow}
  - {name: read-mail, operation: mail.read, effect: allow}
```

## Limits
Names that differ only in case are `confusable-name` (SR307).
"""
