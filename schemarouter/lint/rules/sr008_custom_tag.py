r"""A YAML tag asks for a special type.

## What it does
Reports every tag, such as `!env` or `!!python/object`.

## Why it matters
Tags tell a parser to build something, or to run something. A policy file is plain data.

## Example
```yaml
version: 1
name: !env POLICY_NAME
rules: []
```

## Instead
```yaml
version: 1
name: payments
rules: []
```

## Limits
The standard tags of plain data are refused as well: write the value so that it needs none.
"""
