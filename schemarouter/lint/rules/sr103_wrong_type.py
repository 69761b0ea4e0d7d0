r"""A value has the wrong type.

## What it does
Reports, among others, `"yes"` for a boolean and `4.0` for an integer, and says what the parser made of the text.

## Why it matters
A switch that takes every non-empty text for true turns `"false"` into a permission. Nothing is converted here.

## Example
```yaml
version: 1
defaults: {allow_mutations: "false"}
```

## Instead
```yaml
version: 1
defaults: {allow_mutations: false}
```

## Limits
Values that only look like a number or a boolean are `ambiguous-scalar` (SR006).
"""
