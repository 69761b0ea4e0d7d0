r"""A pattern without quotes is read as something else by YAML.

## What it does
Reports values that begin with `*`, which YAML reads as an alias, with `[`, `{`, `!` or `&`, and a list with one item
without a dot (`operation: [ab]`), which was meant as a bracket.

## Why it matters
`operation: *.delete` is no pattern but a reference to an anchor. What YAML makes of such a line is never what its
author meant.

## Example
```yaml
version: 1
rules:
  - name: no-deletes
    operation: *.delete
    effect: deny
```

## Instead
```yaml
version: 1
rules:
  - name: no-deletes
    operation: "*.delete"
    effect: deny
```

## Limits
YAML only: in TOML every string has quotes. The fix adds the quotes and is safe, because without them the file
compiles to nothing.
"""
