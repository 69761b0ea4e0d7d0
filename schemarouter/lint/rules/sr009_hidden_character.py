r"""A name, a pattern or another text holds something that nobody can see.

## What it does
Reports control characters, bidirectional controls and zero-width characters, white space at the ends of names, and
names that are not in Unicode normalization form NFC.

## Why it matters
Names are compared character by character. A rule for `files.delete` with a zero-width space in it protects nothing,
and a bidirectional control can show a reviewer another text than the one that counts.

## Example
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "files.delete\u200b"
    effect: deny
```

## Instead
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "files.delete"
    effect: deny
```

## Limits
Letters that merely look like others are `confusable-name` (SR307).
"""
