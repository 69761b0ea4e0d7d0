r"""A value without quotes means different things to different parsers.

## What it does
Reports scalars such as `010`, `1_000`, `1:30`, `1e3`, `0x10`, dates, and `yes`, where a number, a boolean or a text is
wanted that they are not.

## Why it matters
YAML 1.1 reads `010` as 8 and `1:30` as 90, YAML 1.2 reads neither so. A limit or a switch must not depend on which
parser somebody has in mind.

## Example
```yaml
version: 1
budget: {max_tool_calls: 1_000}
```

## Instead
```yaml
version: 1
budget: {max_tool_calls: 1000}
```

## Limits
Only where the value does not fit: a text such as `1:30` where a text is wanted is left alone.
"""
