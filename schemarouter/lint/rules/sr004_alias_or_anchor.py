r"""An anchor or an alias hides a value from review.

## What it does
Reports every YAML anchor (`&name`) and alias (`*name`).

## Why it matters
A reviewer who sees `when: *narrow` has to look elsewhere to know what the rule matches, and a change at the anchor
changes rules that its diff does not show.

## Example
```yaml
version: 1
rules:
  - name: first
    operation: files.read
    effect: allow
    when: &narrow {read_only: true}
  - name: second
    operation: mail.read
    effect: allow
    when: *narrow
```

## Instead
```yaml
version: 1
rules:
  - name: first
    operation: files.read
    effect: allow
    when: {read_only: true}
  - name: second
    operation: mail.read
    effect: allow
    when: {read_only: true}
```

## Limits
A warning only: the file compiles, with the values that the aliases stand for. How far aliases may expand is limited
(SR010).
"""
