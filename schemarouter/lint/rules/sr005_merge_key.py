r"""A merge key (`<<`) brings keys in from elsewhere.

## What it does
Reports every `<<` in YAML.

## Why it matters
Which value wins is not visible where it is used, and YAML 1.2 has no merge keys at all: one parser merges, another one
sees a key that is called `<<`.

## Example
```yaml
version: 1
rules:
  - name: read
    <<: {effect: allow}
    operation: files.read
```

## Instead
```yaml
version: 1
rules:
  - name: read
    effect: allow
    operation: files.read
```

## Limits
None.
"""
