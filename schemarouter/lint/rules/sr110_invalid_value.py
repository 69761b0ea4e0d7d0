r"""A value has the right type and cannot be meant.

## What it does
Reports numbers out of range, empty names, and argument conditions that are none: unknown keywords, and keywords with a
value that they cannot take.

## Why it matters
A limit of -1 or a condition with a misspelled keyword would otherwise have to be ignored, which widens authority.

## Example
```yaml
version: 1
budget: {max_tool_calls: -1}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 1}
```

## Limits
Only what is impossible is reported here, not what is unwise.
"""
